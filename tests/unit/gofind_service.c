// SPDX-License-Identifier: Apache-2.0
/* The service name and resource attributes, from hostile environments too. */
#include <stdlib.h>

#include "../../cmd/gofind/collectors.h"
#include "../../cmd/gofind/service.h"
#include "tap.h"

static struct service s;

/* Finds in an environment that is a literal with NULs, of this many bytes. */
static void find(const char *env, size_t len, const char *module, const char *exe)
{
	char *copy = malloc(len ? len : 1); /* exactly as long, so that sanitizers see overruns */

	service_release(&s);
	memcpy(copy, env, len);
	if (service_find(copy, len, module, exe, &s))
		ok(0, "service_find");
	/* What the result borrows is shown before the copy goes. */
	static char shown[4096];
	int n = snprintf(shown, sizeof(shown), "%s %.*s", s.from, (int)s.name.len, s.name.s);

	for (size_t i = 0; i < s.n_resource; i++)
		n += snprintf(shown + n, sizeof(shown) - (size_t)n, " [%.*s=%.*s]",
			      (int)s.resource[i].key.len, s.resource[i].key.s,
			      (int)s.resource[i].value.len, s.resource[i].value.s);
	service_release(&s);
	s.decoded = strdup(shown);
	free(copy);
}

#define FIND(env, module, exe) (find(env, sizeof(env) - 1, module, exe), s.decoded)

static void test_sources(void)
{
	is(FIND("A=1\0OTEL_SERVICE_NAME=cart\0B=2\0", "example.com/shop", "/bin/x"), "env cart",
	   "OTEL_SERVICE_NAME");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=a=b,service.name=cart\0", "m", "/bin/x"),
	   "resource-env cart [a=b]", "service.name in the attributes");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=service.name=no,a=b\0OTEL_SERVICE_NAME=yes\0", "m", "x"),
	   "env yes [a=b]", "the variable goes before the attribute, which is not repeated");
	is(FIND("OTEL_SERVICE_NAME=\0OTEL_RESOURCE_ATTRIBUTES=service.name=\0", "example.com/shop",
		"/bin/x"),
	   "module shop", "empty is not set");
	is(FIND("", "", "/usr/bin/shopd"), "exe shopd", "no module: the file name");
	is(FIND("XOTEL_SERVICE_NAME=no\0OTEL_SERVICE_NAME2=no\0", "", "/shopd"), "exe shopd",
	   "other names");
	is(FIND("OTEL_SERVICE_NAME=one\0OTEL_SERVICE_NAME=two\0", "", "x"), "env one",
	   "of two the first, as in Go");
}

static void test_attributes(void)
{
	is(FIND("OTEL_RESOURCE_ATTRIBUTES= a = b , c=d%20e%2Cf \0", "", "x"),
	   "exe x [a=b] [c=d e,f]", "trimmed and decoded");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=a=1,b=2,a=3\0", "", "x"), "exe x [a=3] [b=2]",
	   "the last of one key counts");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=a=1%zz,b=%4,c=%,d=%41\0", "", "x"),
	   "exe x [a=1%zz] [b=%4] [c=%] [d=A]", "a wrong escape stays as it is");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=,,=x,nothing,a==b,c=\0", "", "x"), "exe x [a==b] [c=]",
	   "pairs without a key or a sign");
	is(FIND("OTEL_RESOURCE_ATTRIBUTES=service%2Ename=q,service.namespace=n\0", "", "x"),
	   "resource-env q [service.namespace=n]", "an escaped key");
}

static void test_hostile(void)
{
	static char big[200000];

	is(FIND("OTEL_SERVICE_NAME=cut", "", "x"), "env cut", "no NUL at the end");
	is(FIND("OTEL_SERVICE_NAME", "", "x"), "exe x", "cut off before the sign");
	is(FIND("\0\0\0=\0\0=x\0OTEL_SERVICE_NAME=a\0", "", "x"), "env a", "empty strings");
	is(FIND("OTEL_SERVICE_NAME=a\xff\xfe\0", "", "x"), "env a\xff\xfe",
	   "bytes that are not UTF-8");
	memset(big, ',', sizeof(big));
	memcpy(big, "OTEL_RESOURCE_ATTRIBUTES=", 25);
	find(big, sizeof(big), "", "x");
	is(s.decoded, "exe x", "200,000 empty pairs");
	for (size_t i = 25; i < sizeof(big) - 8; i += 8)
		memcpy(big + i, "k=%41%4,", 8);
	find(big, sizeof(big), "", "x");
	is(s.decoded, "exe x [k=%41%4]", "8,000 pairs of one key, wrongly escaped");
	for (size_t i = 25; i < sizeof(big) - 8; i += 8) {
		char pair[24];

		snprintf(pair, sizeof(pair), "%06zx=,", i);
		memcpy(big + i, pair, 8);
	}
	service_release(&s);
	if (!service_find(big, sizeof(big), "", "x", &s))
		is_int((long long)s.n_resource, 1000, "no more than 1,000 attributes");
}

static void test_modules(void)
{
	static const struct {
		const char *module, *want;
	} t[] = {
		{ "example.com/shop", "shop" },
		{ "example.com/shop/v2", "shop" },
		{ "example.com/shop/v10", "shop" },
		{ "example.com/vault", "vault" },
		{ "example.com/v2x", "v2x" },
		{ "shop", "shop" },
		{ "v2", "v2" },
		{ "gopkg.in/yaml.v3", "yaml" },
		{ "gopkg.in/shop/cart.v12", "cart" },
		{ "gopkg.in/.v3", ".v3" },
		{ "example.com/cart.v3", "cart.v3" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct text got = module_name(t[i].module);
		char *name = strndup(got.s, got.len);

		is(name, t[i].want, t[i].module);
		free(name);
	}
}

static void test_collectors(void)
{
	ok(is_collector("go.opentelemetry.io/collector/cmd/otelcorecol", ""), "the Collector");
	ok(is_collector("github.com/open-telemetry/opentelemetry-collector-releases/contrib", ""),
	   "its contrib distribution");
	ok(is_collector("github.com/grafana/alloy", ""), "Alloy");
	ok(is_collector("example.com/otelcol-custom", "") &&
		   is_collector("example.com/otelcol/v2", ""),
	   "one made by the builder");
	ok(is_collector("", "github.com/jaegertracing/jaeger/cmd/jaeger"),
	   "by the main package where there is no module");
	ok(!is_collector("go.opentelemetry.io/collectors", "") &&
		   !is_collector("example.com/collector", "") &&
		   !is_collector("github.com/grafana/alloyx", "") && !is_collector("", ""),
	   "others are none");
}

int main(void)
{
	test_sources();
	test_attributes();
	test_hostile();
	test_modules();
	test_collectors();
	service_release(&s);
	return done();
}
