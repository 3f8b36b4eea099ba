// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <getopt.h>
#include <string.h>

#include "diag.h"
#include "exits.h"
#include "usage.h"

static const char help[] =
	"usage: gofind [-qv] SELECTION... [--watch]\n"
	"\n"
	"Finds running Go programs and writes a process record for each.\n"
	"\n"
	"Selection (several of one option: any of them; several options: all of them):\n"
	"  --pid LIST          process ids, such as 4242 or 17,18\n"
	"  --exe GLOB          executable: its name, or its path if GLOB has a slash\n"
	"  --port LIST         listening on a TCP port, such as 8080,9000-9099\n"
	"  --module GLOB       path of the main module\n"
	"  --all               every Go program but telemetry collectors\n"
	"  --exclude-exe GLOB  not these executables\n"
	"\n"
	"  --watch             go on, and report what starts and ends\n"
	"  -q, --quiet         no notes on stderr\n"
	"  -v, --verbose       more of them\n"
	"  --help, --version\n";

enum {
	OPT_PID = 256,
	OPT_EXE,
	OPT_PORT,
	OPT_MODULE,
	OPT_ALL,
	OPT_EXCLUDE_EXE,
	OPT_WATCH,
	OPT_HELP,
	OPT_VERSION,
};

static const struct option longs[] = {
	{ "pid", required_argument, NULL, OPT_PID },
	{ "exe", required_argument, NULL, OPT_EXE },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "module", required_argument, NULL, OPT_MODULE },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "exclude-exe", required_argument, NULL, OPT_EXCLUDE_EXE },
	{ "watch", no_argument, NULL, OPT_WATCH },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int add_glob(struct globs *g, const char *option, const char *glob)
{
	if (!*glob)
		return usage_error("%s: an empty pattern matches nothing", option);
	if (!globs_add(g, glob))
		return -1;
	diag(DIAG_ERROR, "out of memory");
	return GOTAP_EXIT_FAILED;
}

/* What getopt_long() did not like: @c is ':' or '?'. */
static int wrong_option(int c, char **argv)
{
	const char *why = c == ':' ? "an argument is needed" : "no such option";

	if (c == '?' && optopt >= OPT_PID)
		why = "takes no argument";
	if (optopt && optopt < OPT_PID)
		return usage_error("-%c: %s", optopt, why);
	return usage_error("%s: %s", argv[optind - 1], why);
}

static int parse_one(int c, char **argv, struct options *o)
{
	struct errinfo e;

	switch (c) {
	case OPT_PID:
		return selection_add_pids(&o->sel, optarg, &e) ? usage_error("--pid: %s", e.text)
							       : -1;
	case OPT_PORT:
		return ports_add(&o->sel.ports, optarg, &e) ? usage_error("--port: %s", e.text)
							    : -1;
	case OPT_EXE:
		return add_glob(&o->sel.exe, "--exe", optarg);
	case OPT_MODULE:
		return add_glob(&o->sel.module, "--module", optarg);
	case OPT_EXCLUDE_EXE:
		return add_glob(&o->sel.exclude_exe, "--exclude-exe", optarg);
	case OPT_ALL:
		o->sel.all = true;
		return -1;
	case OPT_WATCH:
		o->watch = true;
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
		return usage_version("gofind");
	default:
		return wrong_option(c, argv);
	}
}

int options_parse(int argc, char **argv, struct options *o)
{
	int c, ret;

	memset(o, 0, sizeof(*o));
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":qv", longs, NULL)) != -1) {
		ret = parse_one(c, argv, o);
		if (ret >= 0)
			return ret;
	}
	if (optind < argc)
		return usage_error("%s: operands are not taken", argv[optind]);
	if (!selection_given(&o->sel))
		return usage_error(
			"nothing to select by: give --pid, --exe, --port, --module or --all");
	return -1;
}
