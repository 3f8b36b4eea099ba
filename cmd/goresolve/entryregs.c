// SPDX-License-Identifier: Apache-2.0
#include "entryregs.h"

#include <capstone/capstone.h>

#define MAX_REGS 16 /* at least as many as any architecture passes integers in */

/* A conditional branch writes nothing; whatever else ends straight-line code must not be there. */
static bool is_branch(const struct code *c, uint64_t addr)
{
	const struct insn *insns;
	size_t n = code_insns(c, &insns);

	for (size_t i = 0; i < n && insns[i].addr <= addr; i++)
		if (insns[i].addr == addr)
			return insns[i].cls == INSN_BRANCH;
	return false;
}

static bool range_kept(const struct sites_arch *arch, uintptr_t handle, const struct code *c,
		       const uint8_t *text, uint64_t addr, uint64_t end)
{
	size_t len = (size_t)(end - addr);
	cs_insn *in = cs_malloc(handle);
	bool kept = in != NULL;

	while (kept && addr < end) {
		uint64_t at = addr;

		kept = cs_disasm_iter(handle, &text, &len, &addr, in) &&
		       (is_branch(c, at) || arch->harmless(handle, in, MAX_REGS));
	}
	if (in)
		cs_free(in, 1);
	return kept;
}

bool entry_regs_kept(const struct binary *b, const struct gofunc *f, const struct probe *pr)
{
	const struct sites_arch *arch = sites_arch(gobin_arch(b->bin));
	uint64_t end = f->entry;
	const uint8_t *text;
	struct code *c = NULL;
	uintptr_t handle;
	bool kept;
	csh h;

	for (size_t i = 0; i < pr->n_sites; i++)
		if (pr->sites[i].event == EVENT_BEGIN && pr->sites[i].site.addr > end)
			end = pr->sites[i].site.addr;
	if (end == f->entry)
		return true;
	text = gobin_at(b->bin, f->entry, end - f->entry);
	if (!arch || !text || binary_code(b, f, &c, NULL) || arch->open(&handle)) {
		code_free(c);
		return false;
	}
	kept = range_kept(arch, handle, c, text, f->entry, end);
	code_free(c);
	h = handle;
	cs_close(&h);
	return kept;
}
