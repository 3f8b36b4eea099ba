/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How full the maps are, and what goattach itself takes: for stats records. Asks the
 * kernel each time, which for maps with many entries takes milliseconds.
 */
#ifndef GOATTACH_FILL_H
#define GOATTACH_FILL_H

#include <stdint.h>

/* Entries of a hash map; 0 if that cannot be told. Others may come and go meanwhile. */
uint32_t fill_entries(int map_fd);
/* Kernel memory of a map in KiB, as the kernel reckons it; 0 if that cannot be told. */
uint64_t fill_kib(int map_fd);
/* CPU time of goattach since its start, in milliseconds, and memory in core, in KiB. */
uint64_t self_cpu_ms(void);
uint64_t self_rss_kib(void);

#endif
