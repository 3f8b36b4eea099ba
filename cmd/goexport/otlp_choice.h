/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How to talk to an OTLP receiver, as far as somebody said: the options behind an
 * --otlp, the options before the first one, the variables of a signal, those of
 * all signals. Each is one such struct; laid over each other in this order they
 * make the settings. All text is borrowed.
 */
#ifndef GOEXPORT_OTLP_CHOICE_H
#define GOEXPORT_OTLP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OTLP_MAX_HEADERS 64

enum otlp_signal {
	OTLP_TRACES,
	OTLP_METRICS,
};

enum otlp_protocol {
	OTLP_PROTOCOL_UNSET,
	OTLP_HTTP_PROTOBUF,
	OTLP_HTTP_JSON,
	OTLP_GRPC,
};

enum otlp_compression {
	OTLP_COMPRESSION_UNSET,
	OTLP_UNCOMPRESSED,
	OTLP_GZIP,
};

struct otlp_choice {
	enum otlp_protocol protocol;
	enum otlp_compression compression;
	int64_t timeout_ms; /* 0: unset */
	const char *ca, *cert, *key;
	bool insecure;				   /* gRPC to an endpoint without a scheme */
	const char *headers[OTLP_MAX_HEADERS + 1]; /* "Name: value" */
	size_t n_headers;
};

/* Fills in what @c does not say from @lower, headers by name. */
void otlp_choice_under(struct otlp_choice *c, const struct otlp_choice *lower);

/* OTLP_PROTOCOL_UNSET, or OTLP_COMPRESSION_UNSET, if there is none of that name. */
enum otlp_protocol otlp_protocol_named(const char *name);
enum otlp_compression otlp_compression_named(const char *name);

/*
 * "key=value" (@decode: the value percent-decoded), divided at the first '=', as a
 * header line "key: value" in new memory; NULL if it is none.
 */
char *otlp_header_line(const char *pair, size_t len, bool decode);

#endif
