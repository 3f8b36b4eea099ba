/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON values as values of attributes. Called by whoever reads records; text is borrowed from
 * the line or belongs to the caller's arena. Only memory can fail it.
 */
#ifndef GOEXPORT_ATTR_READ_H
#define GOEXPORT_ATTR_READ_H

#include "arena.h"
#include "attr.h"
#include "jsonv.h"

/*
 * @v of @doc into @out, with text cleaned and borrowed from the text or @a: strings,
 * booleans, integers of 64 bits, other numbers as doubles, arrays of those. What
 * OpenTelemetry has no value for (objects, null, arrays in arrays, numbers past a
 * double) is its JSON text. 0 or -ENOMEM.
 */
int attr_value_read(struct jsonv_doc *doc, const struct jsonv *v, struct arena *a,
		    struct attr_value *out);

#endif
