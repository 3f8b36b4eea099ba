/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming writer of JSON lines. A struct jsonw collects whole lines in one
 * buffer and writes them to a file descriptor with as few write(2) calls as the
 * caller allows: jsonw_flush() when the input would block, or by itself once
 * JSONW_FLUSH bytes are held. The first failure sticks and comes back from
 * jsonw_flush(); until then the calls that build a line return nothing, so that
 * they read like the line that they make.
 *
 * Strings are bytes: what is not valid UTF-8 becomes U+FFFD, one for each bad
 * byte; control characters are escaped. No string is ever refused.
 */
#ifndef GOTAP_JSONW_H
#define GOTAP_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSONW_FLUSH 65536

struct jsonw {
	char *buf;
	size_t len, cap;
	size_t mark; /* start of the line being built */
	int fd;	     /* -1: keep in memory, the caller takes buf and len */
	int err;     /* 0, or the first failure as -errno */
	bool comma;  /* the next item needs a comma in front */
};

/* @fd is borrowed; -1 collects in memory. Cannot fail. */
void jsonw_init(struct jsonw *w, int fd);
void jsonw_release(struct jsonw *w);

/*
 * Begins a line: {"type":"@type","v":1 and ends it: } and LF. A line may be given
 * up with jsonw_abandon() until jsonw_end_record().
 */
void jsonw_record(struct jsonw *w, const char *type);
void jsonw_end_record(struct jsonw *w);
void jsonw_abandon(struct jsonw *w);
/* A line that came from elsewhere, without its LF, unchanged. */
void jsonw_line(struct jsonw *w, const char *text, size_t len);

/* Containers and members; @key is NULL inside an array. Keys are trusted text. */
void jsonw_obj(struct jsonw *w, const char *key);
void jsonw_end_obj(struct jsonw *w);
void jsonw_arr(struct jsonw *w, const char *key);
void jsonw_end_arr(struct jsonw *w);

/* @s may be NULL if @len is 0. */
void jsonw_str(struct jsonw *w, const char *key, const char *s, size_t len);
void jsonw_cstr(struct jsonw *w, const char *key, const char *s);
/* A key that is not trusted text (an attribute name from a plan). */
void jsonw_str_key(struct jsonw *w, const char *key, size_t key_len, const char *s, size_t len);
/* The untrusted key alone; the value follows as an item without a key. */
void jsonw_key(struct jsonw *w, const char *key, size_t key_len);
void jsonw_int(struct jsonw *w, const char *key, int64_t n);
void jsonw_uint(struct jsonw *w, const char *key, uint64_t n);
void jsonw_double(struct jsonw *w, const char *key, double d); /* not finite: null */
void jsonw_bool(struct jsonw *w, const char *key, bool b);
void jsonw_null(struct jsonw *w, const char *key);
/* 64-bit values as strings: decimal, and 0x with hexadecimal digits. */
void jsonw_u64(struct jsonw *w, const char *key, uint64_t n);
void jsonw_addr(struct jsonw *w, const char *key, uint64_t n);
/* Bytes as a string of lower-case hexadecimal digits (trace and span ids). */
void jsonw_hex(struct jsonw *w, const char *key, const uint8_t *p, size_t n);
/* JSON text that is valid already (a token of a parsed line). */
void jsonw_raw(struct jsonw *w, const char *key, const char *json, size_t len);

/*
 * Writes what whole lines are held. 0, or the first failure of this writer as
 * -errno (-EPIPE, -ENOSPC, -ENOMEM, …); nothing more is written after one. A
 * signal during write(2) is retried.
 */
int jsonw_flush(struct jsonw *w);

#endif
