// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "semconv.h"
#include "usage.h"

#define DEFAULT_MAX_OPEN 65536
#define MAX_MAX_OPEN	 (64u << 20)
#define DEFAULT_TIMEOUT	 (600 * 1000000000ull)

static const char help[] =
	"usage: gospan [options] < events\n"
	"\n"
	"Pairs the begins and ends that goattach reports and writes spans, named and\n"
	"judged by the OpenTelemetry conventions. Other records pass through.\n"
	"\n"
	"      --max-open N        open calls kept at most (65536); past it the oldest\n"
	"                          comes out incomplete\n"
	"      --timeout DURATION  a call open for longer comes out incomplete (10m);\n"
	"                          0: never. Units: ms, s, m, h\n"
	"      --http-methods LIST known HTTP methods, separated by commas; all others\n"
	"                          become _OTHER (OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS)\n"
	"      --user NAME         run as this user, confined; to be started as root\n"
	"      --strict            stop at the first malformed line\n"
	"  -q, --quiet             errors and warnings only\n"
	"  -v, --verbose           say more\n"
	"      --help              show this\n"
	"      --version           show the version\n"
	"\n"
	"Exit status: 0 end of input, 1 some input was skipped or output failed,\n"
	"2 usage, 3 no line of the input was understood.\n";

bool duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000ull },	     { "ms", 1000000ull },	    { "s", 1000000000ull },
		{ "m", 60 * 1000000000ull }, { "h", 3600 * 1000000000ull },
	};
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	for (size_t i = 0; !errno && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			return !__builtin_mul_overflow((uint64_t)n, units[i].ns, ns);
	return false;
}

static bool read_max_open(const char *text, size_t *out)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || !n || n > MAX_MAX_OPEN)
		return false;
	*out = n;
	return true;
}

enum {
	OPT_MAX_OPEN = 256,
	OPT_TIMEOUT,
	OPT_METHODS,
};

static const struct option longopts[] = {
	{ "max-open", required_argument, NULL, OPT_MAX_OPEN },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "http-methods", required_argument, NULL, OPT_METHODS },
	USAGE_USER_OPTION,
	USAGE_STRICT_OPTION,
	USAGE_OPTIONS,
};

static int take(void *arg, int opt)
{
	struct options *o = arg;

	switch (opt) {
	case OPT_MAX_OPEN:
		if (!read_max_open(optarg, &o->max_open))
			return usage_error("--max-open: '%s' is no number from 1 to %u", optarg,
					   MAX_MAX_OPEN);
		return -1;
	case OPT_TIMEOUT:
		if (!duration_parse(optarg, &o->timeout))
			return usage_error("--timeout: '%s' is no duration", optarg);
		return -1;
	default: /* OPT_METHODS */
		o->methods = optarg;
		return -1;
	}
}

bool options_read(struct options *o, int argc, char **argv, int *status)
{
	const char *env = getenv("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS");
	const struct usage u = {
		.help = help,
		.longs = longopts,
		.strict = &o->strict,
		.user = &o->user,
		.take = take,
		.arg = o,
	};

	*o = (struct options){
		.max_open = DEFAULT_MAX_OPEN,
		.timeout = DEFAULT_TIMEOUT,
		.methods = env && *env ? env : HTTP_METHODS,
	};
	*status = usage_read(&u, argc, argv);
	if (*status >= 0)
		return true;
	if (optind == argc || (optind == argc - 1 && !strcmp(argv[optind], "-")))
		return false;
	*status = usage_error("'%s': records are read from standard input", argv[optind]);
	return true;
}
