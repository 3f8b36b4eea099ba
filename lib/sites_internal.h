/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files that find sites in a function share: sites.c disassembles it and finds
 * what stands at one place, sites_flow.c what depends on the ways through it. Nobody
 * else includes this.
 */
#ifndef GOTAP_SITES_INTERNAL_H
#define GOTAP_SITES_INTERNAL_H

#include "sites.h"

#define AFTER_CALL_MAX 24 /* instructions behind a call that are looked at */

struct code {
	const struct sites_arch *arch;
	uintptr_t cs;
	const uint8_t *text;
	uint64_t addr, end;
	struct insn *insns;
	size_t n, cap;
	size_t entry; /* index of the instruction after the stack check */
	bool has_check;
	uint32_t deferreturn;
	sites_name_fn name;
	const void *ctx;
};

struct cs_insn;

/* The instruction at @addr: its index, or -1. */
long code_find(const struct code *c, uint64_t addr);
/* Whether @addr begins a function that a user would call @name (NULL: any), in either ABI. */
bool code_is_named(const struct code *c, uint64_t addr, const char *name);
/* Decodes instruction @i once more; the caller frees (cs_free). NULL if it cannot be. */
struct cs_insn *code_decode(const struct code *c, size_t i);
/* Whether instruction @i goes on to the next, and leaves alone SP and @keep registers. */
bool code_is_harmless(const struct code *c, size_t i, unsigned int keep);
/* Fills *@s with what instruction @i is as a site of kind @at. */
void code_fill_site(const struct code *c, size_t i, enum site_at at, struct site *s);

#endif
