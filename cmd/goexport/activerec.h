/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An `active` record of gotap-jsonl(5), checked and read once: how many HTTP requests of
 * one kind are under way in a process. Text is borrowed from the record and the arena.
 */
#ifndef GOEXPORT_ACTIVEREC_H
#define GOEXPORT_ACTIVEREC_H

#include "arena.h"
#include "attr.h"
#include "errinfo.h"
#include "stage.h"

/* More attributes than metrics have; what is past them is left aside. */
#define ACTIVE_MAX_ATTRS 8

struct activerec {
	bool server, client; /* neither: of no metric */
	uint32_t pid;
	uint64_t count;
	struct attr attrs[ACTIVE_MAX_ATTRS];
	size_t n_attrs;
};

/* 0; -EINVAL with the reason in @e; -ENOMEM. */
int activerec_parse(struct activerec *ar, const struct record *r, struct arena *a,
		    struct errinfo *e);

#endif
