/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a program alive when a file that it has mapped is cut short by somebody
 * else: reading past the new end raises SIGBUS. With the guard such pages read as
 * zeros instead, which whoever reads the file takes for a broken one. Running
 * executables can be cut too on Linux 6.11 and 6.12, others always.
 *
 * For programs that map files of others (gobin.h); not for writable mappings.
 */
#ifndef GOTAP_MAPGUARD_H
#define GOTAP_MAPGUARD_H

/* Catches SIGBUS from now on. Call it once; it cannot fail. */
void mapguard_init(void);
/* How many pages have been replaced so far: a difference tells that a file shrank. */
unsigned long mapguard_hits(void);

#endif
