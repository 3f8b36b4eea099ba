/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of what happens without memory: malloc(3) fails beyond what the
 * process has now and @extra bytes. Not possible with AddressSanitizer, which
 * needs a large address space: then this says so.
 */
#ifndef GOTAP_MEMLIMIT_H
#define GOTAP_MEMLIMIT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define MEMLIMIT_POSSIBLE 0
#else
#define MEMLIMIT_POSSIBLE 1
#endif

__attribute__((unused)) static bool memlimit_set(size_t extra)
{
	struct rlimit lim;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f)
		return false;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	fclose(f);
	getrlimit(RLIMIT_AS, &lim);
	lim.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + extra;
	return MEMLIMIT_POSSIBLE && pages && !setrlimit(RLIMIT_AS, &lim);
}

__attribute__((unused)) static void memlimit_lift(void)
{
	struct rlimit lim;

	getrlimit(RLIMIT_AS, &lim);
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_AS, &lim);
}

#endif
