// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <stdarg.h>
#include <stdio.h>

#include "diag.h"
#include "exits.h"
#include "textout.h"

#ifndef GOTAP_VERSION
#define GOTAP_VERSION "unknown"
#endif

int usage_version(const char *prog)
{
	printf("%s (gotap) %s\n", prog, GOTAP_VERSION);
	return textout_finish();
}

int usage_help(const char *text)
{
	fputs(text, stdout);
	return textout_finish();
}

int usage_error(const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	diag(DIAG_ERROR, "%s (try '%s --help')", buf, diag_prog());
	return GOTAP_EXIT_USAGE;
}

static bool is_long(const struct option *longs, int val)
{
	while (longs->name && longs->val != val)
		longs++;
	return longs->name != NULL;
}

/* What getopt_long() did not like: @opt is ':' or '?'. */
static int wrong_option(const struct usage *u, int opt, char **argv)
{
	if (opt == ':')
		return usage_error("%s: an argument is needed", argv[optind - 1]);
	if (optopt && is_long(u->longs, optopt))
		return usage_error("%s: takes no argument", argv[optind - 1]);
	if (optopt)
		return usage_error("-%c: no such option", optopt);
	return usage_error("%s: no such option", argv[optind - 1]);
}

static int take(const struct usage *u, int opt, char **argv)
{
	switch (opt) {
	case 'q':
		diag_quiet(true);
		return -1;
	case 'v':
		diag_verbose(true);
		return -1;
	case USAGE_STRICT:
		*u->strict = true;
		return -1;
	case USAGE_USER:
		*u->user = optarg;
		return -1;
	case USAGE_HELP:
		return usage_help(u->help);
	case USAGE_VERSION:
		return usage_version(diag_prog());
	case ':':
	case '?':
		return wrong_option(u, opt, argv);
	default:
		return u->take(u->arg, opt);
	}
}

int usage_read(const struct usage *u, int argc, char **argv)
{
	int opt, status = -1;

	opterr = 0;
	while (status < 0 && (opt = getopt_long(argc, argv, ":qv", u->longs, NULL)) != -1)
		status = take(u, opt, argv);
	return status;
}
