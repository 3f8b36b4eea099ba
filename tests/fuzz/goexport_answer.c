// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as what an OTLP receiver answers, by HTTP and by gRPC. Input: a byte for
 * the protocol and the kind of body, the status, then gRPC's message and details and
 * the body, each behind a NUL.
 */
#include <stdlib.h>
#include <string.h>

#include "../../cmd/goexport/otlp_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *next(const char **p, const char *end)
{
	const char *s = *p, *nul = memchr(s, '\0', (size_t)(end - s));

	*p = nul ? nul + 1 : end;
	return nul ? s : "";
}

static void check(const struct otlp_answer *a)
{
	if (!memchr(a->text, '\0', sizeof(a->text)) || a->verdict > OTLP_DENIED)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "application/x-protobuf", "application/json",
					     "text/plain", "" };
	struct otlp_answer a = { .retry_after_ms = -1 };
	struct otlp_response r = { .retry_after_ms = -1, .grpc_status = -1 };
	const char *p, *end;
	char *copy;

	if (size < 3)
		return 0;
	copy = malloc(size - 2);
	if (!copy)
		return 0;
	memcpy(copy, data + 3, size - 3);
	copy[size - 3] = '\0'; /* a body has one, too */
	p = copy;
	end = copy + size - 3;
	r.type = types[data[0] / 2 % 4];
	r.status = 100 + 2 * (long)data[1];
	r.grpc_status = (int)data[2] % 20 - 1;
	r.grpc_message = next(&p, end);
	r.grpc_details = next(&p, end);
	r.body = p;
	r.len = (size_t)(end - p);
	if (data[0] & 1)
		otlp_answer_grpc(&r, &a);
	else
		otlp_answer_http(&r, &a);
	check(&a);
	free(copy);
	return 0;
}
