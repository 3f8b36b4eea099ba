#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A child that a traced process forks without an exec: it has a copy of its parent's memory,
# breakpoints and all, and is not traced. It comes to no harm by them, neither while
# goattach runs nor when it has ended or was killed.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

forked=$(build_target forked) || bail "no target"
cp "$forked" "$TMP/forked"
mkfifo "$TMP/in"
exec 9<>"$TMP/in"
# answer COMMAND: what the program says to it, in $said.
answer() {
	_lines=$(wc -l <"$TARGET_LOG")
	echo "$1" >&9
	wait_for "[ \"\$(wc -l <$TARGET_LOG)\" -gt $_lines ]" 10 || bail "no answer to $1"
	said=$(tail -n 1 "$TARGET_LOG")
}
# begun: how many calls have been seen, of the parent and of others.
begun() {
	jq -sr --argjson pid "$TARGET_PID" '[.[] | select(.type == "event" and .event == "begin")] |
		"\(map(select(.pid == $pid)) | length) \(map(select(.pid != $pid)) | length)"' "$TMP/events"
}
start_target sh -c 'exec "$0" <"$1"' "$TMP/forked" "$TMP/in"
RESOLVE_ARGS='--no-recipes --func main.work'
# shellcheck disable=SC2086  # a list
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null | "$BIN/goresolve" $RESOLVE_ARGS >"$TMP/plan" 2>/dev/null
for how in auto perf event; do
	for end in goes-on TERM KILL; do
		ATTACH_ARGS="--attach=$how"
		start_pipeline --pid "$TARGET_PID"
		answer fork
		child=${said#child }
		on_exit "kill -KILL $child"
		is "$(breakpoints "$TARGET_PID" "$TMP/plan")" "$(breakpoints "$child" "$TMP/plan")" \
			"$how, $end: the child has its parent's breakpoints"
		answer work
		wait_for '[ "$(begun)" = "1 0" ]' 10 # else what is killed may not have told it
		if [ $end != goes-on ]; then
			ok "$([ "$(breakpoints "$child" "$TMP/plan")" -gt 0 ]; echo $?)" "$how, $end: as there are some"
			kill -$end "$pid_goattach"
			wait_for "gone $pid_goattach" 20
			wait_for '[ "$(breakpoints "$child" "$TMP/plan")" -eq 0 ]' 10
			ok $? "$how, $end: the child has no breakpoint when goattach has ended"
		fi
		answer go
		is "$said" "ended 41 signal -1 <nil>" "$how, $end: the child does its work"
		answer work
		is "$said" "work 41" "$how, $end: and so does its parent"
		stop_pipeline
		want="1 0"
		[ $end != goes-on ] || want="2 0"
		is "$(begun)" "$want" "$how, $end: the parent's calls are seen, the child's not"
	done
done
is "$(breakpoints "$TARGET_PID" "$TMP/plan")" 0 "no breakpoint is left"
done_testing
