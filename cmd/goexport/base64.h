/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 (RFC 4648, 4), read with or without its padding. Called for the details of gRPC's
 * status; owns nothing and cannot fail: it stops where the text is none.
 */
#ifndef GOEXPORT_BASE64_H
#define GOEXPORT_BASE64_H

#include <stddef.h>

/*
 * Decodes @text, up to the first character that is none, into @out of @size bytes.
 * How many there are; what does not fit is left out.
 */
size_t base64_decode(const char *text, unsigned char *out, size_t size);

#endif
