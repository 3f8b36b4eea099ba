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
