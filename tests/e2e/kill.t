#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 of any stage under load: the target answers as ever, the pipeline ends,
# and no probe is left behind.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
: "${LOAD:=$(build_target load)}"
"$BIN/goresolve" "$server" >"$TMP/plan" || bail "no plan"

for stage in gofind goresolve goattach gospan goexport; do
	start_target "$server"
	is "$(breakpoints "$TARGET_PID" "$TMP/plan")" 0 "$stage: no breakpoint before"
	TEE='' EXPORT_ARGS="--file $TMP/otlp.$stage"
	start_pipeline --pid "$TARGET_PID" --watch
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 20
	ok $? "$stage: breakpoints while it traces"
	load -n 0 -for 3s -c 4 -paths /hello,/deep,/panic >"$TMP/load" &
	pid_load=$!
	sleep 1
	victim=$(eval "echo \$pid_$stage")
	kill -KILL "$victim"
	case $stage in
	goattach) ;;
	gofind | goresolve) # goattach is not told to stop by these
		sleep 0.5
		kill "$pid_goattach"
		;;
	esac
	ok "$(wait_for "gone $pid_goattach" 10; echo $?)" "$stage: goattach has ended"
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -eq 0 ]' 5
	ok $? "$stage: no breakpoint is left"
	wait "$pid_load"
	is "$(jq -c '[.requests == .good, .wrong, .requests > 100]' "$TMP/load")" "[true,0,true]" \
		"$stage: the target answered every request as it should"
	is "$(load -n 1000 -paths /hello,/deep,/panic,/goexit | jq .good)" 1000 "$stage: and goes on"
	kill "$pid_gofind" 2>/dev/null
	for pid in $pid_gofind $pid_goresolve $pid_gospan $pid_goexport; do
		ok "$(wait_for "gone $pid" 10; echo $?)" "$stage: another stage has ended too"
	done
	stop "$TARGET_PID"
done
done_testing
