/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of Go types by the addresses of their descriptors, from the executable
 * file, for captures of an interface's dynamic type. One for each image; names that
 * were asked for are kept. Reads the file only when an event has a type.
 */
#ifndef GOATTACH_TYPENAMES_H
#define GOATTACH_TYPENAMES_H

#include <stdint.h>

struct typenames;

/*
 * Over the executable open as @fd, borrowed: the file is mapped when the first name is asked for.
 * NULL without memory.
 */
struct typenames *typenames_new(int fd);
void typenames_free(struct typenames *t);

/*
 * The name of the type whose descriptor is at @type, as reflect.Type.String() gives it
 * ("*errors.errorString"); @types is the start of the type section that names are
 * counted from. Both are virtual addresses with a load bias of 0. NULL if there is
 * none. Borrowed until the next call.
 */
const char *typenames_find(struct typenames *t, uint64_t types, uint64_t type);

#endif
