/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why the kernel or libbpf refused to load, in one line for people: found in what
 * libbpf said and in what is known of this process. libbpf's messages are kept from
 * loadlog_start() on, and shown line by line with -v.
 */
#ifndef GOATTACH_LOADLOG_H
#define GOATTACH_LOADLOG_H

#include <stdbool.h>

#include "errinfo.h"
#include "hostinfo.h"

/* Takes libbpf's messages from now on, and forgets those from before. */
void loadlog_start(void);
/* All that libbpf said, at most the last megabyte; "" if nothing. Borrowed. */
const char *loadlog_text(void);
void loadlog_release(void);

struct load_facts {
	const struct hostinfo *host;
	bool memlock_counts; /* maps count against RLIMIT_MEMLOCK */
};

/*
 * What @ret (-errno of loading) and libbpf's @text mean and what to do about it, in
 * @e. Returns @ret.
 */
int loadlog_explain(int ret, const char *text, const struct load_facts *f, struct errinfo *e);

/* "CAP_BPF and CAP_PERFMON": those of what tracing needs that are missing; "" if none. */
const char *loadlog_missing(const struct hostinfo *h);

#endif
