/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as JavaScript and the Collector write them, for OTLP/JSON and pages of Prometheus.
 * The buffer is the caller's, and large enough by type: nothing fails.
 */
#ifndef GOEXPORT_NUMBER_H
#define GOEXPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Room for any of them, and a NUL. */
#define NUMBER_MAX 40

/*
 * @d, which must be finite, in as few digits as give the same number back: without
 * an exponent from 1e-6 to below 1e21 (ECMA-262, Number::toString). The length.
 */
size_t number_double(char buf[NUMBER_MAX], double d);
/* The digits of @n, without a NUL; how many. */
size_t number_u64(char buf[20], uint64_t n);

#endif
