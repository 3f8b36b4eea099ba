// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "otlp_env.h"
#include "usage.h"

static const char help[] =
	"usage: goexport [SINK]... [OPTION]...\n"
	"Send the spans on standard input to where they are wanted; see goexport(1).\n"
	"\n"
	"Sinks, any number at once (default: --tree, on a terminal):\n"
	"  --otlp URL               an OTLP receiver, HTTP/protobuf; /v1/traces is added\n"
	"  --file PATH              OTLP/JSON lines; - is standard output\n"
	"  --prometheus [HOST]:PORT request metrics to scrape; without HOST on loopback\n"
	"  --tree                   each trace as a waterfall on standard output\n"
	"\n"
	"  --otlp-header NAME=VALUE a header of each request (repeatable)\n"
	"  --otlp-timeout MS        the longest that one request takes (10000)\n"
	"  --otlp-retry MS          the longest that one batch is tried again (300000)\n"
	"  --queue N                spans held for a receiver that is slow (16384)\n"
	"  --wait                   wait for room in the queue instead of dropping\n"
	"  --batch N                spans in one request or line (512)\n"
	"  --batch-delay MS         the longest that a span waits for others (1000)\n"
	"  --flush-timeout MS       the longest to send what is left at the end (5000)\n"
	"  --resource KEY=VALUE     a resource attribute of all spans (repeatable)\n"
	"  --tree-rate N            traces shown a second, 0 for all (terminal: 10, else 0)\n"
	"  --strict                 stop at the first malformed line\n"
	"  -q, --quiet              no notes\n"
	"  -v, --verbose            more of them\n"
	"      --help, --version    this text; the version\n";

enum {
	OPT_OTLP = 256,
	OPT_FILE,
	OPT_PROMETHEUS,
	OPT_TREE,
	OPT_HEADER,
	OPT_TIMEOUT,
	OPT_RETRY,
	OPT_QUEUE,
	OPT_WAIT,
	OPT_BATCH,
	OPT_DELAY,
	OPT_FLUSH,
	OPT_RESOURCE,
	OPT_TREE_RATE,
	OPT_STRICT,
	OPT_HELP,
	OPT_VERSION,
};

static const struct option longs[] = {
	{ "otlp", required_argument, NULL, OPT_OTLP },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "prometheus", required_argument, NULL, OPT_PROMETHEUS },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "otlp-header", required_argument, NULL, OPT_HEADER },
	{ "otlp-timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "otlp-retry", required_argument, NULL, OPT_RETRY },
	{ "queue", required_argument, NULL, OPT_QUEUE },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "batch", required_argument, NULL, OPT_BATCH },
	{ "batch-delay", required_argument, NULL, OPT_DELAY },
	{ "flush-timeout", required_argument, NULL, OPT_FLUSH },
	{ "resource", required_argument, NULL, OPT_RESOURCE },
	{ "tree-rate", required_argument, NULL, OPT_TREE_RATE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

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

static int milliseconds(const char *name, const char *text, uint64_t min, int64_t *out)
{
	uint64_t n = 0;
	int ret = number(name, text, min, 86400000, &n);

	if (ret < 0)
		*out = (int64_t)n;
	return ret;
}

static int add_header(struct options *o, const char *pair)
{
	char *line;

	if (o->n_headers == OPTIONS_MAX_LIST)
		return usage_error("--otlp-header: more than %d", OPTIONS_MAX_LIST);
	line = otlp_header_line(pair, strlen(pair), false);
	if (!line)
		return usage_error("--otlp-header: '%s' is not NAME=VALUE", pair);
	o->headers[o->n_headers++] = line;
	o->owned[o->n_owned++] = line;
	return -1;
}

static int add_resource(struct options *o, const char *pair)
{
	if (o->n_resource == OPTIONS_MAX_LIST)
		return usage_error("--resource: more than %d", OPTIONS_MAX_LIST);
	if (*pair == '=' || !strchr(pair, '='))
		return usage_error("--resource: '%s' is not KEY=VALUE", pair);
	o->resource[o->n_resource++] = pair;
	return -1;
}

static int read_sink_option(struct options *o, int c)
{
	switch (c) {
	case OPT_OTLP:
		return add_sink(o, SINK_OTLP, optarg);
	case OPT_FILE:
		return add_sink(o, SINK_FILE, optarg);
	case OPT_PROMETHEUS:
		return add_sink(o, SINK_PROMETHEUS, optarg);
	default:
		return add_sink(o, SINK_TREE, NULL);
	}
}

static int read_option(struct options *o, int c)
{
	switch (c) {
	case OPT_HEADER:
		return add_header(o, optarg);
	case OPT_TIMEOUT:
		return milliseconds("otlp-timeout", optarg, 1, &o->otlp_timeout_ms);
	case OPT_RETRY:
		return milliseconds("otlp-retry", optarg, 0, &o->retry_ms);
	case OPT_QUEUE:
		return number("queue", optarg, 1, 10000000, &o->queue);
	case OPT_BATCH:
		return number("batch", optarg, 1, 65536, &o->batch);
	case OPT_DELAY:
		return milliseconds("batch-delay", optarg, 0, &o->delay_ms);
	case OPT_FLUSH:
		return milliseconds("flush-timeout", optarg, 0, &o->flush_ms);
	case OPT_RESOURCE:
		return add_resource(o, optarg);
	case OPT_TREE_RATE:
		return number("tree-rate", optarg, 0, 1000000, &o->tree_rate);
	case OPT_WAIT:
		o->wait = true;
		return -1;
	case OPT_STRICT:
		o->strict = true;
		return -1;
	case 'q':
		diag_quiet(true);
		return -1;
	case 'v':
		diag_verbose(true);
		return -1;
	case OPT_HELP:
		return usage_help(help);
	case OPT_VERSION:
		return usage_version("goexport");
	default:
		return read_sink_option(o, c);
	}
}

static int bad_option(char **argv)
{
	if (optopt && optopt < 256)
		return usage_error("unknown option -%c", optopt);
	if (optopt)
		return usage_error("%s needs an argument", argv[optind - 1]);
	return usage_error("unknown option %s", argv[optind - 1]);
}

/* What the command line left open. */
static int complete(struct options *o)
{
	int on_stdout = 0;

	if (!o->n_sinks && !otlp_env_endpoint(o)) {
		if (!isatty(STDOUT_FILENO))
			return usage_error("no sink named, and stdout is no terminal for --tree");
		add_sink(o, SINK_TREE, NULL);
	}
	for (size_t i = 0; i < o->n_sinks; i++)
		on_stdout += o->sinks[i].kind == SINK_TREE ||
			     (o->sinks[i].kind == SINK_FILE && !strcmp(o->sinks[i].target, "-"));
	if (on_stdout > 1)
		return usage_error("more than one sink on standard output");
	if (o->tree_rate == UINT64_MAX)
		o->tree_rate = isatty(STDOUT_FILENO) ? 10 : 0;
	if (o->otlp_timeout_ms < 0)
		o->otlp_timeout_ms = otlp_env_timeout(10000);
	otlp_env_headers(o);
	return -1;
}

int options_read(struct options *o, int argc, char **argv)
{
	int c, ret;

	*o = (struct options){
		.otlp_timeout_ms = -1,
		.retry_ms = 300000,
		.flush_ms = 5000,
		.delay_ms = 1000,
		.queue = 16384,
		.batch = 512,
		.tree_rate = UINT64_MAX,
	};
	opterr = 0;
	while ((c = getopt_long(argc, argv, "qv", longs, NULL)) != -1) {
		ret = c == '?' ? bad_option(argv) : read_option(o, c);
		if (ret >= 0)
			return ret;
	}
	if (optind < argc && strcmp(argv[optind], "-"))
		return usage_error("unexpected operand '%s'; records come on stdin", argv[optind]);
	if (optind + 1 < argc)
		return usage_error("unexpected operand '%s'", argv[optind + 1]);
	return complete(o);
}

void options_release(struct options *o)
{
	for (size_t i = 0; i < o->n_owned; i++)
		free(o->owned[i]);
}
