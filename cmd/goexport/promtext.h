/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus' text format 0.0.4: the lines and labels of a page in a struct textbuf. */
#ifndef GOEXPORT_PROMTEXT_H
#define GOEXPORT_PROMTEXT_H

#include <stdbool.h>

#include "attr.h"
#include "textbuf.h"

/* # HELP and # TYPE; the help text is trusted. */
void promtext_head(struct textbuf *p, const char *name, const char *type, const char *help);
/* name="value", escaped, with a comma in front where @comma says so. */
void promtext_label(struct textbuf *p, bool comma, const char *name, struct text value);
/* The same for a value of any kind, as text. */
void promtext_value(struct textbuf *p, bool comma, const char *name, const struct attr_value *v);
/* The same for an attribute: its key with bad characters as '_', its value as text. */
void promtext_attr(struct textbuf *p, bool comma, const struct attr *at);
/* Whether two attributes' keys are one label name, once bad characters are '_'. */
bool promtext_same_name(struct text a, struct text b);

#endif
