# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What the benchmarks share. Server on one core, load generator, stages and sink
# on the other, so that only the server's own cost shows on its core.

# shellcheck source=tests/pipeline.sh
. "$(dirname "$0")/../pipeline.sh"

SERVER_CPU=0
CPUS=$(nproc) # of this shell as it is now
LOAD_CPU=$((CPUS > 1))
export STAGES="gofind goresolve goattach gospan goexport"

say() { printf '%s\n' "$*"; }

# cpu_ns PID…: CPU time of all threads of these processes since they began.
cpu_ns() {
	for _pid; do
		cat /proc/"$_pid"/task/*/schedstat 2>/dev/null
	done | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# on_server_cpu / on_load_cpu COMMAND…
on_server_cpu() { taskset -c "$SERVER_CPU" "$@"; }
on_load_cpu() { taskset -c "$LOAD_CPU" "$@"; }

# start_server PROGRAM ARGUMENT…: on its core; sets TARGET_PID and so on.
start_server() {
	start_target taskset -c "$SERVER_CPU" "$@"
}

# start_stages: the whole pipeline for the target, to the sink, on the load
# generator's core; returns when it is attached. gofind watches, so that all five
# are there to be measured.
start_stages() {
	TEE=
	EXPORT_ARGS="--otlp http://$SINK ${MORE_EXPORT_ARGS:-}"
	taskset -pc "$LOAD_CPU" $$ >/dev/null
	start_pipeline --pid "$TARGET_PID" --watch
	taskset -pc "0-$((CPUS - 1))" $$ >/dev/null
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 20 || bail "not attached"
	sleep 0.5
}

# load_for SECONDS OPTION…: prints the load generator's line.
load_for() {
	_s=$1
	shift
	on_load_cpu "$LOAD" -addr "$TARGET_ADDR" -n 0 -for "${_s}s" "$@"
}

# min_median_max: of numbers, one a line.
min_median_max() {
	sort -n | awk '{ v[NR] = $1 } END {
		print v[1], (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[NR] }'
}
median() { min_median_max | cut -d ' ' -f 2; }

prepare() {
	LOAD=$(build_target load) || bail "no load generator"
	# A file of its own: probes are in a file, and another tracer's would count.
	cp "$(build_target server)" "$TMP/server" || bail "no server"
	server=$TMP/server
	sink=$(build_target sink) || bail "no sink"
	"$BIN/goresolve" "$server" >"$TMP/plan" || bail "no plan"
	start_target taskset -c "$LOAD_CPU" "$sink"
	SINK=$TARGET_ADDR
}
