#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goattach works with CAP_BPF and CAP_PERFMON (and CAP_SYS_PTRACE for processes of
# others), and gives up all other rights once it has loaded.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq setpriv

# nobody may not be able to reach the repository.
server=$(build_target server) || bail "no server"
mkdir "$TMP/bin"
cp "$BIN"/go* "$server" "$TMP/bin/"
server=$TMP/bin/$(basename "$server")
chmod 755 "$TMP" "$TMP/bin" "$TMP"/bin/*
BIN=$TMP/bin
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all"
# nobody_with CAPABILITY…: a command prefix for nobody with these capabilities.
nobody_with() {
	_caps=$(printf '+%s,' "$@")
	echo "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=${_caps%,}" \
		"--ambient-caps=${_caps%,}"
}
# held PID: capabilities of goattach, by their numbers.
held() {
	_bits=$(awk '/^CapEff:/ { print "0x" $2 }' "/proc/$1/status")
	for _i in $(seq 0 40); do
		[ $((_bits >> _i & 1)) -eq 0 ] || printf '%s ' "$_i"
	done
}

# --- started as root ------------------------------------------------------------------

start_target "$server"
ATTACH_ARGS='--attach auto'
start_pipeline --pid "$TARGET_PID"
how=$(jq -r 'select(.type == "attach") | .how' "$TMP/events" | head -n 1)
if [ "$how" = multi ]; then
	is "$(held "$pid_goattach")" "19 38 39 " "root: ptrace, perfmon and bpf are kept"
else
	like "$(held "$pid_goattach")" '^19 (21 )?38 39 $' "root: ptrace, perfmon, bpf, perhaps admin are kept"
fi
is "$(awk '/^(CapPrm|CapEff):/ { print $2 }' "/proc/$pid_goattach/status" | sort -u | wc -l)" 1 \
	"no others are permitted"
is "$(awk '/^(CapInh|CapBnd|CapAmb|NoNewPrivs):/ { print $2 + 0 }' "/proc/$pid_goattach/status" |
	tr '\n' ' ')" "0 0 0 1 " "none can be had again"
is "$(load -n 500 | jq .good)" 500 "the target answers"
# A process that comes later, of another user.
first=$TARGET_PID
stop_pipeline
is "$(spans true)" 500 "500 spans"
# What is attached later needs the rights still.
# shellcheck disable=SC2086  # a list
start_target $as_nobody "$server"
start_pipeline --exe "$(basename "$server")" --watch
wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":$TARGET_PID,'" 10
# shellcheck disable=SC2086
start_target $as_nobody "$server"
wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":$TARGET_PID,'" 10
ok $? "a process that starts later, of another user, is attached"
is "$(load -n 500 | jq .good)" 500 "it answers"
stop_pipeline
is "$(spans ".pid == $TARGET_PID")" 500 "500 spans of it"
stop "$first"

# --- a file that only its owner may read ----------------------------------------------

cp "$server" "$TMP/bin/secret"
chown 65534 "$TMP/bin/secret"
chmod 700 "$TMP/bin/secret"
# shellcheck disable=SC2086
start_target $as_nobody "$TMP/bin/secret"
"$BIN/gofind" --pid "$TARGET_PID" | "$BIN/goresolve" >"$TMP/plan" 2>/dev/null
"$BIN/goattach" <"$TMP/plan" >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "a file that only its owner may read: not traced"
like "$(cat "$TMP/err")" 'only its owner may read \(--any-file\)' "the reason is said"
is "$(jq -r 'select(.type == "skip") | .reason' "$TMP/out" | sort -u)" unreadable "and in a record"
ATTACH_ARGS=--any-file
start_pipeline --pid "$TARGET_PID"
is "$(load -n 100 | jq .good)" 100 "--any-file: it answers"
stop_pipeline
is "$(spans true)" 100 "--any-file: 100 spans"
stop "$TARGET_PID"

# --- started with little --------------------------------------------------------------

[ "$how" = multi ] || done_testing
# Its own process: two capabilities are enough.
ATTACH_ARGS='' ATTACH_AS=$(nobody_with bpf perfmon)
# shellcheck disable=SC2086
start_target $as_nobody "$server"
start_pipeline --pid "$TARGET_PID"
is "$(held "$pid_goattach")" "38 39 " "nobody: perfmon and bpf"
is "$(load -n 500 | jq .good)" 500 "nobody's own process answers"
stop_pipeline
is "$(spans true) $status_goattach" "500 0" "500 spans of nobody's own process"
stop "$TARGET_PID"
# Somebody else's: refused, with CAP_SYS_PTRACE traced.
start_target "$server"
"$BIN/gofind" --pid "$TARGET_PID" | "$BIN/goresolve" >"$TMP/plan" 2>/dev/null
$ATTACH_AS "$BIN/goattach" <"$TMP/plan" >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "nobody: root's process is not traced"
like "$(cat "$TMP/err")" 'another user.s process \(which needs CAP_SYS_PTRACE\)' "the reason is said"
ATTACH_AS=$(nobody_with bpf perfmon sys_ptrace)
start_pipeline --pid "$TARGET_PID"
is "$(held "$pid_goattach")" "19 38 39 " "nobody: with ptrace"
is "$(load -n 500 | jq .good)" 500 "root's process answers"
stop_pipeline
is "$(spans true) $status_goattach" "500 0" "500 spans of root's process"
done_testing
