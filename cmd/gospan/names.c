// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *text;
	size_t len;
} names[] = {
#define X(name, text) [NAME_##name] = { text, sizeof(text) - 1 },
	ATTRIBUTE_NAMES(X)
#undef X
};

static bool is_name(unsigned i, const char *text, size_t len)
{
	return names[i].len == len && !memcmp(names[i].text, text, len);
}

static bool begins(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(text, prefix, n);
}

enum name name_find(const char *text, size_t len, enum name hint)
{
	if (hint < NAME_RAW && is_name(hint, text, len))
		return hint;
	for (unsigned i = 0; i < NAME_RAW; i++)
		if (is_name(i, text, len))
			return i;
	if (begins(text, len, "go.") || begins(text, len, "gotap."))
		return NAME_RAW;
	return NAME_OTHER;
}

const char *name_text(enum name name)
{
	return names[name].text;
}
