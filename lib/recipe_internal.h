/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files that parse recipes share: the parser's place in the text, and its
 * words. recipe_words.c takes lines apart, recipe_part.c and recipe_parse.c are the
 * statements. Nobody else includes this. Functions that parse return 0; -EINVAL with the
 * place in the parser's @e; -ENOMEM.
 */
#ifndef GOTAP_RECIPE_INTERNAL_H
#define GOTAP_RECIPE_INTERNAL_H

#include "recipe.h"

/* A piece of a line, in the text. */
struct word {
	const char *s;
	size_t n;
};

struct parser {
	const char *file;
	const char *line_start, *p, *end; /* of the current line */
	unsigned int line;
	struct errinfo *e;
	struct recipe *r;
	struct recipe_span *span; /* current, or NULL */
	struct recipe_part *part; /* current: common or the last try */
};

extern const char *const recipe_event_names[EVENT_COUNT];
extern const char *const recipe_at_names[]; /* by enum site_at; the last one cannot be written */

bool word_is(struct word w, const char *s);
/* The index of @w in @names, -1 if it is not there. */
int word_find(struct word w, const char *const *names, int n);
int word_copy(struct word w, char **out);
/* What is between two places, without white space around it. */
struct word word_trim(const char *s, const char *end);

/* Whether only white space and a comment are left; the parser is at the next word if not. */
bool recipe_line_done(struct parser *ps);
/* Empty at the end of the line. */
struct word recipe_next_word(struct parser *ps);
/* The error for a place, for a word. -EINVAL. */
int recipe_bad_at(struct parser *ps, const char *at, const char *why);
int recipe_bad_word(struct parser *ps, struct word w, const char *why);

/* A word that must be there; @what is the error if it is not. The caller owns *@out. */
int recipe_need_word(struct parser *ps, const char *what, char **out);
/* The same for one that statement @key may give once. */
int recipe_once(struct parser *ps, struct word key, const char *what, char **out);
/* "in" and a function, a number from 1 to 65536, a version, a path. */
int recipe_expect_in(struct parser *ps, char **out);
int recipe_need_number(struct parser *ps, unsigned int *out);
int recipe_need_version(struct parser *ps, char **out);
int recipe_need_path(struct parser *ps, struct recipe_path *out);

/* Appends a zeroed element to an array that is grown by one (@array points to it, @n counts);
 * NULL without memory. */
void *recipe_append(void *array, size_t *n, size_t size);

/* Statements, behind their first word. */
int recipe_parse_site(struct parser *ps, enum recipe_event event);
int recipe_parse_capture(struct parser *ps);
int recipe_parse_require(struct parser *ps);
int recipe_parse_func(struct parser *ps);

#endif
