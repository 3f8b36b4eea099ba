/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goresolve found out about one binary: probes and skips, as they will be
 * written. Built by resolve.c and funcs.c, written by emit.c and report.c.
 *
 * Strings are borrowed from the recipes and from the binary unless a comment says
 * otherwise; both must stay until the plan is freed.
 */
#ifndef GORESOLVE_PLAN_H
#define GORESOLVE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gotypes.h"
#include "inlining.h"
#include "recipe.h"
#include "sites.h"

/* Limits of goattach, which has to run a plan in the kernel. */
#define PLAN_MAX_OPS	  16
#define PLAN_MAX_CAPTURES 16   /* for one event of one function */
#define PLAN_MAX_BYTES	  4096 /* of values of one event */

enum op_code {
	OP_ARG,
	OP_G,
	OP_CTX,
	OP_SP,
	OP_KEPT,
	OP_LOAD,
	OP_ADD,
	OP_ITAB,
	OP_EFACE,
	OP_SLICE,
	OP_MAP,
	OP_ELEM
};

struct op {
	enum op_code code;
	uint64_t n;	 /* register, offset, address of a descriptor, index */
	uint64_t size;	 /* of a slice's element */
	uint64_t reg;	 /* of OP_ELEM: where the slice's length is */
	const char *key; /* of a map */
	struct gomap_layout map;
};

struct op_list {
	struct op op[PLAN_MAX_OPS];
	size_t n;
};

struct plan_capture {
	const struct recipe_capture *from;
	bool has_at;
	enum site_at at;
	const char *kind;
	unsigned int size, max;
	uint64_t layout[5]; /* of attributes: bytes of one, offsets of key, type, number, text */
	struct op_list ops;
};

struct plan_field {
	char name[192]; /* "net/http.Request.Method" */
	uint64_t offset;
	enum gotype_source source;
	bool assumed; /* by the table, which has not seen just this version */
};

struct plan_site {
	enum recipe_event event;
	struct site site;
	const char *subject; /* the function whose parameters or results are there */
};

/* How a type of context leads to the context that it holds. */
struct plan_context {
	uint64_t descriptor; /* its virtual address */
	bool has_via;
	uint64_t via, offset; /* of a pointer to follow first; of the interface */
	uint64_t value;	      /* offset of an interface that may hold anything; 0: none */
};

/* Where spans that the program makes itself have what: offsets. */
struct plan_foreign {
	uint64_t descriptor; /* of the pointer to such a span */
	uint64_t at[FOREIGN_PATHS];
	bool has_via; /* the scope is behind a pointer, at via */
	uint64_t via;
};

struct probe {
	char id[17];
	const char *recipe, *span, *kind, *scope, *name, *symbol;
	const char *traced_by;
	char *owned_scope; /* scope, where it was made here */
	uint64_t entry;	   /* of the function */
	const char *role;  /* "unwind", "lineage", "cover"; NULL: begins and ends spans */
	bool pair_goroutine, pair_object;
	struct op_list g; /* none: the g register */
	uint64_t goid, stack_hi;
	bool has_waits; /* the rest is known */
	uint64_t status, wait_reason, switches;
	unsigned int go_minor;
	bool has_panic;
	uint64_t panic, panic_via, panic_sp; /* g._panic; to the frame that it has come to */
	size_t inlined; /* calls of the function that were inlined, and are not seen */
	struct plan_site *sites;
	struct plan_capture *captures;
	struct plan_field *fields;
	struct plan_context *contexts;
	struct plan_foreign *foreign;
	size_t n_sites, n_captures, n_fields, n_contexts, n_foreign;
};

struct skip {
	const char *recipe, *span, *symbol, *reason;
	const char *scope; /* of a span that is left out as a whole: its import path; NULL */
	char field[192], detail[320];
	struct inlined_name inlined; /* of "inlined": where to */
};

struct plan {
	struct probe *probes;
	struct skip *skips;
	size_t n_probes, n_skips;
	struct plan_field *doubts; /* fields that sources disagree on: said already */
	size_t n_doubts;
	struct recipe_capture **owned; /* captures that no recipe has */
	size_t n_owned;
	int err; /* -ENOMEM sticks: a plan that lacks something must not be used */
};

void plan_release(struct plan *p);
/* Frees the probes and skips so far: they are written. What is said already stays said. */
void plan_drain(struct plan *p);
/* New, zeroed elements; NULL (and plan->err) without memory. Valid until the next one. */
struct probe *plan_add_probe(struct plan *p);
struct skip *plan_add_skip(struct plan *p);
/* A zeroed capture that the plan owns, with what is put into it; NULL without memory. */
struct recipe_capture *plan_own_capture(struct plan *p);
/* Gives up the probe added last. */
void plan_drop_probe(struct plan *p);

struct plan_site *probe_add_site(struct plan *p, struct probe *pr);
struct plan_capture *probe_add_capture(struct plan *p, struct probe *pr);
struct plan_context *probe_add_context(struct plan *p, struct probe *pr);
struct plan_foreign *probe_add_foreign(struct plan *p, struct probe *pr);
/* A field that the probe depends on; one that is there already is not added again. */
void probe_add_field(struct plan *p, struct probe *pr, const char *name, const struct gofield *f);
/* Whether @type.@field is doubted for the first time: then it is to be said. */
bool plan_doubt(struct plan *p, const char *type, const char *field);

/* 16 hexadecimal digits, the same for the same binary, recipe, span, role and function. */
void probe_set_id(struct probe *pr, const char *binary);

const char *plan_op_name(enum op_code code); /* "arg", … */

#endif
