// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number from /proc/PID/stat, fields counted from 1; 0 if it cannot be read. */
static uint64_t stat_field(int pid, int number)
{
	unsigned long long value = 0;
	char name[64], text[1024];
	const char *p;
	size_t n;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	f = fopen(name, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name, field 2, may hold anything */
	for (int field = 3; p && field <= number; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, "%llu", &value) != 1)
		return 0;
	return value;
}

int process_open(int pid, uint64_t start, struct process **out, struct errinfo *e)
{
	struct process *p = calloc(1, sizeof(*p));
	int ret = 0;

	*out = NULL;
	if (!p)
		return errinfo_set(e, -ENOMEM, "out of memory");
	p->pid = pid;
	p->start = start;
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->pidfd < 0)
		ret = errinfo_set(e, -errno, "%s", strerror(errno));
	else if (process_start(pid) != start)
		ret = errinfo_set(e, -ESRCH, "it has ended");
	if (ret)
		process_free(p);
	else
		*out = p;
	return ret;
}

void process_free(struct process *p)
{
	if (!p)
		return;
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p);
}

uint64_t process_start(int pid)
{
	return stat_field(pid, 22);
}

uint64_t process_start_code(int pid)
{
	uint64_t at = stat_field(pid, 26);

	return at > 1 ? at : 0; /* 0 or 1: not for us to know */
}

bool process_has_ended(const struct process *p)
{
	struct pollfd fd = { .fd = p->pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

void process_add(struct processes *ps, struct process *p)
{
	struct process **id, **pid = &ps->by_pid[(uint32_t)p->pid % PROCESS_BUCKETS];

	p->id = ++ps->last_id;
	id = &ps->by_id[p->id % PROCESS_BUCKETS];
	p->next = *id;
	*id = p;
	p->pid_next = *pid;
	*pid = p;
	ps->n++;
}

void process_remove(struct processes *ps, struct process *p)
{
	struct process **at = &ps->by_id[p->id % PROCESS_BUCKETS];

	while (*at && *at != p)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = p->next;
	for (at = &ps->by_pid[(uint32_t)p->pid % PROCESS_BUCKETS]; *at; at = &(*at)->pid_next)
		if (*at == p) {
			*at = p->pid_next;
			break;
		}
	ps->n--;
}

struct process *process_by_id(const struct processes *ps, uint32_t id)
{
	struct process *p = ps->by_id[id % PROCESS_BUCKETS];

	while (p && p->id != id)
		p = p->next;
	return p;
}

struct process *process_by_pid(const struct processes *ps, int pid)
{
	struct process *p = ps->by_pid[(uint32_t)pid % PROCESS_BUCKETS];

	while (p && p->pid != pid)
		p = p->pid_next;
	return p;
}
