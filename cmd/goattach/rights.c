// SPDX-License-Identifier: Apache-2.0
#include "rights.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostinfo.h"
#include "trial.h"

#define BIT(cap) (1ULL << (cap))

static int caps_get(uint64_t *permitted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -errno;
	*permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	return 0;
}

static int caps_set(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (__u32)effective, .permitted = (__u32)permitted },
		{ .effective = (__u32)(effective >> 32), .permitted = (__u32)(permitted >> 32) },
	};

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* Which of @held to keep. */
static uint64_t wanted(const struct kernel *k, uint64_t held, bool any_file)
{
	uint64_t must = BIT(CAP_BPF) | BIT(CAP_PERFMON);
	uint64_t keep = held & (must | BIT(CAP_SYS_PTRACE));

	if (any_file)
		keep |= held & BIT(CAP_DAC_READ_SEARCH);
	if (!(held & BIT(CAP_SYS_ADMIN)))
		return keep;
	/* Whether probes can be attached without it is not known before it is tried. */
	if ((keep & must) != must || caps_set(keep, held) || trial_uprobe(k->how))
		keep |= BIT(CAP_SYS_ADMIN);
	return keep;
}

/* What a program that this one executes could have; only who has CAP_SETPCAP can lower it. */
static void bounding_drop(void)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0))
			return;
}

int rights_drop(const struct kernel *k, bool any_file, struct errinfo *e)
{
	uint64_t held = 0, keep;
	int ret = caps_get(&held);

	if (ret)
		return errinfo_set(e, ret, "capabilities: %s", strerror(-ret));
	bounding_drop();
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	keep = wanted(k, held, any_file);
	ret = caps_set(keep, keep);
	if (!ret && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		ret = -errno;
	return ret ? errinfo_set(e, ret, "giving up capabilities: %s", strerror(-ret)) : 0;
}
