// SPDX-License-Identifier: Apache-2.0
#include "binary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gobin.h"
#include "jsonw.h"
#include "mapguard.h"
#include "record.h"
#include "upx.h"

#define SLOTS 1024
/* Past this many files all are forgotten: a build machine runs ever new ones. */
#define MAX_BINARIES 4096
/* A process record must fit into a line, whatever the file claims. */
#define MAX_DEPS   10000
#define MAX_RECORD (1024 * 1024)

struct binary_entry {
	struct binary_entry *next;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
	struct binary facts;
};

int binaries_init(struct binaries *b)
{
	b->n = 0;
	b->slot = calloc(SLOTS, sizeof(*b->slot));
	return b->slot ? 0 : -ENOMEM;
}

static void entry_free(struct binary_entry *e)
{
	free(e->facts.record);
	free(e->facts.package);
	free(e->facts.module);
	free(e->facts.why);
	free(e);
}

static void forget_all(struct binaries *b)
{
	for (size_t i = 0; b->slot && i < SLOTS; i++) {
		while (b->slot[i]) {
			struct binary_entry *e = b->slot[i];

			b->slot[i] = e->next;
			entry_free(e);
		}
	}
	b->n = 0;
}

void binaries_release(struct binaries *b)
{
	forget_all(b);
	free(b->slot);
	memset(b, 0, sizeof(*b));
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_file(const struct binary_entry *e, const struct stat *st)
{
	return e->dev == st->st_dev && e->ino == st->st_ino && e->size == st->st_size &&
	       same_time(&e->mtime, &st->st_mtim) && same_time(&e->ctime, &st->st_ctim);
}

static size_t slot_of(const struct stat *st)
{
	return (size_t)((st->st_ino * 31 + st->st_dev) % SLOTS);
}

static const struct binary *find(const struct binaries *b, const struct stat *st)
{
	for (struct binary_entry *e = b->slot[slot_of(st)]; e; e = e->next)
		if (is_file(e, st))
			return &e->facts;
	return NULL;
}

static void put_deps(struct jsonw *w, const struct gobin_buildinfo *info, size_t n)
{
	if (!n)
		return;
	jsonw_obj(w, K_DEPS);
	for (size_t i = 0; i < n && i < MAX_DEPS; i++)
		jsonw_str_key(w, info->deps[i].path, strlen(info->deps[i].path),
			      info->deps[i].version, strlen(info->deps[i].version));
	jsonw_end_obj(w);
}

static void put_text(struct jsonw *w, const char *key, const char *text)
{
	if (*text)
		jsonw_cstr(w, key, text);
}

/* The members of the process record that the file gives, in w's memory. */
static int put_members(struct jsonw *w, const struct gobin *g, bool with_deps)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(g);

	jsonw_init(w, -1);
	jsonw_cstr(w, K_BINARY, gobin_id(g));
	put_text(w, K_GO_BUILD_ID, gobin_go_build_id(g));
	put_text(w, K_GNU_BUILD_ID, gobin_gnu_build_id(g));
	put_text(w, K_GO, info->go);
	jsonw_cstr(w, K_ARCH, gobin_arch_name(g));
	put_text(w, K_MODULE, info->module);
	put_text(w, K_MODULE_VERSION, info->module_version);
	put_deps(w, info, with_deps ? info->n_deps : 0);
	return w->err;
}

static int copy_facts(const struct gobin *g, struct binary *out, struct errinfo *e)
{
	const struct gobin_buildinfo *info = gobin_buildinfo(g);
	struct jsonw w;
	int ret = put_members(&w, g, true);

	if (!ret && w.len > MAX_RECORD) {
		jsonw_release(&w);
		ret = put_members(&w, g, false);
	}
	if (!ret && w.len > MAX_RECORD)
		ret = errinfo_set(e, -EBADMSG, "more than %d bytes of build information",
				  MAX_RECORD);
	if (!ret) {
		/* Obfuscators hide the version first. */
		out->obscured = !strcmp(info->go, "unknown");
		out->module = strdup(info->module);
		out->package = strdup(info->path);
		out->record = malloc(w.len);
		out->record_len = w.len;
		if (!out->module || !out->package || !out->record)
			ret = -ENOMEM;
		else
			memcpy(out->record, w.buf, w.len);
	}
	jsonw_release(&w);
	return ret;
}

/* What is wrong with the file is a fact about it; only -ENOMEM is a failure. */
static int read_facts(int fd, struct binary *out)
{
	unsigned long hits = mapguard_hits();
	struct gobin *g = NULL;
	struct errinfo e = { "" };

	out->err = gobin_open_fd(fd, &g, &e);
	if (!out->err)
		out->err = copy_facts(g, out, &e);
	if (!out->err && gobin_changed(g))
		out->err = errinfo_set(&e, -ESTALE, "the file was changed while it was read");
	gobin_free(g);
	if ((out->err == -ENODATA || out->err == -EPROTONOSUPPORT || out->err == -EBADMSG) &&
	    upx_packed_fd(fd))
		out->err = errinfo_set(&e, -ENOTSUP,
				       "packed by UPX: what runs is not what is in the file");
	if (mapguard_hits() != hits)
		out->err = errinfo_set(&e, -EBADMSG, "the file was cut short while it was read");
	if (out->err == -ENOMEM)
		return -ENOMEM;
	if (out->err)
		out->why = strdup(e.text);
	return out->err && !out->why ? -ENOMEM : 0;
}

static int add_file(struct binaries *b, int fd, const struct stat *st, const struct binary **out)
{
	struct binary_entry *e = calloc(1, sizeof(*e));
	size_t slot = slot_of(st);
	int ret;

	if (!e)
		return -ENOMEM;
	e->dev = st->st_dev;
	e->ino = st->st_ino;
	e->size = st->st_size;
	e->mtime = st->st_mtim;
	e->ctime = st->st_ctim;
	ret = read_facts(fd, &e->facts);
	if (ret) {
		entry_free(e);
		return ret;
	}
	if (b->n >= MAX_BINARIES)
		forget_all(b);
	e->next = b->slot[slot];
	b->slot[slot] = e;
	b->n++;
	*out = &e->facts;
	return 0;
}

int binaries_get(struct binaries *b, int dir, const struct stat *st, const struct binary **out)
{
	struct stat opened;
	int fd, ret;

	*out = find(b, st);
	if (*out)
		return 0;
	/* The process may have started another program since @st was taken. */
	fd = openat(dir, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (fstat(fd, &opened)) {
		ret = -errno;
	} else {
		*out = find(b, &opened);
		ret = *out ? 0 : add_file(b, fd, &opened, out);
	}
	close(fd);
	return ret;
}
