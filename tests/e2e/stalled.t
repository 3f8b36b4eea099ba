#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A reader that stands still: the target goes on, and what is lost is counted to
# the last request. A reader that goes away: goattach ends, even if nothing happens.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
"$BIN/goresolve" "$server" >"$TMP/plan" || bail "no plan"
start_target "$server"
start_pipeline --pid "$TARGET_PID"
n=150000
kill -STOP "$pid_gospan"
is "$(load -n $n -c 8 | jq -c '[.good, .wrong]')" "[$n,0]" \
	"the target answers $n requests while nobody reads"
kill -CONT "$pid_gospan"
stop_pipeline
lost=$(lost)
ok "$([ "$lost" -gt 0 ]; echo $?)" "events were lost ($lost)"
# Of a request whose begin was lost no end is reported, so each loses one at most.
is $(($(spans '.incomplete | not') + lost)) $n "whole spans and losses together are all requests"
is "$status_goattach" 0 "goattach ends with status 0"

# No event flows, and the reader goes away.
TEE=''
start_pipeline --pid "$TARGET_PID"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 20
ok $? "attached again"
kill -KILL "$pid_gospan"
wait_for "gone $pid_goattach" 3
ok $? "goattach ends when its reader has gone"
is "$(breakpoints "$TARGET_PID" "$TMP/plan")" 0 "and leaves no breakpoint"
done_testing
