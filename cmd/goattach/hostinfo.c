// SPDX-License-Identifier: Apache-2.0
#include "hostinfo.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* include/linux/proc_ns.h: numbers of the first namespaces */
#define FIRST_USER_NS 0xeffffffdU
#define FIRST_PID_NS  0xeffffffcU

static void read_status(struct hostinfo *h)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps;
	unsigned int mode;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			h->caps = caps;
		else if (sscanf(line, "Seccomp: %u", &mode) == 1)
			h->seccomp = mode != 0;
	}
	if (f)
		fclose(f);
}

static enum lockdown read_lockdown(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (!f)
		return access("/sys/kernel/security/lsm", F_OK) ? LOCKDOWN_UNKNOWN : LOCKDOWN_NONE;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	if (strstr(line, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	return strstr(line, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}

static uint64_t namespace_number(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ino;
}

void hostinfo_read(struct hostinfo *h)
{
	struct rlimit lim;
	uint64_t user = namespace_number("/proc/self/ns/user");

	memset(h, 0, sizeof(*h));
	read_status(h);
	h->lockdown = read_lockdown();
	h->pid_inum = namespace_number("/proc/self/ns/pid");
	h->user_ns = user && user != FIRST_USER_NS;
	h->pid_ns = h->pid_inum && h->pid_inum != FIRST_PID_NS;
	h->memlock = UINT64_MAX;
	if (!getrlimit(RLIMIT_MEMLOCK, &lim) && lim.rlim_cur != RLIM_INFINITY)
		h->memlock = lim.rlim_cur;
}

bool hostinfo_may(const struct hostinfo *h, int cap)
{
	uint64_t admin = cap == CAP_BPF || cap == CAP_PERFMON ? h->caps >> CAP_SYS_ADMIN : 0;

	return (h->caps >> cap | admin) & 1;
}
