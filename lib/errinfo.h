/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of an error, filled by library functions that return -errno and
 * printed by programs. The caller owns the struct, usually on its stack; NULL
 * is allowed wherever one is taken. Nothing here fails or allocates.
 */
#ifndef GOTAP_ERRINFO_H
#define GOTAP_ERRINFO_H

struct errinfo {
	char text[320]; /* NUL-terminated, no newline, may hold bytes of a hostile file */
};

/*
 * Sets the text (printf-like, truncated to fit) and gives @ret, so that a
 * function can say `return errinfo_set(e, -EINVAL, "…")`. A macro, so that
 * static analysis sees that what comes out is what went in.
 */
#define errinfo_set(e, ret, ...)                                                                   \
	({                                                                                         \
		int errinfo_ret = (ret);                                                           \
		errinfo_text((e), __VA_ARGS__);                                                    \
		errinfo_ret;                                                                       \
	})
void errinfo_text(struct errinfo *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
