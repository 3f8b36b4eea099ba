/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the attach records say of each probe, so that its spans get their kind,
 * scope and name. Owns what it holds; lookups are borrowed until probes_release().
 */
#ifndef GOSPAN_PROBES_H
#define GOSPAN_PROBES_H

#include <stdint.h>

#include "jsonv.h"
#include "table.h"

/* Probes beyond this are not remembered; their spans get the defaults. */
#define PROBES_MAX 65536

struct probe {
	struct table_node node; /* by hash of the id */
	/* NUL-terminated, NULL where the record has none. */
	char *kind, *scope, *name, *symbol;
};

/* Starts as zeros. */
struct probes {
	struct table table;
};

/*
 * Takes the attach record @root; a second one of a probe takes the place of the
 * first. 0; -EINVAL if it names no probe; -E2BIG past PROBES_MAX; -ENOMEM.
 */
int probes_learn(struct probes *ps, struct jsonv_doc *doc, const struct jsonv *root);
/* The probe with the hash @id (event_name_hash()), NULL if none is known. */
const struct probe *probes_find(const struct probes *ps, uint64_t id);
void probes_release(struct probes *ps);

#endif
