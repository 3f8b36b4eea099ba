#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plan that is wrong in many places: each has one message that names line and probe, and
# all that is right is attached. A hundred thousand sites are no harm.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
cp "$server" "$TMP/server"
start_target "$TMP/server"
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null | "$BIN/goresolve" >"$TMP/plan" 2>/dev/null
one=$(jq -c 'select(.type == "probe" and .role != "unwind")' "$TMP/plan" | head -n 1)
good=$(grep -c '"type":"probe"' "$TMP/plan")

# wrong ID JQ: the first probe, under another name and changed.
wrong() {
	printf '%s\n' "$one" | jq -c ".probe = \"$1\" | .span = \"$1\" | .captures = [] | $2"
}
{
	wrong outside '.sites[0].offset = "0x10"'
	wrong beyond '.sites[0].offset = "0x7fffffffffffff00"'
	wrong double '.sites += [.sites[0]]'
	wrong badop '.captures = [{name: "x", on: .sites[0].event, kind: "int", ops: [["jump", 1]]}]'
	wrong faroff '.captures = [{name: "y", on: .sites[0].event, kind: "int", ops: [["arg", 4000000000]]}]'
	wrong escape '.symbol = "a\u001b[31mb\u0007" | .sites[0].bytes = "90"'
	wrong huge '.stack_hi = 0 | .g.goid = -1'
	cat "$TMP/plan"
} >"$TMP/bad"
"$BIN/goattach" <"$TMP/bad" >"$TMP/events" 2>"$TMP/err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach"
wait_for "grep -qs 'probes at' $TMP/err" 20
is "$(load -n 100 | jq .good)" 100 "the target answers"
kill "$pid_goattach"
wait "$pid_goattach"
is "$?" 1 "status 1: some input was malformed"
# said ID REGEX: one message names the probe, and says that.
said() {
	is "$(grep -cE "probe $1[:,]" "$TMP/err")" 1 "$1: one message"
	like "$(grep -E "probe $1[:,]" "$TMP/err")" "$2" "$1: with line and reason"
}
said outside '(not in the program.s text|does not belong to address).*line 1\)'
said beyond '(not in the program.s text|past the file).*line 2\)'
said double 'stdin:3: .*the same as one before'
said badop 'stdin:4: .*unknown op "jump"'
said faroff 'stdin:5: .*capture y'
said escape 'a\?\[31mb\? left out: .*line 6\)'
said huge 'stdin:7: '
is "$(LC_ALL=C grep -c "$(printf '\033')" "$TMP/err")" 0 "nothing moves the terminal's cursor"
is "$(jq -r 'select(.type == "attach") | .probe' "$TMP/events" | grep -cvE '^(badop|faroff)$')" "$good" \
	"all that is right is attached"
is "$(jq -c 'select(.type == "event" and .event == "begin" and .span == "http.server")' "$TMP/events" | wc -l)" 100 \
	"and traces"

# Far more sites than there is room for.
"$BIN/goresolve" --no-recipes --no-args --func 'runtime.m*' "$TMP/server" >"$TMP/many" 2>/dev/null
jq -cn --slurpfile all "$TMP/many" '[$all[] | select(.type == "probe")] as $p | ([$p[].sites | length] | add) as $n |
	range(100000 / $n + 1) as $i | $p[] | .probe += "-\($i)" | .span += "-\($i)"' >"$TMP/bad"
sites=$(jq '.sites | length' "$TMP/bad" | awk '{ n += $1 } END { print n }')
ok "$([ "$sites" -ge 100000 ]; echo $?)" "a plan of $sites sites"
jq -c 'select(.type == "process")' "$TMP/plan" >>"$TMP/bad"
: >"$TMP/events"
"$BIN/goattach" -q <"$TMP/bad" >"$TMP/events" 2>"$TMP/err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach"
wait_attached 100
ok $? "some of it is attached"
wait_for "[ \"\$(grep -c -e '\"type\":\"attach\"' -e '\"reason\":\"limit\"' $TMP/events)\" -eq $(grep -c '"type":"probe"' "$TMP/bad") ]" 60
ok $? "of each probe it is said that it is attached, or that there is no room"
is "$(load -n 50 | jq .good)" 50 "the target answers"
kill "$pid_goattach"
wait "$pid_goattach"
is "$?" 0 "goattach ends with status 0"
done_testing
