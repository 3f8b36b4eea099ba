// SPDX-License-Identifier: Apache-2.0
#include "jsonv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct jsonv_chunk {
	struct jsonv_chunk *next;
	size_t len, cap;
	char data[];
};

static void arena_trim(struct jsonv_doc *d)
{
	struct jsonv_chunk *c = d->arena;

	if (!c)
		return;
	c->len = 0;
	while (c->next) {
		struct jsonv_chunk *next = c->next;

		c->next = next->next;
		free(next);
	}
}

struct parser {
	struct jsonv_doc *d;
	const char *start, *p, *end;
	struct errinfo *e;
};

static int bad(struct parser *ps, const char *what)
{
	return errinfo_set(ps->e, -EINVAL, "byte %zu: %s", (size_t)(ps->p - ps->start) + 1, what);
}

static int tokens_grow(struct parser *ps)
{
	struct jsonv_doc *d = ps->d;
	size_t cap = d->cap ? d->cap * 2 : 256;
	struct jsonv *tok;

	if (cap > JSONV_MAX_TOKENS)
		return errinfo_set(ps->e, -E2BIG, "more than %u values", JSONV_MAX_TOKENS);
	tok = realloc(d->tok, cap * sizeof(*tok));
	if (!tok)
		return errinfo_set(ps->e, -ENOMEM, "out of memory");
	d->tok = tok;
	d->cap = cap;
	return 0;
}

/* Adds a token for the text from @from to where the parser is. */
static int token_add(struct parser *ps, enum jsonv_type type, const char *from, bool escaped)
{
	struct jsonv_doc *d = ps->d;
	int ret = d->n == d->cap ? tokens_grow(ps) : 0;

	if (ret)
		return ret;
	d->tok[d->n++] = (struct jsonv){
		.text = from,
		.len = (uint32_t)(ps->p - from),
		.next = 1,
		.type = (uint8_t)type,
		.escaped = escaped,
	};
	return 0;
}

static void skip_space(struct parser *ps)
{
	while (ps->p < ps->end &&
	       (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\r' || *ps->p == '\n'))
		ps->p++;
}

static int hex_digit(char c)
{
	static const unsigned char value_plus_1[256] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	return value_plus_1[(unsigned char)c] - 1;
}

/* After a backslash: checks the escape and steps over it. */
static int scan_escape(struct parser *ps)
{
	if (ps->p == ps->end)
		return bad(ps, "unfinished string");
	if (*ps->p != 'u') {
		if (!strchr("\"\\/bfnrt", *ps->p) || !*ps->p)
			return bad(ps, "unknown escape");
		ps->p++;
		return 0;
	}
	ps->p++;
	for (int i = 0; i < 4; i++, ps->p++)
		if (ps->p == ps->end || hex_digit(*ps->p) < 0)
			return bad(ps, "\\u needs four hexadecimal digits");
	return 0;
}

static int scan_string(struct parser *ps)
{
	/* What may stand in a string and needs no look: all but '"', '\\' and controls. */
	static const bool plain[256] = {
		[0x20 ... 0x21] = true,
		[0x23 ... 0x5b] = true,
		[0x5d ... 0xff] = true,
	};
	const char *from = ++ps->p;
	bool escaped = false;
	int ret;

	for (;;) {
		while (ps->p < ps->end && plain[(unsigned char)*ps->p])
			ps->p++;
		if (ps->p == ps->end)
			return bad(ps, "unfinished string");
		if (*ps->p == '"')
			break;
		if (*ps->p != '\\')
			return bad(ps, "control byte in a string");
		ps->p++;
		escaped = true;
		ret = scan_escape(ps);
		if (ret)
			return ret;
	}
	ret = token_add(ps, JSONV_STRING, from, escaped);
	ps->p++;
	return ret;
}

static bool scan_digits(struct parser *ps)
{
	const char *from = ps->p;

	while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9')
		ps->p++;
	return ps->p > from;
}

static int scan_number(struct parser *ps)
{
	const char *from = ps->p;

	if (*ps->p == '-')
		ps->p++;
	if (ps->p < ps->end && *ps->p == '0')
		ps->p++;
	else if (!scan_digits(ps))
		return bad(ps, "not a value");
	if (ps->p < ps->end && *ps->p == '.') {
		ps->p++;
		if (!scan_digits(ps))
			return bad(ps, "digits expected");
	}
	if (ps->p < ps->end && (*ps->p == 'e' || *ps->p == 'E')) {
		ps->p++;
		if (ps->p < ps->end && (*ps->p == '+' || *ps->p == '-'))
			ps->p++;
		if (!scan_digits(ps))
			return bad(ps, "digits expected");
	}
	return token_add(ps, JSONV_NUMBER, from, false);
}

static int scan_word(struct parser *ps, const char *word, enum jsonv_type type)
{
	const char *from = ps->p;
	size_t n = strlen(word);

	if ((size_t)(ps->end - ps->p) < n || memcmp(ps->p, word, n))
		return bad(ps, "not a value");
	ps->p += n;
	return token_add(ps, type, from, false);
}

static int scan_value(struct parser *ps, int depth);

/* One member or element; @close was looked for already. */
static int scan_item(struct parser *ps, bool object, int depth)
{
	int ret;

	if (object) {
		if (ps->p == ps->end || *ps->p != '"')
			return bad(ps, "a key in quotes expected");
		ret = scan_string(ps);
		if (ret)
			return ret;
		skip_space(ps);
		if (ps->p == ps->end || *ps->p != ':')
			return bad(ps, "':' expected");
		ps->p++;
		skip_space(ps);
	}
	return scan_value(ps, depth + 1);
}

static int scan_container(struct parser *ps, bool object, int depth)
{
	size_t t = ps->d->n; /* the container's token, whose place may move as others come */
	char close = object ? '}' : ']';
	uint32_t count = 0;
	int ret;

	if (depth >= JSONV_MAX_DEPTH)
		return errinfo_set(ps->e, -E2BIG, "byte %zu: nested deeper than %d",
				   (size_t)(ps->p - ps->start) + 1, JSONV_MAX_DEPTH);
	ret = token_add(ps, object ? JSONV_OBJECT : JSONV_ARRAY, ps->p, false);
	if (ret)
		return ret;
	ps->p++;
	skip_space(ps);
	while (ps->p == ps->end || *ps->p != close) {
		if (count) {
			if (ps->p == ps->end || *ps->p != ',')
				return bad(ps,
					   object ? "',' or '}' expected" : "',' or ']' expected");
			ps->p++;
			skip_space(ps);
		}
		ret = scan_item(ps, object, depth);
		if (ret)
			return ret;
		count++;
		skip_space(ps);
	}
	ps->p++;
	ps->d->tok[t].count = count;
	ps->d->tok[t].len = (uint32_t)(ps->p - ps->d->tok[t].text);
	ps->d->tok[t].next = (uint32_t)(ps->d->n - t);
	return 0;
}

static int scan_value(struct parser *ps, int depth)
{
	if (ps->p == ps->end)
		return bad(ps, "a value expected");
	switch (*ps->p) {
	case '{':
		return scan_container(ps, true, depth);
	case '[':
		return scan_container(ps, false, depth);
	case '"':
		return scan_string(ps);
	case 't':
		return scan_word(ps, "true", JSONV_TRUE);
	case 'f':
		return scan_word(ps, "false", JSONV_FALSE);
	case 'n':
		return scan_word(ps, "null", JSONV_NULL);
	default:
		return scan_number(ps);
	}
}

int jsonv_parse(struct jsonv_doc *d, const char *text, size_t len, struct errinfo *e)
{
	struct parser ps = { .d = d, .start = text, .p = text, .end = text + len, .e = e };
	int ret;

	d->n = 0;
	arena_trim(d);
	if (len > UINT32_MAX / 2)
		return errinfo_set(e, -E2BIG, "text too long");
	skip_space(&ps);
	ret = scan_value(&ps, 0);
	if (!ret) {
		skip_space(&ps);
		if (ps.p != ps.end)
			ret = bad(&ps, "text after the value");
	}
	if (ret)
		d->n = 0;
	return ret;
}

void jsonv_release(struct jsonv_doc *d)
{
	arena_trim(d);
	free(d->arena);
	free(d->tok);
	memset(d, 0, sizeof(*d));
}

const struct jsonv *jsonv_root(const struct jsonv_doc *d)
{
	return d->n ? d->tok : NULL;
}

const struct jsonv *jsonv_first(const struct jsonv *container)
{
	return container->count ? container + 1 : NULL;
}

const struct jsonv *jsonv_after(const struct jsonv *v)
{
	return v + v->next;
}

const struct jsonv *jsonv_member(const struct jsonv *obj, const char *key)
{
	size_t n = strlen(key);
	const struct jsonv *k;

	if (!obj || obj->type != JSONV_OBJECT)
		return NULL;
	k = obj + 1;
	for (uint32_t i = 0; i < obj->count; i++, k = jsonv_after(k + 1))
		if (k->len == n && !k->escaped && !memcmp(k->text, key, n))
			return k + 1;
	return NULL;
}

static size_t utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t hex4(const char *s)
{
	uint32_t c = 0;

	for (int i = 0; i < 4; i++)
		c = c << 4 | (uint32_t)hex_digit(s[i]);
	return c;
}

/* The code point of the \u escape at *@p (after the 'u'), steps past it. */
static uint32_t unescape_u(const char **p, const char *end)
{
	uint32_t c = hex4(*p), low;

	*p += 4;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
		low = hex4(*p + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*p += 6;
			return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return 0xfffd;
}

static char unescape_char(char c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return c;
	}
}

/*
 * Room for @n more bytes. Strings handed out earlier stay where they are, so a
 * full chunk is followed by a new one; all but the newest go at the next parse.
 */
static char *arena_take(struct jsonv_doc *d, size_t n)
{
	struct jsonv_chunk *c = d->arena;
	size_t cap;

	if (c && c->cap - c->len >= n)
		return c->data + c->len;
	cap = n < 4096 ? 4096 : n;
	c = malloc(sizeof(*c) + cap);
	if (!c)
		return NULL;
	*c = (struct jsonv_chunk){ .next = d->arena, .cap = cap };
	d->arena = c;
	return c->data;
}

int jsonv_str(struct jsonv_doc *d, const struct jsonv *v, const char **s, size_t *len)
{
	const char *p, *end;
	char *to, *from;

	if (!v || v->type != JSONV_STRING)
		return -EINVAL;
	if (!v->escaped) {
		*s = v->text;
		*len = v->len;
		return 0;
	}
	from = to = arena_take(d, v->len);
	if (!to)
		return -ENOMEM;
	for (p = v->text, end = p + v->len; p < end;) {
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		p += 2;
		if (p[-1] == 'u')
			to += utf8_put(to, unescape_u(&p, end));
		else
			*to++ = unescape_char(p[-1]);
	}
	*s = from;
	*len = (size_t)(to - from);
	d->arena->len += *len;
	return 0;
}

char *jsonv_strdup(struct jsonv_doc *d, const struct jsonv *v)
{
	const char *s;
	size_t len;

	if (jsonv_str(d, v, &s, &len) || memchr(s, '\0', len))
		return NULL;
	return strndup(s, len);
}

bool jsonv_is(const struct jsonv *v, const char *s)
{
	size_t n = strlen(s);

	return v && v->type == JSONV_STRING && !v->escaped && v->len == n && !memcmp(v->text, s, n);
}

static int parse_unsigned(const char *p, size_t n, uint64_t *out)
{
	unsigned base = 10;
	uint64_t u = 0;

	if (n > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
		n -= 2;
	}
	if (!n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0 || (unsigned)digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(u, (uint64_t)base, &u) ||
		    __builtin_add_overflow(u, (uint64_t)digit, &u))
			return -ERANGE;
	}
	*out = u;
	return 0;
}

int jsonv_u64(const struct jsonv *v, uint64_t *out)
{
	if (!v || (v->type != JSONV_NUMBER && v->type != JSONV_STRING) || v->escaped)
		return -EINVAL;
	return parse_unsigned(v->text, v->len, out);
}

int jsonv_i64(const struct jsonv *v, int64_t *out)
{
	bool minus;
	uint64_t u;
	int ret;

	if (!v || (v->type != JSONV_NUMBER && v->type != JSONV_STRING) || v->escaped)
		return -EINVAL;
	minus = v->len && v->text[0] == '-';
	ret = parse_unsigned(v->text + minus, v->len - minus, &u);
	if (ret)
		return ret;
	if (u > (uint64_t)INT64_MAX + minus)
		return -ERANGE;
	*out = minus ? (int64_t)(0 - u) : (int64_t)u;
	return 0;
}

int jsonv_double(const struct jsonv *v, double *out)
{
	char buf[64];

	if (!v || v->type != JSONV_NUMBER || v->len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, v->text, v->len);
	buf[v->len] = '\0';
	*out = strtod(buf, NULL);
	return isfinite(*out) ? 0 : -EINVAL;
}

int jsonv_bool(const struct jsonv *v, bool *out)
{
	if (!v || (v->type != JSONV_TRUE && v->type != JSONV_FALSE))
		return -EINVAL;
	*out = v->type == JSONV_TRUE;
	return 0;
}

int jsonv_hex(const struct jsonv *v, uint8_t *out, size_t n)
{
	if (!v || v->type != JSONV_STRING || v->len != 2 * n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int hi = hex_digit(v->text[2 * i]), lo = hex_digit(v->text[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -EINVAL;
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	return 0;
}
