#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With --watch: the target ends, is started again, and is replaced on disk.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

new=$(build_target server plain newest) || bail "no server"
old=$(build_target server plain oldest) || bail "no server"
app=$TMP/app-$$
cp "$old" "$app"
start_target "$app"
first=$TARGET_PID first_addr=$TARGET_ADDR
start_pipeline --exe "app-$$" --watch
# attached PID: its probes are attached.
attached() {
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${1}[,}]'" 10
}
attached "$first"
is "$(load -n 500 | jq .good)" 500 "the first process answers"

# Another file takes the path; the first process still runs the old one.
cp "$new" "$app.new"
mv "$app.new" "$app"
is "$(load -n 500 | jq .good)" 500 "and after its file was replaced"
start_target "$app"
second=$TARGET_PID
ok "$(attached "$second"; echo $?)" "a process of the new file is attached"
is "$(load -n 500 | jq .good)" 500 "it answers"
is "$(load -n 500 -addr "$first_addr" | jq .good)" 500 "the first one still does"

stop "$first"
wait_for "grep '\"type\":\"exit\"' $TMP/events | grep -q '\"pid\":${first}[,}]'" 10
ok $? "the end of the first process is reported"
start_target "$app"
third=$TARGET_PID
ok "$(attached "$third"; echo $?)" "a restarted process is attached"
is "$(load -n 500 | jq .good)" 500 "it answers"
stop "$second"
stop "$third"
start_target "$app"
ok "$(attached "$TARGET_PID"; echo $?)" "also when there was none left"
is "$(load -n 500 | jq .good)" 500 "it answers"
stop_pipeline

is "$(spans ".pid == $first")" 1500 "1,500 spans of the first process"
is "$(spans ".pid == $second")" 500 "500 of the second"
is "$(spans ".pid == $third")" 500 "500 of the third"
is "$(spans ".pid == $TARGET_PID")" 500 "500 of the last"
is "$(spans .incomplete)" 0 "none is incomplete"
is "$(lost)" 0 "nothing was lost"
is "$status_goattach $status_gospan" "0 0" "goattach and gospan end with status 0"
done_testing
