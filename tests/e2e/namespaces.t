#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Targets and tracers in pid and mount namespaces of their own, as in containers:
# ids are those of goattach's namespace, and a process of another namespace that has
# the same id there is another process.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq unshare nsenter

server=$(readlink -f "$(build_target server)") || bail "no server"
LOAD=$(build_target load) || bail "no load"
export LOAD server
unshare --pid --fork --mount-proc --kill-child true 2>/dev/null || missing bpf "no namespaces here"

mkdir "$TMP/a" "$TMP/b" "$TMP/c" "$TMP/d"
# The target is the second process of its namespace.
cat >"$TMP/target.sh" <<'END'
"$server" >"$1/log" 2>&1 &
echo $! >"$1/pid"
wait
END
# A target and the tracers, all in one namespace.
cat >"$TMP/all.sh" <<'END'
"$server" >"$1/log" 2>&1 &
echo $! >"$1/pid"
for _ in $(seq 200); do
	! grep -qs ^ready "$1/log" || break
	sleep 0.05
done
sh "$TMP/trace.sh" "$1" "$(cat "$1/pid")"
END
# trace.sh DIR PID: until DIR/stop is there.
cat >"$TMP/trace.sh" <<'END'
"$BIN/gofind" --pid "$2" 2>"$1/err" | "$BIN/goresolve" 2>>"$1/err" |
	sh -c 'echo $$ >"$0/goattach"; exec "$BIN/goattach"' "$1" 2>>"$1/err" | tee "$1/events" |
	"$BIN/gospan" >"$1/spans" 2>>"$1/err" &
for _ in $(seq 600); do
	[ ! -e "$1/stop" ] || break
	sleep 0.05
done
kill "$(cat "$1/goattach")"
wait $!
: >"$1/done"
END

# in_namespace SCRIPT DIR…: in a new one, in the background, its first process in $first.
in_namespace() {
	unshare --pid --fork --mount-proc --kill-child sh "$TMP/$1" "$2" "${3:-}" &
	on_exit "kill -KILL $!"
}
# ready DIR: its target is; its address in $TARGET_ADDR.
ready() {
	wait_for "grep -qs ^ready $1/log" 10 || bail "no target in $1"
	TARGET_ADDR=$(sed -n 's/^ready *//p' "$1/log")
}
attached() {
	wait_for "grep -qs '\"type\":\"attach\"' $1/events" 20 || {
		diag "$(cat "$1/err")"
		bail "nothing is attached in $1"
	}
}
# finish DIR: the tracers there end.
finish() {
	: >"$1/stop"
	wait_for "[ -e $1/done ]" 20
}
# count DIR FILTER: spans that pass it.
count() {
	jq -c "select(.type == \"span\") | select($2)" "$1/spans" | wc -l
}

# --- the target in a namespace of its own, the tracers outside ------------------------

in_namespace target.sh "$TMP/a"
ready "$TMP/a"
# Its id outside: it is the one below unshare, sh.
outside=$(grep -lE "^NSpid:.*[[:space:]]$(cat "$TMP/a/pid")\$" /proc/[0-9]*/status 2>/dev/null |
	while IFS=/ read -r _ _ pid _; do
		! readlink "/proc/$pid/exe" | grep -qFx "$server" || echo "$pid"
	done | head -n 1)
start_pipeline --pid "$outside"
is "$(load -n 500 | jq .good)" 500 "a target in a container: it answers"
stop_pipeline
is "$(spans ".pid == $outside")" 500 "500 spans, with its id outside"

# --- all of it in one, and its twin in another one -------------------------------------

in_namespace all.sh "$TMP/b"
ready "$TMP/b"
b_addr=$TARGET_ADDR
in_namespace all.sh "$TMP/c"
ready "$TMP/c"
attached "$TMP/b"
attached "$TMP/c"
is "$(cat "$TMP/b/pid")" "$(cat "$TMP/c/pid")" "two containers: the targets have one id"
load -n 700 -c 4 -addr "$b_addr" >"$TMP/load.b" &
is "$(load -n 300 -c 4 | jq .good)" 300 "the second answers"
wait $!
is "$(jq .good "$TMP/load.b")" 700 "the first answers"
finish "$TMP/b"
finish "$TMP/c"
is "$(count "$TMP/b" ".pid == $(cat "$TMP/b/pid")")" 700 "700 spans of the first, with its id inside"
is "$(count "$TMP/c" true)" 300 "300 of the second"
is "$(count "$TMP/b" true)" 700 "and no more of the first"
is "$(jq -s '[.[] | select(.type == "lost") | .count] | add // 0' "$TMP/b/spans" "$TMP/c/spans")" 0 "nothing is lost"

# --- the tracers in one, the target in one inside of that -------------------------------

cat >"$TMP/nested.sh" <<'END'
unshare --pid --fork --mount-proc --kill-child sh "$TMP/target.sh" "$1" &
for _ in $(seq 200); do
	! grep -qs ^ready "$1/log" || break
	sleep 0.05
done
for p in /proc/[0-9]*; do
	[ "$(readlink "$p/exe")" != "$server" ] || sh "$TMP/trace.sh" "$1" "${p#/proc/}"
done
END
in_namespace nested.sh "$TMP/d"
ready "$TMP/d"
attached "$TMP/d"
is "$(load -n 400 | jq .good)" 400 "a container in a container: it answers"
finish "$TMP/d"
is "$(count "$TMP/d" ".pid != $(cat "$TMP/d/pid")")" 400 "400 spans, with the id that the tracers see"
done_testing
