/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Go functions and packages as the linker has them, compared with what
 * a user writes. The linker escapes dots of a path's last element ("gopkg.in/
 * yaml%2ev3.Marshal", up to Go 1.21), keeps the directory of vendored packages
 * ("a.b/c/vendor/d.e/f.G"), and adds type arguments ("main.Map[...]"). Nothing
 * here fails or allocates.
 */
#ifndef GOTAP_GONAME_H
#define GOTAP_GONAME_H

#include <stdbool.h>
#include <stdint.h>

/* @name without what is before "vendor/": where the path begins that source code has. */
const char *goname_after_vendor(const char *name);

/* Equal for names that goname_equal() calls equal. */
uint32_t goname_hash(const char *name);

/*
 * Whether a user's @query names the function @name: escapes, vendoring and type
 * arguments may be left out of it; what it has must be there. "[...]" stands for
 * any type arguments.
 */
bool goname_equal(const char *query, const char *name);

/* Whether two names differ in type arguments and escapes alone. */
bool goname_equal_bare(const char *a, const char *b);

/*
 * goname_equal() for a pattern. '*' is any text, '?' any character; all else is literal,
 * brackets and parentheses too, because names hold them, and so is a '*' right
 * after '(': "main.(*Store).*" is every method of *Store.
 */
bool goname_match(const char *pattern, const char *name);

/*
 * The same for names of types, of which only escapes may differ: "[...]" and the
 * like are part of them.
 */
uint32_t goname_type_hash(const char *name);
bool goname_type_equal(const char *a, const char *b);

#endif
