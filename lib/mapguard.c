// SPDX-License-Identifier: Apache-2.0
#include "mapguard.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned long hits;
static uintptr_t page_size;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));
	int saved = errno;

	(void)context;
	/* Anything but a fault past the end of a file is a bug of ours. */
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	hits++;
	errno = saved;
}

void mapguard_init(void)
{
	struct sigaction act = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &act, NULL);
}

unsigned long mapguard_hits(void)
{
	return hits;
}
