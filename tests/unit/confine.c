// SPDX-License-Identifier: Apache-2.0
/* What a confined process can still do, and what it cannot; and the opener beside it. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "opener.h"
#include "tap.h"

static char allowed[] = "/tmp/confine-XXXXXX", other[] = "/tmp/confine-XXXXXX";
static char inside[64], outside[64];
static pid_t parent;

/* What the child tries: 0, or the errno of what failed. */
typedef int (*attempt)(void);

static int result(long ret)
{
	return ret < 0 ? errno : 0;
}
static int read_inside(void)
{
	return result(open(inside, O_RDONLY));
}
static int read_outside(void)
{
	return result(open(outside, O_RDONLY));
}
static int write_inside(void)
{
	return result(open(inside, O_WRONLY));
}
static int write_outside(void)
{
	return result(open(outside, O_WRONLY));
}
static int make_inside(void)
{
	return result(mkdirat(AT_FDCWD, "/tmp/confine-never", 0700));
}
static int make_socket(void)
{
	return result(socket(AF_INET, SOCK_STREAM, 0));
}
static int make_process(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return result(pid);
}
static void *nothing(void *arg)
{
	return arg;
}
static int make_thread(void)
{
	pthread_t t;
	int ret = pthread_create(&t, NULL, nothing, NULL);

	return ret ? ret : pthread_join(t, NULL);
}
static int execute(void)
{
	char *argv[] = { "true", NULL };

	execv("/bin/true", argv);
	return errno;
}
static int make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? errno
		       : 0;
}
static int become_root(void)
{
	return result(syscall(SYS_setuid, 0));
}
static int signal_parent(void)
{
	return result(syscall(SYS_kill, parent, 0));
}
static int look_at_parent(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)parent);
	return result(open(path, O_RDONLY));
}
static int are_ids_right(void)
{
	return getuid() == 65534 && geteuid() == 65534 && getgid() == 65534 ? 0 : EPERM;
}

/* Runs @try in a child that is confined by @c: what came of it; -1: it was not confined. */
static int confined(const struct confine *c, attempt try)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct errinfo e;

		if (confine_enter(c, &e)) {
			printf("# %s\n", e.text);
			fflush(stdout);
			_exit(255);
		}
		_exit(try());
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) == 255)
		return -1;
	return WEXITSTATUS(status);
}

static struct confine rules(unsigned int need)
{
	struct confine c = { .user = "65534", .need = need };

	confine_may_read(&c, allowed);
	confine_may_read(&c, "/no/such/path");
	return c;
}

static bool has_landlock(void)
{
	return syscall(444, NULL, 0, 1) > 0; /* landlock_create_ruleset */
}

static void test_nothing(void)
{
	struct confine c = rules(0);

	is_int(confined(&c, are_ids_right), 0, "another user");
	is_int(confined(&c, read_inside), EPERM, "no files: none is opened");
	is_int(confined(&c, make_socket), EPERM, "no socket");
	is_int(confined(&c, make_process), EPERM, "no process");
	is_int(confined(&c, make_thread), EPERM, "no thread");
	is_int(confined(&c, execute), EPERM, "no other program");
	is_int(confined(&c, make_code), EPERM, "no new code");
	is_int(confined(&c, become_root), EPERM, "no way back");
	is_int(confined(&c, signal_parent), EPERM, "no signals");
}

static void test_files(void)
{
	struct confine c = rules(CONFINE_FILES);

	is_int(confined(&c, read_inside), 0, "files: what is allowed is read");
	is_int(confined(&c, write_inside), EPERM, "files: but not written");
	is_int(confined(&c, make_inside), EPERM, "files: nothing is made");
	if (has_landlock())
		is_int(confined(&c, read_outside), EACCES, "files: others are not read");
	c = rules(CONFINE_WRITE);
	confine_may_write(&c, inside);
	is_int(confined(&c, write_inside), 0, "write: what is allowed is written");
	if (has_landlock())
		is_int(confined(&c, write_outside), EACCES, "write: nothing else");
	c = rules(CONFINE_NETWORK | CONFINE_THREADS);
	is_int(confined(&c, make_socket), 0, "network: a socket");
	is_int(confined(&c, make_thread), 0, "threads: a thread");
	is_int(confined(&c, make_process), EPERM, "threads: but no process");
	is_int(confined(&c, execute), EPERM, "network: no other program");
	c = rules(CONFINE_PROCESSES);
	is_int(confined(&c, look_at_parent), EACCES,
	       "processes: not those of others, without the right");
}

static void test_users(void)
{
	struct confine c = { .user = "no such user" };
	struct errinfo e;

	ok(confine_enter(&c, &e) == -EINVAL && strstr(e.text, "no such user"),
	   "no such user: said");
	c.user = "root";
	ok(confine_enter(&c, &e) == -EINVAL, "root is refused");
	c.user = "12x";
	ok(confine_enter(&c, &e) == -EINVAL, "no number: refused");
	c.user = "0";
	ok(confine_enter(&c, &e) == -EINVAL, "0 is root");
	ok(!getuid() && !make_socket(), "and nothing has changed");
}

static void test_opener(void)
{
	struct opener o = { .fd = -1 };
	struct stat mine, got;
	struct errinfo e;
	int fd;

	ok(!opener_start(&o, "65534", &e), "an opener");
	fd = opener_exe(&o, getpid());
	ok(fd >= 0 && !stat("/proc/self/exe", &mine) && !fstat(fd, &got) &&
		   mine.st_ino == got.st_ino && mine.st_dev == got.st_dev,
	   "gives the executable of a process of root");
	ok(fcntl(fd, F_GETFL) >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY, "for reading");
	close(fd);
	is_int(opener_exe(&o, 0x7ffffffe), -ENOENT, "none of a process that is not there");
	is_int(opener_exe(&o, -1), -ENOENT, "nor of a wrong number");
	fd = opener_exe(&o, getpid());
	ok(fd >= 0, "and goes on");
	close(fd);
	opener_release(&o);
	ok(opener_start(&o, "no such user", &e) < 0, "no such user: refused");
	opener_release(&o);
}

static void make(char *dir, char *file)
{
	int fd;

	if (!mkdtemp(dir))
		exit(1);
	snprintf(file, 64, "%s/file", dir);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0 || fchmod(fd, 0666) || chmod(dir, 0755))
		exit(1);
	close(fd);
}

int main(void)
{
	if (geteuid()) {
		printf("1..0 # SKIP not root\n");
		return 0;
	}
	parent = getpid();
	make(allowed, inside);
	make(other, outside);
	test_users();
	test_nothing();
	test_files();
	test_opener();
	unlink(inside);
	unlink(outside);
	rmdir(allowed);
	rmdir(other);
	return done();
}
