/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to people, on stderr. Only programs call this; library code fills a
 * struct errinfo instead. Each message is one write(2), because five programs
 * share a terminal; control bytes are masked, because text may come from a
 * traced program (LF too, but for debug messages). Nothing here fails.
 */
#ifndef GOTAP_DIAG_H
#define GOTAP_DIAG_H

#include <stdbool.h>

enum diag_level {
	DIAG_ERROR,   /* "prog: text" */
	DIAG_WARNING, /* "prog: warning: text" */
	DIAG_NOTE,    /* "prog: text", left out with -q */
	DIAG_DEBUG,   /* "prog: text", only with -v */
};

/* Sets the name in front of every message; @prog is borrowed for good. */
void diag_init(const char *prog);
/* The name given to diag_init(). */
const char *diag_prog(void);
/* -q leaves notes out, -v lets debug messages through. */
void diag_quiet(bool on);
void diag_verbose(bool on);
bool diag_is_quiet(void);
bool diag_is_verbose(void);

void diag(enum diag_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
