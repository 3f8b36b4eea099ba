/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment variables by the rules of the OpenTelemetry specification (v1.60.0,
 * "Environment variables"): an empty one is unset; a value that makes no sense is
 * warned about and counts as unset. Called while options are read.
 */
#ifndef GOEXPORT_ENV_H
#define GOEXPORT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* NULL when unset or empty. */
const char *env_text(const char *name);
/* Only "true", in any case, is true; what is neither that nor "false" is warned about. */
bool env_true(const char *name);
/* A whole number from @min to @max; false, and @out as it was, when unset. */
bool env_number(const char *name, uint64_t min, uint64_t max, uint64_t *out);
/* Which of @words (NULL ends them), in any case, it is; -1 when unset. */
int env_word(const char *name, const char *const *words);

/* "key=value" divided at the first '=', with the blanks around both gone; false without one. */
bool pair_split(const char *pair, size_t len, struct text *key, struct text *value);
/* "%41" and so on decoded in place; what is no such thing stays. The new length. */
size_t percent_decode(char *s, size_t len);
/* Leaves white space at both ends out. */
void text_trim(const char **p, size_t *len);

#endif
