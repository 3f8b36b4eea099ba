// SPDX-License-Identifier: Apache-2.0
#include "ending.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "addresses.h"
#include "drain.h"
#include "records.h"
#include "report.h"

/* A program that is restarted should find its probes in place. */
#define LINGER_NS 2000000000ULL
/* Between two looks through all threads, which take milliseconds. */
#define SWEEP_NS 50000000ULL

/* --- maps ------------------------------------------------------------------------ */

typedef bool (*key_test)(const void *key, uint64_t id);

/*
 * Deletes the entries of @map whose key @test accepts. Other entries may come and
 * go meanwhile, which can make the walk start over: so it has a limit. Returns how
 * many others it met.
 */
static uint32_t sweep(int map, size_t key_size, uint32_t max_entries, key_test test, uint64_t id)
{
	unsigned char key[16], next[16];
	bool more = !bpf_map_get_next_key(map, NULL, next);
	uint32_t kept = 0;

	for (uint32_t i = 0; more && i / 2 < max_entries; i++) {
		memcpy(key, next, key_size);
		more = !bpf_map_get_next_key(map, key, next);
		if (test(key, id))
			bpf_map_delete_elem(map, key);
		else
			kept++;
	}
	return kept;
}

static bool call_of_process(const void *key, uint64_t id)
{
	const struct gotap_call_key *k = key;

	return k->proc == id;
}

static bool lineage_of_process(const void *key, uint64_t id)
{
	const struct gotap_lineage_key *k = key;

	return k->proc == id;
}

static bool thread_of_process(const void *key, uint64_t pid)
{
	return *(const uint64_t *)key >> 32 == pid;
}

static bool thread_ended(const void *key, uint64_t unused)
{
	uint64_t thread = *(const uint64_t *)key;

	(void)unused;
	/* Signal 0 asks only whether it is there. */
	return syscall(SYS_tgkill, (pid_t)(thread >> 32), (pid_t)(uint32_t)thread, 0) &&
	       errno == ESRCH;
}

void ending_sweep_threads(struct tracer *t)
{
	t->threads.made = kernel_threads_made(&t->kernel);
	t->threads.kept = sweep(t->kernel.threads_fd, sizeof(uint64_t),
				t->options->kernel.max_threads, thread_ended, 0);
	t->threads.next = now_ns() + SWEEP_NS;
}

/*
 * A goroutine that was locked to its thread takes it along when it ends, so threads
 * can come and go as fast as requests do.
 */
void ending_look_at_threads(struct tracer *t, uint64_t now)
{
	uint32_t made = kernel_threads_made(&t->kernel) - t->threads.made;
	uint32_t max = t->options->kernel.max_threads, kept = t->threads.kept;

	if (made && made >= (kept < max ? (max - kept) / 2 : 0) && now >= t->threads.next)
		ending_sweep_threads(t);
}

/* --- processes --------------------------------------------------------------------- */

void ending_process(struct tracer *t, struct process *p)
{
	__u32 tgid = (__u32)p->pid;

	drain_all(t);
	report_process(t, p);
	bpf_map_delete_elem(t->kernel.procs_fd, &tgid);
	sweep(t->kernel.calls_fd, sizeof(struct gotap_call_key), t->options->kernel.max_calls,
	      call_of_process, p->id);
	sweep(t->kernel.lineage_fd, sizeof(struct gotap_lineage_key),
	      t->options->kernel.max_goroutines, lineage_of_process, p->id);
	sweep(t->kernel.threads_fd, sizeof(uint64_t), t->options->kernel.max_threads,
	      thread_of_process, tgid);
	p->image->processes--;
	p->image->idle_since = now_ns();
	t->replaced -= p->replaced;
	process_remove(&t->processes, p);
	process_free(p);
}

void ending_remember(struct tracer *t, int pid, uint64_t start)
{
	struct gone *g = &t->gone;

	g->list[g->next].pid = pid;
	g->list[g->next].start = start;
	g->next = (g->next + 1) % GONE_KEPT;
}

bool ending_forget(struct tracer *t, int pid, uint64_t start)
{
	for (size_t i = 0; i < GONE_KEPT; i++)
		if (t->gone.list[i].pid == pid && t->gone.list[i].start == start) {
			t->gone.list[i].pid = 0;
			return true;
		}
	return false;
}

/* --- images ------------------------------------------------------------------------ */

static void image_done(struct tracer *t, struct image *im)
{
	drain_all(t); /* the last records may name its sites */
	for (size_t i = 0; i < im->n_attached; i++) {
		addresses_remove(&t->kernel, im, im->attached[i]);
		slots_give(&t->slots, im->attached[i]);
	}
	image_free(im);
}

/* @im is no longer in the list. */
static void close_image(struct tracer *t, struct image *im)
{
	if (!reaper_close(&t->reaper, &im->links, im))
		image_done(t, im);
}

void ending_image(struct tracer *t, struct image *im)
{
	struct image **at = &t->images;

	while (*at && *at != im)
		at = &(*at)->next;
	if (*at)
		*at = im->next;
	close_image(t, im);
}

int ending_images(struct tracer *t, uint64_t now)
{
	int next_ms = -1;

	for (struct image **at = &t->images; *at;) {
		struct image *im = *at;

		uint64_t linger = im->pid ? 0 : LINGER_NS;

		if (!im->processes && now - im->idle_since >= linger) {
			*at = im->next;
			close_image(t, im);
			continue;
		}
		if (!im->processes) {
			int ms = (int)((LINGER_NS - (now - im->idle_since)) / 1000000) + 1;

			next_ms = next_ms < 0 || ms < next_ms ? ms : next_ms;
		}
		at = &im->next;
	}
	return next_ms;
}

void ending_collect(struct tracer *t)
{
	struct image *im;

	while ((im = reaper_next(&t->reaper)))
		image_done(t, im);
}

void ending_detach_all(struct tracer *t)
{
	for (struct image *im = t->images; im; im = im->next)
		fdset_close(&im->links);
}
