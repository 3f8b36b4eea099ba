// SPDX-License-Identifier: Apache-2.0
#include "proctime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Field 22, counted behind the command name, which may hold spaces and ')'. */
static int start_of(uint32_t pid, uint64_t *start)
{
	char path[40], buf[1024], *p;
	unsigned long long ticks;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -ENOENT;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, " %llu", &ticks) != 1)
		return -ENOENT;
	*start = ticks;
	return 0;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int process_creation_time(uint32_t pid, uint64_t start, char *buf, size_t size)
{
	uint64_t seen, hz = (uint64_t)sysconf(_SC_CLK_TCK);
	int64_t ms;
	time_t sec;
	struct tm tm;
	size_t n;

	if (start_of(pid, &seen) || seen != start || !hz)
		return -ENOENT;
	ms = (now_ns(CLOCK_REALTIME) - now_ns(CLOCK_BOOTTIME)) / 1000000 +
	     (int64_t)(start * 1000 / hz);
	sec = (time_t)(ms / 1000);
	if (ms < 0 || !gmtime_r(&sec, &tm))
		return -ENOENT;
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!n || (size_t)snprintf(buf + n, size - n, ".%03dZ", (int)(ms % 1000)) >= size - n)
		return -ENOENT;
	return 0;
}
