// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "diag.h"
#include "errinfo.h"
#include "exits.h"
#include "hostinfo.h"
#include "jsonw.h"
#include "loadlog.h"
#include "record.h"
#include "selfcheck.h"
#include "textout.h"
#include "trial.h"

/* One line of the answer. */
struct finding {
	const char *name;
	const char *verdict; /* yes, no, unknown, or info: nothing to judge */
	bool needed;	     /* without it nothing can be traced */
	char detail[200];
	const char *lost;   /* what is lost without it */
	const char *advice; /* how to get it */
	char text[320];	    /* room for an advice that is made up */
};

struct check {
	struct hostinfo host;
	const struct kernel_config *config;
	struct finding all[32];
	size_t n;
};

static struct finding *add(struct check *c, const char *name, const char *verdict)
{
	struct finding *f = &c->all[c->n++];

	f->name = name;
	f->verdict = verdict;
	return f;
}

/* The result of a trial: @ret is 0 or -errno. */
static struct finding *tried(struct check *c, const char *name, int ret, const char *lost,
			     const char *advice)
{
	struct finding *f = add(c, name, ret ? "no" : "yes");

	if (ret == -EINVAL)
		snprintf(f->detail, sizeof(f->detail), "the kernel does not offer it");
	else if (ret)
		snprintf(f->detail, sizeof(f->detail), "%s",
			 ret == -524 ? "not supported" : strerror(-ret)); /* ENOTSUPP */
	f->lost = lost;
	f->advice = advice;
	return f;
}

/* --- the kernel ---------------------------------------------------------------------- */

static void check_kernel(struct check *c)
{
	struct finding *f = add(c, "kernel", "info");
	struct utsname u;

	if (!uname(&u))
		snprintf(f->detail, sizeof(f->detail), "%.64s %.64s %.32s", u.sysname, u.release,
			 u.machine);
}

static void check_bpf(struct check *c)
{
	struct load_facts facts = { .host = &c->host };
	int ret = trial_program();
	struct finding *f = tried(c, "bpf", ret, "everything", NULL);
	struct errinfo e;

	f->needed = true;
	if (ret == -EINVAL) {
		f->advice = "boot a kernel that is built with CONFIG_BPF_EVENTS";
	} else if (ret) {
		loadlog_explain(ret, "", &facts, &e);
		snprintf(f->text, sizeof(f->text), "%s", e.text);
		f->advice = f->text;
	}
}

static void check_token(struct check *c)
{
	struct finding *f = tried(c, "bpf_token", trial_token(),
				  "nothing: gotap uses capabilities, not tokens",
				  "Linux 6.9 and later know them");

	if (!strcmp(f->verdict, "yes"))
		snprintf(f->detail, sizeof(f->detail), "known to the kernel, not used by gotap");
}

static void check_btf(struct check *c)
{
	const char *path = c->config->btf ? c->config->btf : "/sys/kernel/btf/vmlinux";
	int ret = access(path, R_OK) ? -errno : 0;
	struct finding *f = tried(c, "btf", ret, "everything",
				  "boot a kernel that is built with CONFIG_DEBUG_INFO_BTF, as "
				  "Debian's are, or give its types in a file (--btf)");
	struct errinfo e;
	struct stat st;

	f->needed = true;
	if (c->config->btf && selfcheck_file(path, &e)) {
		f->verdict = "no";
		snprintf(f->detail, sizeof(f->detail), "%.199s", e.text);
		f->advice = "give the types of the running kernel (--btf)";
	} else if (!ret && !stat(path, &st)) {
		snprintf(f->detail, sizeof(f->detail), "%s, %lld KiB", path,
			 (long long)st.st_size / 1024);
	}
}

static void check_lockdown(struct check *c)
{
	static const char *const names[] = { "none", "integrity", "confidentiality",
					     "securityfs is not mounted" };
	struct finding *f;
	bool readable = !trial_read_kernel();

	f = add(c, "lockdown", "info");
	f->lost = "integrity: memory write; confidentiality: everything";
	f->advice = "boot with lockdown=none or lockdown=integrity, or without Secure Boot";
	f->needed = false;
	snprintf(f->detail, sizeof(f->detail), "%s; kernel memory %s be read",
		 names[c->host.lockdown], readable ? "can" : "cannot");
	if (c->host.lockdown == LOCKDOWN_CONFIDENTIALITY ||
	    (!readable && !*loadlog_missing(&c->host))) {
		f->verdict = "no";
		f->needed = true;
	} else if (c->host.lockdown == LOCKDOWN_NONE) {
		f->verdict = "yes";
	}
}

static void check_memlock(struct check *c)
{
	bool counts = trial_memlock_counts();
	bool enough = !counts || c->host.memlock == UINT64_MAX ||
		      hostinfo_may(&c->host, CAP_SYS_RESOURCE);
	struct finding *f = add(c, "locked_memory", enough ? "yes" : "no");
	char limit[32] = "unlimited";

	if (c->host.memlock != UINT64_MAX)
		snprintf(limit, sizeof(limit), "%llu KiB",
			 (unsigned long long)c->host.memlock / 1024);
	snprintf(f->detail, sizeof(f->detail), "%s; BPF maps %s against it", limit,
		 counts ? "count" : "do not count");
	f->lost = "everything, on kernels before 5.11, where BPF maps count against it";
	f->advice = "ulimit -l unlimited, or LimitMEMLOCK=infinity in a systemd unit";
	f->needed = !enough;
}

/* --- rights -------------------------------------------------------------------------- */

static void check_capabilities(struct check *c)
{
	static const struct {
		const char *name, *lost;
		int cap;
		bool needed;
	} caps[] = {
		{ "cap_bpf", "everything", CAP_BPF, true },
		{ "cap_perfmon", "everything", CAP_PERFMON, true },
		{ "cap_sys_ptrace", "processes of other users", CAP_SYS_PTRACE, false },
		{ "cap_sys_admin", "writing to the memory of traced processes", CAP_SYS_ADMIN,
		  false },
		{ "cap_net_admin", "programs on sockets; gofind --watch at once before Linux 6.6",
		  CAP_NET_ADMIN, false },
		{ "cap_sys_resource",
		  "raising RLIMIT_MEMLOCK (before Linux 5.11) and RLIMIT_NOFILE", CAP_SYS_RESOURCE,
		  false },
	};

	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		bool held = hostinfo_may(&c->host, caps[i].cap);
		struct finding *f = add(c, caps[i].name, held ? "yes" : "no");

		if (held && !(c->host.caps >> caps[i].cap & 1))
			snprintf(f->detail, sizeof(f->detail), "by way of CAP_SYS_ADMIN");
		f->needed = caps[i].needed;
		f->lost = caps[i].lost;
		f->advice = "run as root, or give it to the file: setcap(8)";
	}
}

static void check_namespaces(struct check *c)
{
	struct finding *f = add(c, "user_namespace", c->host.user_ns ? "no" : "yes");

	snprintf(f->detail, sizeof(f->detail), "%s", c->host.user_ns ? "not the first one" : "");
	f->lost = "everything: capabilities count in the first user namespace alone";
	f->advice = "run goattach outside of the container, or with userns=host";
	f->needed = c->host.user_ns;
	f = add(c, "pid_namespace", "info");
	snprintf(f->detail, sizeof(f->detail), "%s",
		 c->host.pid_ns ? "a nested one: processes outside of it are not seen"
				: "the first one");
	f->lost = "processes outside of it";
	f->advice = "run goattach with the host's pid namespace (docker --pid=host)";
	f = add(c, "seccomp", "info");
	snprintf(f->detail, sizeof(f->detail), "%s",
		 c->host.seccomp ? "a filter is on this process" : "no filter");
}

/* --- what tracing is made of ---------------------------------------------------------- */

static const char *uprobe_advice(int ret)
{
	if (ret == -EACCES || ret == -EPERM)
		return "CAP_BPF and CAP_PERFMON; for probes by perf many kernels want "
		       "CAP_SYS_ADMIN";
	return "a newer kernel, built with CONFIG_UPROBE_EVENTS";
}

static void check_uprobes(struct check *c)
{
	int multi = trial_uprobe(ATTACH_MULTI);
	int event = trial_uprobe(ATTACH_EVENT);
	int cookie = trial_uprobe(ATTACH_PERF);
	int perf = trial_uprobe(ATTACH_ADDRESS);
	struct finding *f;

	tried(c, "uprobe_multi", multi, "attaching hundreds of sites at once (Linux 6.6)",
	      uprobe_advice(multi));
	tried(c, "uprobe_event", event,
	      "taking hundreds of sites away at once, where uprobe_multi is missing",
	      "a tracefs that may be written to, or CAP_SYS_ADMIN; no lockdown to "
	      "confidentiality");
	tried(c, "uprobe_cookie", cookie,
	      "finding a site by its number, where uprobe_multi is missing too (Linux 5.15)",
	      uprobe_advice(cookie));
	tried(c, "uprobe_perf", perf, "everything, where uprobe_multi is missing too",
	      uprobe_advice(perf));
	f = add(c, "attach", multi && event && cookie && perf ? "no" : "yes");
	snprintf(f->detail, sizeof(f->detail), "%s",
		 !multi	   ? "multi: one link for all sites of a file"
		 : !event  ? (trial_cookie() ? "address: one event for all sites of a file"
					     : "event: one for all sites of a file")
		 : !cookie ? "perf: a descriptor for each site"
		 : !perf   ? "address: a descriptor for each site, found by its address"
			   : "no kind of probe could be attached");
	f->needed = true;
	f->lost = "everything";
	f->advice = uprobe_advice(multi);
}

static void check_parts(struct check *c)
{
	int ring = trial_ring_buffer();

	tried(c, "ring_buffer", ring, "everything",
	      ring == -EPERM ? "CAP_BPF, and no filter that refuses the bpf system call"
			     : "Linux 5.8 or later")
		->needed = true;
	tried(c, "memory_write", trial_write_user(),
	      "adding headers by a write to the program's memory",
	      "CAP_SYS_ADMIN, on a kernel that is not locked down");
	tried(c, "sk_msg", trial_sk_msg(), "adding headers to what a socket sends",
	      "CAP_NET_ADMIN, on a kernel that is built with CONFIG_BPF_STREAM_PARSER");
	tried(c, "cgroup", trial_cgroup(), "finding sockets as they connect",
	      "CAP_NET_ADMIN, a cgroup2 file system that may be written to, CONFIG_CGROUP_BPF");
	tried(c, "proc_connector", trial_proc_connector(),
	      "gofind --watch at once: it polls, and misses what lives for less than that",
	      "the first pid and network namespaces, CONFIG_PROC_EVENTS, and CAP_NET_ADMIN before "
	      "Linux 6.6");
}

/* The real thing: gotap's own program and maps, as a run of goattach would load them. */
static void check_program(struct check *c)
{
	struct kernel k = { 0 };
	struct errinfo e = { "" };
	int ret = kernel_open(&k, c->config, &e);
	struct finding *f = add(c, "program", ret ? "no" : "yes");

	f->needed = true;
	f->lost = "everything";
	if (ret) {
		snprintf(f->detail, sizeof(f->detail), "%s", strerror(-ret));
		snprintf(f->text, sizeof(f->text), "%s", e.text);
		f->advice = f->text;
	} else {
		snprintf(f->detail, sizeof(f->detail), "gotap's own; to be attached as: %s",
			 kernel_how(&k));
	}
	f = add(c, "one_process", ret ? "unknown" : k.filters ? "yes" : "no");
	if (!ret && k.filters)
		snprintf(f->detail, sizeof(f->detail),
			 "breakpoints are put into selected processes alone");
	f->lost = "leaving other processes untouched that run the same file: they have the "
		  "breakpoints too";
	f->advice = "Linux 6.10 or later, or before 6.6 a tracefs that may be written to";
	if (!ret)
		kernel_close(&k);
}

/* --- the answer ---------------------------------------------------------------------- */

static bool wants_advice(const struct finding *f)
{
	return !strcmp(f->verdict, "no");
}

static void print_table(const struct check *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct finding *f = &c->all[i];

		printf("%-17s %-8s%s\n", f->name, f->verdict, f->detail);
		if (!wants_advice(f))
			continue;
		if (f->lost)
			printf("%18slost: %s\n", "", f->lost);
		if (f->advice)
			printf("%18show:  %s\n", "", f->advice);
	}
}

static int print_records(const struct check *c)
{
	struct jsonw w;
	int ret;

	jsonw_init(&w, STDOUT_FILENO);
	for (size_t i = 0; i < c->n; i++) {
		const struct finding *f = &c->all[i];

		jsonw_record(&w, T_CHECK);
		jsonw_cstr(&w, K_NAME, f->name);
		jsonw_cstr(&w, K_VERDICT, f->verdict);
		jsonw_bool(&w, K_NEEDED, f->needed);
		if (f->detail[0])
			jsonw_cstr(&w, K_DETAIL, f->detail);
		if (f->lost)
			jsonw_cstr(&w, K_LOST, f->lost);
		if (f->advice)
			jsonw_cstr(&w, K_ADVICE, f->advice);
		jsonw_end_record(&w);
	}
	ret = jsonw_flush(&w);
	jsonw_release(&w);
	return ret;
}

static bool possible(const struct check *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i].needed && !strcmp(c->all[i].verdict, "no"))
			return false;
	return true;
}

int check_run(const struct kernel_config *config, bool json)
{
	struct check c = { .config = config };
	int ret;

	loadlog_start();
	hostinfo_read(&c.host);
	check_kernel(&c);
	check_bpf(&c);
	check_token(&c);
	check_btf(&c);
	check_capabilities(&c);
	check_namespaces(&c);
	check_lockdown(&c);
	check_memlock(&c);
	check_uprobes(&c);
	check_parts(&c);
	check_program(&c);
	if (json) {
		ret = print_records(&c);
		if (ret)
			diag(DIAG_ERROR, "stdout: %s", strerror(-ret));
	} else {
		print_table(&c);
		printf("\nTracing is %s here.\n", possible(&c) ? "possible" : "not possible");
		ret = textout_finish();
	}
	if (ret)
		return GOTAP_EXIT_FAILED;
	return possible(&c) ? GOTAP_EXIT_OK : GOTAP_EXIT_CANNOT;
}
