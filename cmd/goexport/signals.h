/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goexport makes of signals: Ctrl-C passes it by until the input ends (it
 * reaches the whole pipeline, and the last spans must come through), SIGTERM ends
 * the input, a second one kills, SIGPIPE is an error of write(2).
 */
#ifndef GOEXPORT_SIGNALS_H
#define GOEXPORT_SIGNALS_H

#include <pthread.h>

/*
 * Keeps descriptors 0 to 2 taken where the caller closed them, so that no socket
 * becomes standard output by accident; using them still fails with EBADF.
 */
void signals_reserve_std(void);

void signals_setup(void);
/* Ctrl-C is still let pass, but remembered: for sinks that stay when the input ends. */
void signals_note_interrupt(void);
/* As if SIGTERM had come: ends the input. From any thread. */
void signals_end(void);
/* Whether SIGTERM or, since signals_note_interrupt(), SIGINT has come. */
int signals_asked_to_end(void);
/* Waits for SIGINT or SIGTERM; from then on both kill. */
void signals_wait(void);
/* The input has ended: from now on Ctrl-C kills, as a flush may take its time. */
void signals_flushing(void);
/* Whether SIGTERM has come. */
int signals_stopped(void);

/* pthread_create() for a thread that no signal is delivered to. 0 or -errno. */
int signals_free_thread(pthread_t *t, void *(*fn)(void *), void *arg);
/* The same for a library that makes its own: between these two. */
void signals_block(void);
void signals_unblock(void);

#endif
