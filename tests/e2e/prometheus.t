#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Prometheus scrapes the metrics and counts what was asked; promtool has
# nothing to object to them.
. "$(dirname "$0")/../pipeline.sh"
PATH=$PATH:$TOP/build/prometheus/usr/bin
require_bpf
require_go
require_command jq curl prometheus promtool

server=$(build_target server) || bail "no server"
port=$(free_port)
web=$(free_port)
start_target "$server"
EXPORT_ARGS="--prometheus 127.0.0.1:$port"
start_pipeline --pid "$TARGET_PID"
wait_port "$port" || bail "goexport does not listen"
cat >"$TMP/prometheus.yml" <<END
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: gotap
    static_configs:
      - targets: ['127.0.0.1:$port']
END
prometheus --config.file="$TMP/prometheus.yml" --storage.tsdb.path="$TMP/tsdb" \
	--web.listen-address="127.0.0.1:$web" >"$TMP/prometheus.err" 2>&1 &
prometheus=$!
on_exit "stop $prometheus KILL"
wait_port "$web" || bail "Prometheus does not listen"

load -n 3000 -paths /hello,/status/404,/status/500 >"$TMP/load"
# value QUERY: the one value that Prometheus has for it, or the number of series.
value() {
	curl -s --data-urlencode "query=$1" "http://127.0.0.1:$web/api/v1/query" |
		jq -r '.data.result | if length == 1 then .[0].value[1] else "\(length) series" end'
}
name=http_server_request_duration_seconds
wait_for "[ \"\$(value 'sum(${name}_count)')\" = 3000 ]" 20
is "$(value "sum(${name}_count)")" 3000 "3,000 requests"
for status in 200 404 500; do
	is "$(value "sum(${name}_count{http_response_status_code=\"$status\"})")" 1000 \
		"1,000 of them with status $status"
done
is "$(value "sum(${name}_bucket{le=\"+Inf\"})")" 3000 "all in the widest bucket"
is "$(value "count(count by (le) (${name}_bucket))")" 15 "the buckets of the conventions"
is "$(value 'count(target_info)')" 1 "target_info"
is "$(value 'sum(up)')" 1 "the target is up"

# Two requests wait behind a gate that opens for the third.
active='sum(http_server_active_requests{http_request_method="GET",url_scheme="http"})'
for _ in 1 2; do
	curl -s --max-time 60 "http://$TARGET_ADDR/gate?n=3" >"$TMP/gate" 3>&- &
done
wait_for "[ \"\$(value '$active')\" = 2 ]" 20
ok $? "two requests under way" || diag "$(value "$active")"
curl -s --max-time 20 "http://$TARGET_ADDR/gate?n=3" >"$TMP/gate"
wait_for "[ \"\$(value '$active')\" = 0 ]" 20
ok $? "and then none" || diag "$(value "$active")"

curl -s "http://127.0.0.1:$port/metrics" >"$TMP/metrics"
out=$(promtool check metrics <"$TMP/metrics" 2>&1)
is "$? $out" "0 " "promtool check metrics"
is "$(grep ^gotap_spans_received_total "$TMP/metrics")" "gotap_spans_received_total 3003" "its own counters"
stop_pipeline
is "$status_goexport" 0 "goexport ends with status 0"
done_testing
