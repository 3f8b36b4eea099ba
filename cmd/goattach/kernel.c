// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "diag.h"
#include "loadlog.h"
#include "preflight.h"
#include "selfcheck.h"
#include "traceevent.h"
#include "trial.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "gotap.skel.h"
#pragma GCC diagnostic pop

#define MAX_CONTEXTS		 16384 /* types of contexts, of all binaries */
#define MAX_FOREIGN		 4096  /* types of spans, likewise */
#define MAX_BINARIES		 4096  /* whose panics can be read */
#define UPROBE_MULTI_ATTACH_TYPE 48    /* BPF_TRACE_UPROBE_MULTI, Linux 6.6 */

/* A perf uprobe takes a descriptor a site. */
static void raise_nofile(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &lim))
		diag(DIAG_DEBUG, "RLIMIT_NOFILE: %s", strerror(errno));
}

/* Sets of spans, a power of two, that hold at least @n. */
static uint32_t kin_sets(uint32_t n)
{
	uint32_t sets = 1;

	while (sets < (n + GOTAP_KIN_WAYS - 1) / GOTAP_KIN_WAYS)
		sets *= 2;
	return sets;
}

/* The number of our pid namespace, 0 if that is the first one. */
static uint32_t pid_namespace(void)
{
	struct hostinfo host;

	hostinfo_read(&host);
	return host.pid_ns ? (uint32_t)host.pid_inum : 0;
}

static uint8_t find_by(enum attach_how how)
{
	return how == ATTACH_ADDRESS ? GOTAP_BY_ADDRESS
	       : how == ATTACH_EVENT ? GOTAP_BY_BOTH
				     : GOTAP_BY_COOKIE;
}

/* A site has an address in each image of its file. The memory is taken as it is used. */
static uint32_t addresses(const struct kernel_config *c)
{
	uint64_t n = (uint64_t)c->max_sites * (1 + c->max_apart);

	return n < 1U << 22 ? (uint32_t)n : 1U << 22;
}

static int set_sizes(struct gotap_bpf *s, const struct kernel_config *c, enum attach_how how)
{
	long hz = sysconf(_SC_CLK_TCK);
	uint32_t sets = kin_sets(c->max_relatives);
	const struct {
		struct bpf_map *map;
		uint32_t n;
	} sizes[] = {
		{ s->maps.procs, c->max_processes },
		{ s->maps.sites, c->max_sites },
		{ s->maps.code, c->max_ops },
		{ s->maps.lookups, c->max_lookups },
		{ s->maps.calls, c->max_calls },
		{ s->maps.threads, c->max_threads },
		{ s->maps.ring, c->ring_bytes },
		{ s->maps.addresses, find_by(how) == GOTAP_BY_COOKIE ? 1 : addresses(c) },
		{ s->maps.lineage, c->max_goroutines },
		{ s->maps.kin, sets },
		{ s->maps.contexts, MAX_CONTEXTS },
		{ s->maps.trusted, c->trust.n ? c->trust.n : 1 },
		{ s->maps.foreign, MAX_FOREIGN },
		{ s->maps.panics, MAX_BINARIES },
		{ s->maps.objects, c->max_calls },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int ret = bpf_map__set_max_entries(sizes[i].map, sizes[i].n);

		if (ret)
			return ret;
	}
	s->rodata->find_by = find_by(how);
	s->rodata->pid_ns_number = pid_namespace();
	s->rodata->ring_half = c->ring_bytes / 2;
	s->rodata->kin_mask = sets - 1;
	memcpy((void *)s->rodata->sample_below, c->sampling.below, sizeof(c->sampling.below));
	s->rodata->unsampled_drop = c->sampling.drop;
	s->rodata->traces_per_second = c->sampling.per_second;
	s->rodata->trust_all = c->trust.all;
	s->rodata->trust_unix = c->trust.unix_sockets;
	s->rodata->late_ns = c->late_s * 1000000000ULL;
	s->rodata->tick_ns = 1000000000ULL / (hz > 0 ? (unsigned long)hz : 100);
	return 0;
}

static int choose_how(struct kernel *k, enum attach_how wanted, struct errinfo *e)
{
	bool multi = (wanted == ATTACH_AUTO || wanted == ATTACH_MULTI) && preflight_multi();
	bool events = !multi && wanted != ATTACH_PERF && traceevent_init();

	if (wanted == ATTACH_MULTI && !multi)
		return errinfo_set(e, -ENOTSUP,
				   "this kernel has no uprobe_multi links (Linux 6.6 has); use "
				   "--attach=auto");
	if (wanted == ATTACH_EVENT && !events)
		return errinfo_set(e, -ENOTSUP,
				   "there is no tracefs that may be written to; use "
				   "--attach=auto");
	if (wanted == ATTACH_AUTO)
		wanted = multi ? ATTACH_MULTI : events ? ATTACH_EVENT : ATTACH_PERF;
	if ((wanted == ATTACH_EVENT || wanted == ATTACH_PERF) && trial_cookie()) {
		events = events || traceevent_init();
		wanted = ATTACH_ADDRESS;
	}
	k->how = wanted;
	k->events = events;
	return 0;
}

/*
 * Events of one site each can be for one process as well, but each of them would cost at
 * every switch to its first thread.
 */
static bool can_filter(const struct kernel *k)
{
	return k->how == ATTACH_MULTI || k->events;
}

/* Without word of an exec, what a process's own links miss after it would not be seen. */
static void look_at_filters(struct kernel *k, const struct kernel_config *c)
{
	k->exec_fd = bpf_raw_tracepoint_open("sched_process_exec",
					     bpf_program__fd(k->skel->progs.gotap_exec));
	if (k->exec_fd < 0)
		diag(DIAG_DEBUG, "sched_process_exec: %s", strerror(-k->exec_fd));
	k->filters = c->max_apart && k->exec_fd >= 0 && can_filter(k) && !trial_filter(k);
}

/* @btf, if it is not NULL, may be to blame. */
static int load_failed(int ret, const char *btf, struct errinfo *e)
{
	struct hostinfo host;
	struct load_facts facts = { .host = &host, .memlock_counts = trial_memlock_counts() };
	struct errinfo why = { 0 };

	hostinfo_read(&host);
	loadlog_explain(ret, loadlog_text(), &facts, &why);
	return btf ? errinfo_set(e, ret, "with %s, which may not be of the running kernel: %s", btf,
				 why.text)
		   : errinfo_set(e, ret, "%s", why.text);
}

int kernel_open(struct kernel *k, const struct kernel_config *c, struct errinfo *e)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	struct gotap_bpf *s;
	int ret;

	memset(k, 0, sizeof(*k));
	k->exec_fd = -1;
	loadlog_start();
	ret = c->btf ? selfcheck_file(c->btf, e) : 0;
	if (!ret)
		ret = preflight(c->btf, e);
	if (!ret)
		ret = choose_how(k, c->how, e);
	if (ret)
		return ret;
	raise_nofile();
	opts.btf_custom_path = c->btf;
	s = k->skel = gotap_bpf__open_opts(&opts);
	if (!s)
		return load_failed(-errno, c->btf, e);
	bpf_program__set_autoload(s->progs.gotap_self_read, c->btf != NULL);
	if (k->how == ATTACH_MULTI)
		bpf_program__set_expected_attach_type(
			s->progs.gotap_site_hit, (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
	ret = set_sizes(s, c, k->how);
	if (!ret)
		ret = gotap_bpf__load(s);
	if (ret) {
		ret = load_failed(ret, c->btf, e);
		kernel_close(k);
		return ret;
	}
	if (c->btf)
		ret = selfcheck_run(bpf_program__fd(s->progs.gotap_self_read), &s->bss->self,
				    c->btf, e);
	if (!ret && (ret = trust_load(&c->trust, bpf_map__fd(s->maps.trusted))) != 0)
		errinfo_set(e, ret, "networks to be trusted: %s", strerror(-ret));
	if (ret) {
		kernel_close(k);
		return ret;
	}
	k->prog_fd = bpf_program__fd(s->progs.gotap_site_hit);
	k->procs_fd = bpf_map__fd(s->maps.procs);
	k->sites_fd = bpf_map__fd(s->maps.sites);
	k->code_fd = bpf_map__fd(s->maps.code);
	k->lookups_fd = bpf_map__fd(s->maps.lookups);
	k->calls_fd = bpf_map__fd(s->maps.calls);
	k->threads_fd = bpf_map__fd(s->maps.threads);
	k->lineage_fd = bpf_map__fd(s->maps.lineage);
	k->contexts_fd = bpf_map__fd(s->maps.contexts);
	k->foreign_fd = bpf_map__fd(s->maps.foreign);
	k->panics_fd = bpf_map__fd(s->maps.panics);
	k->objects_fd = bpf_map__fd(s->maps.objects);
	k->kin_fd = bpf_map__fd(s->maps.kin);
	k->kin_mask = s->rodata->kin_mask;
	k->ring_fd = bpf_map__fd(s->maps.ring);
	k->addresses_fd = bpf_map__fd(s->maps.addresses);
	look_at_filters(k, c);
	return 0;
}

void kernel_close(struct kernel *k)
{
	if (k->exec_fd >= 0)
		close(k->exec_fd);
	k->exec_fd = -1;
	gotap_bpf__destroy(k->skel);
	k->skel = NULL;
	loadlog_release();
}

const char *kernel_how(const struct kernel *k)
{
	switch (k->how) {
	case ATTACH_MULTI:
		return "multi";
	case ATTACH_EVENT:
		return "event";
	case ATTACH_PERF:
		return "perf";
	default:
		return "address";
	}
}

void kernel_reader_sleeps(struct kernel *k, bool sleeps)
{
	if (sleeps) /* there is nothing in the ring */
		__atomic_store_n(&k->skel->bss->shed_level, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&k->skel->bss->reader_sleeps, sleeps ? 1 : 0, __ATOMIC_SEQ_CST);
}

/*
 * While the ring was half full since the last time, the level of shedding goes down
 * slowly; else fast.
 */
void kernel_reader_drains(struct kernel *k)
{
	struct gotap_bpf__bss *b = k->skel->bss;
	uint32_t level = __atomic_load_n(&b->shed_level, __ATOMIC_RELAXED);
	bool urged = __atomic_load_n(&b->reader_urged, __ATOMIC_RELAXED);

	if (level)
		__atomic_store_n(&b->shed_level, level - (urged ? level / 8 + 1 : level / 2 + 1),
				 __ATOMIC_RELAXED);
	if (urged)
		__atomic_store_n(&b->reader_urged, 0, __ATOMIC_RELAXED);
}

void kernel_foreign_known(struct kernel *k)
{
	__atomic_store_n(&k->skel->bss->foreign_known, 1, __ATOMIC_RELAXED);
}

uint32_t kernel_ring_most(struct kernel *k)
{
	return __atomic_exchange_n(&k->skel->bss->ring_most, 0, __ATOMIC_RELAXED);
}

uint32_t kernel_threads_made(const struct kernel *k)
{
	return __atomic_load_n(&k->skel->bss->threads_made, __ATOMIC_RELAXED);
}
