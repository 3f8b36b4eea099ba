/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which spans are sampled: --sampler, or OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG,
 * by the OpenTelemetry specification (Configuration, general SDK configuration). The
 * decision itself is the BPF side's.
 */
#ifndef GOATTACH_SAMPLER_H
#define GOATTACH_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "errinfo.h"
#include "gotap_abi.h"

struct sampling {
	/* For each enum gotap_sample_rule: trace ids below this are sampled, see sample.bpf.h. */
	uint64_t below[GOTAP_SAMPLE_RULES];
	bool drop;	     /* no records of spans that are not */
	uint32_t per_second; /* new traces, 0: no limit */
};

/* parentbased_always_on, and no limit */
void sampling_init(struct sampling *s);

/*
 * "always_on", "always_off", "traceidratio:RATIO", and the same behind "parentbased_", with
 * ",remote_parent_not_sampled=always_on" and so on behind it. 0, or -EINVAL with @e filled.
 */
int sampling_parse(struct sampling *s, const char *text, struct errinfo *e);

/*
 * From the values of the two variables, NULL where they are not set. What the SDK does not
 * know leaves @s alone, a ratio that is none is 1: -EINVAL with @e filled in both cases.
 */
int sampling_env(struct sampling *s, const char *sampler, const char *arg, struct errinfo *e);

#endif
