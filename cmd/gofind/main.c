// SPDX-License-Identifier: Apache-2.0
/* gofind: finds running Go programs. See gofind(1). */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "diag.h"
#include "exits.h"
#include "mapguard.h"
#include "once.h"
#include "options.h"
#include "watch.h"

/*
 * A descriptor below 3 that is closed would be taken by the next file that is
 * opened, and be written to as if it were stdout or stderr.
 */
static int occupy_std_fds(void)
{
	int fd, closed = fcntl(STDOUT_FILENO, F_GETFD) < 0 ? errno : 0;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return closed;
}

/*
 * As another user, with what is needed to look at all processes and to be told of new
 * ones. Landlock would forbid the first.
 */
static int confine(const char *user)
{
	static const int caps[] = { CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_NET_ADMIN };
	const struct confine c = {
		.user = user,
		.need = CONFINE_PROCESSES,
		.caps = caps,
		.n_caps = sizeof(caps) / sizeof(caps[0]),
	};
	struct errinfo e;

	if (!confine_enter(&c, &e))
		return -1;
	diag(DIAG_ERROR, "%s", e.text);
	return GOTAP_EXIT_CANNOT;
}

int main(int argc, char **argv)
{
	struct looker looker = { 0 };
	struct options options;
	struct jsonw out;
	int status;

	diag_init("gofind");
	status = occupy_std_fds();
	if (status) {
		diag(DIAG_ERROR, "stdout: %s", strerror(status));
		return GOTAP_EXIT_FAILED;
	}
	mapguard_init();
	jsonw_init(&out, STDOUT_FILENO);
	status = options_parse(argc, argv, &options);
	if (status < 0 && options.user)
		status = confine(options.user);
	if (status >= 0)
		goto out;
	looker.sel = &options.sel;
	if (binaries_init(&looker.binaries)) {
		diag(DIAG_ERROR, "out of memory");
		status = GOTAP_EXIT_FAILED;
		goto out;
	}
	status = options.watch ? watch_run(&looker, &out) : once_run(&looker, &out);
out:
	listeners_forget(&looker.listeners);
	binaries_release(&looker.binaries);
	selection_release(&options.sel);
	jsonw_release(&out);
	return status;
}
