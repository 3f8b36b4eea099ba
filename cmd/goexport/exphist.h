/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram whose buckets grow by a constant factor, 2^(2^-scale): bucket i holds
 * what is above base^i and not above base^(i+1) (OpenTelemetry data model,
 * "ExponentialHistogram"; Prometheus calls it native). It starts fine and gets coarser
 * when values lie too far apart for its buckets. For values of 0 and more.
 */
#ifndef GOEXPORT_EXPHIST_H
#define GOEXPORT_EXPHIST_H

#include <stdint.h>

#define EXPHIST_BUCKETS 160 /* as many as the SDKs have */
#define EXPHIST_SCALE	20  /* the finest, and the first */
/* Prometheus knows no finer ones (schema 8) and no coarser ones than -4. */
#define EXPHIST_PROM_SCALE 8

struct exphist {
	int scale;
	int32_t offset; /* the index of counts[0] */
	uint32_t n;	/* buckets in use */
	uint64_t zero;
	uint64_t counts[EXPHIST_BUCKETS];
};

/* An empty one that is no finer than @scale. */
void exphist_init(struct exphist *h, int scale);
void exphist_record(struct exphist *h, double v);

#endif
