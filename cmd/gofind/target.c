// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors.h"
#include "goloaded.h"
#include "procfs.h"

/* The longest arguments that are told, and the longest environment that is searched. */
#define MAX_CMDLINE (64 * 1024)
#define MAX_ENVIRON (8 * 1024 * 1024)
/* How often a process may exec while it is read. */
#define MAX_TRIES 4

bool image_same(const struct image *a, const struct image *b)
{
	return a->start == b->start && a->stack == b->stack && a->dev == b->dev && a->ino == b->ino;
}

static void image_set(struct image *image, const struct procstat *ps, const struct stat *st)
{
	image->start = ps->start;
	image->stack = ps->stack;
	image->dev = st->st_dev;
	image->ino = st->st_ino;
}

int image_read(int dir, struct image *out)
{
	struct procstat ps;
	struct stat st;
	int ret = procfs_stat(dir, &ps);

	if (ret)
		return ret;
	if (procstat_is_dead(&ps))
		return -ESRCH;
	if (fstatat(dir, "exe", &st, 0))
		return errno == ENOENT ? -ESRCH : -errno;
	image_set(out, &ps, &st);
	return 0;
}

void target_release(struct target *t)
{
	free(t->env);
	free(t->cmdline);
	free(t->ports);
	t->env = t->cmdline = NULL;
	t->ports = NULL;
	t->n_ports = 0;
}

/* Turns the -errno of a read in /proc into a verdict, or passes it on. */
static int verdict_of(int ret, enum verdict *out)
{
	switch (ret) {
	case -ESRCH:
	case -ENOENT:
		*out = TARGET_GONE;
		return 0;
	case -EACCES:
	case -EPERM:
		*out = TARGET_UNREADABLE;
		return 0;
	default:
		return ret;
	}
}

/* Whether a program that is no Go program for us is one, or is broken. */
static enum verdict verdict_of_file(int err)
{
	switch (err) {
	case -ENOEXEC:
	case -ENODATA:
		return TARGET_NOT_GO;
	case -ENOTSUP:
		return TARGET_PACKED;
	default:
		return TARGET_BROKEN;
	}
}

/* Of packed programs only those on a wanted port are of interest, if ports are wanted. */
static int look_at_packed(struct looker *l, int dir, struct target *t, enum verdict *out)
{
	int ret = l->sel->ports.any ? listeners_of(&l->listeners, dir, &t->ports, &t->n_ports) : 0;

	if (ret)
		return verdict_of(ret, out);
	if (!selection_ports(l->sel, t->ports, t->n_ports))
		*out = TARGET_OTHER;
	return 0;
}

static int look_at_binary(struct looker *l, int dir, const struct stat *st, struct target *t,
			  enum verdict *out)
{
	int ret = binaries_get(&l->binaries, dir, st, &t->bin);

	if (ret)
		return verdict_of(ret, out);
	if (t->bin->err) {
		*out = verdict_of_file(t->bin->err);
		snprintf(t->why, sizeof(t->why), "%s", t->bin->why);
		if (*out == TARGET_PACKED)
			return look_at_packed(l, dir, t, out);
		if (*out == TARGET_NOT_GO && l->sel->n_pids)
			goloaded_text(dir, t->bin->why, t->why, sizeof(t->why));
	} else if (!selection_names(l->sel) && is_collector(t->bin->module, t->bin->package)) {
		*out = TARGET_COLLECTOR;
	} else if (!selection_module(l->sel, t->bin->module)) {
		*out = TARGET_OTHER;
	}
	return 0;
}

static int look_at_rest(struct looker *l, int dir, struct target *t, enum verdict *out)
{
	int ret = listeners_of(&l->listeners, dir, &t->ports, &t->n_ports);

	if (ret)
		return verdict_of(ret, out);
	if (!selection_ports(l->sel, t->ports, t->n_ports)) {
		*out = TARGET_NO_PORT;
		return 0;
	}
	ret = procfs_read(dir, "cmdline", MAX_CMDLINE, &t->cmdline, &t->cmdline_len);
	if (ret)
		return verdict_of(ret, out);
	ret = procfs_read(dir, "environ", MAX_ENVIRON, &t->env, &t->env_len);
	return ret ? verdict_of(ret, out) : 0;
}

static int look_once(struct looker *l, int dir, struct target *t, enum verdict *out)
{
	struct procstat ps;
	struct stat st;
	int ret = procfs_stat(dir, &ps);

	*out = TARGET_SELECTED;
	if (ret)
		return verdict_of(ret, out);
	if (procstat_is_dead(&ps) || procstat_is_kernel(&ps)) {
		*out = procstat_is_dead(&ps) ? TARGET_GONE : TARGET_KERNEL;
		return 0;
	}
	if (fstatat(dir, "exe", &st, 0))
		return verdict_of(-errno, out);
	image_set(&t->image, &ps, &st);
	if (!procstat_is_settled(&ps)) {
		*out = TARGET_UNSETTLED;
		return 0;
	}
	ret = procfs_exe(dir, t->exe);
	if (ret)
		return verdict_of(ret, out);
	if (!selection_exe(l->sel, t->exe)) {
		*out = TARGET_OTHER;
		return 0;
	}
	ret = look_at_binary(l, dir, &st, t, out);
	if (ret || *out != TARGET_SELECTED)
		return ret;
	return look_at_rest(l, dir, t, out);
}

/* Only ids that the user typed can be those of threads. */
static int check_thread(const struct looker *l, int dir, struct target *t, bool *is_thread)
{
	int tgid = t->pid, ret = l->sel->n_pids ? procfs_tgid(dir, &tgid) : 0;

	*is_thread = !ret && tgid != t->pid;
	if (*is_thread)
		snprintf(t->why, sizeof(t->why), "%d", tgid);
	return ret;
}

/*
 * Looks until what is to be told belongs to one image. What is not selected may be
 * out of date at any time.
 */
static int look_steadily(struct looker *l, int dir, struct target *t, enum verdict *out)
{
	struct image after = { 0 };
	int ret = 0;

	for (int i = 0; i < MAX_TRIES; i++) {
		target_release(t);
		ret = look_once(l, dir, t, out);
		if (ret || (*out != TARGET_SELECTED && *out != TARGET_NO_PORT))
			return ret;
		ret = image_read(dir, &after);
		if (ret)
			return verdict_of(ret, out);
		if (image_same(&t->image, &after))
			return 0;
	}
	*out = TARGET_UNSETTLED;
	return 0;
}

int target_look(struct looker *l, int pid, struct target *t, enum verdict *out)
{
	int ret, dir = procfs_open(pid);
	bool is_thread;

	memset(t, 0, sizeof(*t));
	t->pid = pid;
	if (dir < 0)
		return verdict_of(dir, out);
	ret = check_thread(l, dir, t, &is_thread);
	if (ret)
		ret = verdict_of(ret, out);
	else if (is_thread)
		*out = TARGET_THREAD;
	else
		ret = look_steadily(l, dir, t, out);
	close(dir);
	return ret;
}
