// SPDX-License-Identifier: Apache-2.0
/* /proc/PID/stat with hostile names, and this process as seen through procfs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cmd/gofind/procfs.h"
#include "tap.h"

#define REST                                                                                       \
	" 1 2 3 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 5 0 81234567 1 2 18446744073709551615 1 1 140722 0\n"

static int parse(const char *text, struct procstat *out)
{
	char *copy = strdup(text);
	int ret = procfs_parse_stat(copy, out);

	free(copy);
	return ret;
}

static void test_stat(void)
{
	struct procstat st;

	is_int(parse("42 (shop) S" REST, &st), 0, "a line of stat");
	ok(st.state == 'S' && st.flags == 4194560 && st.start == 81234567 && st.stack == 140722,
	   "its fields");
	is_int(parse("42 (a) Z 1 (b\n) c) R" REST, &st), 0,
	       "a name with parentheses and a newline");
	ok(st.state == 'R' && st.start == 81234567, "does not shift the fields");
	is_int(parse("42 (shop) Z" REST, &st), 0, "a zombie");
	ok(procstat_is_dead(&st), "is dead");
	is_int(parse("", &st), -EINVAL, "an empty text");
	is_int(parse("42 (shop)", &st), -EINVAL, "nothing after the name");
	is_int(parse("42 (shop) S", &st), -EINVAL, "nothing after the state");
	is_int(parse("42 (shop) S 1 2 3", &st), -EINVAL, "too few fields");
	is_int(parse("42 (shop) S 1 2 x 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8", &st),
	       -EINVAL, "a field that is no number");
}

/* A child before its exec is not yet what it will be. */
static void test_child(void)
{
	int hold[2], dir;
	struct procstat st = { 0 };
	char c = 0;
	pid_t pid;

	if (pipe(hold))
		return;
	pid = fork();
	if (!pid) {
		close(hold[1]);
		_exit(read(hold[0], &c, 1) < 0);
	}
	dir = procfs_open(pid);
	ok(dir >= 0 && !procfs_stat(dir, &st) && !procstat_is_settled(&st),
	   "a fresh child that made no exec is not settled");
	st.start -= 100 * (unsigned long)sysconf(_SC_CLK_TCK);
	ok(procstat_is_settled(&st), "one that is old is");
	close(hold[0]);
	close(hold[1]);
	waitpid(pid, NULL, 0);
	is_int(procfs_stat(dir, &st), -ESRCH, "once it has ended its directory says so");
	close(dir);
	dir = procfs_open(pid);
	is_int(dir, -ESRCH, "and cannot be opened");
}

static int find_self(int pid, void *arg)
{
	*(int *)arg += pid == getpid();
	return 0;
}

static int stop_at_once(int pid, void *arg)
{
	(void)pid;
	++*(int *)arg;
	return -ECANCELED;
}

int main(void)
{
	int dir = procfs_open(getpid()), tgid = 0, seen = 0;
	char exe[PATH_MAX], want[PATH_MAX] = "", *text;
	struct procstat st;
	size_t len;

	test_stat();
	test_child();
	ok(dir >= 0 && !procfs_stat(dir, &st) && procstat_is_settled(&st) &&
		   !procstat_is_kernel(&st) && !procstat_is_dead(&st) && st.stack,
	   "this process's stat");
	ok(readlink("/proc/self/exe", want, sizeof(want) - 1) > 0 && !procfs_exe(dir, exe) &&
		   !strcmp(exe, want),
	   "its executable");
	ok(!procfs_tgid(dir, &tgid) && tgid == getpid(), "its thread group");
	is_int(procfs_read(dir, "cmdline", 5, &text, &len), 0, "a limited read");
	is_int((long long)len, 5, "ends at the limit");
	free(text);
	is_int(procfs_read(dir, "no-such-file", 5, &text, &len), -ESRCH,
	       "a file that is not there");
	ok(!text, "gives no buffer");
	is_int(procfs_each(find_self, &seen), 0, "all of /proc");
	is_int(seen, 1, "has this process once");
	seen = 0;
	is_int(procfs_each(stop_at_once, &seen), -ECANCELED,
	       "a callback's failure ends the listing");
	is_int(seen, 1, "at once");
	close(dir);
	return done();
}
