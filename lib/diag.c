// SPDX-License-Identifier: Apache-2.0
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *prog_name = "gotap";
static bool quiet;
static bool verbose;

void diag_init(const char *prog)
{
	prog_name = prog;
}

const char *diag_prog(void)
{
	return prog_name;
}

void diag_quiet(bool on)
{
	quiet = on;
}

void diag_verbose(bool on)
{
	verbose = on;
}

bool diag_is_quiet(void)
{
	return quiet;
}

bool diag_is_verbose(void)
{
	return verbose;
}

/* Bytes that could move a terminal's cursor or colour it become '?'. */
static void mask_controls(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			s[i] = '?';
		else if (c == 0xc2 && i + 1 < n && ((unsigned char)s[i + 1] & 0xe0) == 0x80)
			s[i] = s[i + 1] = '?'; /* the C1 controls, U+0080 to U+009F */
	}
}

void diag(enum diag_level level, const char *fmt, ...)
{
	char buf[4096];
	int head, body;
	size_t n;
	va_list ap;

	if ((level == DIAG_NOTE && quiet) || (level == DIAG_DEBUG && !verbose))
		return;
	head = snprintf(buf, sizeof(buf), "%s: %s", prog_name,
			level == DIAG_WARNING ? "warning: " : "");
	if (head < 0 || (size_t)head >= sizeof(buf) - 1)
		return;
	va_start(ap, fmt);
	body = vsnprintf(buf + head, sizeof(buf) - 1 - (size_t)head, fmt, ap);
	va_end(ap);
	if (body < 0)
		return;
	n = strlen(buf);
	mask_controls(buf, n);
	buf[n++] = '\n';
	if (write(STDERR_FILENO, buf, n) < 0)
		return; /* nowhere left to say so */
}
