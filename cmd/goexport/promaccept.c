// SPDX-License-Identifier: Apache-2.0
/* Which format an Accept header (RFC 9110, 12.5.1) asks for. */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "env.h"
#include "prompage.h"

/* The parameter of a media range, such as q, as text; @otherwise if it has none. */
static double quality(const char *p, size_t len)
{
	for (size_t i = 0; i + 3 < len; i++)
		if (p[i] == ';') {
			size_t at = i + 1;

			while (at < len && isspace((unsigned char)p[at]))
				at++;
			if (at + 2 < len && tolower((unsigned char)p[at]) == 'q' &&
			    p[at + 1] == '=')
				return strtod(p + at + 2, NULL);
		}
	return 1;
}

static bool contains(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (!strncasecmp(p + i, word, n))
			return true;
	return false;
}

/* The format of one media range, -1 if it is none of ours. */
static int format_of(const char *p, size_t len, bool protobuf)
{
	if (contains(p, len, "application/openmetrics-text") &&
	    (!contains(p, len, "version=") || contains(p, len, "version=1.0.0") ||
	     contains(p, len, "version=0.0.1")))
		return PROM_OPENMETRICS;
	if (protobuf && contains(p, len, "application/vnd.google.protobuf") &&
	    contains(p, len, "io.prometheus.client.MetricFamily") &&
	    contains(p, len, "encoding=delimited"))
		return PROM_PROTOBUF;
	if (contains(p, len, "text/plain") || contains(p, len, "*/*") || contains(p, len, "text/*"))
		return PROM_TEXT;
	return -1;
}

enum prom_format prompage_negotiate(const char *accept, bool protobuf)
{
	enum prom_format best = PROM_TEXT;
	double best_q = 0;

	while (accept && *accept) {
		size_t len = strcspn(accept, ",");
		int format = format_of(accept, len, protobuf);
		double q = quality(accept, len);

		if (format >= 0 && q > best_q) {
			best = (enum prom_format)format;
			best_q = q;
		}
		accept += len + (accept[len] == ',');
	}
	return best;
}
