/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of a traced program for a terminal: counted in columns, cut to fit, and
 * without any byte that a terminal would obey. Needs setlocale(); in a locale
 * that is not UTF-8 only ASCII comes out.
 */
#ifndef GOEXPORT_TERMTEXT_H
#define GOEXPORT_TERMTEXT_H

#include <stdbool.h>

#include "attr.h"
#include "textbuf.h"

/* Whether the terminal understands more than ASCII. */
bool termtext_utf8(void);
/* The columns that @t takes, up to @max. */
int termtext_width(struct text t, int max);
/* Puts @t, cut with an ellipsis where it is wider than @max columns; those used. */
int termtext_put(struct textbuf *b, struct text t, int max);
/* @n spaces, if it is positive. */
void termtext_pad(struct textbuf *b, int n);

#endif
