/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenTelemetry conventions say of a finished call: its span's name,
 * status and attributes. One pair of functions for each family of spans; a new
 * family is a new file with its own pair. The *_describe() functions decide, the
 * *_attributes() functions write, because name and status stand before the
 * attributes in a span record.
 */
#ifndef GOSPAN_SEMCONV_H
#define GOSPAN_SEMCONV_H

#include <stdbool.h>
#include <stdint.h>

#include "attrs.h"
#include "jsonw.h"
#include "probes.h"
#include "scratch.h"

/* How a call came to its end. */
enum ending {
	ENDING_NORMAL,
	ENDING_PANIC,	   /* a panic unwound it */
	ENDING_GOEXIT,	   /* runtime.Goexit ended its goroutine */
	ENDING_STALE,	   /* found gone when the goroutine called again */
	ENDING_CLOSED,	   /* closed without a word why */
	ENDING_INCOMPLETE, /* not seen */
};

/* Borrowed until the next span is described. */
struct description {
	struct slice name;
	bool error;		 /* status "error"; else "unset" */
	struct slice error_type; /* the attribute; nothing if there is none */
	bool ok;		 /* status "ok", where the program says so itself */
	const char *message;	 /* of the status, NULL if there is nothing to say */
	struct slice said;	 /* likewise, in the program's own words */
	struct slice function;	 /* code.function.name; nothing if there is none */
	/* HTTP: what describing found and the attributes need. */
	struct slice method, route;
	bool known_method;
	int64_t status_code; /* 0 if there is none */
	char number[24];     /* memory for error_type */
};

/* The HTTP methods that are known: names separated by commas. */
extern const char HTTP_METHODS[];

/*
 * A server's HTTP request. @methods is a list like HTTP_METHODS; @text holds the
 * name that the description points to.
 */
void http_server_describe(const struct attrs *a, enum ending how, const char *methods,
			  struct scratch *text, struct description *d);
void http_server_attributes(const struct attrs *a, const struct description *d,
			    struct scratch *text, struct jsonw *w);

/* A client's HTTP request, with @methods likewise. */
void http_client_describe(const struct attrs *a, enum ending how, const char *methods,
			  struct description *d);
void http_client_attributes(const struct attrs *a, const struct description *d,
			    struct scratch *text, struct jsonw *w);

/*
 * While a request is under way: the attributes of the conventions' metrics
 * http.server.active_requests and http.client.active_requests.
 */
void http_server_active(const struct attrs *a, const char *methods, struct jsonw *w);
void http_client_active(const struct attrs *a, const char *methods, struct jsonw *w);

/*
 * A function by name, and every span of a recipe that no other family takes. The
 * name is the probe's, else the function's, else the type of span.
 */
void function_describe(const struct attrs *a, enum ending how, const struct probe *probe,
		       struct description *d);
void function_attributes(const struct attrs *a, const struct description *d, struct scratch *text,
			 struct jsonw *w);

/* What a panic was called with, where it is known, as the attributes of exceptions. */
void exception_attributes(const struct attrs *a, struct scratch *text, struct jsonw *w);

/* Status and error.type of an ending that is not normal, and of an error.type captured. */
void ending_describe(const struct attrs *a, enum ending how, struct description *d);

#endif
