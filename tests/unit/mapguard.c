// SPDX-License-Identifier: Apache-2.0
/* A mapped file that is cut short reads as zeros, and other faults still kill. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mapguard.h"
#include "tap.h"

static char path[] = "/tmp/gotap-mapguard.XXXXXX";

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = mkstemp(path), status = 0;
	volatile char *p;
	pid_t pid;

	if (fd < 0 || ftruncate(fd, (off_t)(3 * page)) || pwrite(fd, "a", 1, 0) != 1 ||
	    pwrite(fd, "b", 1, (off_t)(2 * page)) != 1)
		return 1;
	p = mmap(NULL, 3 * page, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	mapguard_init();
	ok(p[0] == 'a' && p[2 * page] == 'b', "a mapped file");
	is_int((long long)mapguard_hits(), 0, "needs no help");
	if (ftruncate(fd, 1))
		return 1;
	ok(p[0] == 'a' && p[page] == 0 && p[2 * page] == 0 && p[2 * page + 1] == 0,
	   "cut short, it reads as zeros past its end");
	is_int((long long)mapguard_hits(), 2, "one hit for each page");
	pid = fork();
	if (!pid) {
		raise(SIGBUS);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS, "another SIGBUS still kills");
	munmap((void *)p, 3 * page);
	close(fd);
	unlink(path);
	return done();
}
