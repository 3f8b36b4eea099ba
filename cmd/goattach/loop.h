/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting: for records on stdin, events in the ring, the end of processes, signals,
 * and the reader going away. One thread, one epoll.
 *
 * While events come the ring is read on a tick, which is short after quiet and grows
 * while it brings few of them. When a tick finds nothing the BPF side is told to wake
 * for its next record, and goattach sleeps.
 */
#ifndef GOATTACH_LOOP_H
#define GOATTACH_LOOP_H

#include <signal.h>

#include "errinfo.h"
#include "tracer.h"

/* The signals that ask us to end, for a signalfd. */
void loop_signals(sigset_t *set);

/* 0 or -errno with @e. t->output and t->kernel are ready. */
int loop_init(struct tracer *t, struct errinfo *e);
void loop_release(struct tracer *t);
/* Whether a signal has come that is to stop goattach. */
bool loop_signalled(const struct tracer *t);
/* Runs until the end; returns an enum gotap_exit. Probes are taken away before. */
int loop_run(struct tracer *t);

#endif
