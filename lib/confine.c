// SPDX-License-Identifier: Apache-2.0
#include "confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine_internal.h"

void confine_may_read(struct confine *c, const char *path)
{
	if (path && c->n_read < CONFINE_MAX_PATHS)
		c->read[c->n_read++] = path;
}

void confine_may_write(struct confine *c, const char *path)
{
	if (path && c->n_write < CONFINE_MAX_PATHS)
		c->write[c->n_write++] = path;
}

/* --- who ------------------------------------------------------------------------------ */

struct who {
	uid_t uid;
	gid_t gid;
	char name[256]; /* "" for a number that is nobody's */
};

static int find_user(const char *user, struct who *w, struct errinfo *e)
{
	struct passwd *p;
	char *end;

	errno = 0;
	p = getpwnam(user);
	if (!p && *user >= '0' && *user <= '9') {
		unsigned long id = strtoul(user, &end, 10);

		if (*end || id >= UINT32_MAX)
			return errinfo_set(e, -EINVAL, "--user: '%s' is no user", user);
		w->uid = (uid_t)id;
		w->gid = (gid_t)id;
		p = getpwuid(w->uid);
	} else if (!p) {
		return errinfo_set(e, -EINVAL, "--user: there is no user '%s'", user);
	}
	w->name[0] = '\0';
	if (p) {
		w->uid = p->pw_uid;
		w->gid = p->pw_gid;
		strncpy(w->name, p->pw_name, sizeof(w->name) - 1);
		w->name[sizeof(w->name) - 1] = '\0';
	}
	if (!w->uid)
		return errinfo_set(e, -EINVAL, "--user: root is not confined by being root");
	return 0;
}

static int become(const struct who *w, struct errinfo *e)
{
	int ret = w->name[0] ? initgroups(w->name, w->gid) : setgroups(0, NULL);

	if (ret || setresgid(w->gid, w->gid, w->gid) || setresuid(w->uid, w->uid, w->uid))
		return errinfo_set(e, -errno, "--user: %s (it needs root)", strerror(errno));
	return 0;
}

/* Only these capabilities, of what is permitted; the change of user has left them there. */
static int keep_caps(const struct confine *c, struct errinfo *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	uint64_t keep = 0;

	for (size_t i = 0; i < c->n_caps; i++)
		keep |= 1ULL << c->caps[i];
	if (syscall(SYS_capget, &head, data))
		return errinfo_set(e, -errno, "capabilities: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (__u32)(keep >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, data))
		return errinfo_set(e, -errno, "giving up capabilities: %s", strerror(errno));
	return 0;
}

static void drop_bounding(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0))
			return;
}

int confine_check(const char *user, struct errinfo *e)
{
	struct who w;

	return find_user(user, &w, e);
}

int confine_enter(const struct confine *c, struct errinfo *e)
{
	struct who w;
	int ret = find_user(c->user, &w, e);

	if (ret)
		return ret;
	drop_bounding();
	if (c->n_caps && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return errinfo_set(e, -errno, "keeping capabilities: %s", strerror(errno));
	ret = become(&w, e);
	if (!ret)
		ret = keep_caps(c, e);
	if (!ret && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ret = errinfo_set(e, -errno, "no_new_privs: %s", strerror(errno));
	/* The user's other processes must not reach into this one. */
	if (!ret && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		ret = errinfo_set(e, -errno, "PR_SET_DUMPABLE: %s", strerror(errno));
	if (!ret && !(c->need & CONFINE_PROCESSES))
		ret = confine_paths(c, e);
	return ret ? ret : confine_calls(c, e);
}
