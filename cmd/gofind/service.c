// SPDX-License-Identifier: Apache-2.0
#include "service.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ATTRIBUTES_TEXT 65536
#define MAX_ATTRIBUTES	    1000

/* The value of a variable; of several the first, as Go's os.Getenv has it. */
static struct text find_env(const char *env, size_t len, const char *name)
{
	size_t n = strlen(name);

	while (len) {
		size_t one = strnlen(env, len);

		if (one > n && !memcmp(env, name, n) && env[n] == '=')
			return (struct text){ env + n + 1, one - n - 1 };
		one += one < len; /* the NUL */
		env += one;
		len -= one;
	}
	return (struct text){ NULL, 0 };
}

static struct text trim(struct text t)
{
	while (t.len && isspace((unsigned char)t.s[0])) {
		t.s++;
		t.len--;
	}
	while (t.len && isspace((unsigned char)t.s[t.len - 1]))
		t.len--;
	return t;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes into *@to, which has room, and moves it on; a wrong escape leaves all as it is. */
static struct text percent_decode(struct text t, char **to)
{
	char *start = *to, *p = start;

	for (size_t i = 0; i < t.len; i++) {
		int high, low;

		if (t.s[i] != '%') {
			*p++ = t.s[i];
			continue;
		}
		high = i + 2 < t.len ? hex_digit(t.s[i + 1]) : -1;
		low = i + 2 < t.len ? hex_digit(t.s[i + 2]) : -1;
		if (high < 0 || low < 0)
			return t;
		*p++ = (char)(high * 16 + low);
		i += 2;
	}
	*to = p;
	return (struct text){ start, (size_t)(p - start) };
}

static bool same(struct text a, struct text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

static void set_attribute(struct service *s, struct text key, struct text value)
{
	for (size_t i = 0; i < s->n_resource; i++) {
		if (same(s->resource[i].key, key)) {
			s->resource[i].value = value;
			return;
		}
	}
	if (s->n_resource < MAX_ATTRIBUTES)
		s->resource[s->n_resource++] = (struct attribute){ key, value };
}

static void parse_pair(struct service *s, struct text pair, char **to)
{
	const char *equals = memchr(pair.s, '=', pair.len);
	struct text key, value;

	if (!equals)
		return;
	key = trim((struct text){ pair.s, (size_t)(equals - pair.s) });
	value = trim((struct text){ equals + 1, (size_t)(pair.s + pair.len - equals - 1) });
	if (key.len)
		set_attribute(s, percent_decode(key, to), percent_decode(value, to));
}

static int parse_attributes(struct service *s, struct text list)
{
	char *to;

	if (!list.len)
		return 0;
	if (list.len > MAX_ATTRIBUTES_TEXT)
		list.len = MAX_ATTRIBUTES_TEXT;
	to = s->decoded = malloc(list.len);
	s->resource = calloc(MAX_ATTRIBUTES, sizeof(*s->resource));
	if (!s->decoded || !s->resource)
		return -ENOMEM;
	while (list.len) {
		const char *comma = memchr(list.s, ',', list.len);
		size_t n = comma ? (size_t)(comma - list.s) : list.len;

		parse_pair(s, (struct text){ list.s, n }, &to);
		n += comma != NULL;
		list.s += n;
		list.len -= n;
	}
	return 0;
}

/* Takes service.name out of the attributes. */
static struct text take_service_name(struct service *s)
{
	static const struct text key = { "service.name", 12 };
	struct text name = { NULL, 0 };

	for (size_t i = 0; i < s->n_resource; i++) {
		if (!same(s->resource[i].key, key))
			continue;
		name = s->resource[i].value;
		s->n_resource--;
		memmove(s->resource + i, s->resource + i + 1,
			(s->n_resource - i) * sizeof(*s->resource));
		break;
	}
	return name;
}

/* Whether the @n bytes at @s are 'v' and digits. */
static bool is_version(const char *s, size_t n)
{
	if (n < 2 || s[0] != 'v')
		return false;
	for (size_t i = 1; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return true;
}

struct text module_name(const char *module)
{
	size_t end = strlen(module), start;

	for (;; end = start - 1) {
		for (start = end; start && module[start - 1] != '/';)
			start--;
		if (!start || !is_version(module + start, end - start))
			break;
	}
	if (!strncmp(module, "gopkg.in/", 9)) { /* gopkg.in/name.v3 */
		const char *dot = memrchr(module + start, '.', end - start);

		if (dot && dot > module + start &&
		    is_version(dot + 1, (size_t)(module + end - dot - 1)))
			end = (size_t)(dot - module);
	}
	return (struct text){ module + start, end - start };
}

static void choose_name(struct service *s, struct text env, struct text attribute,
			const char *module, const char *exe)
{
	const char *slash = strrchr(exe, '/'), *file = slash ? slash + 1 : exe;

	if (env.len) {
		s->name = env;
		s->from = "env";
	} else if (attribute.len) {
		s->name = attribute;
		s->from = "resource-env";
	} else if (module_name(module).len) {
		s->name = module_name(module);
		s->from = "module";
	} else {
		s->name = (struct text){ file, strlen(file) };
		s->from = "exe";
	}
}

int service_find(const char *env, size_t env_len, const char *module, const char *exe,
		 struct service *out)
{
	struct text name = find_env(env, env_len, "OTEL_SERVICE_NAME");
	int ret;

	memset(out, 0, sizeof(*out));
	ret = parse_attributes(out, find_env(env, env_len, "OTEL_RESOURCE_ATTRIBUTES"));
	if (ret) {
		service_release(out);
		return ret;
	}
	choose_name(out, name, take_service_name(out), module, exe);
	return 0;
}

void service_release(struct service *s)
{
	free(s->resource);
	free(s->decoded);
	memset(s, 0, sizeof(*s));
}
