/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from the stream made valid UTF-8 once, on its way in: OTLP and Prometheus
 * allow nothing else, and a receiver refuses the whole request over one bad byte.
 */
#ifndef GOEXPORT_CLEANTEXT_H
#define GOEXPORT_CLEANTEXT_H

#include "arena.h"
#include "attr.h"

/*
 * @out is @p itself where it is valid, else a copy in @a with U+FFFD for each bad
 * byte (as the stream's writer does). 0 or -ENOMEM.
 */
int text_clean(struct arena *a, const char *p, size_t len, struct text *out);

#endif
