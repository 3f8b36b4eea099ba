// SPDX-License-Identifier: Apache-2.0
#include "selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void selection_release(struct selection *s)
{
	free(s->exclude_exe.v);
	free(s->module.v);
	free(s->exe.v);
	free(s->pids);
	memset(s, 0, sizeof(*s));
}

static int add_pid(struct selection *s, int pid)
{
	int *pids = realloc(s->pids, (s->n_pids + 1) * sizeof(*pids));

	if (!pids)
		return -ENOMEM;
	s->pids = pids;
	if (!selection_pid(s, pid) || !s->n_pids)
		s->pids[s->n_pids++] = pid;
	return 0;
}

int selection_add_pids(struct selection *s, const char *list, struct errinfo *e)
{
	for (const char *p = list;; p++) {
		const char *element = p;
		char *end;
		long n;
		int ret;

		errno = 0;
		n = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : 0;
		if (n <= 0 || n > INT_MAX || errno || (*end && *end != ','))
			return errinfo_set(e, -EINVAL, "'%.*s' is not a process id",
					   (int)strcspn(element, ","), element);
		ret = add_pid(s, (int)n);
		if (ret)
			return errinfo_set(e, ret, "out of memory");
		p = end;
		if (!*p)
			return 0;
	}
}

int globs_add(struct globs *g, const char *glob)
{
	const char **v = realloc(g->v, (g->n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	g->v = v;
	g->v[g->n++] = glob;
	return 0;
}

bool selection_names(const struct selection *s)
{
	return s->n_pids || s->exe.n || s->module.n || s->ports.any;
}

bool selection_given(const struct selection *s)
{
	return s->all || selection_names(s);
}

bool selection_pid(const struct selection *s, int pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return true;
	return !s->n_pids;
}

static bool globs_match_path(const struct globs *g, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < g->n; i++)
		if (!fnmatch(g->v[i], strchr(g->v[i], '/') ? path : name, 0))
			return true;
	return false;
}

bool selection_exe(const struct selection *s, const char *path)
{
	if (globs_match_path(&s->exclude_exe, path))
		return false;
	return !s->exe.n || globs_match_path(&s->exe, path);
}

bool selection_module(const struct selection *s, const char *module)
{
	for (size_t i = 0; i < s->module.n; i++)
		if (!fnmatch(s->module.v[i], module, 0))
			return true;
	return !s->module.n;
}

bool selection_ports(const struct selection *s, const uint16_t *ports, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ports_has(&s->ports, ports[i]))
			return true;
	return !s->ports.any;
}
