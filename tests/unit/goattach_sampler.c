// SPDX-License-Identifier: Apache-2.0
/* --sampler and its environment variables. */
#include "../../cmd/goattach/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

static const char *show(const struct sampling *s)
{
	static char out[128];
	size_t n = 0;

	for (int i = 0; i < GOTAP_SAMPLE_RULES; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%llx", i ? " " : "",
				      (unsigned long long)s->below[i]);
	return out;
}

/* The bounds for root, remote and not, local and not; or "". */
static const char *parse(const char *text)
{
	struct errinfo e = { 0 };
	struct sampling s;

	sampling_init(&s);
	return sampling_parse(&s, text, &e) ? "" : show(&s);
}

static const char *env(const char *sampler, const char *arg, int want)
{
	struct errinfo e = { 0 };
	struct sampling s;
	int ret;

	sampling_init(&s);
	ret = sampling_env(&s, sampler, arg, &e);
	ok(ret == want && !e.text[0] == !want, "%s, %s: %d", sampler ? sampler : "(none)",
	   arg ? arg : "(none)", ret);
	return show(&s);
}

#define ON   "8000000000000000"
#define HALF "4000000000000000"

static void good(void)
{
	is(parse("always_on"), ON " " ON " " ON " " ON " " ON, "always_on");
	is(parse("always_off"), "0 0 0 0 0", "always_off");
	is(parse("traceidratio:0.5"), HALF " " HALF " " HALF " " HALF " " HALF, "traceidratio");
	is(parse("traceidratio"), parse("always_on"), "without a ratio it is 1");
	is(parse("traceidratio:0"), "0 0 0 0 0", "0");
	is(parse("traceidratio:1"), parse("always_on"), "1");
	is(parse("parentbased_always_on"), ON " " ON " 0 " ON " 0", "parentbased");
	is(parse("parentbased_always_off"), "0 " ON " 0 " ON " 0", "parentbased_always_off");
	is(parse("parentbased_traceidratio:0.25"), "2000000000000000 " ON " 0 " ON " 0",
	   "parentbased_traceidratio");
	/* 0.1 is 0x1.999999999999ap-4 */
	is(parse("parentbased_traceidratio:0.1"), "ccccccccccccd00 " ON " 0 " ON " 0",
	   "0.1, as Go has it");
	is(parse("parentbased_traceidratio:1e-19"), "0 " ON " 0 " ON " 0", "less than one id");
	is(parse("parentbased_always_on,remote_parent_sampled=always_off,remote_parent_not_sampled="
		 "always_on,local_parent_sampled=traceidratio:0.5,local_parent_not_sampled=always_on"),
	   ON " 0 " ON " " HALF " " ON, "all rules");
}

static void bad(void)
{
	static const char *const words[] = {
		"",
		",",
		"on",
		"always_on:1",
		"parentbased_",
		"parentbased",
		"traceidratio:",
		"traceidratio:-1",
		"traceidratio:1.1",
		"traceidratio:nan",
		"traceidratio:inf",
		"traceidratio: 1",
		"traceidratio:1x",
		"traceidratios:1",
		"always_on,",
		"always_on,local_parent_sampled=always_on",
		"parentbased_always_on,",
		"parentbased_always_on,root=always_on",
		"parentbased_always_on,local_parent_sampled",
		"parentbased_always_on,local_parent_sampled=",
		"parentbased_always_on,local_parent_sampled=parentbased_always_on",
		"jaeger_remote",
		"xray",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is(parse(words[i]), "", words[i]);
}

static void environment(void)
{
	const char *by_default = ON " " ON " 0 " ON " 0";

	is(env(NULL, NULL, 0), by_default, "not set");
	is(env("", "0.5", 0), by_default, "empty is not set");
	is(env("always_off", NULL, 0), "0 0 0 0 0", "always_off");
	is(env(" Always_OFF\t", "x", 0), "0 0 0 0 0", "as the SDK reads it; it has no argument");
	is(env("parentbased_traceidratio", "0.5", 0), HALF " " ON " 0 " ON " 0", "with a ratio");
	is(env("parentbased_traceidratio", " 0.5 ", 0), HALF " " ON " 0 " ON " 0", "white space");
	is(env("parentbased_traceidratio", "", 0), by_default, "without");
	is(env("parentbased_traceidratio", "2", -EINVAL), by_default, "a bad one is 1");
	is(env("traceidratio", "x", -EINVAL), ON " " ON " " ON " " ON " " ON, "likewise");
	is(env("parentbased_traceidratio", "0.5,local_parent_sampled=always_off", -EINVAL),
	   by_default, "rules are for the option");
	is(env("traceidratio:0.5", NULL, -EINVAL), by_default, "and so is a ratio with the name");
	is(env("jaeger_remote", "endpoint=x", -EINVAL), by_default, "a sampler that there is not");
}

int main(void)
{
	good();
	bad();
	environment();
	return done();
}
