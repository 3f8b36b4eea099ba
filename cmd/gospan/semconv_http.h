/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What HTTP spans of servers and of clients have in common. For the two files that
 * describe them; nothing here fails.
 */
#ifndef GOSPAN_SEMCONV_HTTP_H
#define GOSPAN_SEMCONV_HTTP_H

#include "semconv.h"

/* Whether @m is one of the names in @list, compared byte for byte. */
bool http_method_known(const char *list, struct slice m);
/* The status code makes it an error: error.type is the code if nothing better is known. */
void http_status_error(struct description *d);

void http_put_text(struct jsonw *w, enum name name, struct slice t); /* unless it is empty */
void http_put_number(struct jsonw *w, enum name name, int64_t n);
void http_write_method(const struct description *d, struct jsonw *w);
/* The method alone, _OTHER if it is not @known. */
void http_write_known_method(struct slice method, bool known, struct jsonw *w);
void http_write_protocol(const struct attrs *a, struct jsonw *w);
/* Appends a query, with the values of secret keys replaced. */
void http_add_query(struct scratch *text, struct slice query);

#endif
