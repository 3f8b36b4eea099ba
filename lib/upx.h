/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an executable was packed by UPX: it then holds a compressed copy of the
 * program, of which nothing can be read; what runs has no file. Used to say so.
 */
#ifndef GOTAP_UPX_H
#define GOTAP_UPX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @head is how the file begins, a few hundred bytes or more of it. */
bool upx_packed(const uint8_t *head, size_t len);
/* The same for the file that @fd is; false if it cannot be read. */
bool upx_packed_fd(int fd);

#endif
