// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "diag.h"
#include "emit.h"
#include "exits.h"
#include "goloaded.h"
#include "layouts.h"
#include "list.h"
#include "opener.h"
#include "record.h"
#include "report.h"
#include "seen.h"
#include "stage.h"
#include "textout.h"
#include "verdict.h"

struct run {
	const struct options *o;
	struct stage stage;
	struct seen seen; /* binaries that are planned already */
	bool failed;	  /* something could not be resolved */
	bool planned;	  /* there was at least one probe, or one function shown */
	bool readable;	  /* at least one operand was a Go binary */
};

/* --explain shows the sites that --func would have where no recipe has any. */
static int explain(struct run *run, const struct binary *b, struct plan *plan)
{
	struct request rq = run->o->request;
	const struct gofunc *f;
	int ret = 0;
	bool has_body = gofuncs_find(b->funcs, run->o->subject, &f, 1), has_sites = false;

	for (size_t i = 0; has_body && i < plan->n_probes; i++)
		has_sites |= plan->probes[i].entry == f->entry;
	if (has_body && !has_sites) {
		rq.patterns = &run->o->subject;
		rq.n_patterns = 1;
		rq.most = EXPLAIN_BODIES;
		plan_release(plan);
		ret = resolve(b, &rq, plan);
	}
	if (!ret)
		run->planned |= report_explain(b, plan, run->o->subject) > 0;
	return ret;
}

/* Where --json writes, NULL for people. */
static struct jsonw *json(struct run *run)
{
	return run->o->json ? &run->stage.out : NULL;
}

/* --list and --types, which need no plan. */
static int show_matches(struct run *run, const struct binary *b)
{
	size_t matches = 0;
	int ret = run->o->output == OUT_LIST
			  ? list_functions(b, run->o->subject, json(run), &matches)
			  : layouts_show(b, run->o->subject, json(run), &matches);

	run->planned |= matches > 0;
	return ret;
}

static void write_plan(void *ctx, const struct binary *b, const struct plan *plan)
{
	struct run *run = ctx;

	run->planned |= plan->n_probes > 0;
	emit_plan(&run->stage.out, b, plan);
}

/* Writes or shows what is planned for an open binary. 0 or -ENOMEM. */
static int handle_binary(struct run *run, const struct binary *b, long pid)
{
	struct request rq = run->o->request;
	struct plan plan = { 0 };
	int ret = 0;

	if (b->debug_error.text[0])
		diag(DIAG_WARNING, "%s: separate debug file not used: %s", b->path,
		     b->debug_error.text);
	if (b->debug_path[0])
		diag(DIAG_DEBUG, "%s: symbols and debug information of %s", b->path, b->debug_path);
	if (gobin_warning(b->bin)[0])
		diag(DIAG_WARNING, "%s: %s", b->path, gobin_warning(b->bin));
	if (gotypes_warning(b->types)[0])
		diag(DIAG_WARNING, "%s: %s", b->path, gotypes_warning(b->types));
	if (run->o->output == OUT_LIST || run->o->output == OUT_TYPES)
		return show_matches(run, b);
	if (run->o->output == OUT_RECORDS)
		rq.take = write_plan;
	rq.ctx = run;
	ret = resolve(b, &rq, &plan);
	if (!ret && run->o->output == OUT_EXPLAIN)
		ret = explain(run, b, &plan);
	else if (!ret && run->o->output == OUT_TABLE)
		report_plan(b, &plan);
	else if (!ret && run->o->output == OUT_REPORT)
		run->planned |= verdict_plan(b, &plan, pid, json(run));
	else if (!ret)
		write_plan(run, b, &plan);
	if (run->o->output == OUT_TABLE)
		run->planned |= plan.n_probes > 0;
	plan_release(&plan);
	return ret;
}

static const char *open_reason(int err)
{
	if (err == -ENOTSUP)
		return "packed";
	if (err == -ENOKEY)
		return "obfuscated";
	if (err == -EPROTONOSUPPORT)
		return "version-unsupported";
	if (err == -EBADMSG)
		return "damaged";
	return err == -ENOEXEC || err == -ENODATA ? "not-go" : "unreadable";
}

static void skip_binary(struct run *run, const char *binary, const char *path, long pid,
			const char *reason, const char *detail)
{
	if (run->o->output == OUT_RECORDS)
		emit_binary_skip(&run->stage.out, binary, path, pid, reason, detail);
	else if (run->o->output == OUT_REPORT)
		verdict_refused(binary, path, pid, reason, detail, json(run));
}

/* Of a file that was written to meanwhile, the plan may be of what was there before. */
static void check_unchanged(struct run *run, const struct binary *b, long pid)
{
	static const char why[] = "the file was changed while it was read";

	if (!gobin_changed(b->bin))
		return;
	diag(DIAG_ERROR, "%s: %s, so that what was made of it may be wrong", b->path, why);
	skip_binary(run, gobin_id(b->bin), b->path, pid, "unreadable", why);
	run->failed = true;
}

/* Nothing of a binary is needed any more; a filter that waits must be small. */
static void close_binary(struct binary *b)
{
	if (inlining_warning(b->inlining)[0])
		diag(DIAG_WARNING, "%s: which calls were inlined is not known: %s", b->path,
		     inlining_warning(b->inlining));
	binary_release(b);
	malloc_trim(0);
	textout_flush();
}

static struct debug_places debug_places(const struct run *run, const char *path, int root)
{
	return (struct debug_places){ run->o->debug_dirs, run->o->n_debug_dirs, path, root };
}

/* A binary named on the command line. */
static int handle_file(struct run *run, const char *path)
{
	struct errinfo e = { .text = "" };
	char *real = realpath(path, NULL);
	struct debug_places where = debug_places(run, real, -1);
	struct binary b;
	int ret = binary_open(-1, path, &where, &b, &e);

	free(real);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		if (!e.text[0])
			errinfo_set(&e, ret, "%s", strerror(-ret));
		if (run->o->output != OUT_REPORT) /* which says it itself */
			diag(DIAG_ERROR, "%s: %s", path, e.text);
		skip_binary(run, NULL, path, 0, open_reason(ret), e.text);
		run->failed = true;
		run->readable |= ret != -ENOEXEC && ret != -ENODATA && ret != -EBADMSG;
		return 0;
	}
	run->readable = true;
	ret = seen_add(&run->seen, gobin_id(b.bin));
	ret = ret > 0 ? handle_binary(run, &b, 0) : ret;
	check_unchanged(run, &b, 0);
	close_binary(&b);
	return ret;
}

/* What is needed of a process record. */
struct process {
	long pid;
	char *exe, *binary, *dev, *inode;
};

static void process_release(struct process *p)
{
	free(p->exe);
	free(p->binary);
	free(p->dev);
	free(p->inode);
}

static int process_read(struct stage *s, const struct record *r, struct process *p)
{
	uint64_t pid;

	memset(p, 0, sizeof(*p));
	if (jsonv_u64(jsonv_member(r->root, K_PID), &pid) || !pid || pid > INT32_MAX)
		return errinfo_set(&s->error, -EINVAL, "process without a \"pid\"");
	p->pid = (long)pid;
	p->exe = jsonv_strdup(r->doc, jsonv_member(r->root, K_EXE));
	p->binary = jsonv_strdup(r->doc, jsonv_member(r->root, K_BINARY));
	p->dev = jsonv_strdup(r->doc, jsonv_member(r->root, K_DEV));
	p->inode = jsonv_strdup(r->doc, jsonv_member(r->root, K_INODE));
	if (!p->exe || !p->binary)
		return errinfo_set(&s->error, -EINVAL, "process without \"exe\" or \"binary\"");
	return 0;
}

/* Whether the file is the one that the record speaks of. */
static bool same_file(int fd, const struct process *p)
{
	char dev[40], inode[24];
	struct stat st;

	if (!p->dev || !p->inode || fstat(fd, &st))
		return false;
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(inode, sizeof(inode), "%llu", (unsigned long long)st.st_ino);
	return !strcmp(dev, p->dev) && !strcmp(inode, p->inode);
}

/*
 * /proc/PID/exe is right in any mount namespace, after a rename, when deleted; but
 * it is open to the process's own user and root alone. Without that right the
 * path serves, if it leads to the same file.
 */
static int open_process(const struct run *run, const struct process *p, struct errinfo *e)
{
	char path[48];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%ld/exe", p->pid);
	if (run->o->opener) {
		fd = opener_exe(run->o->opener, (int)p->pid);
		err = -fd;
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = errno;
	}
	if (fd >= 0)
		return fd;
	if (err != EACCES && err != EPERM)
		return errinfo_set(e, -err, "%s: %s", path, strerror(err));
	fd = open(p->exe, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) /* whatever there is at the path: the process is there, but not readable */
		return errinfo_set(e, -err, "%s: %s, %s: %s", path, strerror(err), p->exe,
				   strerror(errno));
	if (same_file(fd, p))
		return fd;
	close(fd);
	return errinfo_set(e, -EXDEV, "%s: %s, and %s is another file", path, strerror(err),
			   p->exe);
}

/* @why a process is no Go program, and that all the same there is Go in it, if so. */
static const char *with_library(long pid, const char *why, char *text, size_t len)
{
	char path[48];
	int dir;

	snprintf(path, sizeof(path), "/proc/%ld", pid);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return why;
	why = goloaded_text(dir, why, text, len);
	close(dir);
	return why;
}

static int cannot(struct run *run, const struct process *p, int err, const struct errinfo *e)
{
	const char *why = e->text[0] ? e->text : strerror(-err);
	bool gone = err == -ENOENT || err == -ESRCH;
	char text[sizeof(e->text) + 300];

	if (err == -ENOMEM)
		return err;
	/* A process that has ended is no failure; what cannot be read is one. */
	if (err == -ENODATA || err == -ENOEXEC)
		why = with_library(p->pid, why, text, sizeof(text));
	if (run->o->output != OUT_REPORT)
		diag(gone ? DIAG_DEBUG : DIAG_ERROR, "pid %ld: %s", p->pid, why);
	run->failed |= !gone;
	skip_binary(run, p->binary, p->exe, p->pid, gone ? "unreadable" : open_reason(err), why);
	return 0;
}

/* Without the right to use the process's root, its path may lead to the binary in ours. */
static struct debug_places places_of_process(const struct run *run, const struct process *p)
{
	char path[48];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%ld/root", p->pid);
	root = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (root >= 0)
		return debug_places(run, p->exe, root);
	fd = open(p->exe, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return debug_places(run, NULL, -1);
	root = same_file(fd, p);
	close(fd);
	return debug_places(run, root ? p->exe : NULL, -1);
}

static int resolve_process(struct run *run, const struct process *p)
{
	struct errinfo e = { .text = "" };
	struct debug_places where;
	struct binary b;
	int fd = open_process(run, p, &e), ret;

	if (fd < 0)
		return cannot(run, p, fd, &e);
	where = places_of_process(run, p);
	ret = binary_open(fd, p->exe, &where, &b, &e);
	if (where.root >= 0)
		close(where.root);
	close(fd);
	if (ret)
		return cannot(run, p, ret, &e);
	if (strcmp(gobin_id(b.bin), p->binary)) {
		diag(DIAG_ERROR, "pid %ld: %s: another binary than the record says", p->pid,
		     p->exe);
		skip_binary(run, p->binary, p->exe, p->pid, "binary-differs", gobin_id(b.bin));
		run->failed = true;
	} else {
		ret = seen_add(&run->seen, p->binary);
		ret = ret < 0 ? ret : handle_binary(run, &b, p->pid);
		check_unchanged(run, &b, p->pid);
	}
	close_binary(&b);
	return ret;
}

static int handle_process(struct stage *s, const struct record *r, void *ctx)
{
	struct run *run = ctx;
	struct process p;
	int ret = process_read(s, r, &p);

	/* A binary has one plan, but each process its verdict. */
	if (!ret && (run->o->output == OUT_REPORT || !seen_has(&run->seen, p.binary)))
		ret = resolve_process(run, &p);
	process_release(&p);
	return ret ? ret : STAGE_COPY;
}

static const struct stage_handler handlers[] = { { T_PROCESS, handle_process }, { NULL, NULL } };

static int run_stdin(struct run *run)
{
	int status = stage_check_stdin();

	if (status)
		return status;
	stage_ignore_sigint();
	status = stage_run(&run->stage);
	if (status == GOTAP_EXIT_OK &&
	    (run->failed || (run->o->output == OUT_REPORT && !run->planned)))
		status = GOTAP_EXIT_FAILED;
	return status;
}

static void nothing(const struct options *o)
{
	if (o->output == OUT_TYPES)
		diag(DIAG_ERROR, "no type matches");
	else if (o->output != OUT_REPORT)
		diag(DIAG_ERROR, o->subject ? "no function matches" : "nothing to trace");
}

static int run_files(struct run *run)
{
	int ret = 0, status = GOTAP_EXIT_OK;

	for (int i = 0; !ret && i < run->o->n_files; i++) {
		if (!strcmp(run->o->files[i], "-"))
			status = run_stdin(run);
		else
			ret = handle_file(run, run->o->files[i]);
	}
	if (ret || jsonw_flush(&run->stage.out))
		return stage_finish(&run->stage, ret);
	if (status)
		return status;
	if (!run->readable)
		return GOTAP_EXIT_INPUT;
	if (!run->planned && !run->failed)
		nothing(run->o);
	return run->failed || !run->planned ? GOTAP_EXIT_FAILED : GOTAP_EXIT_OK;
}

int work(const struct options *o)
{
	struct run run = { .o = o };
	int status;

	stage_init(&run.stage, handlers, &run);
	run.stage.strict = o->strict;
	run.stage.no_copy = o->output != OUT_RECORDS;
	status = o->n_files ? run_files(&run) : run_stdin(&run);
	if (textout_finish() && status == GOTAP_EXIT_OK)
		status = GOTAP_EXIT_FAILED;
	seen_release(&run.seen);
	stage_release(&run.stage);
	return status;
}
