// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <stdarg.h>
#include <stdio.h>

#include "diag.h"
#include "exits.h"

#ifndef GOTAP_VERSION
#define GOTAP_VERSION "unknown"
#endif

static int flushed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return GOTAP_EXIT_OK;
	diag(DIAG_ERROR, "stdout: cannot write");
	return GOTAP_EXIT_FAILED;
}

int usage_version(const char *prog)
{
	printf("%s (gotap) %s\n", prog, GOTAP_VERSION);
	return flushed();
}

int usage_help(const char *text)
{
	fputs(text, stdout);
	return flushed();
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
