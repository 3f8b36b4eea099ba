// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

enum statement {
	PUT,
	FIRST,
	DONE,
	OLD,
	EXPIRE,
	STATEMENTS,
};

static const char *const sql[STATEMENTS] = {
	[PUT] = "INSERT INTO request (seq, time, items, body) VALUES (?, ?, ?, ?)",
	[FIRST] = "SELECT seq, items, body FROM request ORDER BY seq LIMIT 1",
	[DONE] = "DELETE FROM request WHERE seq = ? RETURNING items, length(body)",
	[OLD] = "SELECT sum(items), sum(length(body)) FROM request WHERE time < ?",
	[EXPIRE] = "DELETE FROM request WHERE time < ?",
};

/*
 * WAL with synchronous=NORMAL: no commit waits for the disk; a kill loses nothing, a
 * power cut perhaps the last seconds, and neither the file. An exclusive lock needs no
 * shared memory beside the file, and keeps a second process out.
 */
static const char setup[] = "PRAGMA locking_mode = EXCLUSIVE;"
			    "PRAGMA auto_vacuum = INCREMENTAL;"
			    "PRAGMA journal_mode = WAL;"
			    "PRAGMA synchronous = NORMAL;"
			    "PRAGMA journal_size_limit = 4194304;"
			    "CREATE TABLE IF NOT EXISTS request ("
			    " seq INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
			    " items INTEGER NOT NULL, body BLOB NOT NULL);"
			    "CREATE INDEX IF NOT EXISTS request_time ON request (time);";

struct spool {
	pthread_mutex_t lock;
	sqlite3 *db;
	sqlite3_stmt *st[STATEMENTS];
	struct spool_limits limits;
	int64_t seq;
	uint64_t rows, items, bytes;
};

static int errno_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EBADMSG;
	case SQLITE_PERM:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		return -EACCES;
	default:
		return -EIO;
	}
}

static void close_db(struct spool *s)
{
	for (int i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(s->st[i]);
		s->st[i] = NULL;
	}
	sqlite3_close(s->db);
	s->db = NULL;
}

/* What an earlier run left. */
static int count_rows(struct spool *s)
{
	sqlite3_stmt *st;
	int code = sqlite3_prepare_v2(s->db,
				      "SELECT count(*), coalesce(sum(items), 0),"
				      " coalesce(sum(length(body)), 0), coalesce(max(seq), 0)"
				      " FROM request",
				      -1, &st, NULL);

	if (code)
		return errno_of(code);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW) {
		s->rows = (uint64_t)sqlite3_column_int64(st, 0);
		s->items = (uint64_t)sqlite3_column_int64(st, 1);
		s->bytes = (uint64_t)sqlite3_column_int64(st, 2);
		s->seq = sqlite3_column_int64(st, 3);
	}
	sqlite3_finalize(st);
	return code == SQLITE_ROW ? 0 : errno_of(code);
}

static int open_db(struct spool *s, const char *path)
{
	int code = sqlite3_open_v2(path, &s->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
				   NULL);

	if (!code)
		code = sqlite3_busy_timeout(s->db, 500);
	if (!code)
		code = sqlite3_exec(s->db, setup, NULL, NULL, NULL);
	for (int i = 0; i < STATEMENTS && !code; i++)
		code = sqlite3_prepare_v3(s->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &s->st[i],
					  NULL);
	return code ? errno_of(code) : count_rows(s);
}

/* A file that SQLite cannot read is kept, but not in the way. */
static void put_aside(const char *path)
{
	static const char *const tails[] = { "", "-wal" };
	char from[PATH_MAX + 8], to[PATH_MAX + 40];

	diag(DIAG_WARNING, "spool: %s: it cannot be read; put aside, a new one begins", path);
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		snprintf(from, sizeof(from), "%s%s", path, tails[i]);
		snprintf(to, sizeof(to), "%s.bad-%lld%s", path, (long long)time(NULL), tails[i]);
		if (rename(from, to) && errno != ENOENT)
			diag(DIAG_WARNING, "spool: %s: %s", from, strerror(errno));
	}
}

/* FNV-1a: names the file of a receiver, whose URL is no name for one. */
static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static int open_path(struct spool *s, const char *path, struct errinfo *e)
{
	int ret = open_db(s, path);

	if (ret == -EBADMSG) {
		close_db(s);
		put_aside(path);
		ret = open_db(s, path);
	}
	if (ret == -EBUSY)
		return errinfo_set(e, ret, "spool: %s: another process has it", path);
	return ret ? errinfo_set(e, ret, "spool: %s: %s", path, sqlite3_errmsg(s->db)) : 0;
}

int spool_open(struct spool **out, const char *dir, const char *name,
	       const struct spool_limits *limits, struct errinfo *e)
{
	struct spool *s = calloc(1, sizeof(*s));
	char path[PATH_MAX];
	int ret = 0;

	if (!s)
		return errinfo_set(e, -ENOMEM, "out of memory");
	pthread_mutex_init(&s->lock, NULL);
	s->limits = *limits;
	if (mkdir(dir, 0700) && errno != EEXIST)
		ret = errinfo_set(e, -errno, "spool: %s: %s", dir, strerror(errno));
	else if ((size_t)snprintf(path, sizeof(path), "%s/%016llx.db", dir,
				  (unsigned long long)hash_of(name)) >= sizeof(path))
		ret = errinfo_set(e, -ENAMETOOLONG, "spool: %s: too long", dir);
	if (!ret)
		ret = open_path(s, path, e);
	if (ret) {
		spool_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

/* With nothing in it the file gives its space back. */
static void shrink(struct spool *s)
{
	sqlite3_exec(s->db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", NULL,
		     NULL, NULL);
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	if (s->db && !s->rows)
		shrink(s);
	close_db(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int64_t spool_next_seq(struct spool *s)
{
	int64_t seq;

	pthread_mutex_lock(&s->lock);
	seq = ++s->seq;
	pthread_mutex_unlock(&s->lock);
	return seq;
}

static int put(struct spool *s, const struct parcel *p)
{
	sqlite3_stmt *st = s->st[PUT];
	int code;

	if (s->bytes + p->len > s->limits.bytes)
		return -ENOSPC;
	sqlite3_bind_int64(st, 1, p->seq);
	sqlite3_bind_int64(st, 2, time(NULL));
	sqlite3_bind_int64(st, 3, p->items);
	sqlite3_bind_blob64(st, 4, p->body, p->len, SQLITE_STATIC);
	code = sqlite3_step(st);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	if (code != SQLITE_DONE)
		return errno_of(code);
	s->rows++;
	s->items += p->items;
	s->bytes += p->len;
	return 0;
}

int spool_put(struct spool *s, const struct parcel *p, bool only_behind)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = only_behind && !s->rows ? -ENOENT : put(s, p);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static struct parcel *read_row(sqlite3_stmt *st)
{
	size_t len = (size_t)sqlite3_column_bytes(st, 2);
	char *body = malloc(len ? len : 1);
	struct parcel *p;

	if (!body)
		return NULL;
	if (len)
		memcpy(body, sqlite3_column_blob(st, 2), len);
	p = parcel_new(body, len, (uint32_t)sqlite3_column_int64(st, 1));
	if (p)
		p->seq = sqlite3_column_int64(st, 0);
	return p;
}

struct parcel *spool_first(struct spool *s)
{
	struct parcel *p = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->rows && sqlite3_step(s->st[FIRST]) == SQLITE_ROW)
		p = read_row(s->st[FIRST]);
	sqlite3_reset(s->st[FIRST]);
	pthread_mutex_unlock(&s->lock);
	return p;
}

static void forget(struct spool *s, uint64_t rows, uint64_t items, uint64_t bytes)
{
	s->rows -= rows < s->rows ? rows : s->rows;
	s->items -= items < s->items ? items : s->items;
	s->bytes -= bytes < s->bytes ? bytes : s->bytes;
	if (!s->rows)
		shrink(s);
}

void spool_done(struct spool *s, int64_t seq)
{
	sqlite3_stmt *st = s->st[DONE];
	uint64_t items = 0, bytes = 0;
	bool found;

	pthread_mutex_lock(&s->lock);
	sqlite3_bind_int64(st, 1, seq);
	found = sqlite3_step(st) == SQLITE_ROW;
	if (found) {
		items = (uint64_t)sqlite3_column_int64(st, 0);
		bytes = (uint64_t)sqlite3_column_int64(st, 1);
		sqlite3_step(st); /* to its end: that is when it is committed */
	}
	sqlite3_reset(st);
	if (found)
		forget(s, 1, items, bytes);
	pthread_mutex_unlock(&s->lock);
}

static uint64_t expire(struct spool *s, int64_t before)
{
	sqlite3_stmt *st = s->st[OLD];
	uint64_t items = 0, bytes = 0;

	sqlite3_bind_int64(st, 1, before);
	if (sqlite3_step(st) == SQLITE_ROW) {
		items = (uint64_t)sqlite3_column_int64(st, 0);
		bytes = (uint64_t)sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	if (!items)
		return 0;
	st = s->st[EXPIRE];
	sqlite3_bind_int64(st, 1, before);
	if (sqlite3_step(st) != SQLITE_DONE)
		items = 0;
	sqlite3_reset(st);
	if (items)
		forget(s, (uint64_t)sqlite3_changes(s->db), items, bytes);
	return items;
}

uint64_t spool_expire(struct spool *s)
{
	uint64_t items;

	pthread_mutex_lock(&s->lock);
	items = s->rows ? expire(s, (int64_t)time(NULL) - (int64_t)s->limits.max_age_s) : 0;
	pthread_mutex_unlock(&s->lock);
	return items;
}

uint64_t spool_items(struct spool *s)
{
	uint64_t items;

	pthread_mutex_lock(&s->lock);
	items = s->items;
	pthread_mutex_unlock(&s->lock);
	return items;
}
