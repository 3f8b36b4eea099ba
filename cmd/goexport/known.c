// SPDX-License-Identifier: Apache-2.0
#include "known.h"

#define SLOTS 256 /* a power of two, with room to spare: most look-ups are misses */

static const char *const names[KNOWN_COUNT] = {
#define X(id, name) name,
	KNOWN_ATTRS(X)
#undef X
};

struct slot {
	struct text name; /* of length 0: free */
	int id;
};

static struct slot slots[SLOTS];

/* Names are told apart by their length and a few letters. */
static unsigned hash_of(struct text key)
{
	const unsigned char *p = (const unsigned char *)key.p;

	return ((unsigned)key.len * 37 + p[key.len - 1] * 5 + p[key.len / 2] * 11 +
		p[key.len / 4] * 3) %
	       SLOTS;
}

void known_init(void)
{
	if (slots[hash_of(text_of(names[0]))].name.len)
		return;
	for (int i = 0; i < KNOWN_COUNT; i++) {
		struct text name = text_of(names[i]);
		unsigned at = hash_of(name);

		while (slots[at].name.len)
			at = (at + 1) % SLOTS;
		slots[at] = (struct slot){ name, i };
	}
}

void known_find(struct known_attrs *k, const struct attr *attrs, size_t n)
{
	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < n; i++) {
		unsigned at = attrs[i].key.len ? hash_of(attrs[i].key) : 0;

		for (; slots[at].name.len; at = (at + 1) % SLOTS)
			if (text_equal(slots[at].name, attrs[i].key)) {
				if (!k->at[slots[at].id])
					k->at[slots[at].id] = &attrs[i];
				break;
			}
	}
}

const char *known_name(enum known id)
{
	return names[id];
}

struct text known_text(const struct known_attrs *k, enum known id)
{
	const struct attr *at = k->at[id];

	return at && at->value.type == ATTR_STRING ? at->value.str : (struct text){ 0 };
}
