// SPDX-License-Identifier: Apache-2.0
#include "jsoncut.h"

#include <string.h>

static void pass_over(struct jsoncut *c, const char *what)
{
	while (c->p < c->end && *c->p && strchr(what, *c->p))
		c->p++;
}

/* From the opening quote to behind the closing one. */
static void string(struct jsoncut *c)
{
	for (c->p++; c->p < c->end; c->p++) {
		if (*c->p == '\\')
			c->p++;
		else if (*c->p == '"') {
			c->p++;
			return;
		}
	}
	c->p = c->end;
	c->broken = true;
}

static void container(struct jsoncut *c)
{
	size_t depth = 0;

	while (c->p < c->end) {
		char ch = *c->p;

		if (ch == '"') {
			string(c);
			continue;
		}
		c->p++;
		if (ch == '{' || ch == '[')
			depth++;
		else if ((ch == '}' || ch == ']') && !--depth)
			return;
	}
	c->broken = true;
}

bool jsoncut_value(struct jsoncut *c, struct jsonpiece *out)
{
	pass_over(c, " \t\r\n,");
	if (c->p >= c->end || c->broken)
		return false;
	out->p = c->p;
	if (*c->p == '"')
		string(c);
	else if (*c->p == '{' || *c->p == '[')
		container(c);
	else
		while (c->p < c->end && (!*c->p || !strchr(" \t\r\n,:]}", *c->p)))
			c->p++;
	if (c->p == out->p) { /* a bracket or colon where none can be */
		c->broken = true;
		return false;
	}
	out->len = (size_t)(c->p - out->p);
	return !c->broken;
}

bool jsoncut_into(struct jsonpiece piece, char open, struct jsoncut *out)
{
	char close = open == '{' ? '}' : ']';

	if (piece.len < 2 || *piece.p != open || piece.p[piece.len - 1] != close)
		return false;
	*out = (struct jsoncut){ piece.p + 1, piece.p + piece.len - 1, false };
	return true;
}

bool jsoncut_member(struct jsoncut *c, struct jsonpiece *key, struct jsonpiece *value)
{
	if (!jsoncut_value(c, key) || *key->p != '"')
		return false;
	pass_over(c, " \t\r\n");
	if (c->p >= c->end || *c->p != ':')
		return false;
	c->p++;
	return jsoncut_value(c, value);
}
