// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS 2000

static const char *const names[] = { "gofind", "goresolve", "goattach", "gospan", "goexport" };

static const char *stage_named(const char *comm, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], comm, len))
			return names[i];
	return NULL;
}

/* proc_pid_stat(5): "pid (comm) state ppid pgrp … utime stime … rss". */
static void read_stat(struct stages *s, const char *pid, int group)
{
	char path[64], buf[1024], *comm, *end;
	unsigned long long utime, stime;
	const char *name;
	long rss;
	int pgrp;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	comm = strchr(buf, '(');
	end = strrchr(buf, ')');
	name = comm && end > comm ? stage_named(comm + 1, (size_t)(end - comm) - 1) : NULL;
	if (!name || s->n == STAGES_MAX ||
	    sscanf(end + 1,
		   " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d"
		   " %*d %*d %*u %*u %ld",
		   &pgrp, &utime, &stime, &rss) != 4 ||
	    pgrp != group)
		return;
	s->use[s->n++] = (struct stage_use){
		.name = name,
		.pid = atoi(pid),
		.cpu_seconds = (double)(utime + stime) / (double)sysconf(_SC_CLK_TCK),
		.resident = (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

void stages_look(struct stages *s, int64_t now)
{
	struct dirent *d;
	DIR *proc;

	if (s->looked && now - s->looked < LOOK_MS)
		return;
	proc = opendir("/proc");
	if (!proc)
		return;
	s->looked = now;
	s->n = 0;
	while ((d = readdir(proc)))
		if (isdigit((unsigned char)d->d_name[0]))
			read_stat(s, d->d_name, getpgrp());
	closedir(proc);
}
