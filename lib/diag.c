// SPDX-License-Identifier: Apache-2.0
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

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

/*
 * Bytes that could move a terminal's cursor, colour it, or begin a line that looks
 * like another message become '?', and so does what is not UTF-8. Debug messages
 * may have several lines (the verifier's log).
 */
static void mask_controls(char *s, size_t len, bool lines)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		unsigned char c = (unsigned char)s[i];

		n = utf8_char(s + i, len - i);
		if (n == 1 && (c < 0x20 || c == 0x7f) && c != '\t' && !(lines && c == '\n'))
			s[i] = '?';
		else if (n == 2 && c == 0xc2 && (unsigned char)s[i + 1] < 0xa0)
			s[i] = s[i + 1] = '?'; /* the C1 controls, U+0080 to U+009F */
		else if (!n)
			s[i] = '?';
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
	mask_controls(buf, n, level == DIAG_DEBUG);
	buf[n++] = '\n';
	if (write(STDERR_FILENO, buf, n) < 0)
		return; /* nowhere left to say so */
}
