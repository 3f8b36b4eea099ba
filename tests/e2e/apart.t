#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Processes of one file of which only some are selected. Where a process has breakpoints for
# itself the others are left as they are: one that hashes its own text sees no difference.
# Nothing of those that are selected is missed, on whatever thread it comes, nor after an exec
# by any of them.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

chmod 755 "$TMP"
# A copy, whose breakpoints are nobody else's.
cp "$(build_target server)" "$TMP/server" || bail "no server"
"$BIN/goresolve" "$TMP/server" >"$TMP/plan" 2>/dev/null
# The hash of what a process at this address has in memory.
text() {
	curl -s "http://$1/text"
}
start_target "$TMP/server"
other=$TARGET_PID other_addr=$TARGET_ADDR
untouched=$(text "$other_addr")
like "$untouched" '^[0-9a-f]{64}$' "a program that hashes its own text"
start_target "$TMP/server"
second=$TARGET_PID second_addr=$TARGET_ADDR
start_target "$TMP/server"
reach() {
	jq -r 'select(.type == "attach") | "\(.how) \(.reach)"' "$TMP/events" | sort -u
}
threads() {
	jq -r "select(.type == \"event\" and .pid == $TARGET_PID and .tid != .pid) | .tid" "$TMP/events" |
		sort -u | wc -l
}

# Two are selected.
auto=multi
for how in auto event; do
	[ $how = auto ] || auto=$how
	ATTACH_ARGS=--attach=$how
	start_pipeline --pid "$TARGET_PID" --pid "$second"
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${second}[,}]'" 10
	is "$(reach)" "$auto process" "$how: each has breakpoints for itself"
	like "$(breakpoints "$TARGET_PID" "$TMP/plan") $(breakpoints "$second" "$TMP/plan")" '^[1-9][0-9]* [1-9]' \
		"$how: those that are selected have breakpoints"
	is "$(breakpoints "$other" "$TMP/plan")" 0 "$how: another process of the file has none"
	is "$(text "$other_addr")" "$untouched" "$how: and finds its text as it was"
	ok "$([ "$(text "$TARGET_ADDR")" != "$untouched" ]; echo $?)" "$how: as one that is selected does not"
	is "$(load -n 1000 -c 16 -paths '/hello,/sleep?ms=1,/goexit-locked,/panic' | jq -c '[.requests, .wrong]')" "[1000,0]" \
		"$how: the first answers"
	is "$(load -addr "$second_addr" -n 300 -c 4 | jq .good)" 300 "$how: the second answers"
	is "$(load -addr "$other_addr" -n 300 -c 4 | jq .good)" 300 "$how: and the other"
	like "$(threads)" '^[1-9]' "$how: events come from threads other than the first"
	# The process goes on in place of its first thread, whichever of them calls exec.
	ready=$(grep -c ^ready "$TARGET_LOG")
	curl -s -o /dev/null "http://$TARGET_ADDR/exec"
	wait_for "[ \"\$(grep -c ^ready $TARGET_LOG)\" -gt $ready ]" 10 || bail "it does not come back"
	TARGET_ADDR=$(sed -n 's/^ready *//p' "$TARGET_LOG" | tail -n 1)
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 10
	ok $? "$how: after an exec it has them again"
	wait_for "[ \"\$(jq -c 'select(.type == \"attach\" and .pid == $TARGET_PID and .span == \"http.server\")' $TMP/events |
		wc -l)\" -gt 1 ]" 10
	is "$(load -n 400 -c 4 | jq .good)" 400 "$how: and answers"
	is "$(breakpoints "$other" "$TMP/plan")" 0 "$how: the other still has none"
	stop_pipeline
	# Its hash, and one request that ends in an exec, are counted too.
	is "$(spans ".pid == $TARGET_PID and (.incomplete | not)") $(spans ".pid == $second")" "1401 300" \
		"$how: each request of those that are selected is traced, once"
	is "$(spans ".pid == $other") $(lost)" "0 0" "$how: none of the other; nothing is lost"
	is "$(breakpoints "$TARGET_PID" "$TMP/plan") $(breakpoints "$second" "$TMP/plan")" "0 0" \
		"$how: no breakpoint is left"
done

# More than are to be apart: the file's processes share one set of breakpoints, which is said.
ATTACH_ARGS=--apart=1
start_pipeline --pid "$TARGET_PID" --pid "$second"
wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${second}[,}]'" 10
is "$(reach)" "multi file
multi process" "--apart 1: the first has breakpoints for itself, the second shares"
like "$(cat "$TMP/goattach.err")" 'in all processes of the file' "and that is said"
like "$(breakpoints "$other" "$TMP/plan")" '^[1-9]' "the other has them too"
is "$(load -n 200 | jq .good) $(load -addr "$second_addr" -n 300 | jq .good) $(load -addr "$other_addr" -n 50 | jq .good)" \
	"200 300 50" "they answer"
stop_pipeline
is "$(spans ".pid == $TARGET_PID") $(spans ".pid == $second") $(spans ".pid == $other")" "200 300 0" \
	"each request of those that are selected is traced, once"
is "$(text "$other_addr")" "$untouched" "afterwards the text is as it was"

# The kernel's way for one process each is not used where it is not wanted.
ATTACH_ARGS=--apart=0
start_pipeline --pid "$TARGET_PID"
is "$(reach)" "multi file" "--apart 0: breakpoints for all"
stop_pipeline
done_testing
