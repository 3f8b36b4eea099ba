#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What goattach's --apart costs: CPU time of a traced call of one process, two hits each,
# with N processes of its file selected that have breakpoints for themselves, next to one
# set of breakpoints for all of them; and what attaching to the last of the N took. In turn,
# ROUNDS times; medians.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq

cp "$(build_target hits)" "$TMP/hits" || bail "no target"
mkfifo "$TMP/in" "$TMP/idle"
exec 8<>"$TMP/idle" 9<>"$TMP/in"
start_target sh -c "exec taskset -c $SERVER_CPU $TMP/hits <$TMP/in 8>&- 9>&-"
timed=$TARGET_PID timed_log=$TARGET_LOG pids=$TARGET_PID n=1

# traced N APART: nanoseconds a call, and milliseconds of the last attaching.
traced() {
	"$BIN/gofind" --pid "$pids" 2>/dev/null | "$BIN/goresolve" --no-recipes --func main.Work >"$TMP/plan" 2>/dev/null
	"$BIN/goattach" -q --apart "$2" <"$TMP/plan" >"$TMP/events" &
	tracer=$!
	on_exit "kill -KILL $tracer"
	wait_for "[ \"\$(grep -c '\"type\":\"attach\"' $TMP/events)\" -ge $1 ]" 60 || bail "not attached"
	_n=$(wc -l <"$timed_log")
	echo "${CALLS:-50000}" >&9
	wait_for '[ "$(wc -l <"$timed_log")" -gt "$_n" ]' 120 || bail "no answer"
	kill "$tracer"
	wait "$tracer"
	echo "$(tail -n 1 "$timed_log") $(jq -r 'select(.type == "attach") | .ms' "$TMP/events" | tail -n 1)"
}

say "processes  for all: ns a call   apart: ns a call   ratio   ms to attach the last"
for want in 1 2 4 8 16 32; do
	while [ "$n" -lt "$want" ]; do
		start_target sh -c "exec $TMP/hits <$TMP/idle 8>&- 9>&-"
		pids=$pids,$TARGET_PID n=$((n + 1))
	done
	: >"$TMP/all"
	: >"$TMP/apart"
	for _ in $(seq "${ROUNDS:-3}"); do
		traced "$want" 0 >>"$TMP/all"
		traced "$want" "$want" >>"$TMP/apart"
	done
	all=$(cut -d' ' -f1 "$TMP/all" | median) apart=$(cut -d' ' -f1 "$TMP/apart" | median)
	printf '%9d  %19.0f  %17.0f  %6.2f  %10.1f\n' "$want" "$all" "$apart" \
		"$(echo "$apart $all" | awk '{ print $1 / $2 }')" "$(cut -d' ' -f2 "$TMP/apart" | median)"
done
stop "$timed"
