// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "usage.h"

static const char help[] =
	"usage: goattach [-qv] [OPTION]... < plan > events\n"
	"       goattach --check [--json]\n"
	"\n"
	"Attaches the probes of a plan to running Go programs and writes an event\n"
	"record for each thing that happens. Reads process, probe and exit records,\n"
	"as gofind and goresolve write them. Needs root, or CAP_BPF and CAP_PERFMON.\n"
	"\n"
	"  --btf FILE          the kernel's types, where it has no BTF of its own\n"
	"  --check             show what this machine allows, what is lost without what\n"
	"                      is missing, and how to get it; with --json as records\n"
	"  --attach auto|multi|event|perf|address\n"
	"                      how to attach: uprobe_multi links, events of tracefs, perf\n"
	"                      uprobes, either of these without attach cookies, or the\n"
	"                      first of these that the kernel has (auto, the default)\n"
	"  --apart N           processes of one file that have breakpoints for themselves,\n"
	"                      so that others of the file are left untouched (default 8)\n"
	"  --sampler NAME[:RATIO]\n"
	"                      which spans are sampled: always_on, always_off, traceidratio:0.1,\n"
	"                      or these behind parentbased_; OTEL_TRACES_SAMPLER otherwise\n"
	"                      (parentbased_always_on, the default)\n"
	"  --unsampled count|drop\n"
	"                      spans that are not sampled leave a light record, for metrics\n"
	"                      (count, the default), or none\n"
	"  --max-traces-per-second N\n"
	"                      sample at most N new traces a second\n"
	"  --trust all|none|local|NETWORK,...\n"
	"                      whose traceparent is believed (all, the default): of those\n"
	"                      on this machine, of addresses and networks\n"
	"  --tick MS           read events at least every MS milliseconds (default 100)\n"
	"  --flush-timeout S   seconds to write what is left, after a signal (default 5)\n"
	"  --ring SIZE         buffer for events, such as 4M (the default)\n"
	"  --max-calls N       open calls at any time (default 32768)\n"
	"  --max-processes N   processes at any time (default 4096)\n"
	"  --max-threads N     threads seen at any time (default 4096)\n"
	"  --max-goroutines N  goroutines created within a span, at any time (default 131072)\n"
	"  --max-relatives N   spans that others may be children of (default 65536)\n"
	"  --late-children S   seconds after its end that a span gets children (default 30)\n"
	"  --forget S          seconds until it is no longer known of (default 600)\n"
	"  --max-sites N       sites of all probes (default 16384)\n"
	"  --max-ops N         capture ops of all probes (default 65536)\n"
	"  --max-lookups N     map lookups of all captures (default 4096)\n"
	"  --stuck S           report spans whose goroutine is blocked for S seconds, and why\n"
	"  --flight FILE       note slow spans for those who look at a flight recording\n"
	"  --slow MS           how long these are at least (default 100)\n"
	"  --any-file          trace programs too whose file only its owner may read:\n"
	"                      keep CAP_DAC_READ_SEARCH\n"
	"  --strict            stop at the first malformed record\n"
	"  -q, --quiet         no notes on stderr\n"
	"  -v, --verbose       more of them\n"
	"  --help, --version\n";

enum {
	OPT_ATTACH = 256,
	OPT_APART,
	OPT_BTF,
	OPT_TICK,
	OPT_FLUSH,
	OPT_RING,
	OPT_MAX_CALLS,
	OPT_MAX_PROCESSES,
	OPT_MAX_THREADS,
	OPT_MAX_GOROUTINES,
	OPT_MAX_RELATIVES,
	OPT_LATE,
	OPT_FORGET,
	OPT_MAX_SITES,
	OPT_MAX_OPS,
	OPT_MAX_LOOKUPS,
	OPT_TRUST,
	OPT_SAMPLER,
	OPT_UNSAMPLED,
	OPT_MAX_TRACES,
	OPT_CHECK,
	OPT_ANY_FILE,
	OPT_STUCK,
	OPT_FLIGHT,
	OPT_SLOW,
	OPT_JSON,
};

static const struct option longs[] = {
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "apart", required_argument, NULL, OPT_APART },
	{ "btf", required_argument, NULL, OPT_BTF },
	{ "tick", required_argument, NULL, OPT_TICK },
	{ "flush-timeout", required_argument, NULL, OPT_FLUSH },
	{ "ring", required_argument, NULL, OPT_RING },
	{ "max-calls", required_argument, NULL, OPT_MAX_CALLS },
	{ "max-processes", required_argument, NULL, OPT_MAX_PROCESSES },
	{ "max-threads", required_argument, NULL, OPT_MAX_THREADS },
	{ "max-goroutines", required_argument, NULL, OPT_MAX_GOROUTINES },
	{ "max-relatives", required_argument, NULL, OPT_MAX_RELATIVES },
	{ "forget", required_argument, NULL, OPT_FORGET },
	{ "late-children", required_argument, NULL, OPT_LATE },
	{ "max-sites", required_argument, NULL, OPT_MAX_SITES },
	{ "max-ops", required_argument, NULL, OPT_MAX_OPS },
	{ "max-lookups", required_argument, NULL, OPT_MAX_LOOKUPS },
	{ "trust", required_argument, NULL, OPT_TRUST },
	{ "sampler", required_argument, NULL, OPT_SAMPLER },
	{ "unsampled", required_argument, NULL, OPT_UNSAMPLED },
	{ "max-traces-per-second", required_argument, NULL, OPT_MAX_TRACES },
	USAGE_STRICT_OPTION,
	{ "stuck", required_argument, NULL, OPT_STUCK },
	{ "flight", required_argument, NULL, OPT_FLIGHT },
	{ "slow", required_argument, NULL, OPT_SLOW },
	{ "any-file", no_argument, NULL, OPT_ANY_FILE },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "json", no_argument, NULL, OPT_JSON },
	USAGE_OPTIONS,
};

/* @text without the unit @unit at its end, if it has that; in @to, of @size bytes. */
static const char *without(const char *text, const char *unit, char *to, size_t size)
{
	size_t n = strlen(text), u = strlen(unit);

	if (n <= u || n - u >= size || strcmp(text + n - u, unit) != 0)
		return text;
	memcpy(to, text, n - u);
	to[n - u] = '\0';
	return to;
}

/* A number from @min to @max, with K or M behind it where @units. */
static int number(const char *option, const char *text, bool units, unsigned long min,
		  unsigned long max, unsigned int *out)
{
	unsigned long n, factor = 1;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (units && (*end == 'K' || *end == 'M')) {
		factor = *end == 'K' ? 1UL << 10 : 1UL << 20;
		end++;
	}
	if (errno || end == text || *end || *text == '-' || n > max / factor || n * factor < min)
		return usage_error("--%s: '%s' is no number from %lu to %lu", option, text, min,
				   max);
	*out = (unsigned int)(n * factor);
	return -1;
}

static int parse_how(const char *text, enum attach_how *how)
{
	static const char *const names[] = { "auto", "multi", "event", "perf", "address" };

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			*how = (enum attach_how)i;
			return -1;
		}
	return usage_error("--attach: '%s' is not auto, multi, event, perf or address", text);
}

static int parse_ring(const char *text, uint32_t *out)
{
	int status = number("ring", text, true, 1UL << 16, 1UL << 30, out);

	if (status < 0 && *out & (*out - 1))
		return usage_error("--ring: %s is no power of two", text);
	return status;
}

static int parse_size(int c, const char *arg, struct kernel_config *k)
{
	switch (c) {
	case OPT_MAX_CALLS:
		return number("max-calls", arg, false, 1, 1UL << 22, &k->max_calls);
	case OPT_MAX_PROCESSES:
		return number("max-processes", arg, false, 1, 1UL << 20, &k->max_processes);
	case OPT_MAX_THREADS:
		return number("max-threads", arg, false, 1, 1UL << 20, &k->max_threads);
	case OPT_MAX_GOROUTINES:
		return number("max-goroutines", arg, false, 1, 1UL << 24, &k->max_goroutines);
	case OPT_MAX_RELATIVES:
		return number("max-relatives", arg, false, 1, 1UL << 20, &k->max_relatives);
	case OPT_LATE:
		return number("late-children", arg, false, 0, 86400, &k->late_s);
	case OPT_MAX_SITES:
		return number("max-sites", arg, false, 1, 1UL << 20, &k->max_sites);
	case OPT_MAX_OPS:
		return number("max-ops", arg, false, 1, 1UL << 20, &k->max_ops);
	default:
		return number("max-lookups", arg, false, 1, 1UL << 20, &k->max_lookups);
	}
}

static int parse_sampler(const char *text, struct sampling *s)
{
	struct errinfo e = { 0 };

	return sampling_parse(s, text, &e) ? usage_error("--sampler: %s", e.text) : -1;
}

static int parse_unsampled(const char *text, bool *drop)
{
	*drop = !strcmp(text, "drop");
	if (*drop || !strcmp(text, "count"))
		return -1;
	return usage_error("--unsampled: '%s' is not count or drop", text);
}

/* The environment, as the SDK takes it: what is wrong there is no reason not to start. */
static void sampler_of_environment(struct sampling *s)
{
	const char *name = getenv("OTEL_TRACES_SAMPLER"), *arg = getenv("OTEL_TRACES_SAMPLER_ARG");
	struct errinfo e = { 0 };

	if (sampling_env(s, name, arg, &e))
		diag(DIAG_WARNING, "OTEL_TRACES_SAMPLER: %s", e.text);
}

static int parse_trust(const char *text, struct trust *t)
{
	struct errinfo e = { 0 };

	return trust_parse(t, text, &e) ? usage_error("--trust: %s", e.text) : -1;
}

static int take(void *arg, int opt)
{
	struct options *o = arg;
	char text[16];

	switch (opt) {
	case OPT_ATTACH:
		return parse_how(optarg, &o->kernel.how);
	case OPT_APART:
		return number("apart", optarg, false, 0, 1000, &o->kernel.max_apart);
	case OPT_BTF:
		o->kernel.btf = optarg;
		return -1;
	case OPT_TICK:
		return number("tick", optarg, false, 1, 1000, &o->tick_ms);
	case OPT_FORGET:
		return number("forget", optarg, false, 0, 86400, &o->forget_s);
	case OPT_FLUSH:
		return number("flush-timeout", optarg, false, 0, 86400, &o->flush_s);
	case OPT_RING:
		return parse_ring(optarg, &o->kernel.ring_bytes);
	case OPT_SAMPLER:
		o->sampler = true;
		return parse_sampler(optarg, &o->kernel.sampling);
	case OPT_UNSAMPLED:
		return parse_unsampled(optarg, &o->kernel.sampling.drop);
	case OPT_MAX_TRACES:
		return number("max-traces-per-second", optarg, false, 1, UINT32_MAX,
			      &o->kernel.sampling.per_second);
	case OPT_TRUST:
		return parse_trust(optarg, &o->kernel.trust);
	case OPT_STUCK:
		return number("stuck", without(optarg, "s", text, sizeof(text)), false, 1, 86400,
			      &o->stuck_s);
	case OPT_FLIGHT:
		o->flight = optarg;
		return -1;
	case OPT_SLOW:
		o->slow_given = true;
		return number("slow", without(optarg, "ms", text, sizeof(text)), false, 0, 86400000,
			      &o->slow_ms);
	case OPT_ANY_FILE:
		o->any_file = true;
		return -1;
	case OPT_CHECK:
		o->check = true;
		return -1;
	case OPT_JSON:
		o->json = true;
		return -1;
	default:
		return parse_size(opt, optarg, &o->kernel);
	}
}

int options_parse(int argc, char **argv, struct options *o)
{
	const struct usage u = {
		.help = help,
		.longs = longs,
		.strict = &o->strict,
		.take = take,
		.arg = o,
	};
	int status;

	*o = (struct options){
		.tick_ms = 100,
		.slow_ms = 100,
		.flush_s = 5,
		.forget_s = 600,
		.kernel = { .max_apart = 8,
			    .ring_bytes = 4U << 20,
			    .max_processes = 4096,
			    .max_calls = 32768,
			    .max_threads = 4096,
			    .max_sites = 16384,
			    .max_ops = 65536,
			    .max_lookups = 4096,
			    .max_goroutines = 131072,
			    .max_relatives = 65536,
			    .late_s = 30,
			    .trust = { .all = true } },
	};
	sampling_init(&o->kernel.sampling);
	status = usage_read(&u, argc, argv);
	if (status < 0 && !o->sampler)
		sampler_of_environment(&o->kernel.sampling);
	if (status < 0 && o->slow_given && !o->flight)
		return usage_error("--slow goes with --flight");
	if (status < 0 && o->json && !o->check)
		return usage_error("--json goes with --check");
	if (status < 0 && optind < argc && strcmp(argv[optind], "-"))
		return usage_error("%s: no operand is expected; records come from stdin",
				   argv[optind]);
	return status;
}
