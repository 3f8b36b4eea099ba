// SPDX-License-Identifier: Apache-2.0
#include "fill.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	SMALL = 256, /* bytes of values that many of which may be copied */
	BATCH = 512,
	MOST_BATCHES = 1 << 16, /* an end, should entries come faster than they are counted */
};

/* One by one: for maps with large values. */
static uint32_t count_keys(int fd, const struct bpf_map_info *info)
{
	unsigned char key[64], next[64];
	uint32_t n = 0;

	if (info->key_size > sizeof(key) || bpf_map_get_next_key(fd, NULL, next))
		return 0;
	do {
		memcpy(key, next, info->key_size);
		n++;
	} while (n <= info->max_entries && !bpf_map_get_next_key(fd, key, next));
	return n;
}

static uint32_t count_batches(int fd, const struct bpf_map_info *info)
{
	unsigned char *keys = calloc(BATCH, info->key_size);
	unsigned char *values = calloc(BATCH, info->value_size);
	uint32_t at = 0, sum = 0, n;
	int ret = keys && values ? 0 : -ENOMEM;

	for (int i = 0; !ret && i < MOST_BATCHES; i++) {
		n = BATCH;
		ret = bpf_map_lookup_batch(fd, i ? &at : NULL, &at, keys, values, &n, NULL);
		if (!ret || ret == -ENOENT) /* the last of them */
			sum += n;
	}
	free(values);
	free(keys);
	return ret == -ENOENT || !ret ? sum : count_keys(fd, info);
}

uint32_t fill_entries(int map_fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(map_fd, &info, &len))
		return 0;
	return info.value_size > SMALL ? count_keys(map_fd, &info) : count_batches(map_fd, &info);
}

uint64_t fill_kib(int map_fd)
{
	unsigned long long bytes = 0;
	char name[64], line[128];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", map_fd);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes / 1024;
}

uint64_t self_cpu_ms(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

uint64_t self_rss_kib(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}
