/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files gobin*.c share: the struct itself and the steps of opening one.
 * Nobody else includes this.
 */
#ifndef GOTAP_GOBIN_INTERNAL_H
#define GOTAP_GOBIN_INTERNAL_H

#include <time.h>

#include "gobin.h"

struct gobin_relocs;

/* Filled when first asked for; behind a pointer, so that a const gobin can. */
struct gobin_lazy {
	char *text_id;		     /* "text:…" */
	struct gobin_relocs *relocs; /* NULL until gobin_word() is called */
};

struct gobin {
	const uint8_t *image;
	size_t size;
	bool mapped;		 /* by us: to be unmapped */
	int fd;			 /* a duplicate, -1 if there is none */
	struct timespec written; /* when the file was, last before it was mapped */
	enum gobin_arch arch;
	bool pie;
	uint64_t dev, inode;
	struct gobin_segment *segs;
	size_t n_segs;
	uint64_t dyn_addr, dyn_size; /* PT_DYNAMIC, size 0 if none */
	struct gobin_section *secs;
	size_t n_secs;
	uint64_t note_bytes; /* of notes that were looked at */
	char note[160];	     /* what was ignored, "" if nothing */
	struct gobin_buildinfo info;
	char *info_text; /* owns every string of info */
	struct gobin_dep *deps;
	char *go_id, *gnu_id; /* NULL if none */
	struct gobin_lazy *lazy;
	struct gobin *debug; /* owned; NULL: none */
};

/* Whether @len bytes at file offset @off are in the file. */
static inline bool gobin_in_file(const struct gobin *b, uint64_t off, uint64_t len)
{
	return off <= b->size && len <= b->size - off;
}

/* ELF's own tables: b->segs, b->secs and so on from b->image. Errors as gobin_open(). */
int gobin_read_headers(struct gobin *b, struct errinfo *e);
/* The same without segments, of which a file of debug information has but the headers. */
int gobin_read_debug_headers(struct gobin *b, struct errinfo *e);
/* Build ids from the notes in @len bytes of the file at @off; those already there stay. */
int gobin_read_notes(struct gobin *b, uint64_t off, uint64_t len, uint64_t align);
/* b->info. -ENODATA: no Go binary; -EPROTONOSUPPORT: too old a one; -EBADMSG; -ENOMEM. */
int gobin_read_buildinfo(struct gobin *b, struct errinfo *e);
void gobin_relocs_free(struct gobin_relocs *r);

#endif
