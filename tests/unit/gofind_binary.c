// SPDX-License-Identifier: Apache-2.0
/* The cache of executables, and files that shrink while they are read. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../cmd/gofind/binary.h"
#include "mapguard.h"
#include "tap.h"

/* A directory with a file "exe" is all that binaries_get() needs of /proc/PID. */
/* Makes this program's data segment, which is searched for build information, large. */
static volatile char ballast[4 << 20] = { 1 };
static char dir_path[] = "/tmp/gofind-binary.XXXXXX";
static int dir;
static char *image;
static size_t image_len;

static int write_exe(const void *data, size_t len)
{
	int fd = openat(dir, "exe", O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n = fd < 0 ? -1 : write(fd, data, len);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)len ? 0 : -1;
}

static int get(struct binaries *b, const struct binary **out)
{
	struct stat st;

	*out = NULL;
	return fstatat(dir, "exe", &st, 0) ? -errno : binaries_get(b, dir, &st, out);
}

static void load_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return;
	image = malloc((size_t)st.st_size);
	while (image && image_len < (size_t)st.st_size) {
		ssize_t n = read(fd, image + image_len, (size_t)st.st_size - image_len);

		if (n <= 0)
			break;
		image_len += (size_t)n;
	}
	close(fd);
}

static void test_cache(void)
{
	const struct binary *first, *second;
	struct binaries b;

	is_int(binaries_init(&b), 0, "a cache");
	write_exe(image, image_len);
	is_int(get(&b, &first), 0, "a C program");
	ok(first && first->err == -ENODATA && first->why && *first->why, "is no Go program: %s",
	   first && first->why ? first->why : "?");
	is_int(get(&b, &second), 0, "once more");
	ok(first == second && b.n == 1, "is the same entry");
	write_exe("#!/bin/sh\n", 10);
	is_int(get(&b, &first), 0, "the file is replaced");
	ok(first && first->err == -ENOEXEC && b.n == 2, "by a script");
	write_exe(image, image_len / 2);
	is_int(get(&b, &first), 0, "a program that is cut off");
	ok(first && first->err && first->why, "%s", first && first->why ? first->why : "?");
	unlinkat(dir, "exe", 0);
	is_int(get(&b, &first), -ENOENT, "no file");
	binaries_release(&b);
}

static void test_many(void)
{
	const struct binary *bin;
	struct binaries b;
	int bad = 0;

	binaries_init(&b);
	for (int i = 0; i < 5000; i++) {
		unlinkat(dir, "exe", 0);
		write_exe("text that differs in length, and so in the key, from the others",
			  1 + (size_t)(i % 60));
		bad += get(&b, &bin) != 0 || !bin || bin->err != -ENOEXEC;
	}
	is_int(bad, 0, "5,000 different files");
	ok(b.n <= 4096, "are not all kept");
	binaries_release(&b);
}

static atomic_int cutting = 1;

static void *cut(void *arg)
{
	int fd = openat(dir, "exe", O_RDWR);
	unsigned seed = 1;

	(void)arg;
	while (cutting && fd >= 0) {
		usleep((useconds_t)(rand_r(&seed) % 3000));
		if (ftruncate(fd, rand_r(&seed) % 5000))
			break;
		usleep((useconds_t)(rand_r(&seed) % 1000));
		if (pwrite(fd, image, image_len, 0) != (ssize_t)image_len)
			break;
	}
	close(fd);
	return NULL;
}

static void test_shrinking(void)
{
	const struct binary *bin;
	struct binaries b;
	pthread_t t;
	int failed = 0, cuts = 0;

	binaries_init(&b);
	write_exe(image, image_len);
	if (pthread_create(&t, NULL, cut, NULL))
		return;
	for (time_t end = time(NULL) + 5; cuts < 3 && time(NULL) < end;) {
		int ret = get(&b, &bin);

		failed += ret != 0;
		cuts += !ret && bin && bin->why && strstr(bin->why, "cut short") != NULL;
	}
	cutting = 0;
	pthread_join(t, NULL);
	is_int(failed, 0, "a file that shrinks and grows while it is read");
	ok(cuts > 0, "its mapping ended under the reader");
	binaries_release(&b);
}

int main(void)
{
	if (!mkdtemp(dir_path) || (dir = open(dir_path, O_RDONLY | O_DIRECTORY)) < 0)
		return 1;
	mapguard_init();
	load_self();
	test_cache();
	test_many();
	test_shrinking();
	unlinkat(dir, "exe", 0);
	rmdir(dir_path);
	free(image);
	close(dir);
	ballast[0] = 0;
	return done();
}
