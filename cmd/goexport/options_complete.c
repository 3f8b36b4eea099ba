// SPDX-License-Identifier: Apache-2.0
#include "options_complete.h"

#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "otlp_env.h"
#include "resource_env.h"
#include "usage.h"

/* Lays the settings of each receiver together. */
static void complete_otlp(struct options *o)
{
	for (size_t i = 0; i < o->n_sinks; i++) {
		struct sink_choice *s = &o->sinks[i];
		struct otlp_choice env;

		if (s->kind != SINK_OTLP && s->kind != SINK_OTLP_METRICS)
			continue;
		otlp_choice_under(&s->otlp, &o->otlp);
		otlp_env_choice(o, s->kind == SINK_OTLP ? OTLP_TRACES : OTLP_METRICS, &env);
		otlp_choice_under(&s->otlp, &env);
		if (!s->otlp.protocol)
			s->otlp.protocol = OTLP_HTTP_PROTOBUF;
		if (!s->otlp.timeout_ms)
			s->otlp.timeout_ms = 10000;
	}
}

unsigned options_on_stdout(const struct options *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->n_sinks; i++)
		n += o->sinks[i].kind == SINK_TREE || o->sinks[i].kind == SINK_TOP ||
		     (o->sinks[i].kind == SINK_FILE && !strcmp(o->sinks[i].target, "-"));
	return n;
}

int options_complete(struct options *o)
{
	resource_env_read(o);
	otlp_env_sinks(o);
	if (o->disabled) {
		diag(DIAG_NOTE, "OTEL_SDK_DISABLED: nothing is exported");
		o->n_sinks = 0;
	} else if (!o->n_sinks && !o->exporters_set) {
		if (!isatty(STDOUT_FILENO))
			return usage_error("no sink named, and stdout is no terminal for --tree");
		o->sinks[o->n_sinks++] = (struct sink_choice){ .kind = SINK_TREE };
	}
	if (options_on_stdout(o) > 1)
		return usage_error("more than one sink on standard output");
	complete_otlp(o);
	return -1;
}
