#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real OpenTelemetry Collector receives the spans: every field of every span is
# compared with the stream.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

otelcol=$(build_target otelcol) || bail "no Collector"
server=$(build_target server) || bail "no server"
port=$(free_port)
cat >"$TMP/otelcol.yaml" <<END
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:$port
exporters:
  file:
    path: $TMP/received
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [file]
END
"$otelcol" --config "file:$TMP/otelcol.yaml" >"$TMP/otelcol.err" 2>&1 &
collector=$!
on_exit "stop $collector KILL"
wait_port "$port" || bail "the Collector does not listen"

OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test,service.name=shop
export OTEL_RESOURCE_ATTRIBUTES
start_target "$server"
unset OTEL_RESOURCE_ATTRIBUTES
EXPORT_ARGS="--otlp http://127.0.0.1:$port --file $TMP/written"
start_pipeline --pid "$TARGET_PID"
load -n 1990 -paths '/hello,/status/404,/status/500,/panic,/any/x?y=z,/deep,/hijack,/goexit,/empty,/go' >"$TMP/load"
load -n 10 -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' >>"$TMP/load"
curl -s -o /dev/null "http://$TARGET_ADDR/any/%ff%22%5c%0a"
stop_pipeline
is "$status_goexport" 0 "goexport ends with status 0"
wait_for "[ \"\$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' $TMP/received)\" = 2001 ]" 10
ok $? "the Collector has 2,001 spans"
stop "$collector"

# One line for each span, by its fields, from the stream and from OTLP/JSON.
jq -cS 'select(.type == "span") | {
	trace: .trace_id, span: .span_id, parent: (.parent_id // ""), name, scope,
	kind: {internal: 1, server: 2, client: 3, producer: 4, consumer: 5}[.kind],
	start, "end": .end, flags: ((.flags // 0) % 256),
	status: {unset: 0, ok: 1, error: 2}[.status], message: (.status_message // ""),
	attributes: (.attributes // {} | map_values(tostring))}' "$TMP/spans" | sort >"$TMP/want"
from_otlp() {
	jq -cS '.resourceSpans[].scopeSpans[] | .scope.name as $scope | .spans[] | {
		trace: .traceId, span: .spanId, parent: (.parentSpanId // ""), name, scope: $scope, kind,
		start: .startTimeUnixNano, "end": .endTimeUnixNano, flags: ((.flags // 0) % 256),
		status: (.status.code // 0), message: (.status.message // ""),
		attributes: (reduce (.attributes // [])[] as $a ({}; .[$a.key] =
			($a.value | .stringValue // .intValue // .doubleValue // .boolValue | tostring)))}' "$1" |
		sort
}
from_otlp "$TMP/received" >"$TMP/got"
ok "$(diff "$TMP/want" "$TMP/got" >"$TMP/diff"; echo $?)" "every field of every span arrived" ||
	diag "$(head -n 6 "$TMP/diff")"
from_otlp "$TMP/written" >"$TMP/got"
ok "$(diff "$TMP/want" "$TMP/got" >"$TMP/diff"; echo $?)" "and is in the file of --file" ||
	diag "$(head -n 6 "$TMP/diff")"

resource() {
	jq -r --arg k "$1" '.resourceSpans[].resource.attributes[] | select(.key == $k)
		| .value | .stringValue // .intValue' "$TMP/received" | sort -u
}
is "$(resource service.name)" shop "the resource has the service's name"
is "$(resource deployment.environment.name)" test "and the attributes of the environment"
is "$(resource process.pid)" "$TARGET_PID" "and the process"
is "$(resource telemetry.sdk.language)" go "and the language"
is "$(jq -r '.parent' "$TMP/want" | grep -c b7ad6b7169203331)" 10 "a remote parent is the parent"
is "$(grep -c 0af7651916cd43dd8448eb211c80319c "$TMP/want")" 10 "and its trace goes on"
done_testing
