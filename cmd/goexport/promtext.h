/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels as Prometheus' text formats have them, in a struct textbuf. Called by prompage.c
 * and prommeters.c; the caller's buffer remembers when memory runs out.
 */
#ifndef GOEXPORT_PROMTEXT_H
#define GOEXPORT_PROMTEXT_H

#include <stdbool.h>

#include "attr.h"
#include "textbuf.h"

/* name="value", escaped, with a comma in front where @comma says so. */
void promtext_label(struct textbuf *p, bool comma, const char *name, struct text value);
/* The same for an attribute: its key with bad characters as '_', its value as text. */
void promtext_attr(struct textbuf *p, bool comma, const struct attr *at);
/* A label's name alone, of an attribute's key. */
void promtext_name(struct textbuf *p, struct text key);
/* A value of any kind as text, borrowed or in @buf. */
#define PROMTEXT_SCALAR 40
struct text promtext_scalar(const struct attr_value *v, char buf[PROMTEXT_SCALAR]);
/* Whether two attributes' keys are one label name, once bad characters are '_'. */
bool promtext_same_name(struct text a, struct text b);

#endif
