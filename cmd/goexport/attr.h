/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counted text and OpenTelemetry attributes, as every part of goexport hands
 * them around. All text here is valid UTF-8 already (it may hold NUL bytes);
 * nothing owns what it points to.
 */
#ifndef GOEXPORT_ATTR_H
#define GOEXPORT_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *p;
	size_t len;
};

enum attr_type {
	ATTR_STRING,
	ATTR_INT,
	ATTR_DOUBLE,
	ATTR_BOOL,
	ATTR_ARRAY, /* of any values but arrays */
};

struct attr_value {
	enum attr_type type;
	union {
		struct text str;
		int64_t i;
		double d;
		bool b;
		struct {
			const struct attr_value *v;
			size_t n;
		} array;
	};
};

struct attr {
	struct text key;
	struct attr_value value;
};

static inline struct text text_of(const char *s)
{
	return (struct text){ s, s ? strlen(s) : 0 };
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.p, b.p, a.len));
}

static inline bool text_is(struct text t, const char *s)
{
	return text_equal(t, text_of(s));
}

/* The attribute named @key, NULL if there is none. */
static inline const struct attr *attr_find(const struct attr *attrs, size_t n, const char *key)
{
	struct text k = text_of(key);

	for (size_t i = 0; i < n; i++)
		if (text_equal(attrs[i].key, k))
			return &attrs[i];
	return NULL;
}

#endif
