// SPDX-License-Identifier: Apache-2.0
/*
 * Landlock (5.13 and later): Documentation/userspace-api/landlock.rst. The C library
 * has no functions for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine_internal.h"
#include "diag.h"

/* Rights that later versions have, which the system's header may not: include/uapi. */
#define ACCESS_FS_REFER	    (1ULL << 13) /* version 2 */
#define ACCESS_FS_TRUNCATE  (1ULL << 14) /* version 3 */
#define ACCESS_FS_IOCTL_DEV (1ULL << 15) /* version 5 */

#define READ_FILE  LANDLOCK_ACCESS_FS_READ_FILE
#define READ	   (READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_FS_TRUNCATE)
#define WRITE                                                                                      \
	(READ | WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |      \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)

/* All rights that version @abi knows: what no rule allows is forbidden. */
static uint64_t known_rights(long abi)
{
	uint64_t rights = (1ULL << 13) - 1;

	if (abi >= 2)
		rights |= ACCESS_FS_REFER;
	if (abi >= 3)
		rights |= ACCESS_FS_TRUNCATE;
	if (abi >= 5)
		rights |= ACCESS_FS_IOCTL_DEV;
	return rights;
}

/* A rule for @path, if there is such a thing. */
static int allow(int ruleset, const char *path, uint64_t in_dir, uint64_t of_file, uint64_t known,
		 struct errinfo *e)
{
	struct landlock_path_beneath_attr rule = {
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};
	struct stat st;
	int ret = 0;

	if (rule.parent_fd < 0)
		return 0;
	if (fstat(rule.parent_fd, &st)) {
		ret = -errno;
	} else {
		rule.allowed_access = (S_ISDIR(st.st_mode) ? in_dir : of_file) & known;
		if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
			ret = -errno;
	}
	close(rule.parent_fd);
	return ret ? errinfo_set(e, ret, "Landlock: %s: %s", path, strerror(-ret)) : 0;
}

int confine_paths(const struct confine *c, struct errinfo *e)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { .handled_access_fs = known_rights(abi) };
	int ruleset, ret = 0;

	if (abi <= 0) {
		diag(DIAG_DEBUG, "--user: this kernel has no Landlock: paths are not confined");
		return 0;
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return errinfo_set(e, -errno, "Landlock: %s", strerror(errno));
	for (size_t i = 0; !ret && i < c->n_read; i++)
		ret = allow(ruleset, c->read[i], READ, READ_FILE, attr.handled_access_fs, e);
	for (size_t i = 0; !ret && i < c->n_write; i++)
		ret = allow(ruleset, c->write[i], WRITE, WRITE_FILE, attr.handled_access_fs, e);
	if (!ret && syscall(SYS_landlock_restrict_self, ruleset, 0))
		ret = errinfo_set(e, -errno, "Landlock: %s", strerror(errno));
	close(ruleset);
	return ret;
}
