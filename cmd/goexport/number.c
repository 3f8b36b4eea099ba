// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fewest digits that give @d back, without a point or zeros behind; their exponent. */
static int shortest(char digits[24], double d)
{
	char buf[40];
	size_t n = 1;
	int exponent;

	/* 15 digits are never too many, but for the numbers that have fewer bits. */
	for (int more = d < DBL_MIN ? 0 : 14; more <= 16; more++) {
		snprintf(buf, sizeof(buf), "%.*e", more, d);
		if (strtod(buf, NULL) == d)
			break;
	}
	digits[0] = buf[0];
	for (const char *p = buf + 1; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	exponent = atoi(strchr(buf, 'e') + 1);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return exponent;
}

static char *put(char *to, const char *s, int n)
{
	memcpy(to, s, (size_t)n);
	return to + n;
}

static char *zeros(char *to, int n)
{
	while (n-- > 0)
		*to++ = '0';
	return to;
}

size_t number_double(char buf[NUMBER_MAX], double d)
{
	char digits[24], *to = buf;
	int e = shortest(digits, fabs(d)), n = (int)strlen(digits);

	if (signbit(d))
		*to++ = '-';
	if (d != 0 && (fabs(d) < 1e-6 || fabs(d) >= 1e21)) {
		to = put(to, digits, 1);
		if (n > 1)
			*to++ = '.';
		to = put(to, digits + 1, n - 1);
		to += sprintf(to, "e%+d", e);
	} else if (e < 0) {
		to = zeros(put(to, "0.", 2), -e - 1);
		to = put(to, digits, n);
	} else if (e >= n - 1) {
		to = zeros(put(to, digits, n), e - (n - 1));
	} else {
		to = put(to, digits, e + 1);
		*to++ = '.';
		to = put(to, digits + e + 1, n - e - 1);
	}
	*to = '\0';
	return (size_t)(to - buf);
}
