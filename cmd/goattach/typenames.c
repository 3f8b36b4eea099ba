// SPDX-License-Identifier: Apache-2.0
#include "typenames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gobin.h"

/* src/internal/abi/type.go, Go 1.17 and later: tflag, str, and the size of abi.Type. */
#define TFLAG_AT	 20
#define STR_AT		 40
#define TYPE_SIZE	 48
#define TFLAG_EXTRA_STAR 2

#define SLOTS	 256 /* names that are kept; types meet few at one place */
#define MAX_NAME 255

struct slot {
	uint64_t type;
	char name[MAX_NAME + 1];
};

struct typenames {
	int fd;
	bool tried;
	struct gobin *b; /* NULL until needed, or if it cannot be read */
	struct slot slots[SLOTS];
};

struct typenames *typenames_new(int fd)
{
	struct typenames *t = calloc(1, sizeof(*t));

	if (t)
		t->fd = fd;
	return t;
}

void typenames_free(struct typenames *t)
{
	if (t)
		gobin_free(t->b);
	free(t);
}

/* abi.Name: a byte of flags, a varint, the bytes. */
static bool read_name(const struct gobin *b, uint64_t addr, bool star, char *out)
{
	const uint8_t *p = gobin_at(b, addr, 3);
	uint64_t len, skip = 2;

	if (!p)
		return false;
	len = p[1] & 0x7f;
	if (p[1] & 0x80) {
		len |= (uint64_t)(p[2] & 0x7f) << 7;
		skip = 3;
	}
	if (star && len) {
		len--;
		skip++;
	}
	if (!len)
		return false;
	len = len > MAX_NAME ? MAX_NAME : len;
	p = gobin_at(b, addr + skip, len);
	if (!p)
		return false;
	memcpy(out, p, len);
	out[len] = '\0';
	return strlen(out) == len;
}

static bool read_type(const struct gobin *b, uint64_t types, uint64_t type, char *out)
{
	const uint8_t *p = gobin_at(b, type, TYPE_SIZE);
	int32_t str;

	if (!p)
		return false;
	memcpy(&str, p + STR_AT, sizeof(str));
	return str > 0 && read_name(b, types + (uint32_t)str, p[TFLAG_AT] & TFLAG_EXTRA_STAR, out);
}

const char *typenames_find(struct typenames *t, uint64_t types, uint64_t type)
{
	struct slot *s = &t->slots[(type >> 5) % SLOTS];

	if (s->type == type && type)
		return s->name[0] ? s->name : NULL;
	if (!t->tried) {
		t->tried = true;
		if (gobin_open_fd(t->fd, &t->b, NULL))
			t->b = NULL;
	}
	if (!t->b || !type)
		return NULL;
	s->type = type;
	if (!read_type(t->b, types, type, s->name))
		s->name[0] = '\0';
	return s->name[0] ? s->name : NULL;
}
