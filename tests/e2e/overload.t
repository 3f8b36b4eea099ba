#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A reader that is too slow: whole traces are left out, as a whole, evenly and counted;
# once it keeps up again nothing is left out any more.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
start_target "$server"
# Three spans a request.
RESOLVE_ARGS='--func main.hello --func main.count' ATTACH_ARGS='--ring 128K'
start_pipeline --pid "$TARGET_PID"
wait_attached 3
n=15000
load -n $n -c 8 >"$TMP/load" &
pid_load=$!
# The reader stands still most of the time.
while ! gone $pid_load; do
	kill -STOP "$pid_gospan"
	sleep 0.4
	kill -CONT "$pid_gospan"
	sleep 0.1
done
wait $pid_load
is "$(jq -c '[.good, .wrong]' "$TMP/load")" "[$n,0]" "the target answers $n requests"
# What is left is read, and after that it is quiet for a moment. What follows does not fill
# half of the ring, whatever the machine has to do.
size=-1
while [ "$size" -ne "$(wc -c <"$TMP/spans")" ]; do
	size=$(wc -c <"$TMP/spans")
	sleep 1.5
done
is "$(load -n 50 -c 1 -paths '/hello?calm' | jq .good)" 50 "and 50 when the reader keeps up"
stop_pipeline
is "$status_goattach $status_gospan" "0 0" "goattach and gospan end with status 0"

# lost_by REASON: how many calls were lost by it.
lost_by() {
	jq -s "[.[] | select(.type == \"lost\" and .reason == \"$1\") | .count] | add // 0" "$TMP/spans"
}
# counter NAME: of the last stats of goattach.
counter() {
	jq -s "[.[] | select(.type == \"stats\" and .from == \"goattach\")] | last | .counters.$1" "$TMP/spans"
}
jq -r 'select(.type == "span") | .trace_id' "$TMP/spans" | sort | uniq -c | awk '{ print $1 }' |
	sort | uniq -c | sed 's/^ *//' >"$TMP/sizes"
traces=$(jq -r 'select(.type == "span") | .trace_id' "$TMP/spans" | sort -u | wc -l)
shed=$(lost_by shed)
ok "$([ "$shed" -gt 0 ]; echo $?)" "calls were left out ($shed)"
is "$(lost_by full)" 0 "none for want of room"
is "$(cat "$TMP/sizes")" "$traces 3" "each trace that came through has its three spans"
is "$(spans .incomplete)" 0 "none is incomplete"
is $((traces + $(counter shed_traces))) $((n + 50)) "traces and those left out together are all requests"
is $(($(spans true) + shed)) $((3 * (n + 50))) "and so are their calls"
is "$(counter shed)" "$shed" "the totals say so too"
is "$(spans '.attributes["url.query"] == "calm"')" 50 "nothing is left out when the reader keeps up"
ok "$([ "$(counter ring_peak)" -gt 65536 ]; echo $?)" "the ring was more than half full ($(counter ring_peak))"
ok "$([ "$(counter cpu_ms)" -gt 0 ] && [ "$(counter rss_kib)" -gt 1000 ]; echo $?)" \
	"goattach's own CPU and memory are told"
is "$(counter calls_now)" 0 "no call is open"
ok "$([ "$(counter threads_now)" -gt 0 ] && [ "$(counter maps_kib)" -gt 128 ]; echo $?)" "and how full the maps are"
done_testing
