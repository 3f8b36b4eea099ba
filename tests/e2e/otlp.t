#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real OpenTelemetry Collector gets the same spans by every way that goexport knows:
# HTTP and gRPC, protobuf and JSON, compressed or not, in clear text, by TLS and with
# client certificates. What comes in is compared with what --file writes.
. "$(dirname "$0")/../pipeline.sh"
. "$(dirname "$0")/../cli/otlp.sh"
require_go
require_command jq openssl

otelcol=$(build_target otelcol) || bail "no Collector"
http=$(free_port) grpc=$(free_port) https=$(free_port) grpcs=$(free_port)
mhttps=$(free_port) mgrpcs=$(free_port) old=$(free_port)

# certificate NAME DAYS: signed by the CA, for this machine.
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$TMP/$1.key" -out "$TMP/$1.csr" -subj /CN=localhost
	openssl x509 -req -in "$TMP/$1.csr" -CA "$TMP/ca.crt" -CAkey "$TMP/ca.key" -CAcreateserial \
		-days "$2" -extfile "$TMP/ext" -out "$TMP/$1.crt"
}
printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\n' >"$TMP/ext"
{
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/ca.key" -out "$TMP/ca.crt" -days 2 -subj /CN=ca
	certificate server 2
	certificate client 2
	certificate old -1
} >"$TMP/openssl.err" 2>&1 || bail "no certificates"

tls="tls: {cert_file: $TMP/server.crt, key_file: $TMP/server.key"
cat >"$TMP/otelcol.yaml" <<END
receivers:
  otlp:
    protocols:
      http: {endpoint: "127.0.0.1:$http"}
      grpc: {endpoint: "127.0.0.1:$grpc"}
  otlp/tls:
    protocols:
      http: {endpoint: "127.0.0.1:$https", $tls}}
      grpc: {endpoint: "127.0.0.1:$grpcs", $tls}}
  otlp/mutual:
    protocols:
      http: {endpoint: "127.0.0.1:$mhttps", $tls, client_ca_file: $TMP/ca.crt}}
      grpc: {endpoint: "127.0.0.1:$mgrpcs", $tls, client_ca_file: $TMP/ca.crt}}
  otlp/old:
    protocols:
      http: {endpoint: "127.0.0.1:$old", tls: {cert_file: $TMP/old.crt, key_file: $TMP/old.key}}
exporters:
  file: {path: $TMP/received, append: true}
  file/metrics: {path: $TMP/metrics, append: true}
service:
  telemetry:
    metrics: {level: none}
  pipelines:
    traces:
      receivers: [otlp, otlp/tls, otlp/mutual, otlp/old]
      exporters: [file]
    metrics:
      receivers: [otlp, otlp/tls]
      exporters: [file/metrics]
END
"$otelcol" --config "file:$TMP/otelcol.yaml" >"$TMP/otelcol.err" 2>&1 &
collector=$!
on_exit "stop $collector KILL"
for port in $http $grpc $https $grpcs $mhttps $mgrpcs $old; do
	wait_port "$port" || bail "the Collector does not listen"
done

{ cat "$TOP/tests/golden/goexport/spans.jsonl" && spans 1200; } >"$TMP/in"
"$G" --file "$TMP/written" <"$TMP/in"
# One line for each span with its resource and scope; the sign of an empty member is its absence.
flat() {
	jq -cS '.resourceSpans[] | .resource as $r | .schemaUrl as $u | .scopeSpans[] | .scope as $s | .spans[] |
		{resource: $r, scope: $s, schema: $u, span: .} | del(.. | select(. == {} or . == []))' "$1" | sort
}
flat "$TMP/written" >"$TMP/want"
n=$(wc -l <"$TMP/want")
is "$n" 1216 "spans to send"
# arrives NAME ARGUMENT...: by this way all spans arrive as they are.
arrives() {
	_name=$1
	shift
	: >"$TMP/received"
	run "$@"
	wait_for "[ \"\$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' $TMP/received 2>/dev/null)\" = $n ]" 20
	flat "$TMP/received" >"$TMP/got"
	cmp -s "$TMP/want" "$TMP/got"
	is "$status $?" "0 0" "$_name" || diag "$err
$(diff "$TMP/want" "$TMP/got" | head -n 6)"
}
arrives "HTTP" --otlp "http://127.0.0.1:$http"
arrives "HTTP, gzip" --otlp "http://127.0.0.1:$http" --otlp-compression gzip
arrives "HTTP, JSON" --otlp "http://127.0.0.1:$http" --otlp-protocol http/json
arrives "HTTP, JSON, gzip" --otlp "http://127.0.0.1:$http" --otlp-protocol http/json --otlp-compression gzip
arrives "gRPC" --otlp "127.0.0.1:$grpc" --otlp-protocol grpc --otlp-insecure
arrives "gRPC, gzip, many requests" --otlp "http://127.0.0.1:$grpc" --otlp-protocol grpc --otlp-compression gzip --batch 50
arrives "HTTP by TLS" --otlp "https://127.0.0.1:$https" --otlp-ca "$TMP/ca.crt"
arrives "gRPC by TLS, many requests" --otlp "localhost:$grpcs" --otlp-protocol grpc --otlp-ca "$TMP/ca.crt" --batch 50
proxy up=3000 down=40 pass
: >"$TMP/received"
http_proxy=$proxy run --otlp "127.0.0.1:$grpc" --otlp-protocol grpc --otlp-insecure
wait_for "[ \"\$(flat $TMP/received 2>/dev/null | uniq | wc -l)\" = $n ]" 20
flat "$TMP/received" | uniq >"$TMP/got"
is "$status $(cmp "$TMP/want" "$TMP/got") $(grep -c ' CONNECT cut$' "$cuts")" "0  2" \
	"gRPC through a proxy that cuts connections" || diag "$err $(cat "$cuts")"
proxy_end
export OTEL_EXPORTER_OTLP_CERTIFICATE="$TMP/ca.crt" OTEL_EXPORTER_OTLP_CLIENT_KEY="$TMP/client.key"
export OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE="$TMP/client.crt"
arrives "HTTP with a client certificate" --otlp "https://127.0.0.1:$mhttps"
arrives "gRPC with a client certificate" --otlp "https://127.0.0.1:$mgrpcs" --otlp-protocol grpc
unset OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE OTEL_EXPORTER_OTLP_CLIENT_KEY
for way in "https://127.0.0.1:$mhttps" "https://127.0.0.1:$mgrpcs --otlp-protocol grpc"; do
	# shellcheck disable=SC2086 # words
	run --otlp $way --flush-timeout 500
	is "$status" 1 "without a client certificate: refused"
done
run --otlp "https://127.0.0.1:$old" --flush-timeout 500
is "$status $(grep -c 'certificate has expired' "$TMP/err")" "1 1" "an expired certificate: said, once" || diag "$err"
unset OTEL_EXPORTER_OTLP_CERTIFICATE
run --otlp "https://127.0.0.1:$https" --flush-timeout 500
is "$status" 1 "a certificate that nobody vouches for"
run --otlp "http://127.0.0.1:$grpc" --flush-timeout 500
is "$status" 1 "HTTP to a port of gRPC"
run --otlp "http://127.0.0.1:$http" --otlp-protocol grpc --flush-timeout 500
is "$status" 1 "gRPC to a port of HTTP"
run --otlp "http://127.0.0.1:$http/nowhere"
like "$err" "127.0.0.1:$http/nowhere/v1/traces: [0-9]+ spans refused: HTTP status 404" "a wrong path"

# --- files --------------------------------------------------------------------------------

# The Collector reads back what --file wrote, of one file and of those of a rotation.
cat >"$TMP/files.yaml" <<END
receivers: {otlpjsonfile: {include: $TMP/written}}
exporters: {file: {path: $TMP/readback}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlpjsonfile], exporters: [file]}}
END
# reads_back NAME
reads_back() {
	: >"$TMP/readback"
	"$otelcol" --config "file:$TMP/files.yaml" >"$TMP/files.err" 2>&1 &
	_reader=$!
	on_exit "stop $_reader KILL"
	wait_for "[ \"\$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' $TMP/readback 2>/dev/null)\" = $n ]" 20
	stop "$_reader"
	flat "$TMP/readback" >"$TMP/got"
	cmp "$TMP/want" "$TMP/got" >"$TMP/cmp" 2>&1
	ok $? "$1" || diag "$(tail -n 3 "$TMP/files.err") $(cat "$TMP/cmp")"
}
reads_back "the Collector reads the lines of --file"
mkdir "$TMP/parts"
"$G" --file "$TMP/parts/f" --file-age 1 --file-gzip --batch 100 <"$TMP/in"
gzip -dc "$TMP/parts/"* >"$TMP/written"
reads_back "and those of compressed files"

# --- metrics ------------------------------------------------------------------------------

echo '{"type":"active","v":1,"pid":4200001,"span":"http.server","count":3,"attributes":{"http.request.method":"GET","url.scheme":"http"}}' >>"$TMP/in"
# points: of each metric and its attributes, the counts.
points() {
	jq -cS '.resourceMetrics[] | (.resource.attributes[] | select(.key == "service.name").value.stringValue) as $s
		| .scopeMetrics[].metrics[] | .name as $n | .unit as $u
		| (.histogram // .sum // .exponentialHistogram) as $d | $d.dataPoints[]
		| [$s, $n, $u, $d.aggregationTemporality, (.count // .asInt),
			([.attributes[]? | "\(.key)=\(.value | .stringValue // .intValue // .boolValue)"] | sort | join(","))]' "$1" | sort -u
}
for way in "http://127.0.0.1:$http" "http://127.0.0.1:$http --otlp-protocol http/json --otlp-compression gzip" \
	"https://localhost:$grpcs --otlp-protocol grpc --otlp-ca $TMP/ca.crt --otlp-compression gzip"; do
	: >"$TMP/metrics"
	# shellcheck disable=SC2086 # words
	run --otlp-metrics $way
	wait_for "jq -e . $TMP/metrics >/dev/null 2>&1" 10
	is "$status $(points "$TMP/metrics" | grep '"http.server.request.duration".*"shop"\|"shop".*http.server.request.duration' | grep -c '"1200"')" \
		"0 1" "metrics: $way" || diag "$err $(points "$TMP/metrics")"
	is "$(jq -c '.resourceMetrics[].scopeMetrics[].metrics[] | select(.name == "http.server.active_requests")
		| [.unit, .sum.isMonotonic // false, .sum.aggregationTemporality, .sum.dataPoints[0].asInt]' "$TMP/metrics")" \
		'["{request}",false,2,"3"]' "and requests under way"
done
points "$TMP/metrics" >"$TMP/explicit"
: >"$TMP/metrics"
OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=base2_exponential_bucket_histogram \
	OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta run --otlp-metrics "http://127.0.0.1:$http"
wait_for "jq -e . $TMP/metrics >/dev/null 2>&1" 10
points "$TMP/metrics" | sed 's/,1,/,2,/' >"$TMP/exponential"
is "$(cat "$TMP/exponential")" "$(cat "$TMP/explicit")" "exponential and delta: the same counts"
is "$(jq -s '[.[].resourceMetrics[].scopeMetrics[].metrics[].exponentialHistogram.dataPoints[]?
	| (.positive.bucketCounts | map(tonumber) | add) + ((.zeroCount // "0") | tonumber) - (.count | tonumber)] | unique' -c "$TMP/metrics")" \
	"[0]" "every value is in a bucket"
stop "$collector"
done_testing
