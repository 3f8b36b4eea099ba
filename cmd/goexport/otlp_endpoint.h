/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OTLP receiver as a sink knows it: where, and how to talk to it, checked as far
 * as that goes without connecting. It keeps libcurl initialised.
 */
#ifndef GOEXPORT_OTLP_ENDPOINT_H
#define GOEXPORT_OTLP_ENDPOINT_H

#include "errinfo.h"
#include "options.h"

struct otlp_endpoint {
	char *url, *shown; /* shown: without secrets */
	struct otlp_choice how;
	bool curl;
};

/* 0; -EINVAL for a wrong URL or a file that cannot be read, or -ENOMEM; the reason in @e. */
int otlp_endpoint_init(struct otlp_endpoint *to, const struct sink_choice *c,
		       enum otlp_signal signal, struct errinfo *e);
void otlp_endpoint_release(struct otlp_endpoint *to);

#endif
