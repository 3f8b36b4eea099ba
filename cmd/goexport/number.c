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

size_t number_u64(char buf[20], uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	memcpy(buf, digits + at, sizeof(digits) - at);
	return sizeof(digits) - at;
}

/*
 * Whole numbers, and what has a number of billionths that is one, as all times have:
 * up to 15 digits are the shortest that give @d back, and no other number has them.
 * 0 if @d is neither.
 */
static size_t simple(char buf[NUMBER_MAX], double d)
{
	uint64_t n, fraction;
	size_t len;

	if (!(d < 1e15) || signbit(d))
		return 0;
	n = (uint64_t)d;
	len = number_u64(buf, n);
	if ((double)n != d) {
		if (d < 1e-6 || d >= 1e6)
			return 0;
		n = (uint64_t)(d * 1e9 + 0.5);
		if ((double)n / 1e9 != d)
			return 0;
		fraction = n % 1000000000u;
		buf[len++] = '.';
		for (uint64_t place = 100000000; fraction; place /= 10) {
			buf[len++] = (char)('0' + fraction / place);
			fraction %= place;
		}
	}
	buf[len] = '\0';
	return len;
}

size_t number_double(char buf[NUMBER_MAX], double d)
{
	size_t len = simple(buf, d);
	char digits[24], *to = buf;
	int e, n;

	if (len)
		return len;
	e = shortest(digits, fabs(d));
	n = (int)strlen(digits);
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
