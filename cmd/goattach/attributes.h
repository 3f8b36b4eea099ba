/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenTelemetry attributes as bpf/attributes.bpf.h copies them, as JSON. Called by event.c
 * for each record that has some; keeps nothing and cannot fail.
 */
#ifndef GOATTACH_ATTRIBUTES_H
#define GOATTACH_ATTRIBUTES_H

#include "jsonw.h"
#include "probe.h"

/* Writes them, @len bytes at @text, as an object with the name of @c. Slices are left out. */
void attributes_write(struct jsonw *w, const struct capture *c, const char *text, size_t len);

#endif
