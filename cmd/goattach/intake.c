// SPDX-License-Identifier: Apache-2.0
#include "intake.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sysmacros.h>

#include "batch.h"
#include "diag.h"
#include "drain.h"
#include "ending.h"
#include "halves.h"
#include "loop.h"
#include "record.h"
#include "records.h"
#include "tracer.h"

/* --- probe -------------------------------------------------------------------- */

static void complain(void *arg, const struct probe *p, const char *capture, bool limit,
		     const char *why)
{
	struct tracer *t = arg;

	diag(limit ? DIAG_WARNING : DIAG_ERROR, "%s:%lu: probe %s: capture %s: %s",
	     t->stage.input_name, t->stage.in.line, p->id, capture, why);
	if (limit)
		record_skip(&t->stage.out, &(struct skip){ .binary = p->binary,
							   .path = p->path,
							   .probe = p,
							   .field = capture,
							   .reason = "limit",
							   .detail = why });
	else
		t->stage.bad++;
}

/* Attaches a probe that came after processes of its binary. */
static void attach_late(struct tracer *t, struct binary *b)
{
	for (struct image *im = t->images; im; im = im->next) {
		size_t before = im->n_attached;

		if (im->binary != b || !im->processes)
			continue;
		batch_attach(im, &t->slots, 0, &t->stage.out, NULL);
		for (size_t i = 0; i < PROCESS_BUCKETS; i++)
			for (struct process *p = t->processes.by_id[i]; p; p = p->next)
				for (size_t j = before; p->image == im && j < im->n_attached; j++)
					record_attach(&t->stage.out, im->attached[j], p->pid,
						      kernel_how(&t->kernel), im->pid != 0, im->ms);
	}
}

static int on_probe(struct stage *s, const struct record *r, void *ctx)
{
	struct tracer *t = ctx;
	unsigned long bad = s->bad;
	struct probe *p;
	int ret = probe_parse(r->doc, r->root, complain, t, &p, &s->error);

	if (ret)
		return ret;
	p->line = s->in.line;
	ret = plan_add(&t->plan, p);
	if (ret == -EEXIST)
		return STAGE_TAKEN; /* the same plan again */
	if (ret)
		return ret;
	attach_late(t, plan_binary(&t->plan, p->binary));
	return s->strict && s->bad > bad ? -EBADMSG : STAGE_TAKEN;
}

/* --- process ------------------------------------------------------------------ */

struct wanted {
	int pid;
	uint64_t start;
	dev_t dev;
	ino_t inode;
	char *binary;
};

static int parse_pid(const struct record *r, int *pid, uint64_t *start, struct errinfo *e)
{
	uint64_t n;

	if (jsonv_u64(jsonv_member(r->root, K_PID), &n) || !n || n > INT32_MAX)
		return errinfo_set(e, -EINVAL, "\"pid\" is missing or no process id");
	if (jsonv_u64(jsonv_member(r->root, K_START), start))
		return errinfo_set(e, -EINVAL, "\"start\" is missing or no number");
	*pid = (int)n;
	return 0;
}

static int parse_dev(const struct record *r, dev_t *dev, struct errinfo *e)
{
	unsigned int major, minor;
	const char *text;
	char copy[32];
	size_t len;
	int end = 0;

	if (jsonv_str(r->doc, jsonv_member(r->root, K_DEV), &text, &len) || len >= sizeof(copy))
		return errinfo_set(e, -EINVAL, "\"dev\" is missing or no device");
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (sscanf(copy, "%u:%u%n", &major, &minor, &end) != 2 || (size_t)end != len)
		return errinfo_set(e, -EINVAL, "\"dev\" is not major:minor");
	*dev = makedev(major, minor);
	return 0;
}

static int parse_process(const struct record *r, struct wanted *w, struct errinfo *e)
{
	uint64_t inode;
	int ret = parse_pid(r, &w->pid, &w->start, e);

	if (!ret)
		ret = parse_dev(r, &w->dev, e);
	if (ret)
		return ret;
	if (jsonv_u64(jsonv_member(r->root, K_INODE), &inode))
		return errinfo_set(e, -EINVAL, "\"inode\" is missing or no number");
	w->inode = (ino_t)inode;
	w->binary = jsonv_strdup(r->doc, jsonv_member(r->root, K_BINARY));
	if (!w->binary)
		return errinfo_set(e, -EINVAL, "\"binary\" is missing or no string");
	return 0;
}

/*
 * Whether @w is to have an image of its own: each costs at every hit of all processes of
 * the file, so there is a limit.
 */
static bool goes_apart(const struct tracer *t, const struct wanted *w, const struct binary *b)
{
	unsigned int n = 0;

	for (const struct image *im = t->images; im; im = im->next)
		n += im->pid && im->dev == w->dev && im->inode == w->inode && im->binary == b;
	return t->kernel.filters && n < t->options->kernel.max_apart;
}

/* The image for all processes of the file that @w runs, NULL if there is none. */
static struct image *find_shared(const struct tracer *t, const struct wanted *w,
				 const struct binary *b)
{
	struct image *im = t->images;

	while (im && (im->pid || im->dev != w->dev || im->inode != w->inode || im->binary != b))
		im = im->next;
	return im;
}

/* The image that @w runs: one that is there, or a new one. */
static struct image *find_image(struct tracer *t, const struct wanted *w, struct binary *b,
				const char **reason, struct errinfo *e)
{
	bool apart = goes_apart(t, w, b);
	struct image *im = apart ? NULL : find_shared(t, w, b);

	if (im || image_open(w->pid, w->dev, w->inode, b, &im, reason, e))
		return im;
	im->number = ++t->last_image;
	im->pid = apart ? w->pid : 0;
	im->idle_since = now_ns();
	im->next = t->images;
	t->images = im;
	return im;
}

/* The process may have been replaced since the record was made. */
static int still_runs(const struct wanted *w, struct errinfo *e)
{
	struct image *im;
	const char *reason;
	struct binary none = { .id = w->binary };
	int ret = image_open(w->pid, w->dev, w->inode, &none, &im, &reason, e);

	image_free(im);
	return ret;
}

static int select_in_kernel(struct tracer *t, struct process *p, struct errinfo *e)
{
	struct gotap_proc value = { .id = p->id, .start = p->start, .image = p->image->number };
	__u32 tgid = (__u32)p->pid;
	int ret = image_bias(p->image, p->pid, &p->bias, e);

	if (ret)
		return ret;
	value.bias = p->bias;
	value.start_code = process_start_code(p->pid);
	if (bpf_map_update_elem(t->kernel.procs_fd, &tgid, &value, BPF_ANY))
		return errinfo_set(e, -errno, "more processes than --max-processes allows");
	return 0;
}

static int watch_end(struct tracer *t, const struct process *p, struct errinfo *e)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = wait_tag(WAIT_PROCESS, p->id) };

	if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, p->pidfd, &ev))
		return errinfo_set(e, -errno, "epoll: %s", strerror(errno));
	return 0;
}

static void report_attached(struct tracer *t, const struct process *p, double ms)
{
	const struct image *im = p->image;

	for (size_t i = 0; i < im->n_attached; i++)
		record_attach(&t->stage.out, im->attached[i], p->pid, kernel_how(&t->kernel),
			      im->pid != 0, ms);
	t->totals.processes++;
	diag(DIAG_NOTE, "pid %d: %zu probes at %zu sites of %s (%s, %.1f ms), %s", p->pid,
	     im->n_attached, im->n_sites, im->path, kernel_how(&t->kernel), ms,
	     im->pid ? "for it alone" : "in all processes of the file");
}

struct attaching {
	struct tracer *t;
	const struct process *p;
};

/* A new image's attaching may take long: events of others go on, signals are seen. */
static bool attach_pause(void *ctx)
{
	const struct attaching *a = ctx;

	drain(a->t);
	return a->t->failed || loop_signalled(a->t) || process_has_ended(a->p);
}

/*
 * Attaches what the image of @p lacks. -ECANCELED if the process ended meanwhile or
 * a signal came: then the image is let go.
 */
static int attach_first(struct tracer *t, struct process *p, const char **reason, struct errinfo *e)
{
	struct attaching a = { t, p };
	struct batch_pause pause = { attach_pause, &a };
	struct image *im = p->image;
	int ret = batch_attach(im, &t->slots, p->pid, &t->stage.out, im->processes ? NULL : &pause);

	if (!ret)
		return 0;
	ending_image(t, im);
	*reason = process_has_ended(p) ? NULL : "unavailable";
	return errinfo_set(e, ret, "given up while its probes were being attached");
}

/*
 * Begins to trace. On failure *@reason is a skip record's reason, or NULL if the
 * process is gone.
 */
static int trace_process(struct tracer *t, const struct wanted *w, struct binary *b,
			 const char **reason, struct errinfo *e)
{
	struct process *p;
	size_t before;
	int ret = process_open(w->pid, w->start, &p, e);

	*reason = ret == -ESRCH ? NULL : "attach-refused";
	if (ret)
		return ret;
	p->image = find_image(t, w, b, reason, e);
	ret = p->image ? 0 : -ESTALE;
	if (!ret && p->image->links.n)
		ret = still_runs(w, e);
	if (ret)
		goto out;
	*reason = "attach-refused";
	before = p->image->n_attached;
	ret = attach_first(t, p, reason, e);
	if (ret)
		goto out;
	t->totals.probes += p->image->n_attached - before;
	if (!p->image->n_attached) {
		ret = errinfo_set(e, -ENOENT, "no probe could be attached");
		goto out;
	}
	process_add(&t->processes, p);
	p->image->processes++;
	ret = select_in_kernel(t, p, e);
	if (!ret)
		ret = watch_end(t, p, e);
	if (ret) {
		ending_process(t, p);
		return ret;
	}
	report_attached(t, p, p->image->n_attached > before ? p->image->ms : 0);
	if (p->image->n_attached > before)
		halves_warn(p->image, p->pid);
	return 0;
out:
	process_free(p);
	return ret;
}

static void cannot_trace(struct tracer *t, const struct wanted *w, const char *reason,
			 const char *why)
{
	if (!reason) { /* gone, and nobody else may say so */
		diag(DIAG_NOTE, "pid %d: %s", w->pid, why);
		record_exit(&t->stage.out, w->pid, w->start);
		ending_remember(t, w->pid, w->start);
		return;
	}
	diag(DIAG_WARNING, "pid %d: not traced: %s", w->pid, why);
	record_skip(&t->stage.out,
		    &(struct skip){
			    .binary = w->binary, .pid = w->pid, .reason = reason, .detail = why });
}

/*
 * Whether @w is traced already; what else had its pid is let go. A program that has
 * executed itself again shows by its load address, if it has no fixed one.
 */
static bool known(struct tracer *t, const struct wanted *w)
{
	struct process *p = process_by_pid(&t->processes, w->pid);
	uint64_t bias;

	if (!p)
		return false;
	if (p->start == w->start && p->image->dev == w->dev && p->image->inode == w->inode &&
	    !image_bias(p->image, w->pid, &bias, NULL) && bias == p->bias)
		return true;
	ending_process(t, p); /* it has called exec, or another one has its pid */
	return false;
}

static int on_process(struct stage *s, const struct record *r, void *ctx)
{
	struct tracer *t = ctx;
	struct wanted w = { 0 };
	struct binary *b;
	struct errinfo e;
	const char *reason;
	int ret = parse_process(r, &w, &s->error);

	if (ret)
		goto out;
	t->process_records++;
	jsonw_line(&s->out, r->text, r->len);
	if (known(t, &w))
		goto out;
	b = plan_binary(&t->plan, w.binary);
	if (!b)
		diag(DIAG_WARNING, "pid %d: not traced: the plan has no probe for it", w.pid);
	else if (trace_process(t, &w, b, &reason, &e))
		cannot_trace(t, &w, reason, e.text);
out:
	free(w.binary);
	return ret ? ret : STAGE_TAKEN;
}

/* Looks anew at a process that has called exec: it may run the same file again. */
static void trace_again(struct tracer *t, struct process *p)
{
	struct binary *b = p->image->binary;
	struct wanted w = { p->pid, p->start, p->image->dev, p->image->inode, b->id };
	const char *reason;
	struct errinfo e;

	diag(DIAG_NOTE, "pid %d: has called exec", w.pid);
	ending_process(t, p);
	if (trace_process(t, &w, b, &reason, &e))
		cannot_trace(t, &w, reason, e.text);
}

void intake_replaced(struct tracer *t)
{
	for (size_t i = 0; i < PROCESS_BUCKETS && t->replaced; i++) {
		struct process *p = t->processes.by_id[i], *next;

		for (; p; p = next) {
			next = p->next;
			if (!p->replaced)
				continue;
			trace_again(t, p);
		}
	}
}

/* --- exit ----------------------------------------------------------------------- */

static int on_exit_record(struct stage *s, const struct record *r, void *ctx)
{
	struct tracer *t = ctx;
	struct process *p;
	uint64_t start;
	int pid, ret = parse_pid(r, &pid, &start, &s->error);

	if (ret)
		return ret;
	if (ending_forget(t, pid, start))
		return STAGE_TAKEN; /* said already */
	p = process_by_pid(&t->processes, pid);
	if (p && p->start == start)
		ending_process(t, p);
	return STAGE_COPY;
}

const struct stage_handler intake_handlers[] = {
	{ T_PROBE, on_probe },
	{ T_PROCESS, on_process },
	{ T_EXIT, on_exit_record },
	{ NULL, NULL },
};
