// SPDX-License-Identifier: Apache-2.0
#include "otlp_reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "otlp.pb-c.h"

static void copy_message(ProtobufCBinaryData from, char *msg, size_t size)
{
	snprintf(msg, size, "%.*s", (int)(from.len < size ? from.len : size),
		 from.data ? (const char *)from.data : "");
}

int otlp_reply_success(const void *body, size_t len, uint64_t *rejected, char *msg, size_t size)
{
	Otlp__ExportServiceResponse *r = otlp__export_service_response__unpack(NULL, len, body);

	*rejected = 0;
	*msg = '\0';
	if (!r)
		return -EINVAL;
	if (r->partial_success) {
		if (r->partial_success->rejected > 0)
			*rejected = (uint64_t)r->partial_success->rejected;
		copy_message(r->partial_success->error_message, msg, size);
	}
	otlp__export_service_response__free_unpacked(r, NULL);
	return 0;
}

/* google.rpc.RetryInfo (error_details.proto): how long to wait, in milliseconds. */
static int64_t retry_info(const Otlp__Any *any)
{
	static const char type[] = "type.googleapis.com/google.rpc.RetryInfo";
	Otlp__RetryInfo *info;
	int64_t ms = -1;

	if (any->type_url.len != sizeof(type) - 1 ||
	    memcmp(any->type_url.data, type, sizeof(type) - 1))
		return -1;
	info = otlp__retry_info__unpack(NULL, any->value.len, any->value.data);
	if (!info)
		return -1;
	ms = 0;
	if (info->retry_delay && info->retry_delay->seconds >= 0 &&
	    info->retry_delay->seconds <= 86400)
		ms = info->retry_delay->seconds * 1000 + info->retry_delay->nanos / 1000000;
	otlp__retry_info__free_unpacked(info, NULL);
	return ms < 0 ? 0 : ms;
}

int64_t otlp_reply_error(const void *body, size_t len, char *msg, size_t size)
{
	Otlp__RpcStatus *s = otlp__rpc_status__unpack(NULL, len, body);
	int64_t ms = -1;

	*msg = '\0';
	if (!s)
		return -1;
	copy_message(s->message, msg, size);
	for (size_t i = 0; i < s->n_details && ms < 0; i++)
		ms = retry_info(s->details[i]);
	otlp__rpc_status__free_unpacked(s, NULL);
	return ms;
}
