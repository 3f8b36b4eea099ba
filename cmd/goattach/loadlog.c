// SPDX-License-Identifier: Apache-2.0
#include "loadlog.h"

#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

/* --- keeping it ---------------------------------------------------------------------- */

enum { KEEP = 1 << 20 };

static char *kept;
static size_t kept_len;

static void keep(const char *text, size_t len)
{
	char *more;

	if (len > KEEP) { /* what matters is at the end */
		text += len - KEEP;
		len = KEEP;
	}
	if (kept_len + len > KEEP)
		kept_len = 0;
	more = realloc(kept, kept_len + len + 1);
	if (!more)
		return;
	kept = more;
	memcpy(kept + kept_len, text, len);
	kept_len += len;
	kept[kept_len] = '\0';
}

static void show(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			diag(DIAG_DEBUG, "%.*s", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

__attribute__((format(printf, 2, 0))) static int take(enum libbpf_print_level level,
						      const char *fmt, va_list ap)
{
	char *text;
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vasprintf(&text, fmt, ap);
	if (n < 0)
		return 0;
	keep(text, (size_t)n);
	if (diag_is_verbose())
		show(text);
	free(text);
	return n;
}

void loadlog_start(void)
{
	kept_len = 0;
	if (kept)
		kept[0] = '\0';
	libbpf_set_print(take);
}

const char *loadlog_text(void)
{
	return kept ? kept : "";
}

void loadlog_release(void)
{
	libbpf_set_print(NULL);
	free(kept);
	kept = NULL;
	kept_len = 0;
}

/* --- the verifier's log -------------------------------------------------------------- */

#define BEGIN_LOG "-- BEGIN PROG LOAD LOG --\n"
#define END_LOG	  "-- END PROG LOAD LOG --"

struct line {
	const char *at;
	int len; /* for %.*s */
};

static bool starts(const struct line *l, const char *with)
{
	size_t n = strlen(with);

	return (size_t)l->len >= n && !memcmp(l->at, with, n);
}

/* The totals that the verifier ends with. */
static bool is_total(const struct line *l)
{
	static const char *const totals[] = { "processed ",   "verification time", "stack depth",
					      "mark_precise", "max_states",	   "arg#" };

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		if (starts(l, totals[i]))
			return true;
	return !l->len;
}

static bool is_instruction(const struct line *l)
{
	int i = 0;

	while (i < l->len && isdigit((unsigned char)l->at[i]))
		i++;
	return i && i + 2 < l->len && !memcmp(l->at + i, ": (", 3);
}

/*
 * The lines of a verifier's log that matter: the last line of source, the last
 * instruction, and what was wrong with it. Those that are not there have length 0.
 */
static bool verifier_lines(const char *text, struct line *source, struct line *insn,
			   struct line *fault)
{
	const char *at = strstr(text, BEGIN_LOG), *next, *end;

	memset(source, 0, sizeof(*source));
	*insn = *fault = *source;
	for (next = at; next; next = strstr(next + 1, BEGIN_LOG))
		at = next; /* the last one: libbpf may have tried again */
	if (!at)
		return false;
	at += strlen(BEGIN_LOG);
	end = strstr(at, END_LOG);
	end = end ? end : at + strlen(at);
	while (at < end) {
		struct line l = { at, (int)strcspn(at, "\n") };

		if (at + l.len > end)
			l.len = (int)(end - at);
		if (starts(&l, "; "))
			*source = (struct line){ l.at + 2, l.len - 2 };
		else if (is_instruction(&l))
			*insn = l;
		else if (!is_total(&l))
			*fault = l;
		at += l.len + 1;
	}
	return fault->len || insn->len;
}

static int shorter(int n, int most)
{
	return n < most ? n : most;
}

static int explain_verifier(int ret, const char *text, const struct load_facts *f,
			    struct errinfo *e)
{
	struct line source, insn, fault;

	if (!verifier_lines(text, &source, &insn, &fault))
		return 0;
	if (strstr(text, "bpf_probe_read_kernel") &&
	    (starts(&fault, "unknown func") || starts(&fault, "program of this type")))
		return errinfo_set(e, ret,
				   "kernel lockdown (%s) forbids to read kernel memory, without "
				   "which processes cannot be told apart; boot with "
				   "lockdown=integrity or none",
				   f->host->lockdown == LOCKDOWN_UNKNOWN ? "of unknown level"
									 : "confidentiality");
	return errinfo_set(e, ret,
			   "the kernel's verifier refused the BPF program: %.*s; at: %.*s%s%.*s "
			   "(all of it: goattach -v)",
			   shorter(fault.len, 90), fault.len ? fault.at : "", shorter(insn.len, 60),
			   insn.len ? insn.at : "", source.len ? "; source: " : "",
			   shorter(source.len, 60), source.len ? source.at : "");
}

/* --- the rest --------------------------------------------------------------------------- */

/* libbpf writes "… CO-RE relocation <byte_off> [7] struct task_struct.mm (0:4 @ offset 8)". */
static int explain_relocation(int ret, const char *text, struct errinfo *e)
{
	static const char mark[] = "failed to resolve CO-RE relocation ";
	const char *at = strstr(text, mark), *name;
	int len;

	if (!at)
		return 0;
	at += strlen(mark);
	name = at + strcspn(at, "]\n");
	name = *name == ']' ? name + 1 : at;
	name += strspn(name, " ");
	len = (int)strcspn(name, "(\n");
	while (len && name[len - 1] == ' ')
		len--;
	return errinfo_set(e, ret,
			   "the kernel's type information (BTF) has no '%.*s', which the BPF "
			   "program reads (a CO-RE relocation): gotap does not know this kernel, "
			   "or the BTF is another kernel's",
			   shorter(len, 120), name);
}

static bool says(const char *text, const char *const *any)
{
	for (; *any; any++)
		if (strstr(text, *any))
			return true;
	return false;
}

const char *loadlog_missing(const struct hostinfo *h)
{
	static const char *const names[] = { "", "CAP_BPF", "CAP_PERFMON",
					     "CAP_BPF and CAP_PERFMON" };

	return names[!hostinfo_may(h, CAP_BPF) + 2 * !hostinfo_may(h, CAP_PERFMON)];
}

static int explain_permission(int ret, const struct load_facts *f, struct errinfo *e)
{
	const struct hostinfo *h = f->host;

	if (*loadlog_missing(h))
		return errinfo_set(e, ret,
				   "not permitted: tracing needs root, or the capabilities CAP_BPF "
				   "and CAP_PERFMON (missing: %s); run goattach with sudo",
				   loadlog_missing(h));
	if (f->memlock_counts && h->memlock != UINT64_MAX)
		return errinfo_set(
			e, ret,
			"locked memory is limited to %llu KiB, and before Linux 5.11 BPF "
			"maps count: allow more (ulimit -l unlimited, LimitMEMLOCK= of a "
			"systemd unit), or give goattach CAP_SYS_RESOURCE",
			(unsigned long long)h->memlock / 1024);
	if (h->user_ns)
		return errinfo_set(e, ret,
				   "not permitted: this is a user namespace, whose capabilities do "
				   "not count for tracing; run goattach outside of it");
	if (h->lockdown == LOCKDOWN_CONFIDENTIALITY)
		return errinfo_set(e, ret,
				   "kernel lockdown is set to confidentiality, which forbids "
				   "tracing; boot with lockdown=integrity");
	return errinfo_set(e, ret,
			   "the bpf system call is refused (%s), %s; run goattach outside of it",
			   strerror(-ret),
			   h->seccomp ? "most likely by the seccomp filter of this container"
				      : "perhaps by a container's or a security module's rules");
}

int loadlog_explain(int ret, const char *text, const struct load_facts *f, struct errinfo *e)
{
	static const char *const no_btf[] = { "failed to find valid kernel BTF",
					      "Error loading vmlinux BTF", "failed to load BTF",
					      NULL };
	int done = explain_relocation(ret, text, e);

	if (!done)
		done = explain_verifier(ret, text, f, e);
	if (done)
		return ret;
	if (ret == -ESRCH || says(text, no_btf))
		return errinfo_set(e, ret,
				   "this kernel has no type information (BTF, "
				   "/sys/kernel/btf/vmlinux) that can be read; boot one that is "
				   "built with CONFIG_DEBUG_INFO_BTF, as Debian's are, or give it "
				   "in a file (--btf)");
	switch (-ret) {
	case EPERM:
	case EACCES:
		return explain_permission(ret, f, e);
	case ENOSYS:
		return errinfo_set(e, ret,
				   "this kernel has no bpf system call; boot one that is built "
				   "with CONFIG_BPF_SYSCALL");
	case ENOMEM:
		return errinfo_set(
			e, ret, "no memory for the BPF maps; make --ring or --max-calls smaller");
	case E2BIG:
		return errinfo_set(e, ret,
				   "the BPF maps are too large for this kernel (%s); make --ring, "
				   "--max-calls or --max-threads smaller",
				   strerror(-ret));
	default:
		return errinfo_set(e, ret,
				   "this kernel refused the BPF program (%s); goattach -v shows "
				   "what libbpf says",
				   strerror(-ret));
	}
}
