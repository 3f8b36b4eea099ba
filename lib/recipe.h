/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes: what to trace in a library, as data. gotap-recipe(5) is the grammar;
 * this is the parser and the tree that it makes, without any knowledge of a
 * binary (goresolve brings the two together). The text may be anything: every
 * error has a place, "FILE:LINE:COLUMN: reason".
 *
 * A struct recipe owns everything below it; all strings in it are NUL-terminated.
 */
#ifndef GOTAP_RECIPE_H
#define GOTAP_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "errinfo.h"
#include "sites.h"

#define RECIPE_MAX_SIZE (1u << 20)

enum recipe_root {
	ROOT_PARAM, /* a parameter or result, by name */
	ROOT_KEPT,  /* what gotap.keepN of this call kept */
	ROOT_G,	    /* the current g, a *runtime.g */
	ROOT_CLOSURE,
	ROOT_CONST, /* "text", 17, true: the value itself */
};

enum recipe_step_kind {
	STEP_FIELD,  /* .name */
	STEP_INDEX,  /* [3] */
	STEP_KEY,    /* ["name"] */
	STEP_ASSERT, /* .(type): go on only if the interface holds this type */
	STEP_AS,     /* (… as type): the pointer is one to this type, unchecked */
	STEP_LEN,    /* len(…) */
	STEP_DEREF,  /* *…: what the pointer points to */
	STEP_TYPE,   /* typeof(…): the name of the type that an interface holds */
};

struct recipe_step {
	enum recipe_step_kind kind;
	char *text; /* name, key or type */
	uint32_t index;
};

enum recipe_const { CONST_TEXT, CONST_NUMBER, CONST_BOOL };

struct recipe_path {
	char *text; /* as written */
	enum recipe_root root;
	char *param;	   /* ROOT_PARAM */
	unsigned int kept; /* ROOT_KEPT */
	enum recipe_const constant;
	int64_t number; /* of a constant number or boolean; of a text it is @param */
	struct recipe_step *steps;
	size_t n_steps;
	unsigned int line, column;
};

struct recipe_param {
	char *name, *type;
};

struct recipe_func {
	char *symbol;
	struct recipe_param *params, *results;
	size_t n_params, n_results;
};

enum recipe_event {
	EVENT_BEGIN,
	EVENT_END,
	EVENT_UNWIND,
	EVENT_POINT,
	EVENT_CREATE, /* a goroutine is created */
	EVENT_DISOWN, /* this goroutine is not to inherit from who created it */
	EVENT_COVER,  /* the program has made a span itself, maybe for the call that is open */
	EVENT_AGAIN,  /* what the span is of is done once more: it ends, and another begins */
	EVENT_DETACH, /* the call goes on when its function returns, as an object */
	EVENT_COUNT
};

struct recipe_site {
	enum recipe_event event;
	enum site_at at;
	bool many;    /* any number of calls, not exactly one */
	char *func;   /* whose entry or returns, or which is called */
	char *in;     /* call, after: the function that calls, where the site is */
	bool within;  /* its depth is that of the function that calls */
	char *when;   /* after: the result that decides whether the site counts, NULL: always */
	bool when_no; /* it counts where that is zero, not where it is something */
	unsigned int line;
};

struct recipe_capture {
	char *name;
	enum recipe_event event;
	bool has_at;
	enum site_at at;
	struct recipe_path path;
	unsigned int max; /* bytes of text */
	bool optional;	  /* its absence is no news */
	bool nonzero;	  /* only whether it is not zero */
	bool metric;	  /* metrics need it: read even if the span is not sampled */
	enum { TIME_NONE, TIME_WALL, TIME_EXT } time; /* a word of a time.Time */
	char *since, *before; /* versions of Go that it is for, NULL: no limit */
	bool also;	      /* no alternative of others of its name: read as well */
	char *with;	      /* only where this recipe is planned too, NULL: always */
	unsigned int line;
};

enum recipe_need { NEED_FUNC, NEED_TYPE, NEED_FIELD, NEED_CALL, NEED_GO, NEED_MODULE };

struct recipe_require {
	enum recipe_need need;
	bool not ;
	char *a, *b; /* function; type and field; callee and caller; version; module and version */
};

/* Statements that belong together: what a span always has, or one alternative. */
struct recipe_part {
	struct recipe_func *funcs;
	struct recipe_require *requires;
	struct recipe_site *sites;
	struct recipe_capture *captures;
	size_t n_funcs, n_requires, n_sites, n_captures;
	struct recipe_path *g; /* where the goroutine is, NULL: the g register */
	unsigned int line;
};

struct recipe_span {
	char *span, *kind, *scope, *name;
	char *traced_by; /* scope of the spans that a program may make for the same calls */
	bool pair_goroutine, pair_object;
	bool optional; /* that the binary does not have it is no news */
	struct recipe_part common;
	struct recipe_part *tries; /* in order; none: just the common part */
	size_t n_tries;
	unsigned int line;
};

/* How one context.Context leads to the next. */
struct recipe_context {
	char *type;  /* the interface that structs embed; with @field a struct */
	char *field; /* NULL: the embedded one */
};

/* Where a struct of a program's own span has what: fields of fields, with dots. */
enum recipe_foreign_path {
	FOREIGN_TRACE_ID,
	FOREIGN_SPAN_ID,
	FOREIGN_FLAGS,
	FOREIGN_KIND,
	FOREIGN_SCOPE,
	FOREIGN_PATHS
};

struct recipe_foreign {
	char *type; /* a struct; contexts hold pointers to it */
	char *path[FOREIGN_PATHS];
};

struct recipe {
	char *file; /* for messages */
	char *name;
	bool on_demand; /* planned only where another recipe, or a function, needs it */
	char **uses;	/* names of other recipes */
	size_t n_uses;
	struct recipe_context *contexts;
	size_t n_contexts;
	struct recipe_context *holders; /* contexts that may hold anything in a field */
	size_t n_holders;
	struct recipe_foreign *foreign;
	size_t n_foreign;
	struct recipe_func *funcs;
	size_t n_funcs;
	struct recipe_span *spans;
	size_t n_spans;
};

/* A recipe that is compiled in (made from lib/recipes/ by embed.sh). */
struct recipe_file {
	const char *name, *text;
};
extern const struct recipe_file recipe_builtin[]; /* ends with a NULL name */

/*
 * Parses @text, called @file in messages. 0; -EINVAL with "FILE:LINE:COLUMN:
 * reason" in @e; -E2BIG; -ENOMEM.
 */
int recipe_parse(const char *file, const char *text, size_t len, struct recipe **out,
		 struct errinfo *e);
void recipe_free(struct recipe *r);

/* The signature of @symbol, innermost declaration first; NULL if there is none. */
const struct recipe_func *recipe_func(const struct recipe *r, const struct recipe_span *s,
				      const struct recipe_part *p, const char *symbol);

/*
 * One path alone, for the parser and for tests; @line and @column are where it
 * stands. -EINVAL with the place in @e.
 */
int recipe_path_parse(const char *file, unsigned int line, unsigned int column, const char *text,
		      size_t len, struct recipe_path *out, struct errinfo *e);
void recipe_path_release(struct recipe_path *p);

const char *recipe_event_name(enum recipe_event ev); /* "begin", … */
const char *recipe_at_name(enum site_at at);	     /* "entry", … */

#endif
