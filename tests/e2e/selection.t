#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two processes of one binary, one of them selected: nothing from the other.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
start_target "$server"
other=$TARGET_PID other_addr=$TARGET_ADDR
start_target "$server"
start_pipeline --port "$TARGET_PORT"
load -n 3000 -c 4 -addr "$other_addr" >"$TMP/other" &
pid=$!
is "$(load -n 3000 -c 4 | jq -c '[.good, .wrong]')" "[3000,0]" "the selected one answers"
wait "$pid"
is "$(jq -c '[.good, .wrong]' "$TMP/other")" "[3000,0]" "so does the other"
stop_pipeline
is "$(events ".type == \"event\" and .pid == $other")" 0 "no event of the other process"
is "$(spans ".pid == $TARGET_PID")" 3000 "3,000 spans of the selected one"
is "$(spans true)" 3000 "and no more"
is "$(lost)" 0 "nothing was lost"
done_testing
