// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- opening ---------------------------------------------------------------- */

static int check_binary(struct image *im, const char **reason, struct errinfo *e)
{
	const struct gobin_segment *seg;
	struct gobin *b;
	size_t n;
	int ret = gobin_open_fd(im->fd, &b, e);

	*reason = "unreadable";
	if (ret)
		return ret;
	*reason = "binary-differs";
	if (strcmp(gobin_id(b), im->binary->id)) {
		ret = errinfo_set(e, -ESTALE, "the file is another build: %s", gobin_id(b));
		goto out;
	}
	im->pie = gobin_is_pie(b);
	for (n = gobin_segments(b, &seg); n && !seg->exec; n--)
		seg++;
	if (!n) {
		ret = errinfo_set(e, -EINVAL, "the file has no text");
		goto out;
	}
	im->text = *seg;
out:
	gobin_free(b);
	return ret;
}

static char *exe_path(int pid)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return strdup(path);
}

static int open_exe(struct image *im, int pid, const char **reason, struct errinfo *e)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	im->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (im->fd < 0) {
		*reason = errno == ENOENT || errno == ESRCH ? NULL : "unreadable";
		if (errno == EACCES)
			return errinfo_set(
				e, -EACCES,
				"%s: not permitted: another user's process (which needs "
				"CAP_SYS_PTRACE), or a file that only its owner may read "
				"(--any-file)",
				name);
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	}
	*reason = "unreadable";
	im->types = typenames_new(im->fd);
	if (!im->types)
		return errinfo_set(e, -ENOMEM, "out of memory");
	if (fstat(im->fd, &st))
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	*reason = "binary-differs";
	if (st.st_dev != im->dev || st.st_ino != im->inode)
		return errinfo_set(e, -ESTALE, "the process runs another file now");
	im->path = exe_path(pid);
	return im->path ? 0 : errinfo_set(e, -ENOMEM, "out of memory");
}

int image_open(int pid, dev_t dev, ino_t inode, struct binary *b, struct image **out,
	       const char **reason, struct errinfo *e)
{
	struct image *im = calloc(1, sizeof(*im));
	int ret;

	*out = NULL;
	*reason = "attach-refused";
	if (!im)
		return errinfo_set(e, -ENOMEM, "out of memory");
	im->fd = -1;
	im->dev = dev;
	im->inode = inode;
	im->binary = b;
	ret = open_exe(im, pid, reason, e);
	if (!ret)
		ret = check_binary(im, reason, e);
	if (ret)
		image_free(im);
	else
		*out = im;
	return ret;
}

void image_free(struct image *im)
{
	if (!im)
		return;
	typenames_free(im->types);
	if (im->fd >= 0)
		close(im->fd);
	free(im->attached);
	free(im->path);
	free(im);
}

/* --- where it is loaded -------------------------------------------------------- */

int image_bias(const struct image *im, int pid, uint64_t *bias, struct errinfo *e)
{
	uint64_t start, offset, inode, page = (uint64_t)sysconf(_SC_PAGESIZE);
	char name[64], perms[8], line[4352];
	int ret = -ESRCH;
	FILE *f;

	*bias = 0;
	if (!im->pie)
		return 0;
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%*x %7s %" SCNx64 " %*s %" SCNu64, &start, perms,
			   &offset, &inode) != 4)
			continue;
		if (inode != im->inode || perms[2] != 'x' ||
		    offset != (im->text.offset & ~(page - 1)))
			continue;
		*bias = start - (im->text.addr & ~(page - 1));
		ret = 0;
		break;
	}
	fclose(f);
	return ret ? errinfo_set(e, ret, "%s: the program's text is not there", name) : 0;
}
