/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe record in C: one function of one binary, its sites, and its captures
 * compiled to the ops that the BPF program runs. A struct probe owns all that it
 * points to and is made and freed by plan.c.
 */
#ifndef GOATTACH_PROBE_H
#define GOATTACH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "gotap_abi.h"
#include "jsonv.h"

enum site_at {
	AT_ANY, /* of a capture without "at" */
	AT_ENTRY,
	AT_RET,
	AT_CALL,
	AT_AFTER,
	AT_TAIL,
};

enum {
	SITE_BYTES = 16,    /* the longest instruction is 15 bytes */
	MAX_SITES = 4096,   /* of one probe */
	MAX_CAPTURES = 256, /* of one probe */
	MAX_TEXT_KEY = 256  /* bytes of a capture's name */
};

struct site {
	uint64_t addr, offset;
	int32_t depth_adjust;
	uint8_t event; /* enum gotap_event_kind */
	uint8_t at;    /* enum site_at */
	uint8_t n_bytes;
	bool repeats;
	uint8_t when, when_reg; /* as in struct gotap_site */
	uint8_t bytes[SITE_BYTES];
	uint32_t program; /* index in probe->programs, or NO_PROGRAM */
};
#define NO_PROGRAM UINT32_MAX

/* How goattach writes the value of a capture. */
enum value_form {
	FORM_TEXT,
	FORM_INT,
	FORM_UINT,
	FORM_BOOL,
	FORM_FLOAT,
	FORM_POINTER,
	FORM_TIME_WALL, /* the first word of a time.Time; written with the second */
	FORM_TIME_EXT,
	FORM_CONTEXT,	 /* both words of an interface: never written */
	FORM_ATTRS,	 /* attributes: an object of them */
	FORM_TYPE,	 /* the address of a type's descriptor: its name is written */
	FORM_CONST_TEXT, /* not read at all: the plan has the value */
	FORM_CONST,	 /* likewise, a number or boolean */
};

struct capture {
	char *name;
	size_t name_len;
	uint8_t event; /* enum gotap_event_kind */
	uint8_t at;
	uint8_t form; /* enum value_form */
	uint8_t size; /* bytes of a number */
	uint8_t role; /* enum gotap_role */
	bool metric;  /* read even if the span is not sampled */
	uint32_t n_ops, n_lookups;
	struct gotap_op *ops; /* the imm of a GOTAP_OP_MAP is an index in lookups */
	struct gotap_lookup *lookups;
	uint64_t types; /* of FORM_TYPE: where the type section starts */
	char *constant; /* of FORM_CONST_TEXT: the text; of FORM_CONST: JSON */
};

/* What runs at the sites of one event and place: captures, in order. */
struct program {
	uint8_t event, at;
	uint8_t n;
	uint16_t captures[GOTAP_MAX_CAPTURES];
	struct gotap_op window; /* runs first, unless its max is 0 */
	uint32_t ops, n_ops;	/* from the probe's first op on, with the window */
	uint32_t n_light;	/* ops that run even if the span is not sampled: the first ones */
};

/* How to get from a type of context to the one that it holds. */
struct context {
	uint64_t type; /* virtual address of its descriptor */
	struct gotap_context to;
};

/* A type of spans that the program makes itself. */
struct foreign {
	uint64_t type; /* virtual address of the descriptor of the pointer to it */
	struct gotap_foreign at;
};

struct probe {
	char *id, *binary, *path, *recipe, *span, *kind, *scope, *name, *symbol, *traced_by;
	bool by_goroutine, by_object;
	uint8_t g_reg, g_loads;
	int32_t g_off[GOTAP_MAX_G_LOADS];
	uint32_t goid_off, stack_hi_off;
	uint16_t panic_off, panic_via, panic_sp;
	bool has_waits; /* these are known, too */
	uint16_t status_off, wait_reason_off, switches_off, go_minor;
	uint64_t entry; /* of the function, if has_entry */
	bool has_entry;
	unsigned long line; /* of the input, for messages */
	struct site *sites;
	struct capture *captures;
	struct program *programs;
	struct context *contexts; /* of its binary */
	uint32_t n_contexts;
	struct foreign *foreign; /* likewise */
	uint32_t n_foreign;
	uint32_t n_sites, n_captures, n_programs;
	uint32_t n_ops, n_lookups; /* of all programs */
	uint32_t span_class;	   /* set by plan.c */
	uint32_t binary_number;	   /* likewise */
	/* The members of an event record that are always the same, by event. */
	struct {
		char *text;
		size_t len;
	} head[16];

	/* While attached, by slots.c: numbers in the maps, and how many images use them. */
	uint32_t users;
	uint32_t index, first_site, first_op, first_lookup;
};

/*
 * Called for a capture that is left out (the rest of the probe is good): @limit is
 * whether goattach cannot do it, rather than it being wrong.
 */
typedef void (*probe_complaint)(void *arg, const struct probe *p, const char *capture, bool limit,
				const char *why);

/*
 * Reads a probe record. 0; -EINVAL with the reason, naming the probe, when it is
 * malformed; -ENOMEM.
 */
int probe_parse(struct jsonv_doc *d, const struct jsonv *root, probe_complaint complain, void *arg,
		struct probe **out, struct errinfo *e);
void probe_free(struct probe *p);

/* Whether some site begins, and some site ends, a span. */
bool probe_has(const struct probe *p, enum gotap_event_kind event);

/* "begin", "end", … */
const char *event_name(enum gotap_event_kind event);
/* The number of @name, or -EINVAL. */
int event_parse(const struct jsonv *name);
int site_at_parse(const struct jsonv *name);

#endif
