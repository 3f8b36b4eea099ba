#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A third of the traces is sampled: those are exported, and the metrics are of all
# requests all the same.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

server=$(build_target server) || bail "no server"
port=$(free_port)
start_target "$server"
ATTACH_ARGS='--sampler traceidratio:0.3'
EXPORT_ARGS="--prometheus 127.0.0.1:$port --file $TMP/traces"
start_pipeline --pid "$TARGET_PID"
wait_port "$port" || bail "goexport does not listen"
load -n 900 -paths /hello,/status/404,/status/500 >"$TMP/load"
wait_for 'curl -s "http://127.0.0.1:$port/metrics" >"$TMP/metrics"; grep -q "^gotap_spans_received_total 900$" "$TMP/metrics"' 20
for status in 200 404 500; do
	like "$(cat "$TMP/metrics")" \
		"^http_server_request_duration_seconds_count\\{.*http_request_method=\"GET\",http_response_status_code=\"$status\",.* 300\$" \
		"300 requests with status $status"
done
stop_pipeline
is "$status_goexport" 0 "goexport ends with status 0"
jq -r 'select(.type == "span" and .sampled != false).span_id' "$TMP/spans" | sort >"$TMP/want"
jq -r '.resourceSpans[].scopeSpans[].spans[].spanId' "$TMP/traces" | sort >"$TMP/got"
n=$(wc -l <"$TMP/want")
ok $((n > 0 && n < 900 ? 0 : 1)) "$n of them are sampled"
ok "$(cmp -s "$TMP/want" "$TMP/got"; echo $?)" "and these are what is exported" ||
	diag "$(wc -l <"$TMP/got") are"
done_testing
