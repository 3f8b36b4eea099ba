// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL (1ULL << 63) /* ids are compared without their lowest bit */

/* "always_on" and so on; 0, or -EINVAL if @text is none of them. */
static int parse_root(const char *text, uint64_t *below, struct errinfo *e)
{
	const char *arg = strchr(text, ':');
	size_t len = arg ? (size_t)(arg - text) : strlen(text);
	double ratio = 1;
	char *end;

	if (!arg && !strcmp(text, "always_on")) {
		*below = ALL;
		return 0;
	}
	if (!arg && !strcmp(text, "always_off")) {
		*below = 0;
		return 0;
	}
	if (len != strlen("traceidratio") || strncmp(text, "traceidratio", len) != 0)
		return errinfo_set(e, -EINVAL,
				   "'%s' is not always_on, always_off or traceidratio:RATIO", text);
	*below = ALL;
	if (arg) {
		errno = 0;
		ratio = strtod(arg + 1, &end);
		/* "not at least 0" is true of what is no number, too. */
		if (end == arg + 1 || *end || isspace((unsigned char)arg[1]) || !(ratio >= 0) ||
		    ratio > 1)
			return errinfo_set(e, -EINVAL, "'%s' is no ratio from 0 to 1", arg + 1);
	}
	/* As in Go: the product is exact, and what is behind the point is cut. */
	*below = ratio >= 1 ? ALL : (uint64_t)(ratio * (double)ALL);
	return 0;
}

/* "remote_parent_sampled=always_on" */
static int parse_rule(struct sampling *s, char *word, struct errinfo *e)
{
	static const char *const rules[GOTAP_SAMPLE_RULES] = {
		[GOTAP_SAMPLE_REMOTE] = "remote_parent_sampled",
		[GOTAP_SAMPLE_REMOTE_NOT] = "remote_parent_not_sampled",
		[GOTAP_SAMPLE_LOCAL] = "local_parent_sampled",
		[GOTAP_SAMPLE_LOCAL_NOT] = "local_parent_not_sampled",
	};
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	for (size_t i = 0; value && i < GOTAP_SAMPLE_RULES; i++)
		if (rules[i] && !strcmp(word, rules[i]))
			return parse_root(value, &s->below[i], e);
	return errinfo_set(e, -EINVAL,
			   "'%s' is not remote_parent_sampled=…, remote_parent_not_sampled=…, "
			   "local_parent_sampled=… or local_parent_not_sampled=…",
			   word);
}

static void follow_parent(struct sampling *s)
{
	s->below[GOTAP_SAMPLE_REMOTE] = s->below[GOTAP_SAMPLE_LOCAL] = ALL;
	s->below[GOTAP_SAMPLE_REMOTE_NOT] = s->below[GOTAP_SAMPLE_LOCAL_NOT] = 0;
}

void sampling_init(struct sampling *s)
{
	memset(s, 0, sizeof(*s));
	s->below[GOTAP_SAMPLE_ROOT] = ALL;
	follow_parent(s);
}

int sampling_parse(struct sampling *s, const char *text, struct errinfo *e)
{
	static const char based[] = "parentbased_";
	bool follows = !strncmp(text, based, sizeof(based) - 1);
	char *copy = strdup(text), *at = copy, *word;
	uint64_t root = 0;
	int ret;

	if (!copy)
		return errinfo_set(e, -ENOMEM, "out of memory");
	word = strsep(&at, ",");
	ret = parse_root(follows ? word + sizeof(based) - 1 : word, &root, e);
	if (!ret) {
		for (int i = 0; i < GOTAP_SAMPLE_RULES; i++)
			s->below[i] = root;
		if (follows)
			follow_parent(s);
	}
	while (!ret && (word = strsep(&at, ",")) != NULL)
		ret = follows ? parse_rule(s, word, e)
			      : errinfo_set(e, -EINVAL, "'%s' goes with parentbased_… only", word);
	free(copy);
	return ret;
}

/* @text without white space around it, in lower case where @lower; the caller's to free. */
static char *trimmed(const char *text, bool lower)
{
	char *copy;
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	copy = strndup(text, n);
	for (char *p = copy; lower && p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

int sampling_env(struct sampling *s, const char *sampler, const char *arg, struct errinfo *e)
{
	char *name = trimmed(sampler ? sampler : "", true), *value = trimmed(arg ? arg : "", false);
	struct sampling wanted = *s;
	char text[256];
	int ret = name && value ? 0 : errinfo_set(e, -ENOMEM, "out of memory");

	if (ret || !*name)
		goto out;
	ret = strpbrk(name, ":,") ? errinfo_set(e, -EINVAL, "'%s' is no sampler", name)
				  : sampling_parse(&wanted, name, e);
	if (ret)
		goto out;
	*s = wanted;
	if (!*value || !strstr(name, "traceidratio"))
		goto out;
	/* A bad ratio is 1, as it is without one. */
	ret = strchr(value, ',') || (size_t)snprintf(text, sizeof(text), "%s:%s", name, value) >=
					    sizeof(text)
		      ? errinfo_set(e, -EINVAL, "'%s' is no ratio from 0 to 1", value)
		      : sampling_parse(&wanted, text, e);
	if (!ret)
		*s = wanted;
out:
	free(value);
	free(name);
	return ret;
}
