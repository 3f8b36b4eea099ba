#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What goexport costs: CPU for each span at 20,000 spans a second, beside the Go SDK's
# own exporter for the same spans; memory with a full queue; a scrape of 10,000 series.
. "$(dirname "$0")/common.sh"
require_command python3 curl

rate=${RATE:-20000}
"${GEN_EVENTS:?}" "${EVENTS:-400000}" | "$BIN/gospan" >"$TMP/spans"
lines=$(wc -l <"$TMP/spans")
sink=$(build_target sink) || bail "no sink"
sdk=$(build_target sdkexport) || bail "no SDK"
start_target "$sink"
SINK=http://$TARGET_ADDR

# paced NAME ARGUMENT...
paced() {
	_name=$1
	shift
	# shellcheck disable=SC2046 # three words
	set -- $(python3 "$(dirname "$0")/pace.py" "$TMP/spans" "$rate" "$BIN/goexport" -q "$@")
	printf '%-34s %6s us CPU/span, %6s MB at most, status %s\n' "$_name" "$1" "$2" "$3"
}
say "$lines records at $rate a second:"
paced "OTLP" --otlp "$SINK"
paced "OTLP, gzip" --otlp "$SINK" --otlp-compression gzip
paced "OTLP, JSON" --otlp "$SINK" --otlp-protocol http/json
paced "OTLP, two receivers" --otlp "$SINK" --otlp "$SINK"
paced "OTLP, all through the spool" --otlp http://127.0.0.1:1 --spool "$TMP/spool" --flush-timeout 0
paced "metrics by OTLP" --otlp-metrics "$SINK"
paced "metrics for Prometheus" --prometheus :0
paced "a file" --file /dev/null
paced "OTLP, the receiver away" --otlp http://127.0.0.1:1 --flush-timeout 0
# shellcheck disable=SC2046 # two words
set -- $(OTEL_EXPORTER_OTLP_ENDPOINT=$SINK "$sdk" <"$TMP/spans")
printf '%-34s %6s us CPU/span, to send %s spans that are made\n' "the Go SDK's exporter" "$2" "$1"

# scrape LABEL_SETS: the page of so many routes.
scrape() {
	mkfifo "$TMP/fifo.$1"
	port=$(free_port)
	"$BIN/goexport" -q --prometheus "127.0.0.1:$port" --series 20000 <"$TMP/fifo.$1" &
	pid=$!
	on_exit "kill $pid"
	exec 3>"$TMP/fifo.$1"
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++)
		printf "{\"type\":\"span\",\"v\":1,\"pid\":1,\"trace_id\":\"%032x\",\"span_id\":\"%016x\",\"name\":\"GET\",\"kind\":\"server\",\"start\":\"1\",\"end\":\"2\",\"flags\":1,\"attributes\":{\"http.request.method\":\"GET\",\"http.route\":\"/%d\",\"url.scheme\":\"http\",\"http.response.status_code\":200}}\n", i, i, i }' >&3
	wait_for "curl -s http://127.0.0.1:$port/metrics | grep -q '^gotap_spans_received_total $1'" 20
	for accept in text/plain application/openmetrics-text; do
		best=$(for _ in 1 2 3 4 5; do
			curl -s -o "$TMP/page" -w '%{time_total}\n' -H "Accept: $accept" "http://127.0.0.1:$port/metrics"
		done | sort -n | head -n 1)
		printf 'scrape, %-26s %6s ms, %7d samples, %d bytes\n' "$accept" \
			"$(awk -v s="$best" 'BEGIN { printf "%.1f", s * 1000 }')" "$(grep -vc '^#' "$TMP/page")" "$(wc -c <"$TMP/page")"
	done
	exec 3>&-
	wait $pid
}
scrape 600
scrape 10000
