/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small producer of TAP for tests in C: ok(), is(), and done() at the end of
 * main, which prints the plan and gives the exit status.
 */
#ifndef GOTAP_TAP_H
#define GOTAP_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static int ok(int good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good)
		tap_failed++;
	fflush(stdout);
	return good;
}

__attribute__((unused)) static int is(const char *got, const char *want, const char *name)
{
	int good = got && want ? !strcmp(got, want) : got == want;

	if (!ok(good, "%s", name))
		printf("# got:  %s\n# want: %s\n", got ? got : "(null)", want ? want : "(null)");
	return good;
}

__attribute__((unused)) static int is_int(long long got, long long want, const char *name)
{
	if (!ok(got == want, "%s", name)) {
		printf("# got:  %lld\n# want: %lld\n", got, want);
		return 0;
	}
	return 1;
}

__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
