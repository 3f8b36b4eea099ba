#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What tracing adds to an HTTP hello server: untraced, traced, traced at first
# instructions and RETs, instrumented by hand with the OpenTelemetry SDK, and the
# floor (two bare emulated probes with a ring record each), in turn, several times.
#
# Throughput is measured with as much load as there can be, CPU per request at one
# and the same rate: a Go server that has less to do spends more on each request (it
# looks for work, sleeps and is woken), so that at full load whatever slows the load
# generator down, such as stages on its core, would count as cost in the server.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq taskset

ROUNDS=${ROUNDS:-5} SECONDS_EACH=${SECONDS_EACH:-4} RATE=${RATE:-10000}
prepare
sdk=$(build_target sdkserver) || bail "no SDK server"
OTEL_EXPORTER_OTLP_ENDPOINT=http://$SINK OTEL_SERVICE_NAME=sdkserver
export OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME
start_server "$sdk"
sdk_pid=$TARGET_PID sdk_addr=$TARGET_ADDR
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME
start_server "$server"
plain_pid=$TARGET_PID plain_addr=$TARGET_ADDR

# The floor's two probes: where gotap's own cheap ones are.
floor_sites=$(jq -r 'select(.type == "probe" and .span == "http.server") | .sites[]
	| select(.emulated) | "\(.event) \(.offset)"' "$TMP/plan" | sort -u -k1,1 | awk '{ print $2 }')

# measure VARIANT: a line "rate us_server us_stages" goes to $TMP/VARIANT.
measure() {
	load_for "$((SECONDS_EACH / 2 + 1))" -c 16 >"$TMP/load"
	answers_right
	set -- "$1" "$(jq .rate "$TMP/load")"
	n_full=$(jq .requests "$TMP/load")
	sleep 1.5 # what is still on its way through the stages
	set -- "$@" "$(cpu_ns "$TARGET_PID")" "$(stages_ns)"
	load_for "$SECONDS_EACH" -c 16 -rate "$RATE" >"$TMP/load"
	answers_right
	n=$(jq .requests "$TMP/load")
	[ "$((n * 100))" -ge "$((RATE * SECONDS_EACH * 95))" ] ||
		say "# $1: $n requests in $SECONDS_EACH s, not $RATE a second: set RATE lower"
	sleep 1.5
	echo "$2 $(cpu_ns "$TARGET_PID") $3 $(stages_ns) $4 $n" |
		awk '{ print $1, ($2 - $3) / $6 / 1000, ($4 - $5) / $6 / 1000 }' >>"$TMP/$1"
}
answers_right() {
	[ "$(jq '.wrong + .errors' "$TMP/load")" = 0 ] || say "# wrong answers: $(cat "$TMP/load")"
}
stages_ns() {
	# shellcheck disable=SC2086  # a list
	cpu_ns ${pids:-}
}
traced() { # VARIANT goresolve's options
	RESOLVE_ARGS=$2
	start_stages
	pids="$pid_gofind $pid_goresolve $pid_goattach $pid_gospan $pid_goexport"
	measure "$1"
	pids=
	stop_pipeline
}

load_for 2 >/dev/null # warm
for round in $(seq "$ROUNDS"); do
	say "# round $round of $ROUNDS"
	TARGET_PID=$plain_pid TARGET_ADDR=$plain_addr
	measure untraced
	traced traced ''
	traced first '--site first'
	TARGET_PID=$sdk_pid TARGET_ADDR=$sdk_addr
	measure sdk
	TARGET_PID=$plain_pid TARGET_ADDR=$plain_addr
	# shellcheck disable=SC2086  # a list of offsets
	taskset -c "$LOAD_CPU" "${FLOOR:?}" "/proc/$plain_pid/exe" $floor_sites >"$TMP/floor.out" &
	floor=$!
	on_exit "stop $floor"
	wait_for 'grep -qs attached "$TMP/floor.out"' 10 || bail "no floor"
	pids=$floor
	measure floor
	pids=
	stop "$floor"
	# Two records a request, or it was not the floor that was measured.
	hits=$(sed -n 's/ records$//p' "$TMP/floor.out")
	[ "$hits" -ge $((2 * (n + n_full))) ] ||
		say "# the floor's probes: $hits records of $((n + n_full)) requests"
done

column() { awk -v n="$2" '{ print $n }' "$TMP/$1"; } # VARIANT NUMBER
base_rate=$(column untraced 1 | median) base=$(column untraced 2 | median)
added() { # VARIANT
	echo "$(column "$1" 2 | median) $base" | awk '{ print $1 - $2 }'
}
floor_added=$(added floor) sdk_added=$(added sdk)
say "HTTP hello server on one core, load on another; $ROUNDS interleaved rounds"
printf '%-9s %10s %8s   %-23s %9s %9s %9s %10s\n' variant requests/s 'left' \
	'us/request min,med,max' 'us added' 'to floor' 'to SDK' 'stages us'
for v in untraced floor traced first sdk; do
	echo "$v $(column "$v" 1 | median) $base_rate $(column "$v" 2 | min_median_max)" \
		"$(added "$v") $floor_added $sdk_added $(column "$v" 3 | median)" |
		awk '{ printf "%-9s %10.0f %7.0f%%   %7.2f %7.2f %7.2f %9.2f %9s %9s %10.2f\n",
			$1, $2, 100 * $2 / $3, $4, $5, $6, $7, ratio($7, $8), ratio($7, $9), $10 }
			function ratio(a, b) { return b > 0 ? sprintf("%.2f", a / b) : "-" }'
done
say "(CPU of the server per request at $RATE requests/s, all its threads; us added: its median's" \
	"difference to the untraced server's; requests/s at full load; stages, all five or the" \
	"floor's reader, at $RATE requests/s: medians)"

# Two probes cannot cost nothing: where they seem to, the noise is larger than what
# is measured here.
echo "$(column untraced 2 | min_median_max) $(column floor 2 | min_median_max)" | awk '
	$5 <= $2 { print "unusable: noisy: the floor is not slower than untraced"; exit }
	$4 <= $3 { print "noisy: some round of the floor was no slower than one untraced" }'
