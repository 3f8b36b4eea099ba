/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks before anything is attached: the file that a process runs is the one
 * that the plan was made for, and has at each site the instruction that the plan
 * says, and a whole one. Nothing is kept.
 */
#ifndef GOATTACH_VERIFY_H
#define GOATTACH_VERIFY_H

#include "errinfo.h"
#include "gobin.h"
#include "probe.h"

/*
 * Whether all sites of @p are in executable segments of @b, hold the plan's bytes,
 * and are one whole instruction each that decoding from the function's entry meets, if
 * the plan has that. 0, or -EINVAL with what differs in @e and the site in *@site.
 */
int verify_probe(const struct gobin *b, const struct probe *p, const struct site **site,
		 struct errinfo *e);

#endif
