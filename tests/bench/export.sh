#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What goexport costs: CPU for each span at 20,000 spans a second; beside the Go SDK's own
# exporter for the same spans, and telemetrygen, to a real Collector; memory with a full
# queue; a scrape of 10,000 series.
. "$(dirname "$0")/common.sh"
require_command python3 curl

rate=${RATE:-20000}
"${GEN_EVENTS:?}" "${EVENTS:-400000}" | "$BIN/gospan" >"$TMP/spans"
lines=$(wc -l <"$TMP/spans")
sink=$(build_target sink) || bail "no sink"
sdk=$(build_target sdkexport) || bail "no SDK"
gen=$(build_target telemetrygen) || bail "no telemetrygen"
otelcol=$(build_target otelcol) || bail "no Collector"
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

# The same to a real Collector, and what others take for it.
port=$(free_port)
cat >"$TMP/otelcol.yaml" <<END
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:$port"}}}}
exporters: {file: {path: /dev/null}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [file]}}
END
"$otelcol" --config "file:$TMP/otelcol.yaml" >"$TMP/otelcol.err" 2>&1 &
on_exit "stop $! KILL"
wait_port "$port" || bail "the Collector does not listen"
say "to a Collector:"
paced "goexport" --otlp "http://127.0.0.1:$port"
# shellcheck disable=SC2046 # two words
set -- $(OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port "$sdk" <"$TMP/spans")
printf '%-34s %6s us CPU/span, to send %s spans that are made\n' "the Go SDK's exporter" "$2" "$1"
# Two spans a trace, three attributes each; at a rate, as its queue drops what is too much.
python3 - "$gen" traces --otlp-http --otlp-insecure --otlp-endpoint "127.0.0.1:$port" \
	--traces "$((rate * 2))" --rate "$((rate / 4))" --batch-size 512 <<-'END'
	import resource, subprocess, sys
	subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
	u = resource.getrusage(resource.RUSAGE_CHILDREN)
	n = 2 * int(sys.argv[sys.argv.index("--traces") + 1])
	print("%-34s %6.2f us CPU/span, to make and send %d spans" %
	      ("telemetrygen", (u.ru_utime + u.ru_stime) / n * 1e6, n))
END

# memory with a full queue of OTLP: the receiver takes nothing for a while.
say "a queue that is full:"
paced "16384 spans, the receiver away" --otlp http://127.0.0.1:1 --flush-timeout 0
paced "65536 spans, the receiver away" --otlp http://127.0.0.1:1 --flush-timeout 0 --queue 65536

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
