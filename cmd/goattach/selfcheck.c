// SPDX-License-Identifier: Apache-2.0
#include "selfcheck.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hostinfo.h"
#include "process.h"

/* More execs than any process has made: what stands there is something else. */
#define MANY_EXECS (1ULL << 32)

/* What is wrong first, or NULL. */
static const char *differs(const struct gotap_self *self)
{
	uint64_t start_code = process_start_code(getpid());
	struct hostinfo host;

	hostinfo_read(&host);
	if (self->start != process_start(getpid()))
		return "start time";
	if (start_code && self->start_code != start_code)
		return "place of the text";
	if (self->pid != (__u32)getpid())
		return "process id";
	if (host.pid_inum && self->pid_ns != host.pid_inum)
		return "pid namespace";
	if (!self->exec_id || self->exec_id > MANY_EXECS)
		return "number of execs";
	return NULL;
}

int selfcheck_file(const char *btf, struct errinfo *e)
{
	struct btf *b = access(btf, R_OK) ? NULL : btf__parse(btf, NULL);

	if (!b && access(btf, R_OK))
		return errinfo_set(e, -errno, "%s: %s", btf, strerror(errno));
	if (!b)
		return errinfo_set(e, -EINVAL, "%s: no file with BTF", btf);
	btf__free(b);
	return 0;
}

int selfcheck_run(int prog_fd, const struct gotap_self *self, const char *btf, struct errinfo *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	const char *what;

	/* Of type raw_tp: it runs here and now, as this process (since Linux 5.10). */
	if (bpf_prog_test_run_opts(prog_fd, &opts))
		return errinfo_set(e, -errno, "%s cannot be checked: %s", btf, strerror(errno));
	what = differs(self);
	return what ? errinfo_set(e, -ESTALE,
				  "%s is not of the running kernel: with it goattach's own %s is "
				  "read wrong",
				  btf, what)
		    : 0;
}
