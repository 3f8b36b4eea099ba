// SPDX-License-Identifier: Apache-2.0
/* The build ids in the ELF notes, and the name that a binary has in the stream. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gobin_internal.h"
#include "le.h"

/* cmd/internal/buildid/note.go: name "Go\0\0", type 4. */
#define GO_BUILDID_TYPE 4
/* Longer ones are no ids. */
#define MAX_GO_ID  1024
#define MAX_GNU_ID 64
/* Of all notes, bytes that are looked at: ids stand in the first few hundred. */
#define MAX_NOTES (1u << 20)

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

static char *hex(const uint8_t *p, size_t n)
{
	char *s = malloc(2 * n + 1);

	for (size_t i = 0; s && i < n; i++)
		snprintf(s + 2 * i, 3, "%02x", p[i]);
	return s;
}

static int take_note(struct gobin *b, const uint8_t *name, uint32_t type, const uint8_t *desc,
		     uint32_t len)
{
	if (!memcmp(name, "Go\0", 4) && type == GO_BUILDID_TYPE && !b->go_id && len &&
	    len <= MAX_GO_ID) {
		b->go_id = strndup((const char *)desc, len);
		return b->go_id ? 0 : -ENOMEM;
	}
	if (!memcmp(name, "GNU", 4) && type == NT_GNU_BUILD_ID && !b->gnu_id && len &&
	    len <= MAX_GNU_ID) {
		b->gnu_id = hex(desc, len);
		return b->gnu_id ? 0 : -ENOMEM;
	}
	return 0;
}

int gobin_read_notes(struct gobin *b, uint64_t off, uint64_t len, uint64_t align)
{
	const uint64_t head = sizeof(Elf64_Nhdr);

	if (!gobin_in_file(b, off, len))
		return 0;
	align = align == 8 ? 8 : 4;
	while (len >= head && b->note_bytes < MAX_NOTES) {
		const uint8_t *p = b->image + off;
		uint32_t namesz = le32(p), descsz = le32(p + 4);
		uint64_t desc = round_up(head + namesz, align);
		uint64_t next = round_up(desc + descsz, align);

		if (desc > len || descsz > len - desc)
			return 0;
		if (namesz == 4 && take_note(b, p + head, le32(p + 8), p + desc, descsz))
			return -ENOMEM;
		if (next >= len)
			return 0;
		b->note_bytes += next;
		off += next;
		len -= next;
	}
	return 0;
}

const char *gobin_go_build_id(const struct gobin *b)
{
	return b->go_id ? b->go_id : "";
}

const char *gobin_gnu_build_id(const struct gobin *b)
{
	return b->gnu_id ? b->gnu_id : "";
}

/* Two 64-bit lanes of FNV-1a's kind, by words: it names a text, it proves nothing. */
static void hash_bytes(uint64_t lane[2], const uint8_t *p, uint64_t n)
{
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t w = le64(p);

		lane[0] = (lane[0] ^ w) * 0x100000001b3ull;
		lane[0] ^= lane[0] >> 32;
		lane[1] = (lane[1] ^ w) * 0x9e3779b97f4a7c15ull;
		lane[1] ^= lane[1] >> 29;
	}
	for (; n; p++, n--) {
		lane[0] = (lane[0] ^ *p) * 0x100000001b3ull;
		lane[1] = (lane[1] ^ *p) * 0x9e3779b97f4a7c15ull;
	}
}

static char *text_id(const struct gobin *b)
{
	uint64_t lane[2] = { 0xcbf29ce484222325ull, 0x84222325cbf29ce4ull };
	char *s;

	for (size_t i = 0; i < b->n_segs; i++) {
		const struct gobin_segment *g = &b->segs[i];

		for (uint64_t at = 0, n; g->exec && at < g->filesz; at += n) {
			n = gobin_chunk(b, g->offset + at, g->filesz - at);
			hash_bytes(lane, b->image + g->offset + at, n);
		}
	}
	if (asprintf(&s, "text:%016llx%016llx", (unsigned long long)lane[0],
		     (unsigned long long)lane[1]) < 0)
		return NULL;
	return s;
}

/*
 * The id of cmd/go is "action/…/content"; builders that set their own give every
 * binary the same one (Bazel's rules_go: "redacted").
 */
static bool names_content(const char *go_id)
{
	return go_id && strchr(go_id, '/') != NULL;
}

const char *gobin_id(const struct gobin *b)
{
	struct gobin_lazy *l = b->lazy;

	if (names_content(b->go_id))
		return b->go_id;
	if (l->text_id)
		return l->text_id;
	if (!b->gnu_id)
		l->text_id = text_id(b);
	else if (asprintf(&l->text_id, "gnu:%s", b->gnu_id) < 0)
		l->text_id = NULL;
	return l->text_id ? l->text_id : "text:";
}
