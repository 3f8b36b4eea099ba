// SPDX-License-Identifier: Apache-2.0
#include "options.h"

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
	"  --user NAME         run as this user, confined; to be started as root\n"
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
};

static const struct option longs[] = {
	{ "pid", required_argument, NULL, OPT_PID },
	{ "exe", required_argument, NULL, OPT_EXE },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "module", required_argument, NULL, OPT_MODULE },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "exclude-exe", required_argument, NULL, OPT_EXCLUDE_EXE },
	{ "watch", no_argument, NULL, OPT_WATCH },
	USAGE_USER_OPTION,
	USAGE_OPTIONS,
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

static int take(void *arg, int opt)
{
	struct options *o = arg;
	struct errinfo e;

	switch (opt) {
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
	default: /* OPT_WATCH */
		o->watch = true;
		return -1;
	}
}

int options_parse(int argc, char **argv, struct options *o)
{
	const struct usage u = {
		.help = help, .longs = longs, .take = take, .arg = o, .user = &o->user
	};
	int status;

	memset(o, 0, sizeof(*o));
	status = usage_read(&u, argc, argv);
	if (status >= 0)
		return status;
	if (optind < argc)
		return usage_error("%s: operands are not taken", argv[optind]);
	if (!selection_given(&o->sel))
		return usage_error(
			"nothing to select by: give --pid, --exe, --port, --module or --all");
	return -1;
}
