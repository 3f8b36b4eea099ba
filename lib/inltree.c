// SPDX-License-Identifier: Apache-2.0
#include "inltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "le.h"
#include "pclntab.h"

enum {
	PCDATA_INL_TREE_INDEX = 2,
	FUNCDATA_INL_TREE = 3,
	MAX_INDEX = 1 << 20,
	MAX_RUNS = 1 << 20, /* of one function */
	MAGIC_116 = 0xfffffffau,
	MAGIC_118 = 0xfffffff0u,
};

/* From @start to the next run's, instructions belong to node @value (-1: to none). */
struct run {
	uint32_t start; /* offset from the function's entry */
	int32_t value;
};

struct reader {
	const struct pclntab *t;
	const struct gofuncs *fs;
	uint64_t gofunc; /* moduledata.gofunc: base of funcdata; 0 in 1.17 */
	uint64_t budget; /* bytes of tables and names that may still be read: they may overlap */
	struct run *runs;
	size_t n_runs, cap_runs;
	uint64_t *addrs; /* of node i, 0 while no instruction of it was seen */
	size_t n_addrs, cap_addrs;
	int (*fn)(void *arg, const struct inlined *call);
	void *arg;
	struct errinfo *e;
};

/* One function. */
struct tree {
	const struct gofunc *f;
	const uint8_t *nodes;
	uint64_t max; /* nodes that the file has room for */
};

/* Word numbers of moduledata.gofunc by version (src/runtime/symtab.go). */
static uint64_t find_gofunc(const struct pclntab *t)
{
	static const struct {
		uint8_t word;
		int8_t since;
	} known[] = { { 43, 27 }, { 40, 20 }, { 38, 18 } };
	int minor = gobin_go_minor(t->b);
	uint64_t addr;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (minor >= 0 ? minor < known[i].since
			       : (t->magic == MAGIC_118) != (known[i].since == 18))
			continue;
		if (!gobin_word(t->b, t->mod.addr + 8 * (uint64_t)known[i].word, &addr) &&
		    gobin_extent(t->b, addr))
			return addr;
		if (minor >= 0)
			break;
	}
	return 0;
}

static bool uvarint(const uint8_t **p, const uint8_t *end, uint32_t *out)
{
	uint32_t v = 0;

	for (unsigned int shift = 0; shift < 32; shift += 7) {
		uint8_t byte;

		if (*p == end)
			return false;
		byte = *(*p)++;
		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

static int add_run(struct reader *r, uint32_t start, int32_t value)
{
	if (r->n_runs == r->cap_runs) {
		size_t cap = r->cap_runs ? 2 * r->cap_runs : 256;
		struct run *runs = realloc(r->runs, cap * sizeof(*runs));

		if (!runs)
			return -ENOMEM;
		r->runs = runs;
		r->cap_runs = cap;
	}
	r->runs[r->n_runs++] = (struct run){ start, value };
	return 0;
}

/* The table at offset @off of pctab: src/runtime/symtab.go, step(). 0 or -errno. */
static int read_runs(struct reader *r, uint32_t off)
{
	const struct pclntab *t = r->t;
	unsigned int quantum = gobin_arch(t->b) == GOBIN_AMD64 ? 1 : 4;
	const uint8_t *p, *begin, *end = t->p + t->len;
	uint32_t pc = 0, delta, step;
	int32_t value = -1;
	int ret = 0;

	r->n_runs = 0;
	if (t->pctab >= t->len || off >= t->len - t->pctab)
		return -EBADMSG;
	begin = p = t->p + t->pctab + off;
	while (!ret) {
		if ((uint64_t)(p - begin) > r->budget || !uvarint(&p, end, &delta))
			return -EBADMSG;
		if (!delta && r->n_runs)
			break;
		if (!uvarint(&p, end, &step) || step > (UINT32_MAX - pc) / quantum)
			return -EBADMSG;
		value = (int32_t)((uint32_t)value +
				  (delta & 1 ? ~(delta >> 1) : delta >> 1)); /* zigzag */
		if (value < -1 || value >= (int32_t)MAX_INDEX || r->n_runs >= MAX_RUNS)
			return -EBADMSG;
		ret = add_run(r, pc, value);
		pc += step * quantum;
	}
	r->budget -= (uint64_t)(p - begin);
	return ret;
}

static int32_t value_at(const struct reader *r, uint32_t pc)
{
	size_t lo = 0, hi = r->n_runs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->runs[mid].start <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? r->runs[lo - 1].value : -1;
}

static uint64_t node_size(const struct pclntab *t)
{
	return t->magic == MAGIC_116 || t->magic == MAGIC_118 ? 20 : 16;
}

/* The node that node @i was inlined into; -1 if that is the function itself. */
static int32_t parent(const struct reader *r, const struct tree *tree, int32_t i)
{
	const uint8_t *node = tree->nodes + (uint64_t)i * node_size(r->t);

	if (node_size(r->t) == 20)
		return (int16_t)le16(node);
	return value_at(r, le32(node + 8));
}

/* Notes that node @i, and what it was inlined into, has an instruction at @addr. */
static int mark(struct reader *r, const struct tree *tree, int32_t i, uint64_t addr)
{
	while (i >= 0) {
		if ((uint64_t)i >= tree->max || i >= (int32_t)MAX_INDEX)
			return -EBADMSG;
		if ((size_t)i >= r->cap_addrs) {
			size_t cap = 2 * (size_t)i + 64;
			uint64_t *addrs = realloc(r->addrs, cap * sizeof(*addrs));

			if (!addrs)
				return -ENOMEM;
			r->addrs = addrs;
			r->cap_addrs = cap;
		}
		for (; r->n_addrs <= (size_t)i; r->n_addrs++)
			r->addrs[r->n_addrs] = 0;
		if (r->addrs[i]) /* and its parents with it; so a circle ends too */
			return 0;
		r->addrs[i] = addr;
		i = parent(r, tree, i);
	}
	return 0;
}

static bool spend(struct reader *r, uint64_t bytes)
{
	bool enough = bytes <= r->budget;

	r->budget -= enough ? bytes : r->budget;
	return enough;
}

static const char *node_name(struct reader *r, const uint8_t *node)
{
	const struct pclntab *t = r->t;
	uint32_t off = le32(node + (node_size(t) == 20 ? 12 : 4));
	const char *name;

	if (pclntab_name(t, off, &name) || !spend(r, strlen(name)))
		return NULL;
	return name;
}

static int report(struct reader *r, const struct tree *tree)
{
	int ret = spend(r, r->n_addrs * node_size(r->t)) ? 0 : -EBADMSG;

	for (size_t i = 0; !ret && i < r->n_addrs; i++) {
		struct inlined call = { .in = tree->f, .addr = r->addrs[i] };

		if (!call.addr)
			continue;
		call.name = node_name(r, tree->nodes + i * node_size(r->t));
		ret = call.name ? r->fn(r->arg, &call) : -EBADMSG;
	}
	return ret;
}

/* The address of the function's tree, 0 if it has none. */
static uint64_t tree_addr(const struct reader *r, const struct pclntab_func *pf)
{
	const struct pclntab *t = r->t;
	uint64_t at = pf->pcdata + 4 * (uint64_t)pf->n_pcdata, addr;
	uint32_t off;

	if (pf->n_funcdata <= FUNCDATA_INL_TREE)
		return 0;
	if (t->magic == MAGIC_116) { /* pointers, aligned in memory */
		at += (t->addr + at) & 4;
		return gobin_word(t->b, t->addr + at + 8 * FUNCDATA_INL_TREE, &addr) ? 0 : addr;
	}
	at += 4 * FUNCDATA_INL_TREE;
	if (at > t->len - 4)
		return 0;
	off = le32(t->p + at);
	return off == UINT32_MAX ? 0 : r->gofunc + off;
}

static int read_function(struct reader *r, const struct pclntab_func *pf)
{
	const struct pclntab *t = r->t;
	struct tree tree = { .f = gofuncs_at(r->fs, pf->entry) };
	uint64_t addr;
	uint32_t off;
	int ret;

	if (pf->n_pcdata <= PCDATA_INL_TREE_INDEX || pf->pcdata > t->len ||
	    t->len - pf->pcdata < 4 * (uint64_t)pf->n_pcdata)
		return 0;
	off = le32(t->p + pf->pcdata + 4 * PCDATA_INL_TREE_INDEX);
	addr = off && tree.f ? tree_addr(r, pf) : 0;
	if (!addr)
		return 0;
	tree.max = gobin_extent(t->b, addr) / node_size(t);
	tree.nodes = tree.max ? gobin_at(t->b, addr, tree.max * node_size(t)) : NULL;
	if (!tree.nodes)
		return -EBADMSG;
	ret = read_runs(r, off);
	r->n_addrs = 0;
	for (size_t i = 0; !ret && i < r->n_runs; i++)
		ret = mark(r, &tree, r->runs[i].value, pf->entry + r->runs[i].start);
	return ret ? ret : report(r, &tree);
}

static int read_all(struct reader *r)
{
	for (size_t i = 0; i < r->t->n_funcs; i++) {
		struct pclntab_func pf;
		int ret = pclntab_func(r->t, i, &pf, r->e);

		if (!ret)
			ret = read_function(r, &pf);
		if (ret == -EBADMSG)
			return errinfo_set(r->e, ret,
					   "pclntab: inlined calls of function %zu make no sense",
					   i);
		if (ret)
			return ret;
	}
	return 0;
}

int inltree_each(const struct gobin *b, const struct gofuncs *fs,
		 int (*fn)(void *arg, const struct inlined *call), void *arg, struct errinfo *e)
{
	struct reader r = { .fs = fs, .fn = fn, .arg = arg, .e = e };
	struct pclntab t;
	int ret = pclntab_find(b, &t, e);

	if (ret)
		return ret;
	r.t = &t;
	r.budget = 2 * t.len; /* programs need up to half of one */
	if (t.magic != MAGIC_116)
		r.gofunc = find_gofunc(&t);
	if (t.magic != MAGIC_116 && !r.gofunc)
		return errinfo_set(e, -ENODATA, "the tables of inlined calls were not found");
	ret = read_all(&r);
	free(r.runs);
	free(r.addrs);
	return ret;
}
