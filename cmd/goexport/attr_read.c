// SPDX-License-Identifier: Apache-2.0
#include "attr_read.h"

#include <errno.h>

#include "cleantext.h"

/* An integer where it fits, a double where not; a number past both stays text. */
static int read_number(const struct jsonv *v, struct attr_value *out)
{
	out->type = ATTR_INT;
	if (!jsonv_i64(v, &out->i))
		return 0;
	out->type = ATTR_DOUBLE;
	if (!jsonv_double(v, &out->d))
		return 0;
	out->type = ATTR_STRING;
	out->str = (struct text){ v->text, v->len };
	return 0;
}

static int read_array(struct jsonv_doc *doc, const struct jsonv *v, struct arena *a,
		      struct attr_value *out)
{
	struct attr_value *values = arena_array(a, v->count, sizeof(*values));
	const struct jsonv *item = jsonv_first(v);

	if (!values)
		return -ENOMEM;
	out->type = ATTR_ARRAY;
	out->array.v = values;
	out->array.n = v->count;
	for (uint32_t i = 0; i < v->count; i++, item = jsonv_after(item)) {
		int ret;

		if (item->type == JSONV_ARRAY) { /* not allowed in an attribute: its text */
			values[i].type = ATTR_STRING;
			ret = text_clean(a, item->text, item->len, &values[i].str);
		} else {
			ret = attr_value_read(doc, item, a, &values[i]);
		}
		if (ret)
			return ret;
	}
	return 0;
}

int attr_value_read(struct jsonv_doc *doc, const struct jsonv *v, struct arena *a,
		    struct attr_value *out)
{
	const char *s = v->text;
	size_t len = v->len;

	switch (v->type) {
	case JSONV_NUMBER:
		return read_number(v, out);
	case JSONV_TRUE:
	case JSONV_FALSE:
		out->type = ATTR_BOOL;
		out->b = v->type == JSONV_TRUE;
		return 0;
	case JSONV_ARRAY:
		return read_array(doc, v, a, out);
	case JSONV_STRING:
		if (jsonv_str(doc, v, &s, &len))
			return -ENOMEM;
		break;
	default: /* an object or null: its JSON text */
		break;
	}
	out->type = ATTR_STRING;
	return text_clean(a, s, len, &out->str);
}
