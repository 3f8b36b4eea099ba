// SPDX-License-Identifier: Apache-2.0
#include "otlp_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "diag.h"
#include "env.h"
#include "options_complete.h"

/* The name of a variable for a signal, or for all. */
static const char *name_of(enum otlp_signal signal, bool all, const char *what, char name[64])
{
	snprintf(name, 64, "OTEL_EXPORTER_OTLP_%s%s",
		 all			 ? ""
		 : signal == OTLP_TRACES ? "TRACES_"
					 : "METRICS_",
		 what);
	return name;
}

/* The one of the signal, or else of all, and its name. */
static const char *variable(enum otlp_signal signal, const char *what, char name[64])
{
	const char *v = env_text(name_of(signal, false, what, name));

	return v ? v : env_text(name_of(signal, true, what, name));
}

/* Where the one of the signal makes no sense it counts as unset, and the one of all is asked. */
static void read_words(enum otlp_signal signal, bool all, struct otlp_choice *c)
{
	char name[64];
	const char *v = env_text(name_of(signal, all, "PROTOCOL", name));

	if (v && !c->protocol) {
		c->protocol = otlp_protocol_named(v);
		if (!c->protocol)
			diag(DIAG_WARNING, "%s: '%s' is not known; ignored", name, v);
	}
	v = env_text(name_of(signal, all, "COMPRESSION", name));
	if (v && !c->compression) {
		c->compression = otlp_compression_named(v);
		if (!c->compression)
			diag(DIAG_WARNING, "%s: '%s' is not known; ignored", name, v);
	}
}

static void read_timeout(enum otlp_signal signal, struct otlp_choice *c)
{
	static const char *const words[] = { "false", "true", NULL };
	int insecure = -1;
	char name[64];
	uint64_t ms;

	for (int all = 0; all < 2 && !c->timeout_ms; all++)
		if (env_number(name_of(signal, all, "TIMEOUT", name), 1, 86400000, &ms))
			c->timeout_ms = (int64_t)ms;
	for (int all = 0; all < 2 && insecure < 0; all++)
		insecure = env_word(name_of(signal, all, "INSECURE", name), words);
	c->insecure = insecure > 0;
}

static void read_headers(struct options *o, enum otlp_signal signal, struct otlp_choice *c)
{
	char name[64];
	const char *v = variable(signal, "HEADERS", name);

	while (v && *v) {
		size_t len = strcspn(v, ",");
		char *line = otlp_header_line(v, len, true);

		if (!line && len)
			diag(DIAG_WARNING, "%s: a part is not key=value; ignored", name);
		if (line && c->n_headers < OTLP_MAX_HEADERS && options_own(o, line))
			c->headers[c->n_headers++] = line;
		else
			free(line);
		v += len + (v[len] == ',');
	}
}

void otlp_env_choice(struct options *o, enum otlp_signal signal, struct otlp_choice *c)
{
	char name[64];

	*c = (struct otlp_choice){ 0 };
	read_words(signal, false, c);
	read_words(signal, true, c);
	read_timeout(signal, c);
	c->ca = variable(signal, "CERTIFICATE", name);
	c->cert = variable(signal, "CLIENT_CERTIFICATE", name);
	c->key = variable(signal, "CLIENT_KEY", name);
	read_headers(o, signal, c);
}

static void add(struct options *o, enum sink_kind kind, const char *target, bool exact)
{
	if (o->n_sinks < OPTIONS_MAX_SINKS)
		o->sinks[o->n_sinks++] = (struct sink_choice){
			.kind = kind,
			.target = target,
			.exact = exact,
		};
}

/* @always: also where no endpoint is named; then it is the specification's. */
static void add_otlp(struct options *o, enum otlp_signal signal, bool always)
{
	enum sink_kind kind = signal == OTLP_TRACES ? SINK_OTLP : SINK_OTLP_METRICS;
	struct otlp_choice c;
	char name[64];
	const char *url = variable(signal, "ENDPOINT", name);

	if (!url && !always)
		return;
	if (url) {
		add(o, kind, url, strcmp(name, "OTEL_EXPORTER_OTLP_ENDPOINT") != 0);
		return;
	}
	otlp_env_choice(o, signal, &c);
	add(o, kind, c.protocol == OTLP_GRPC ? "http://localhost:4317" : "http://localhost:4318",
	    false);
}

static void add_prometheus(struct options *o)
{
	const char *host = env_text("OTEL_EXPORTER_PROMETHEUS_HOST");
	uint64_t port = 9464;
	bool bare = host && *host != '[' && strchr(host, ':'); /* an IPv6 address */
	char *address;

	env_number("OTEL_EXPORTER_PROMETHEUS_PORT", 0, 65535, &port);
	if (asprintf(&address, bare ? "[%s]:%u" : "%s:%u", host ? host : "localhost",
		     (unsigned)port) < 0)
		return;
	if (options_own(o, address))
		add(o, SINK_PROMETHEUS, address, false);
	else
		free(address);
}

static bool word_is(const char *v, size_t len, const char *word)
{
	return strlen(word) == len && !strncasecmp(v, word, len);
}

/* The exporters that a variable lists. */
static void add_listed(struct options *o, const char *name, const char *list,
		       enum otlp_signal signal)
{
	for (size_t len; *list; list += len + (list[len] == ',')) {
		const char *v = list;
		size_t n = len = strcspn(list, ",");

		text_trim(&v, &n);
		if (word_is(v, n, "otlp"))
			add_otlp(o, signal, true);
		else if (word_is(v, n, "prometheus") && signal == OTLP_METRICS)
			add_prometheus(o);
		else if (word_is(v, n, "console") && options_on_stdout(o))
			diag(DIAG_WARNING, "%s: console: standard output is taken; ignored", name);
		else if (word_is(v, n, "console"))
			add(o, signal == OTLP_TRACES ? SINK_TREE : SINK_TOP, NULL, false);
		else if (n && !word_is(v, n, "none"))
			diag(DIAG_WARNING, "%s: '%.*s' is not known; ignored", name, (int)n, v);
	}
}

static bool has_sink(const struct options *o, enum otlp_signal signal)
{
	for (size_t i = 0; i < o->n_sinks; i++) {
		enum sink_kind k = o->sinks[i].kind;

		if ((k == SINK_PROMETHEUS || k == SINK_OTLP_METRICS) == (signal == OTLP_METRICS))
			return true;
	}
	return false;
}

void otlp_env_sinks(struct options *o)
{
	static const char *const names[] = { "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER" };
	bool none_named = !o->n_sinks, named[2];

	for (int i = OTLP_TRACES; i <= OTLP_METRICS; i++)
		named[i] = has_sink(o, (enum otlp_signal)i);
	for (int i = OTLP_TRACES; i <= OTLP_METRICS; i++) {
		const char *list = env_text(names[i]);

		o->exporters_set |= list != NULL;
		if (list && !named[i])
			add_listed(o, names[i], list, (enum otlp_signal)i);
		else if (!list && none_named)
			add_otlp(o, (enum otlp_signal)i, false);
	}
}

/* @field unless an option gave it. */
static void limit(uint64_t *field, const char *name, uint64_t min, uint64_t max)
{
	if (*field == OPTION_UNSET)
		env_number(name, min, max, field);
}

void otlp_env_limits(struct options *o)
{
	limit(&o->delay_ms, "OTEL_BSP_SCHEDULE_DELAY", 0, 86400000);
	limit(&o->retry_ms, "OTEL_BSP_EXPORT_TIMEOUT", 0, 86400000);
	limit(&o->queue, "OTEL_BSP_MAX_QUEUE_SIZE", 1, 10000000);
	limit(&o->batch, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 65536);
	limit(&o->metric_interval_ms, "OTEL_METRIC_EXPORT_INTERVAL", 1, 86400000);
	limit(&o->metric_timeout_ms, "OTEL_METRIC_EXPORT_TIMEOUT", 0, 86400000);
	o->disabled = env_true("OTEL_SDK_DISABLED");
}
