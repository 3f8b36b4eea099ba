/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a capture of a plan (gotap-jsonl(5), "probe") to ops for the BPF
 * program. Used by probe.c alone.
 */
#ifndef GOATTACH_CAPTURE_H
#define GOATTACH_CAPTURE_H

#include "probe.h"

/*
 * Reads one capture into @c, which the caller releases also after a failure.
 * @n_args: integer argument registers of the architecture. 0; -EINVAL: malformed;
 * -E2BIG: past a limit of goattach; -ENOMEM; with the reason in @e.
 */
int capture_parse(struct jsonv_doc *d, const struct jsonv *v, uint32_t n_args, struct capture *c,
		  struct errinfo *e);
void capture_release(struct capture *c);

/*
 * Reads the ops that lead to g: a register, then up to GOTAP_MAX_G_LOADS loads.
 * Errors as above.
 */
int capture_parse_g(struct jsonv_doc *d, const struct jsonv *ops, uint32_t n_args, struct probe *p,
		    struct errinfo *e);

#endif
