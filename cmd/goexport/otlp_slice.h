/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of a request, for a receiver that does not take it as a whole. Called by otlp_sender
 * after a 413; the part belongs to the caller, the whole stays as it is.
 */
#ifndef GOEXPORT_OTLP_SLICE_H
#define GOEXPORT_OTLP_SLICE_H

#include <stdbool.h>

#include "parcel.h"

/*
 * A request of the spans from @from to below @to (counted as they stand in it) of
 * @p, a request for traces that was made here, in protobuf or JSON. NULL if it is
 * none, or when out of memory.
 */
struct parcel *otlp_slice(const struct parcel *p, bool json, uint32_t from, uint32_t to);

#endif
