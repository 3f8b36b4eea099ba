#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 200 processes of a watched program in ten seconds: they end, are killed, execute
# themselves, and their file is upgraded under them. One of them goes on answering, and in
# the end nothing of the others is left.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq python3 curl

new=$(build_target server plain newest) || bail "no server"
old=$(build_target server plain oldest) || bail "no server"
: "${LOAD:=$(build_target load)}"
app=$TMP/churn-$$
cp "$old" "$app"
start_target "$app"
stays=$TARGET_PID stays_addr=$TARGET_ADDR
TEE=''
start_pipeline --exe "churn-$$" --watch
"$BIN/goresolve" "$old" >"$TMP/plan"
wait_for '[ "$(breakpoints "$stays" "$TMP/plan")" -gt 0 ]' 20 || bail "nothing is attached"
descriptors() {
	find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l
}
ids=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$pid_goattach"/fdinfo/* 2>/dev/null | sort -u)
before=$(descriptors "$pid_goattach")
"$LOAD" -addr "$stays_addr" -n 0 -for 10s -c 2 -paths /hello,/panic >"$TMP/load" &
load=$!

for i in $(seq 200); do
	case $((i % 50)) in
	25) cp "$new" "$app.next" && mv "$app.next" "$app" ;; # upgraded
	0) cp "$old" "$app.next" && mv "$app.next" "$app" ;;
	esac
	# In a process of its own, so that the shell says nothing of those that are killed.
	case $((i % 4)) in
	0) ("$app" -for 60ms >/dev/null & p=$!; sleep 0.03; kill -KILL $p; wait $p) >/dev/null 2>&1 & ;;
	1) ("$app" -for 60ms >/dev/null & p=$!; sleep 0.03; kill -USR1 $p; wait $p) >/dev/null 2>&1 & ;; # executes itself
	*) "$app" -for 60ms >/dev/null 2>&1 & ;;
	esac
	last=$!
	sleep 0.04
done
wait "$last"
wait $load
is "$(jq -c '[.requests == .good, .wrong, .requests > 100]' "$TMP/load")" "[true,0,true]" \
	"the one that stays answered every request"
# Files that nobody runs any more are let go two seconds later.
wait_for '[ "$(descriptors "$pid_goattach")" -le "$((before + 4))" ]' 30
ok $? "goattach holds as many descriptors as before ($before, $(descriptors "$pid_goattach"))"
for stage in gofind goresolve goattach gospan; do
	ok "$(! gone "$(eval "echo \$pid_$stage")"; echo $?)" "$stage goes on"
done
stop_pipeline
is "$status_gofind $status_goattach $status_gospan" "0 0 0" "they end with status 0"
# shellcheck disable=SC2086  # a list
is "$(python3 "$TOP/tests/links.py" $ids)" "" "no link is left"
is "$(breakpoints "$stays" "$TMP/plan")" 0 "no breakpoint is left"
is "$("$LOAD" -addr "$stays_addr" -n 500 | jq .good)" 500 "and it answers"
done_testing
