// SPDX-License-Identifier: Apache-2.0
#include "goversion.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define MAX_NUMBER 1000000

/* The number at *@p; -1 if there is none, or too large a one. */
static long number(const char **p)
{
	long n = 0;

	if (!isdigit((unsigned char)**p))
		return -1;
	for (; isdigit((unsigned char)**p); ++*p) {
		n = n * 10 + (**p - '0');
		if (n > MAX_NUMBER)
			return -1;
	}
	return n;
}

/* "1.24.4"; returns how many numbers there were, with *@p behind the last one. */
static int numbers(const char **p, struct goversion *out)
{
	int i = 0;

	while (i < 3) {
		const char *at = *p + (i && **p == '.');
		long n = i && at == *p ? -1 : number(&at);

		if (n < 0)
			break;
		out->n[i++] = (unsigned int)n;
		*p = at;
	}
	return i;
}

/* Where the numbers begin; sets @out->inexact for "devel ". */
static const char *begin(const char *s, struct goversion *out)
{
	const char *go;

	if (!strncmp(s, "devel ", 6)) {
		out->inexact = true;
		go = strstr(s, "go1.");
		return go ? go + 2 : NULL;
	}
	if (!strncmp(s, "go", 2))
		return s + 2;
	return s + (*s == 'v');
}

int goversion_parse(const char *s, struct goversion *out)
{
	const char *p;
	int n;

	memset(out, 0, sizeof(*out));
	p = begin(s, out);
	n = p ? numbers(&p, out) : 0;
	if (n < 2)
		return -EINVAL;
	if (!strncmp(p, "rc", 2) || !strncmp(p, "beta", 4) || strstr(p, " X:") || strstr(p, "-X:"))
		out->inexact = true;
	/* A development tree of that release to come: src/cmd/dist/build.go, findgoversion(). */
	if (!strncmp(p, "-devel", 6))
		out->inexact = true;
	if (*s != 'v')
		return 0;
	/* Of modules: what follows a '-' comes before the version (semver.org, 9). */
	if (*p == '-')
		out->inexact = true;
	return *p == '-' && !out->n[0] && !out->n[1] && !out->n[2] ? -EINVAL : 0;
}

int goversion_compare(const struct goversion *a, const struct goversion *b)
{
	for (size_t i = 0; i < 3; i++)
		if (a->n[i] != b->n[i])
			return a->n[i] < b->n[i] ? -1 : 1;
	return 0;
}

int goversion_of(const struct gobin *b, const char *module, struct goversion *out)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(b);

	if (!strcmp(module, "std"))
		return goversion_parse(info->go, out);
	if (!strcmp(module, info->module))
		return goversion_parse(info->module_version, out);
	for (size_t i = 0; i < info->n_deps; i++)
		if (!strcmp(module, info->deps[i].path))
			return goversion_parse(info->deps[i].version, out);
	return -ENOENT;
}
