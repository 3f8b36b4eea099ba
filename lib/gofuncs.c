// SPDX-License-Identifier: Apache-2.0
#include "gofuncs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "gofuncs_internal.h"
#include "goname.h"
#include "pclntab.h"

/* More functions than any Go program has (Kubernetes' largest: 200,000). */
#define MAX_FUNCS (4u << 20)

struct gofuncs {
	struct gofunc *f; /* sorted by entry */
	size_t n;
	uint32_t *next;	   /* chains of one bucket: index + 1 of the next function, in order */
	uint32_t *buckets; /* by goname_hash(): index + 1 of the first */
	size_t n_buckets;  /* a power of two */
	bool from_symtab;
	uint64_t moduledata;
};

/* What only the steps of loading need. */
struct loading {
	struct pclntab tab;
	uint8_t *ids;	 /* of fs->f[i] */
	bool *assembly;	 /* likewise */
	uint64_t budget; /* bytes of names that may still be read: names may overlap */
};

static bool in_text(const struct gobin *b, uint64_t start, uint64_t end)
{
	const struct gobin_segment *s;
	size_t n = gobin_segments(b, &s);

	for (size_t i = 0; i < n; i++)
		if (s[i].exec && start >= s[i].addr && start - s[i].addr <= s[i].filesz &&
		    end - s[i].addr <= s[i].filesz)
			return true;
	return false;
}

static int add(struct gofuncs *fs, struct loading *l, size_t i, struct errinfo *e)
{
	struct pclntab_func pf;
	size_t len;
	int r = pclntab_func(&l->tab, i, &pf, e);

	if (r)
		return r;
	if (pf.end < pf.entry || (fs->n && pf.entry < fs->f[fs->n - 1].end))
		return errinfo_set(e, -EBADMSG,
				   "pclntab: function %zu at address 0x%llx is not in order", i,
				   (unsigned long long)pf.entry);
	if (pf.end == pf.entry) /* a mark of the linker */
		return 0;
	if (!in_text(l->tab.b, pf.entry, pf.end))
		return errinfo_set(e, -EBADMSG,
				   "pclntab: function %zu, 0x%llx to 0x%llx, is not in text", i,
				   (unsigned long long)pf.entry, (unsigned long long)pf.end);
	len = strlen(pf.name);
	if (len > l->budget)
		return errinfo_set(e, -EBADMSG, "pclntab: names overlap from function %zu on", i);
	l->budget -= len;
	fs->f[fs->n] = (struct gofunc){
		.entry = pf.entry,
		.end = pf.end,
		.name = pf.name,
		.deferreturn = pf.deferreturn < pf.end - pf.entry ? pf.deferreturn : 0,
	};
	l->ids[fs->n] = pf.func_id;
	l->assembly[fs->n] = pf.assembly;
	fs->n++;
	return 0;
}

static int read_all(struct gofuncs *fs, struct loading *l, struct errinfo *e)
{
	size_t n = l->tab.n_funcs;

	if (n > MAX_FUNCS)
		return errinfo_set(e, -EBADMSG, "pclntab: %zu functions are too many", n);
	l->budget = 8 * l->tab.names_len;
	fs->f = calloc(n, sizeof(*fs->f));
	l->ids = calloc(n, sizeof(*l->ids));
	l->assembly = calloc(n, sizeof(*l->assembly));
	if (!fs->f || !l->ids || !l->assembly)
		return errinfo_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		int r = add(fs, l, i, e);

		if (r)
			return r;
	}
	return 0;
}

static uint32_t *bucket(const struct gofuncs *fs, const char *name)
{
	return &fs->buckets[goname_hash(name) & (fs->n_buckets - 1)];
}

static int index_names(struct gofuncs *fs, struct errinfo *e)
{
	for (fs->n_buckets = 64; fs->n_buckets < fs->n;)
		fs->n_buckets *= 2;
	fs->buckets = calloc(fs->n_buckets, sizeof(*fs->buckets));
	fs->next = calloc(fs->n + 1, sizeof(*fs->next));
	if (!fs->buckets || !fs->next)
		return errinfo_set(e, -ENOMEM, "out of memory");
	for (size_t i = fs->n; i-- > 0;) { /* backwards: chains in address order */
		uint32_t *head = bucket(fs, fs->f[i].name);

		fs->next[i] = *head;
		*head = (uint32_t)i + 1;
	}
	return 0;
}

/* The function that begins at @addr, -1 if none does. */
static ssize_t begins_at(const struct gofuncs *fs, uint64_t addr)
{
	const struct gofunc *f = gofuncs_at(fs, addr);

	return f && f->entry == addr ? f - fs->f : -1;
}

struct body_search {
	const struct gofuncs *fs;
	const struct loading *l;
	size_t wrapper;
	uint8_t id;
};

/* 1 if what is called is a body of the same generic method. */
static int is_body(void *arg, uint64_t target)
{
	const struct body_search *s = arg;
	ssize_t j = begins_at(s->fs, target);

	return j >= 0 && s->l->ids[j] != s->id &&
	       goname_equal_bare(s->fs->f[j].name, s->fs->f[s->wrapper].name);
}

/*
 * A wrapper of a generic method adds the dictionary ("main.(*Pair[string,int]).Add"
 * calls "main.(*Pair[go.shape.string,go.shape.int]).Add"), unless the body was inlined
 * into it: then it is one.
 */
static bool calls_body(const struct gofuncs *fs, const struct loading *l, size_t i, uint8_t wrapper)
{
	struct body_search s = { fs, l, i, wrapper };

	return gofuncs_each_call(l->tab.b, &fs->f[i], is_body, &s) > 0;
}

/*
 * What the linker puts in the way of a call that is too far for one instruction:
 * "main.f+0-tramp0" (cmd/link/internal/arm64, trampoline()).
 */
static bool is_trampoline(const char *name)
{
	const char *p = strrchr(name, '-');

	return p && !strncmp(p, "-tramp", 6) && p[6] && !p[6 + strspn(p + 6, "0123456789")];
}

/*
 * Wrappers are generated with the name of what they wrap; method wrappers,
 * deferwrap closures and the like have names of their own and stay. FuncIDWrapper
 * is the last and so the highest id in every version (21 to 23 in 1.17 to 1.27).
 */
static void mark_wrappers(struct gofuncs *fs, const struct loading *l)
{
	uint8_t wrapper = 0;
	size_t steps = 64 * fs->n; /* more only where all names are one */

	for (size_t i = 0; i < fs->n; i++)
		wrapper = l->ids[i] > wrapper ? l->ids[i] : wrapper;
	for (size_t i = 0; i < fs->n; i++) {
		if (is_trampoline(fs->f[i].name))
			fs->f[i].wrapper = true;
		if (l->ids[i] != wrapper || !wrapper)
			continue;
		if (strchr(fs->f[i].name, '[')) {
			fs->f[i].wrapper = calls_body(fs, l, i, wrapper);
			continue;
		}
		for (uint32_t j = *bucket(fs, fs->f[i].name); j && steps; j = fs->next[j - 1]) {
			struct gofunc *g = &fs->f[j - 1];

			steps--;
			if (l->ids[j - 1] == wrapper || strcmp(g->name, fs->f[i].name) != 0)
				continue;
			fs->f[i].wrapper = true;
			/* What Go code calls through a wrapper is assembly of ABI0. */
			if (l->assembly[j - 1] && !l->assembly[i])
				g->abi0 = true;
		}
	}
}

static int load(struct gofuncs *fs, struct loading *l, struct gobin *b, struct errinfo *e)
{
	int r = pclntab_find(b, &l->tab, e);

	if (r)
		return r;
	fs->moduledata = l->tab.mod.addr;
	r = read_all(fs, l, e);
	if (!r)
		r = index_names(fs, e);
	if (r)
		return r;
	mark_wrappers(fs, l);
	fs->from_symtab = gofuncs_apply_symtab(b, fs->f, fs->n) > 0;
	return 0;
}

int gofuncs_load(struct gobin *b, struct gofuncs **out, struct errinfo *e)
{
	struct gofuncs *fs = calloc(1, sizeof(*fs));
	struct loading l = { 0 };
	int r;

	if (!fs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	r = load(fs, &l, b, e);
	free(l.assembly);
	free(l.ids);
	if (r) {
		gofuncs_free(fs);
		return r;
	}
	*out = fs;
	return 0;
}

void gofuncs_free(struct gofuncs *fs)
{
	if (!fs)
		return;
	free(fs->buckets);
	free(fs->next);
	free(fs->f);
	free(fs);
}

size_t gofuncs_count(const struct gofuncs *fs)
{
	return fs->n;
}

const struct gofunc *gofuncs_get(const struct gofuncs *fs, size_t i)
{
	return i < fs->n ? &fs->f[i] : NULL;
}

const struct gofunc *gofuncs_at(const struct gofuncs *fs, uint64_t addr)
{
	size_t lo = 0, hi = fs->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (fs->f[mid].entry <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < fs->f[lo - 1].end ? &fs->f[lo - 1] : NULL;
}

size_t gofuncs_find(const struct gofuncs *fs, const char *name, const struct gofunc **out,
		    size_t max)
{
	size_t n = 0;

	for (uint32_t j = *bucket(fs, name); j; j = fs->next[j - 1]) {
		const struct gofunc *f = &fs->f[j - 1];

		if (f->wrapper || !goname_equal(name, f->name))
			continue;
		if (n < max)
			out[n] = f;
		n++;
	}
	return n;
}

bool gofuncs_match(const char *pattern, const char *name)
{
	return goname_match(pattern, name);
}

const char *gofuncs_source(const struct gofuncs *fs)
{
	return fs->from_symtab ? "symtab" : "pclntab";
}

uint64_t gofuncs_moduledata(const struct gofuncs *fs)
{
	return fs->moduledata;
}
