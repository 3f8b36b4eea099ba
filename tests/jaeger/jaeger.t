#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Jaeger gets spans by gRPC and by HTTP; what its query interface says of each is
# compared with the stream. Not part of make check: building Jaeger takes minutes.
. "$(dirname "$0")/../pipeline.sh"
. "$(dirname "$0")/../cli/otlp.sh"
require_go
require_command jq curl

jaeger=$TOP/build/targets/jaeger
mkdir -p "$TOP/build/targets"
if [ ! -x "$jaeger" ] || [ -n "$(find "$TOP/tests/targets/jaeger/go.mod" -newer "$jaeger")" ]; then
	(cd "$TOP/tests/targets/jaeger" &&
		GOFLAGS=-buildvcs=false nice go build -o "$jaeger" github.com/jaegertracing/jaeger/cmd/jaeger) \
		>"$TMP/build.err" 2>&1 || bail "no Jaeger"
fi
http=$(free_port) grpc=$(free_port) query=$(free_port) other=$(free_port)
cat >"$TMP/jaeger.yaml" <<END
service:
  extensions: [jaeger_storage, jaeger_query]
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [jaeger_storage_exporter]}
extensions:
  jaeger_storage: {backends: {memory: {memory: {max_traces: 100000}}}}
  jaeger_query:
    storage: {traces: memory}
    http: {endpoint: "127.0.0.1:$query"}
    grpc: {endpoint: "127.0.0.1:$other"}
receivers:
  otlp:
    protocols:
      http: {endpoint: "127.0.0.1:$http"}
      grpc: {endpoint: "127.0.0.1:$grpc"}
exporters:
  jaeger_storage_exporter: {trace_storage: memory}
END
"$jaeger" --config "file:$TMP/jaeger.yaml" >"$TMP/jaeger.err" 2>&1 &
on_exit "stop $! KILL"
wait_for "curl -sf http://127.0.0.1:$query/api/services >/dev/null" 60 || bail "Jaeger does not answer"

cp "$TOP/tests/golden/goexport/spans.jsonl" "$TMP/in"
spans 40 4097 | sed 's/"trace_id":"[0-9a-f]*"/"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"/' >"$TMP/in2"
run --otlp "127.0.0.1:$grpc" --otlp-protocol grpc --otlp-insecure --otlp-compression gzip
is "$status" 0 "by gRPC" || diag "$err"
cp "$TMP/in2" "$TMP/in"
run --otlp "http://127.0.0.1:$http"
is "$status" 0 "by HTTP" || diag "$err"

cat "$TOP/tests/golden/goexport/spans.jsonl" "$TMP/in2" >"$TMP/all"
# Each span by its fields; of attributes those that are text or whole numbers, which Jaeger shows as they are.
jq -cS 'select(.type == "span") | {trace: .trace_id, span: .span_id, parent: (.parent_id // ""), name,
	start: (.start[:-3] | tonumber), took: (((.end[-15:] | tonumber) - (.start[-15:] | tonumber)) / 1000 | floor),
	kind: (.kind // "internal"),
	attributes: ((.attributes // {}) | with_entries(select(.key != "" and ((.value | type) == "string" or
		((.value | type) == "number" and .value == (.value | floor) and (.value | fabs) < 1e15)))))}' \
	"$TMP/all" | sort >"$TMP/want"
: >"$TMP/got"
for id in $(jq -r .trace "$TMP/want" | sort -u); do
	wait_for "curl -sf http://127.0.0.1:$query/api/traces/$id >/dev/null" 10
	curl -s "http://127.0.0.1:$query/api/traces/$id" |
		jq -cS --slurpfile want "$TMP/want" '.data[0].spans[] | . as $s
			| ($want[] | select(.span == $s.spanID and .trace == $s.traceID)) as $w
			| {trace: .traceID, span: .spanID, parent: ([.references[] | select(.refType == "CHILD_OF").spanID][0] // ""),
				name: .operationName, start: .startTime, took: .duration,
				kind: ([.tags[] | select(.key == "span.kind").value][0] // "internal"),
				attributes: (reduce (.tags[] | select($w.attributes[.key] != null)) as $t ({}; .[$t.key] = $t.value))}'
done | sort >"$TMP/got"
is "$(wc -l <"$TMP/got")" "$(wc -l <"$TMP/want")" "every span is there"
ok "$(cmp -s "$TMP/want" "$TMP/got"; echo $?)" "field by field" || diag "$(diff "$TMP/want" "$TMP/got" | head -n 6)"
is "$(curl -s "http://127.0.0.1:$query/api/services" | jq -c '.data | sort')" '["cart","shop","unknown_service"]' "the services"
done_testing
