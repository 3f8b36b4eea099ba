// SPDX-License-Identifier: Apache-2.0
#include "collectors.h"

#include <stddef.h>
#include <string.h>

#include "service.h"

/* Each stands for itself and for what is below it. */
static const char *const prefixes[] = {
	"go.opentelemetry.io/collector",
	"github.com/open-telemetry/opentelemetry-collector",
	"github.com/open-telemetry/opentelemetry-collector-contrib",
	"github.com/open-telemetry/opentelemetry-collector-releases",
	"github.com/open-telemetry/opentelemetry-ebpf-profiler",
	"github.com/open-telemetry/opentelemetry-operator",
	"go.opentelemetry.io/auto",
	"go.opentelemetry.io/obi",
	"go.opentelemetry.io/ebpf-profiler",
	"github.com/grafana/alloy",
	"github.com/grafana/agent",
	"github.com/grafana/beyla",
	"github.com/grafana/tempo",
	"github.com/jaegertracing/jaeger",
	"github.com/DataDog/datadog-agent",
	"github.com/elastic/apm-server",
	"github.com/elastic/elastic-agent",
	"github.com/signalfx/splunk-otel-collector",
	"github.com/aws-observability/aws-otel-collector",
	"github.com/honeycombio/refinery",
	"github.com/influxdata/telegraf",
	"github.com/SigNoz/signoz",
	"github.com/VictoriaMetrics/VictoriaTraces",
};

static bool is_below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(path, prefix, n) && (path[n] == '\0' || path[n] == '/');
}

/* What the Collector's own builder (ocb) calls its modules by default and in its docs. */
static bool is_built_collector(const char *path)
{
	struct text name = module_name(path);

	return (name.len >= 7 && !memcmp(name.s, "otelcol", 7)) ||
	       (name.len >= 23 && !memcmp(name.s, "opentelemetry-collector", 23));
}

bool is_collector(const char *module, const char *package)
{
	const char *path = *module ? module : package;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (is_below(path, prefixes[i]))
			return true;
	return is_built_collector(path);
}
