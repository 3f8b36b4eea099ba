/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One span, one list of attributes, of OTLP/JSON as ours. Called by otlpin.c; what is read
 * is borrowed from the document or belongs to the caller's arena.
 */
#ifndef GOEXPORT_OTLPIN_SPAN_H
#define GOEXPORT_OTLPIN_SPAN_H

#include "spanrec.h"

/*
 * The OTLP attributes @list (an array, or NULL) of @doc into new arrays of @a, no more
 * than @max; what is past them is counted in @dropped. 0 or -ENOMEM.
 */
int otlpin_attrs(struct jsonv_doc *doc, const struct jsonv *list, struct arena *a, size_t max,
		 struct attr **attrs, size_t *n, uint32_t *dropped);

/* The span; resource and scope stay open. 0, -EINVAL with the reason in @e, -ENOMEM. */
int otlpin_span(struct spanrec *sp, struct jsonv_doc *doc, struct arena *a, struct errinfo *e);

#endif
