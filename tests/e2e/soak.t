#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load without a pause, one pipeline that traces all the time, and a goattach beside it
# that attaches and detaches every few seconds: all answers are right, byte for byte, and
# memory and descriptors stay as they were. Twelve seconds here, ten minutes in `make soak`.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq python3

seconds=${GOTAP_SOAK_SECONDS:-12}
server=$(build_target server) || bail "no server"
: "${LOAD:=$(build_target load)}"
start_target "$server"
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null >"$TMP/process"
"$BIN/goresolve" <"$TMP/process" 2>/dev/null >"$TMP/plan" || bail "no plan"

# The long-lived pipeline counts what it makes and keeps nothing.
mkfifo "$TMP/p1" "$TMP/p2"
"$BIN/gospan" <"$TMP/p1" >"$TMP/p2" &
pid_gospan=$!
jq -cn --unbuffered 'reduce (inputs | select(.type == "span" or .type == "lost")) as $r ({}; .[$r.type] += ($r.count // 1))' \
	<"$TMP/p2" >"$TMP/counted" &
counter=$!
"$BIN/goattach" <"$TMP/plan" >"$TMP/p1" 2>"$TMP/goattach.err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach $pid_gospan $counter"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 20 || bail "nothing is attached"

descriptors() {
	find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l
}
kib() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}
# measure: memory and descriptors of the target and the tracers.
measure() {
	for _p in "$TARGET_PID" "$pid_goattach" "$pid_gospan"; do
		echo "$(kib "$_p") $(descriptors "$_p")"
	done
}
: >"$TMP/go"
while [ -e "$TMP/go" ]; do
	"$LOAD" -addr "$TARGET_ADDR" -n 0 -for 3s -c 8 -paths /hello,/deep,/panic,/status/404,/go
done >"$TMP/load" &
load=$!
on_exit "kill $load; rm -f $TMP/go"

programs() {
	sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}
start=$(date +%s) times=0 remains='' before=''
while [ $(($(date +%s) - start)) -lt "$seconds" ]; do
	rm -f "$TMP/other"
	"$BIN/goattach" <"$TMP/plan" >"$TMP/other" 2>/dev/null &
	other=$!
	wait_for "grep -qs '\"type\":\"attach\"' $TMP/other" 20
	ids=$(programs $other)
	sleep 1
	times=$((times + 1))
	kill -"$([ $((times % 4)) -eq 0 ] && echo KILL || echo TERM)" $other
	wait $other 2>/dev/null
	# shellcheck disable=SC2086  # a list
	remains=$remains$(python3 "$TOP/tests/links.py" $ids)
	# What a program needs in the beginning is had by now.
	[ $(($(date +%s) - start)) -lt $((seconds / 4)) ] || [ -n "$before" ] || before=$(measure)
done
rm "$TMP/go"
wait $load
after=$(measure)
all=$(jq -s 'map(.requests) | add' "$TMP/load")
is "$(jq -s 'map(.good) | add' "$TMP/load")" "$all" "all $all requests are answered, byte for byte"
is "$remains" "" "attached and detached $times times beside: no link is left"
diag "memory in KiB and descriptors, of target, goattach, gospan, after a quarter: $before"
diag "and in the end: $after"
echo "$before" >"$TMP/before"
echo "$after" >"$TMP/after"
# Go's collector lets the heap breathe; the tracers have bounds.
is "$(paste "$TMP/before" "$TMP/after" | awk '$3 > $1 * 1.5 + 8192')" "" "memory is flat"
is "$(paste "$TMP/before" "$TMP/after" | awk '$4 > $2 + 12')" "" "descriptors are flat"
ids=$(programs "$pid_goattach")
kill "$pid_goattach"
wait "$pid_goattach"
is "$?" 0 "goattach ends with status 0"
wait $counter
is "$(jq '.span + .lost' "$TMP/counted")" "$all" "spans and losses are all requests ($(cat "$TMP/counted"))"
# shellcheck disable=SC2086
is "$(python3 "$TOP/tests/links.py" $ids)" "" "no link is left"
is "$(breakpoints "$TARGET_PID" "$TMP/plan")" 0 "no breakpoint is left"
done_testing
