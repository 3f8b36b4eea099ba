#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goattach by itself: what its maps hold afterwards, both ways to attach, losses
# to the last event, deep nesting, headers, and how it ends.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

# attach OPTION…: goattach on $TMP/plan in the background, sets pid_goattach;
# returns when the probes are in place.
attach() {
	rm -f "$TMP/events"
	"$BIN/goattach" "$@" <"$TMP/plan" >"$TMP/events" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	wait_attached 1 || bail "nothing was attached"
}

# detach: asks goattach to end; its status is in status_goattach.
detach() {
	kill "$pid_goattach"
	wait "$pid_goattach"
	status_goattach=$?
}

# plan OPTION…: what goresolve makes of the target.
plan() {
	"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null | "$BIN/goresolve" "$@" >"$TMP/plan" 2>"$TMP/goresolve.err"
}

# entries MAP: how many entries goattach's map of this name has.
entries() {
	sed -n 's/^map_id:[[:space:]]*//p' /proc/"$pid_goattach"/fdinfo/* 2>/dev/null | sort -u |
		while read -r _id; do
			[ "$(bpftool -j map show id "$_id" | jq -r .name)" = "$1" ] || continue
			bpftool -j map dump id "$_id" | jq length
		done
}

# links PID: descriptors of links with probes that a process holds.
links() {
	grep -l "^link_type:[[:space:]]*uprobe_multi" /proc/"$1"/fdinfo/* 2>/dev/null | wc -l
}

# event EVENT: how many.
event() {
	events ".type == \"event\" and .event == \"$1\""
}

# counter NAME: from the last stats record.
counter() {
	jq -r "select(.type == \"stats\") | .counters.$1" "$TMP/events" | tail -n 1
}

# drained COUNT: until that many event records are there.
drained() {
	wait_for "[ \"\$(grep -c '\"type\":\"event\"' $TMP/events)\" -ge $1 ]" 10
}

for version in oldest newest; do
	server=$(build_target server plain $version) || bail "no server"
	start_target "$server"
	plan
	for how in multi perf address; do
		attach --attach=$how
		is "$(jq -r 'select(.type == "attach") | .how' "$TMP/events" | sort -u)" $how \
			"$version: attached by $how"
		n=4000
		is "$(load -n $n -paths /hello,/panic,/goexit,/deep | jq .good)" $n \
			"$version, $how: the target answers"
		drained $((2 * n))
		is "$(entries calls)" 0 "$version, $how: no open call is left in the kernel"
		detach
		is "$status_goattach" 0 "$version, $how: goattach ends with status 0"
		is "$(event begin) $(event end) $(event unwind)" "$n $((n / 2)) $((n / 2))" \
			"$version, $how: begins, ends and unwinds are the requests"
		is "$(counter lost) $(counter unpaired) $(counter unknown)" "0 0 0" \
			"$version, $how: nothing lost, nothing odd"
	done

	# Incoming traceparent headers, also among more headers than one group of a
	# map holds.
	attach
	trace=0af7651916cd43dd8448eb211c80319c parent=b7ad6b7169203331
	zero16=0000000000000000
	many=$(seq 125 | sed 's/.*/-H X-Some-Header-&:value-&/')
	# shellcheck disable=SC2086
	while read -r name headers; do
		[ "$name" != many ] || headers="$headers $many"
		curl -s -o /dev/null $headers "http://$TARGET_ADDR/hello?$name"
	done <<-END
		good -H traceparent:00-$trace-$parent-01
		unsampled -H traceparent:00-$trace-$parent-00
		future -H traceparent:01-$trace-$parent-01-more
		many -H traceparent:00-$trace-$parent-01
		none
		upper -H traceparent:00-$(echo $trace | tr a-f A-F)-$parent-01
		short -H traceparent:00-$trace-$parent
		long -H traceparent:00-$trace-$parent-01-more
		ff -H traceparent:ff-$trace-$parent-01
		notrace -H traceparent:00-$zero16$zero16-$parent-01
		noparent -H traceparent:00-$trace-$zero16-01
		nohex -H traceparent:00-${trace%c}g-$parent-01
	END
	drained 24
	detach
	jq -r --arg t $trace 'select(.event == "begin") | [if .sampled == false then "unsampled" else .values["url.query"] end, .parent_from,
		(.trace_id == $t), .parent_id, .flags] | map(tostring) | join(" ")' "$TMP/events" >"$TMP/got"
	is "$(cat "$TMP/got")" "good remote true $parent 1
unsampled remote true $parent 0
future remote true $parent 1
many remote true $parent 1
none none false null 1
upper none false null 1
short none false null 1
long none false null 1
ff none false null 1
notrace none false null 1
noparent none false null 1
nohex none false null 1" "$version: traceparent headers"
	stop "$TARGET_PID"
done

# Losses are counted to the last event: a begin that was lost takes its end along.
start_target "$server"
plan
n=20000
attach --ring 64K --tick 1000
load -n $n >/dev/null
detach
like "$(counter lost)" '^[1-9]' "a small ring loses events"
is $(($(event begin) + $(event end) + $(counter lost) + $(counter suppressed))) $((2 * n)) \
	"events, lost and suppressed ones are all that there were"
is "$(jq -s '[.[] | select(.type == "lost") | .count] | add' "$TMP/events")" "$(counter lost)" \
	"lost records say the same"
is "$(jq -r 'select(.type == "event") | .span_id' "$TMP/events" | sort | uniq -c |
	awk '$1 > 2' | wc -l)" 0 "no span has more than one end"
jq -r 'select(.event == "end") | .span_id' "$TMP/events" | sort >"$TMP/ends"
jq -r 'select(.event == "begin") | .span_id' "$TMP/events" | sort >"$TMP/begins"
is "$(comm -23 "$TMP/ends" "$TMP/begins" | wc -l)" 0 "no end without its begin"

n=2000
attach --max-calls 4
load -n $n -c 32 -paths '/sleep?ms=5' >/dev/null
detach
is $(($(event begin) + $(counter lost))) $n "open calls past --max-calls are counted"
is "$(event begin)" "$(event end)" "and have no end either"

# Threads that end make room for new ones at once.
n=6000
attach --max-threads 1024
load -n $n -paths /goexit-locked >/dev/null
drained $((2 * n))
detach
is "$(event begin) $(event unwind) $(counter lost)" "$n $n 0" "threads that die with their goroutine: no span is lost"

# Where they do not fit each call is lost once.
n=2000
attach --max-threads 1
load -n $n -c 16 -paths '/sleep?ms=1' >/dev/null
detach
like "$(counter lost)" '^[1-9]' "more threads than --max-threads are lost"
is $(($(event end) + $(counter lost))) $n "and counted once for each call"

# Two processes of the same file, apart or with one link for both: what one holds is let go
# with it.
"$BIN/goresolve" "$server" >"$TMP/sites"
first=$TARGET_PID
for how in apart shared; do
	start_target "$server"
	second=$TARGET_PID
	"$BIN/gofind" --pid "$first,$second" 2>/dev/null | "$BIN/goresolve" >"$TMP/plan"
	both=2
	if [ $how = shared ]; then
		both=1
		attach --apart 0
	else
		attach
	fi
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${second}[,}]'" 10
	is "$(jq -r 'select(.type == "attach") | .pid' "$TMP/events" | sort -u | wc -l)" 2 "two processes of one file, $how"
	is "$(links "$pid_goattach")" $both "$how: $both links"
	load -n 100 >/dev/null
	stop "$second" KILL
	wait_for "grep -q '\"type\":\"exit\"' $TMP/events" 5
	ok $? "$how: a process that ends has an exit record, though nobody else reports it"
	is "$(jq -r 'select(.type == "exit") | .pid' "$TMP/events")" "$second" "$how: it is the right one"
	wait_for '[ "$(links "$pid_goattach")" -eq 1 ]' 5
	ok $? "$how: the other is still traced"
	[ $how = shared ] || detach
done
stop "$first" KILL
wait "$pid_goattach"
is "$?" 0 "with the last process goattach ends, with status 0"

# However it ends, no probe stays.
start_target "$server"
plan
attach
like "$(breakpoints "$TARGET_PID" "$TMP/sites")" '^[1-9]' "there are breakpoints"
kill -KILL "$pid_goattach"
wait "$pid_goattach" 2>/dev/null
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -eq 0 ]' 5
ok $? "SIGKILL: none is left"

# A terminal that goes away: as if asked to end; nohup(1) has it ignored.
attach
load -n 100 >/dev/null
kill -HUP "$pid_goattach"
wait "$pid_goattach"
is "$? $(jq -c 'select(.event == "begin")' "$TMP/events" | wc -l)" "0 100" "SIGHUP: all events are let out"
trap '' HUP
attach
trap - HUP
kill -HUP "$pid_goattach"
load -n 1 >/dev/null
wait_for '[ "$(grep -c "\"event\":\"begin\"" "$TMP/events")" -eq 1 ]' 10
ok $? "where it is ignored, goattach goes on"
detach
is "$status_goattach" 0 "until it is asked to end"

mkfifo "$TMP/slow"
# shellcheck disable=SC2217  # it holds the pipe open
sleep 60 <"$TMP/slow" &
reader=$!
"$BIN/goattach" <"$TMP/plan" >"$TMP/slow" 2>"$TMP/goattach.err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach $reader"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -gt 0 ]' 10
load -n 20000 >/dev/null
kill "$pid_goattach"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -eq 0 ]' 5
ok $? "SIGTERM while the pipe is full: none is left"
kill "$reader"
wait "$pid_goattach"
like "$?" '^(0|141)$' "and goattach ends with its reader"

# The reader never reads again: the probes go at once, goattach soon after.
# shellcheck disable=SC2217
sleep 60 <"$TMP/slow" &
reader=$!
"$BIN/goattach" --flush-timeout 1 <"$TMP/plan" >"$TMP/slow" 2>"$TMP/goattach.err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach $reader"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -gt 0 ]' 10
load -n 20000 >/dev/null
kill "$pid_goattach"
wait_for "gone $pid_goattach" 6
ok $? "SIGTERM and a reader that stands still: goattach ends after --flush-timeout"
kill -KILL "$pid_goattach" 2>/dev/null
wait "$pid_goattach"
is "$?" 1 "with status 1"
like "$(cat "$TMP/goattach.err")" '[1-9][0-9]* lines were not written' "and says how much was not written"
kill "$reader"

"$BIN/goattach" <"$TMP/plan" 2>"$TMP/goattach.err" >"$TMP/slow" &
pid_goattach=$!
exec 8<"$TMP/slow"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -gt 0 ]' 10
exec 8<&-
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/sites")" -eq 0 ]' 2
ok $? "the reader goes away while nothing happens: none is left"
wait "$pid_goattach"
is "$(load -n 100 | jq .good)" 100 "the target answers as ever"
stop "$TARGET_PID"

# Deep nesting on one goroutine: each way out closes every call.
deep=$(build_target deep plain newest) || bail "no deep"
mkfifo "$TMP/stdin"
exec 9<>"$TMP/stdin"
start_target sh -c "exec $deep <$TMP/stdin 9>&-"
plan --func main.Down
attach
for how in return panic exit; do
	echo "$how 1999" >&9
done
wait_for '[ "$(grep -c done "$TARGET_LOG")" -eq 3 ]' 20
drained 12000
is "$(entries calls)" 0 "2,000 nested calls: none is left in the kernel"
is "$(event begin)" 6000 "2,000 nested calls: each has begun"
is "$(event end)" 2000 "they return"
is "$(events '.unwind == "panic"')" 2000 "or a panic closes them"
is "$(event unwind)" 4000 "or runtime.Goexit"
is "$(events '.event == "begin" and .parent_from == "stack"')" 5997 "each but the first has a parent"
is "$(jq -r 'select(.event == "begin") | .trace_id' "$TMP/events" | sort -u | wc -l)" 3 "in one trace"
echo "park 9" >&9
drained 12010
is "$(entries calls)" 10 "calls that are open now"
exec 9>&-
kill -KILL "$TARGET_PID"
wait "$pid_goattach"
is "$?" 0 "goattach ends with the process"
is "$(counter lost)" 0 "nothing was lost"
done_testing
