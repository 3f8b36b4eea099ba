// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options_complete.h"
#include "options_help.h"
#include "otlp_env.h"
#include "usage.h"

/* Options with a number come first: their place is that in the table of numbers. */
enum {
	OPT_NUMBERS = 256,
	OPT_OTHERS = 512,
	OPT_OTLP = OPT_OTHERS,
	OPT_OTLP_METRICS,
	OPT_FILE,
	OPT_PROMETHEUS,
	OPT_TREE,
	OPT_WEB,
	OPT_TOP,
	OPT_PROTOCOL,
	OPT_COMPRESSION,
	OPT_HEADER,
	OPT_TIMEOUT,
	OPT_CA,
	OPT_CERT,
	OPT_KEY,
	OPT_INSECURE,
	OPT_WAIT,
	OPT_SPOOL,
	OPT_FILE_GZIP,
	OPT_WEB_CONFIG,
	OPT_PAGE_CONFIG,
	OPT_ROUTES,
	OPT_EXPONENTIAL,
	OPT_RESOURCE,
	OPT_SLOWER,
	OPT_STATUS,
	OPT_SERVICE,
	OPT_ROUTE,
	OPT_MATCH,
	OPT_TRACE,
};

#define DAY_MS 86400000

static const struct number_option {
	const char *name;
	size_t field; /* in struct options */
	uint64_t min, max, normal;
} numbers[] = {
#define NUMBER(name, field, min, max, normal)                                                      \
	{                                                                                          \
		name, offsetof(struct options, field), min, max, normal                            \
	}
	NUMBER("otlp-retry", retry_ms, 0, DAY_MS, 300000),
	NUMBER("queue", queue, 1, 10000000, 16384),
	NUMBER("batch", batch, 1, 65536, 512),
	NUMBER("batch-delay", delay_ms, 0, DAY_MS, 1000),
	NUMBER("flush-timeout", flush_ms, 0, DAY_MS, 5000),
	NUMBER("spool-size", spool_mb, 1, 1000000, 256),
	NUMBER("spool-age", spool_s, 1, 100000000, 86400),
	NUMBER("file-size", file_mb, 0, 1000000, 0),
	NUMBER("file-age", file_s, 0, 100000000, 0),
	NUMBER("file-keep", file_keep, 0, 1000000, 0),
	NUMBER("metric-interval", metric_interval_ms, 1, DAY_MS, 60000),
	NUMBER("metric-timeout", metric_timeout_ms, 0, DAY_MS, 30000),
	NUMBER("series", series, 1, 1000000, 2000),
	NUMBER("web-memory", web_mib, 1, 1 << 20, 256),
	NUMBER("top-interval", top_s, 1, 86400, 10),
	NUMBER("tree-rate", tree_rate, 0, 1000000, OPTION_UNSET),
#undef NUMBER
};
#define N_NUMBERS (sizeof(numbers) / sizeof(*numbers))

static const struct option others[] = {
	{ "otlp", required_argument, NULL, OPT_OTLP },
	{ "otlp-metrics", required_argument, NULL, OPT_OTLP_METRICS },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "prometheus", required_argument, NULL, OPT_PROMETHEUS },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "top", no_argument, NULL, OPT_TOP },
	{ "web", required_argument, NULL, OPT_WEB },
	{ "otlp-protocol", required_argument, NULL, OPT_PROTOCOL },
	{ "otlp-compression", required_argument, NULL, OPT_COMPRESSION },
	{ "otlp-header", required_argument, NULL, OPT_HEADER },
	{ "otlp-timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "otlp-ca", required_argument, NULL, OPT_CA },
	{ "otlp-cert", required_argument, NULL, OPT_CERT },
	{ "otlp-key", required_argument, NULL, OPT_KEY },
	{ "otlp-insecure", no_argument, NULL, OPT_INSECURE },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "spool", required_argument, NULL, OPT_SPOOL },
	{ "file-gzip", no_argument, NULL, OPT_FILE_GZIP },
	{ "prometheus-web-config", required_argument, NULL, OPT_WEB_CONFIG },
	{ "web-config", required_argument, NULL, OPT_PAGE_CONFIG },
	{ "route-patterns", required_argument, NULL, OPT_ROUTES },
	{ "exponential", no_argument, NULL, OPT_EXPONENTIAL },
	{ "resource", required_argument, NULL, OPT_RESOURCE },
	{ "slower-than", required_argument, NULL, OPT_SLOWER },
	{ "status", required_argument, NULL, OPT_STATUS },
	{ "service", required_argument, NULL, OPT_SERVICE },
	{ "route", required_argument, NULL, OPT_ROUTE },
	{ "match", required_argument, NULL, OPT_MATCH },
	{ "trace", required_argument, NULL, OPT_TRACE },
	USAGE_USER_OPTION,
	USAGE_STRICT_OPTION,
	USAGE_OPTIONS,
};
#define N_OTHERS (sizeof(others) / sizeof(*others))

bool options_own(struct options *o, char *text)
{
	if (o->n_owned == sizeof(o->owned) / sizeof(*o->owned))
		return false;
	o->owned[o->n_owned++] = text;
	return true;
}

static int add_sink(struct options *o, enum sink_kind kind, const char *target)
{
	if (o->n_sinks == OPTIONS_MAX_SINKS)
		return usage_error("more than %d sinks", OPTIONS_MAX_SINKS);
	if (target && !*target)
		return usage_error("a sink without a target");
	o->sinks[o->n_sinks++] = (struct sink_choice){ .kind = kind, .target = target };
	return -1;
}

/* A whole number from @min to @max into @out. */
static int number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || n < min || n > max)
		return usage_error("--%s: '%s' is not a number from %llu to %llu", name, text,
				   (unsigned long long)min, (unsigned long long)max);
	*out = n;
	return -1;
}

static int read_number(struct options *o, const struct number_option *n)
{
	return number(n->name, optarg, n->min, n->max, (uint64_t *)((char *)o + n->field));
}

/* What the options about OTLP are of: the last receiver, or all before the first. */
static struct otlp_choice *receiver(struct options *o)
{
	for (size_t i = o->n_sinks; i-- > 0;)
		if (o->sinks[i].kind == SINK_OTLP || o->sinks[i].kind == SINK_OTLP_METRICS)
			return &o->sinks[i].otlp;
	return &o->otlp;
}

static int add_header(struct options *o, struct otlp_choice *c)
{
	char *line;

	if (c->n_headers == OTLP_MAX_HEADERS)
		return usage_error("--otlp-header: more than %d", OTLP_MAX_HEADERS);
	line = otlp_header_line(optarg, strlen(optarg), false);
	if (!line || !options_own(o, line)) {
		free(line);
		return usage_error("--otlp-header: not NAME=VALUE"); /* it may be a secret */
	}
	c->headers[c->n_headers++] = line;
	return -1;
}

static int add_text(struct text_list *l, const char *option)
{
	if (l->n == OPTIONS_MAX_LIST)
		return usage_error("--%s: more than %d", option, OPTIONS_MAX_LIST);
	l->text[l->n++] = optarg;
	return -1;
}

static int read_otlp_option(struct options *o, struct otlp_choice *c, int opt)
{
	uint64_t ms = 0;
	int ret = -1;

	switch (opt) {
	case OPT_PROTOCOL:
		c->protocol = otlp_protocol_named(optarg);
		return c->protocol ? -1 : usage_error("--otlp-protocol: '%s' is not known", optarg);
	case OPT_COMPRESSION:
		c->compression = otlp_compression_named(optarg);
		return c->compression
			       ? -1
			       : usage_error("--otlp-compression: '%s' is not known", optarg);
	case OPT_HEADER:
		return add_header(o, c);
	case OPT_TIMEOUT:
		ret = number("otlp-timeout", optarg, 1, DAY_MS, &ms);
		c->timeout_ms = (int64_t)ms;
		return ret;
	case OPT_CA:
		c->ca = optarg;
		break;
	case OPT_CERT:
		c->cert = optarg;
		break;
	case OPT_KEY:
		c->key = optarg;
		break;
	default:
		c->insecure = true;
		break;
	}
	return -1;
}

static int read_sink_option(struct options *o, int opt)
{
	switch (opt) {
	case OPT_OTLP:
		return add_sink(o, SINK_OTLP, optarg);
	case OPT_OTLP_METRICS:
		return add_sink(o, SINK_OTLP_METRICS, optarg);
	case OPT_FILE:
		return add_sink(o, SINK_FILE, optarg);
	case OPT_PROMETHEUS:
		return add_sink(o, SINK_PROMETHEUS, optarg);
	case OPT_TOP:
		return add_sink(o, SINK_TOP, NULL);
	case OPT_WEB:
		return add_sink(o, SINK_WEB, optarg);
	default:
		return add_sink(o, SINK_TREE, NULL);
	}
}

/* A condition of the filter, OPT_SLOWER to OPT_TRACE. */
static int read_filter(struct options *o, int opt)
{
	static const char *const names[] = { "slower-than", "status", "service",
					     "route",	    "match",  "trace" };
	const char *name = names[opt - OPT_SLOWER], *wrong = filter_set(&o->filter, name, optarg);
	size_t n = strlen(o->filter_text);

	if (wrong)
		return usage_error("--%s: '%s' is %s", name, optarg, wrong);
	snprintf(o->filter_text + n, sizeof(o->filter_text) - n, "%s--%s %s", n ? " " : "", name,
		 optarg);
	return -1;
}

static int read_plain_option(struct options *o, int opt)
{
	switch (opt) {
	case OPT_WAIT:
		o->wait = true;
		return -1;
	case OPT_SPOOL:
		o->spool = optarg;
		return -1;
	case OPT_FILE_GZIP:
		o->file_gzip = true;
		return -1;
	case OPT_WEB_CONFIG:
		o->web_config = optarg;
		return -1;
	case OPT_PAGE_CONFIG:
		o->page_config = optarg;
		return -1;
	case OPT_ROUTES:
		return add_text(&o->route_patterns, "route-patterns");
	case OPT_EXPONENTIAL:
		o->exponential = true;
		return -1;
	default: /* OPT_RESOURCE */
		if (*optarg == '=' || !strchr(optarg, '='))
			return usage_error("--resource: '%s' is not KEY=VALUE", optarg);
		return add_text(&o->resource, "resource");
	}
}

/* An option that not all programs have. */
static int read_option(void *arg, int opt)
{
	struct options *o = arg;
	size_t number_at = (size_t)opt - OPT_NUMBERS;

	if (opt >= OPT_NUMBERS && number_at < N_NUMBERS)
		return read_number(o, &numbers[number_at]);
	if (opt >= OPT_OTLP && opt <= OPT_TOP)
		return read_sink_option(o, opt);
	if (opt >= OPT_PROTOCOL && opt <= OPT_INSECURE)
		return read_otlp_option(o, receiver(o), opt);
	if (opt >= OPT_SLOWER && opt <= OPT_TRACE)
		return read_filter(o, opt);
	return read_plain_option(o, opt);
}

static void complete_numbers(struct options *o)
{
	otlp_env_limits(o);
	for (size_t i = 0; i < N_NUMBERS; i++) {
		uint64_t *field = (uint64_t *)((char *)o + numbers[i].field);

		if (*field == OPTION_UNSET)
			*field = numbers[i].normal;
	}
	if (o->tree_rate == OPTION_UNSET)
		o->tree_rate = isatty(STDOUT_FILENO) ? 10 : 0;
}

static void make_longs(struct option *longs)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		longs[i] = (struct option){ numbers[i].name, required_argument, NULL,
					    OPT_NUMBERS + (int)i };
	memcpy(longs + N_NUMBERS, others, sizeof(others));
}

int options_read(struct options *o, int argc, char **argv)
{
	struct option longs[N_NUMBERS + N_OTHERS];
	const struct usage u = {
		.help = options_help,
		.longs = longs,
		.strict = &o->strict,
		.user = &o->user,
		.take = read_option,
		.arg = o,
	};
	int ret;

	*o = (struct options){ 0 };
	for (size_t i = 0; i < N_NUMBERS; i++)
		*(uint64_t *)((char *)o + numbers[i].field) = OPTION_UNSET;
	make_longs(longs);
	ret = usage_read(&u, argc, argv);
	if (ret >= 0)
		return ret;
	if (optind < argc && strcmp(argv[optind], "-"))
		return usage_error("unexpected operand '%s'; records come on stdin", argv[optind]);
	if (optind + 1 < argc)
		return usage_error("unexpected operand '%s'", argv[optind + 1]);
	complete_numbers(o);
	return options_complete(o);
}

void options_release(struct options *o)
{
	for (size_t i = 0; i < o->n_owned; i++)
		free(o->owned[i]);
}
