/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One span as the sinks see it: a `span` record of gotap-jsonl(5), checked and
 * read once. Text and arrays are borrowed from the record and from the arena
 * given to spanrec_parse(), so a span lives until the next record.
 */
#ifndef GOEXPORT_SPANREC_H
#define GOEXPORT_SPANREC_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "attr.h"
#include "errinfo.h"
#include "stage.h"

/* OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and _LINK_COUNT_LIMIT: what is past them is counted. */
#define SPAN_MAX_ATTRS 128
#define SPAN_MAX_LINKS 128

/* enum SpanKind of OTLP. */
enum span_kind {
	SPAN_INTERNAL = 1,
	SPAN_SERVER = 2,
	SPAN_CLIENT = 3,
	SPAN_PRODUCER = 4,
	SPAN_CONSUMER = 5,
};

/* enum StatusCode of OTLP. */
enum span_status {
	STATUS_UNSET = 0,
	STATUS_OK = 1,
	STATUS_ERROR = 2,
};

struct span_link {
	uint8_t trace_id[16], span_id[8];
};

struct resource;

struct spanrec {
	uint8_t trace_id[16], span_id[8], parent_id[8];
	bool has_parent, remote_parent, incomplete;
	bool unsampled; /* for metrics alone, not to be exported */
	uint32_t flags; /* OTLP's: the W3C flags, 0x100 and 0x200 */
	enum span_kind kind;
	enum span_status status;
	uint64_t start, end; /* nanoseconds since 1970; end is not before start */
	struct text trace_state, name, scope, status_message;
	struct text parent_from; /* how the parent was found, as the stream says; may be empty */
	uint64_t goid;		 /* the goroutine that it began on; 0 if unknown */
	struct attr *attrs;
	struct span_link *links;
	size_t n_attrs, n_links;
	uint32_t dropped_attrs, dropped_links;
	bool has_pid;
	uint32_t pid;
	const struct resource *resource; /* set by the caller */
};

/*
 * Reads the record. 0; -EINVAL with the reason in @e when the span is not one
 * that a receiver could take (ids missing or zero, times missing or reversed, a
 * wrong type); -ENOMEM.
 */
int spanrec_parse(struct spanrec *sp, const struct record *r, struct arena *a, struct errinfo *e);

/* The string attribute @key; an empty text if there is none, or of another type. */
struct text spanrec_text(const struct spanrec *sp, const char *key);

#endif
