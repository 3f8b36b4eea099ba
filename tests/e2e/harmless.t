#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Processes that are not what they seem, or may not be looked at: each is traced right, or
# refused with its reason; and another user of the same probes.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq setpriv python3 curl

server=$(build_target server plain newest) || bail "no server"
old=$(build_target server plain oldest) || bail "no server"
chmod 755 "$TMP"
cp "$BIN/goattach" "$TMP/goattach"
# A copy, whose breakpoints are nobody else's.
cp "$server" "$TMP/server"
server=$TMP/server
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

# plan PID: what gofind and goresolve say of it, in $TMP/plan.
plan() {
	# shellcheck disable=SC2086  # a list
	"$BIN/gofind" --pid "$1" 2>/dev/null | "$BIN/goresolve" ${RESOLVE_ARGS:-} >"$TMP/plan" 2>/dev/null
}
# try FILTER: goattach with the plan changed by a jq filter; it ends by itself, as nothing
# is traced.
try() {
	jq -c "$1" "$TMP/plan" >"$TMP/changed"
	timeout -s TERM 10 "$BIN/goattach" <"$TMP/changed" >"$TMP/out" 2>"$TMP/err"
	status=$?
	reasons=$(jq -r 'select(.type == "skip") | .reason' "$TMP/out" | sort -u)
	attached=$(grep -c '"type":"attach"' "$TMP/out")
}
# traced NAME OPTION…: 200 requests to the target give 200 spans.
traced() {
	_what=$1
	shift
	start_pipeline --pid "$TARGET_PID" "$@"
	is "$(load -n 200 -paths /hello,/deep,/panic | jq -c '[.good, .wrong]')" "[200,0]" "$_what: it answers"
	stop_pipeline
	is "$(spans '.incomplete | not') $(lost)" "200 0" "$_what: 200 spans"
}

# --- under a filter of system calls, as containers have them --------------------------

start_target python3 "$TOP/tests/no_bpf.py" "$server"
like "$(grep ^Seccomp: "/proc/$TARGET_PID/status")" '2$' "a target with a seccomp filter"
traced "seccomp"
stop "$TARGET_PID"

# --- setuid, and so not dumpable -------------------------------------------------------

cp "$server" "$TMP/setuid"
chown 65533 "$TMP/setuid"
chmod 4755 "$TMP/setuid"
# shellcheck disable=SC2086  # a list
start_target $as_nobody "$TMP/setuid"
is "$(awk '/^Uid:/ { print $2, $3 }' "/proc/$TARGET_PID/status")" "65534 65533" "a target that is setuid"
traced "setuid"
plan "$TARGET_PID"
# Its user may not look at it, not even with the right to trace.
$as_nobody --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon "$TMP/goattach" \
	<"$TMP/plan" >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "setuid: its user may not trace it"
like "$(cat "$TMP/err")" 'not permitted' "setuid: and that is said"
stop "$TARGET_PID"

# --- another process, another file ------------------------------------------------------

start_target "$server"
plan "$TARGET_PID"
try 'if .type == "process" then .start = "1" else . end'
is "$status $attached $(jq -r 'select(.type == "exit") | .pid' "$TMP/out")" "1 0 $TARGET_PID" \
	"a process id that is another's now: it has ended"
# As if the inode had been reused: all is right but the build.
"$BIN/goresolve" "$old" 2>/dev/null >"$TMP/old"
id=$(jq -r 'select(.type == "probe") | .binary' "$TMP/old" | head -n 1)
jq -c 'select(.type == "process")' "$TMP/plan" >>"$TMP/old"
cp "$TMP/old" "$TMP/plan"
try "if .type == \"process\" then .binary = \"$id\" else . end"
is "$attached $reasons" "0 binary-differs" "an inode with another build: nothing is attached"
like "$(cat "$TMP/err")" 'another build' "and that is said"

# --- a process that executes another binary ------------------------------------------------

stop "$TARGET_PID"
switch=$(build_target switch) || bail "no switch"
cp "$switch" "$TMP/switch"
start_target "$TMP/switch" "$server"
start_pipeline --exe switch --exe server --watch
for _ in $(seq 20); do
	curl -s "http://$TARGET_ADDR/"
done >"$TMP/before"
is "$(grep -c before "$TMP/before")" 20 "before it executes another binary it answers"
kill -USR1 "$TARGET_PID"
wait_for '[ "$(grep -c ^ready "$TARGET_LOG")" -eq 2 ]' 10 || bail "it does not come back"
TARGET_ADDR=$(sed -n 's/^ready *//p' "$TARGET_LOG" | tail -n 1)
# shellcheck disable=SC2317  # called by name
binaries() {
	sed -n '/"type":"attach"/s/.*"binary":"\([^"]*\)".*/\1/p' "$TMP/events" | sort -u | wc -l
}
wait_for '[ "$(binaries)" -eq 2 ]' 10
ok $? "a process that executes another binary is attached again"
is "$(load -n 150 | jq .good)" 150 "and answers"
stop_pipeline
is "$(spans '.incomplete | not') $(lost)" "170 0" "20 spans before, 150 after"
stop "$TARGET_PID"

# --- another user of the same sites -----------------------------------------------------

start_target "$server"
RESOLVE_ARGS='--no-recipes --site first --func main.hello'
plan "$TARGET_PID"
"$BIN/goattach" --attach perf <"$TMP/plan" >"$TMP/second" 2>"$TMP/second.err" &
second=$!
on_exit "kill -KILL $second"
wait_for "grep -qs '\"type\":\"attach\"' $TMP/second" 20
start_pipeline --pid "$TARGET_PID"
if command -v bpftrace >/dev/null; then
	bpftrace -e "uprobe:$server:\"main.hello\" { @hits = count(); }" >"$TMP/bpftrace" 2>&1 &
	bpftrace=$!
	on_exit "kill -KILL $bpftrace"
	wait_for "grep -Eqs 'Attaching|ERROR' $TMP/bpftrace" 20
	sleep 1
fi
is "$(load -n 300 | jq .good)" 300 "three users of one site: the target answers"
if command -v bpftrace >/dev/null; then
	kill -INT "$bpftrace"
	wait "$bpftrace"
	# A function whose stack grows starts again: bpftrace may count a few twice.
	like "$(cat "$TMP/bpftrace")" '@hits: 3[0-9][0-9]$' "bpftrace counts 300"
fi
stop_pipeline
kill "$second"
wait "$second"
is "$(spans true) $(lost)" "300 0" "300 spans"
is "$(jq -c 'select(.type == "event" and .event == "begin")' "$TMP/second" | wc -l)" 300 \
	"and 300 events of the other goattach, by perf"
is "$(breakpoints "$TARGET_PID" "$TMP/plan")" 0 "no breakpoint is left"
done_testing
