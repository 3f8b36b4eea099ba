// SPDX-License-Identifier: Apache-2.0
/*
 * Why loading failed: from what libbpf says of objects that no kernel loads, and from
 * texts of other kernels.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "../../cmd/goattach/loadlog.h"
#include "../../cmd/goattach/trial.h"
#include "tap.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "broken.skel.h"
#pragma GCC diagnostic pop

static struct hostinfo all_rights = { .caps = UINT64_MAX, .memlock = UINT64_MAX };

static const char *explain(int ret, const char *text, struct hostinfo *h, bool memlock_counts)
{
	static struct errinfo e;
	struct load_facts f = { .host = h, .memlock_counts = memlock_counts };

	e.text[0] = '\0';
	ok(loadlog_explain(ret, text, &f, &e) == ret, "the error stays the same");
	return e.text;
}

static void has(const char *text, const char *part)
{
	if (!ok(strstr(text, part) != NULL, "says: %s", part))
		printf("# %s\n", text);
}

/* --- real ones --------------------------------------------------------------------- */

static void load_one(const char *name, const char *part, const char *other)
{
	struct broken_bpf *s;
	const char *text;
	int ret;

	loadlog_start();
	s = broken_bpf__open();
	ok(s != NULL, "%s: opened", name);
	bpf_program__set_autoload(s->progs.no_such_field, !strcmp(name, "no_such_field"));
	bpf_program__set_autoload(s->progs.wild_read, !strcmp(name, "wild_read"));
	ret = broken_bpf__load(s);
	ok(ret < 0, "%s: not loaded", name);
	text = explain(ret, loadlog_text(), &all_rights, false);
	has(text, part);
	has(text, other);
	ok(!strchr(text, '\n'), "%s: in one line", name);
	broken_bpf__destroy(s);
	loadlog_release();
	ok(!*loadlog_text(), "%s: nothing is kept", name);
}

/* --- texts -------------------------------------------------------------------------- */

static void test_texts(void)
{
	struct hostinfo h = all_rights;
	const char *text;

	has(explain(-ESRCH, "libbpf: failed to find valid kernel BTF\n", &h, false), "BTF");
	text = explain(-EACCES,
		       "libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\n"
		       "0: R1=ctx(off=0,imm=0) R10=fp0\n; int x = *p;\n"
		       "12: (61) r0 = *(u32 *)(r6 +0)\nR6 invalid mem access 'inv'\n"
		       "processed 13 insns (limit 1000000) max_states_per_insn 0\n"
		       "-- END PROG LOAD LOG --\n",
		       &h, false);
	has(text, "refused the BPF program: R6 invalid mem access 'inv'");
	has(text, "12: (61) r0 = *(u32 *)(r6 +0)");
	has(text, "int x = *p;");
	ok(!strstr(text, "processed"), "no totals");
	has(explain(-EINVAL,
		    "libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\n5: (85) call "
		    "bpf_probe_read_kernel#113\nunknown func bpf_probe_read_kernel#113\n"
		    "-- END PROG LOAD LOG --\n",
		    &h, false),
	    "lockdown");
	has(explain(-E2BIG, "", &h, false), "too large");
	has(explain(-ENOMEM, "", &h, false), "--ring");
	has(explain(-EINVAL, "", &h, false), "goattach -v");
	has(explain(-ENOSYS, "", &h, false), "CONFIG_BPF_SYSCALL");
	/* A log that was cut, and one that is empty. */
	explain(-EINVAL, "-- BEGIN PROG LOAD LOG --\n1: (85)", &h, false);
	explain(-EINVAL, "-- BEGIN PROG LOAD LOG --\n-- END PROG LOAD LOG --\n", &h, false);
	has(explain(-EINVAL, "failed to resolve CO-RE relocation <byte_off", &h, false), "BTF");
}

static void test_permission(void)
{
	struct hostinfo h = all_rights;
	const uint64_t admin = 1ULL << CAP_SYS_ADMIN;

	has(explain(-EPERM, "", &h, false), "bpf system call is refused");
	h.seccomp = true;
	has(explain(-EPERM, "", &h, false), "seccomp filter of this container");
	h.lockdown = LOCKDOWN_CONFIDENTIALITY;
	has(explain(-EPERM, "", &h, false), "lockdown=integrity");
	h.user_ns = true;
	has(explain(-EPERM, "", &h, false), "user namespace");
	h.memlock = 65536;
	has(explain(-EPERM, "", &h, true), "limited to 64 KiB");
	has(explain(-EPERM, "", &h, false), "user namespace");
	h.caps &= ~(admin | 1ULL << CAP_BPF);
	has(explain(-EPERM, "", &h, true), "missing: CAP_BPF)");
	h.caps &= ~(1ULL << CAP_PERFMON);
	has(explain(-EPERM, "", &h, true), "missing: CAP_BPF and CAP_PERFMON)");
	h.caps |= admin;
	has(explain(-EPERM, "", &h, true), "limited to 64 KiB");
}

int main(void)
{
	test_texts();
	test_permission();
	if (geteuid() || trial_program()) {
		printf("# no real programs: BPF is not permitted here\n");
	} else {
		load_one("no_such_field", "no_such_member", "CO-RE");
		load_one("wild_read", "verifier refused the BPF program", "; at: ");
	}
	return done();
}
