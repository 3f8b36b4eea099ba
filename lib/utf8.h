/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 validity (RFC 3629), for everybody who passes on text of a traced
 * program. Nothing here fails or allocates.
 */
#ifndef GOTAP_UTF8_H
#define GOTAP_UTF8_H

#include <stddef.h>

/* Bytes of the valid character at the start of @s, 0 if there is none. */
size_t utf8_char(const char *s, size_t len);
/* Bytes from the start of @s that are valid; @len if all of it is. */
size_t utf8_valid(const char *s, size_t len);

#endif
