/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans out of OTLP/JSON that others wrote: lines, as the Collector's file exporter
 * writes them, or a file with one request or several in any layout. What OTLP allows
 * and our stream has not (events) becomes attributes. Called by the exporter.
 */
#ifndef GOEXPORT_OTLPIN_H
#define GOEXPORT_OTLPIN_H

#include "errinfo.h"
#include "resource.h"
#include "spanrec.h"

struct otlpin;

/* @out gets each span, borrowed. NULL when out of memory. */
struct otlpin *otlpin_new(void (*out)(void *arg, const struct spanrec *sp), void *arg);
void otlpin_free(struct otlpin *in);

/*
 * One request, {"resourceSpans":[…]}. 0; -EINVAL with the reason in @e when it is none,
 * or when spans in it were not good (the others are given out); -ENOMEM.
 */
int otlpin_request(struct otlpin *in, const char *text, size_t len, struct errinfo *e);

/* Whether @fd is a regular file that begins like OTLP/JSON. */
bool otlpin_is_file(int fd);
/*
 * All requests of such a file, however long. 0, -EINVAL (some were not good; said
 * already), or another -errno with the reason in @e. @good counts those that were.
 */
int otlpin_file(struct otlpin *in, int fd, unsigned long *good, struct errinfo *e);

#endif
