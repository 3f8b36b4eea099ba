#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What tracing adds to an HTTP hello server: untraced, traced, traced at first
# instructions and RETs, instrumented by hand with the OpenTelemetry SDK, and the
# floor (two bare emulated probes with a ring record each), in turn, several times.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq taskset

ROUNDS=${ROUNDS:-5} SECONDS_EACH=${SECONDS_EACH:-4}
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
	set -- "$1" "$(cpu_ns "$TARGET_PID")" "$(stages_ns)"
	load_for "$SECONDS_EACH" -c 16 >"$TMP/load"
	n=$(jq .requests "$TMP/load")
	[ "$(jq '.wrong + .errors' "$TMP/load")" = 0 ] || say "# wrong answers: $(cat "$TMP/load")"
	sleep 1.5 # what is still on its way through the stages
	echo "$(jq .rate "$TMP/load") $(cpu_ns "$TARGET_PID") $2 $(stages_ns) $3 $n" |
		awk '{ print $1, ($2 - $3) / $6 / 1000, ($4 - $5) / $6 / 1000 }' >>"$TMP/$1"
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
	taskset -c "$LOAD_CPU" "${FLOOR:?}" "$server" $floor_sites >"$TMP/floor.out" &
	floor=$!
	on_exit "stop $floor"
	wait_for 'grep -q attached "$TMP/floor.out"' 10 || bail "no floor"
	pids=$floor
	measure floor
	pids=
	stop "$floor"
done

base_rate=$(awk '{ print $1 }' "$TMP/untraced" | median)
base=$(awk '{ print $2 }' "$TMP/untraced" | median)
added() { # VARIANT
	echo "$(awk '{ print $2 }' "$TMP/$1" | median) $base" | awk '{ print $1 - $2 }'
}
floor_added=$(added floor) sdk_added=$(added sdk)
say "HTTP hello server on one core, load on another; medians of $ROUNDS interleaved rounds"
printf '%-10s %10s %11s %12s %10s %10s %12s\n' variant requests/s 'left of it' \
	'us added' 'to floor' 'to SDK' 'stages us'
for v in untraced floor traced first sdk; do
	echo "$v $(awk '{ print $1 }' "$TMP/$v" | median) $base_rate $(added "$v") $floor_added $sdk_added" \
		"$(awk '{ print $3 }' "$TMP/$v" | median)" |
		awk '{ printf "%-10s %10.0f %10.0f%% %12.2f %10.2f %10.2f %12.2f\n",
			$1, $2, 100 * $2 / $3, $4, $4 / $5, $4 / $6, $7 }'
done
say "(us added: CPU microseconds per request, to the untraced server's $base; stages: of all five)"
