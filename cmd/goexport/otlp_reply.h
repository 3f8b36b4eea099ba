/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an OTLP receiver answers, read out of protobuf (otlp.proto, by protobuf-c). Called by
 * otlp_answer_*.c with bytes from the network, which may be anything; owns nothing.
 */
#ifndef GOEXPORT_OTLP_REPLY_H
#define GOEXPORT_OTLP_REPLY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the body of a success, of traces or metrics: how many spans or points the
 * receiver refused, and what it says about it (cut to fit, "" if nothing). -EINVAL
 * if that is no answer of OTLP.
 */
int otlp_reply_success(const void *body, size_t len, uint64_t *rejected, char *msg, size_t size);
/*
 * Reads a google.rpc.Status: its message ("" where there is none) and, in
 * milliseconds, the delay of a RetryInfo among its details; -1 if there is none.
 */
int64_t otlp_reply_error(const void *body, size_t len, char *msg, size_t size);

#endif
