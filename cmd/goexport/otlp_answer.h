/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a receiver's response means, by HTTP and by gRPC: taken, to be sent again, to be made
 * smaller, or refused. Called by otlp_http. Any bytes are an answer; nothing fails.
 */
#ifndef GOEXPORT_OTLP_ANSWER_H
#define GOEXPORT_OTLP_ANSWER_H

#include "otlp_http.h"

/* Both fill @a, whose fields are at their defaults. */
void otlp_answer_http(const struct otlp_response *r, struct otlp_answer *a);
void otlp_answer_grpc(const struct otlp_response *r, struct otlp_answer *a);

#endif
