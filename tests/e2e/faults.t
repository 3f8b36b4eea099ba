#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What can happen to goattach and its targets under load. Each time the target answers
# every request as it should, and by the kernel's own list no link is left.
# shellcheck disable=SC2317  # functions are called by name
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq python3

server=$(build_target server) || bail "no server"
: "${LOAD:=$(build_target load)}"
start_target "$server"
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null >"$TMP/process"
"$BIN/goresolve" <"$TMP/process" 2>/dev/null >"$TMP/plan" || bail "no plan"

# programs PID: the BPF programs that its links run.
programs() {
	sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}
# links PROGRAM…: what the kernel still has of them.
links() {
	python3 "$TOP/tests/links.py" "$@"
}
# attach COMMAND…: goattach by way of a command, in the background, its records in
# $TMP/events; stdin is a pipe that stays open as descriptor 9.
attach() {
	rm -f "$TMP/events" "$TMP/in"
	mkfifo "$TMP/in"
	"$@" "$BIN/goattach" <"$TMP/in" >"$TMP/events" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	exec 9>"$TMP/in"
	cat "$TMP/plan" >&9
	wait_attached 1 || bail "nothing is attached"
	ids=$(programs "$pid_goattach")
}
# under_load SECONDS COMMAND…: a command while the target is asked; $good is "all" if
# every answer was right, and there were many.
under_load() {
	"$LOAD" -addr "$TARGET_ADDR" -n 0 -for "$1s" -c 4 -paths /hello,/deep,/panic,/status/404 >"$TMP/load" &
	_load=$!
	shift
	sleep 0.3
	"$@"
	wait $_load
	good=$(jq -r 'if .requests == .good and .requests > 20 then "all" else tostring end' "$TMP/load")
}
# over NAME: what must be true in the end.
over() {
	exec 9>&-
	wait_for "gone $pid_goattach" 20
	ok $? "$1: goattach has ended"
	is "$good" all "$1: the target answered every request as it should"
	# shellcheck disable=SC2086  # a list
	is "$(links $ids)" "" "$1: no link is left"
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -eq 0 ]' 10
	ok $? "$1: no breakpoint is left"
}

# --- what is attached -----------------------------------------------------------------

attach env
# shellcheck disable=SC2086  # a list
links $ids >"$TMP/links"
ok "$([ -s "$TMP/links" ]; echo $?)" "there are links: $(cut -d' ' -f2- "$TMP/links" | sort | uniq -c | tr -s ' \n' ' ')"
is "$(grep -c returns "$TMP/links")" 0 "none of them is a return probe"
under_load 1 kill -KILL "$pid_goattach"
over KILL

# --- stopped ---------------------------------------------------------------------------

hold() {
	kill -STOP "$pid_goattach"
	sleep "${GOTAP_STOP_SECONDS:-2}"
	kill -CONT "$pid_goattach"
	sleep 0.5
	kill -TERM "$pid_goattach"
}
attach env
under_load $((${GOTAP_STOP_SECONDS:-2} + 2)) hold
over STOP

# --- out of memory ---------------------------------------------------------------------

for group in /sys/fs/cgroup/memory /sys/fs/cgroup /sys/fs/cgroup/unified; do
	limit=$group/gotap-test-$$/memory.limit_in_bytes
	[ "$group" = /sys/fs/cgroup/memory ] || limit=$group/gotap-test-$$/memory.max
	mkdir "$group/gotap-test-$$" 2>/dev/null || continue
	on_exit "for _ in 1 2 3 4 5 6 7 8; do ! rmdir $group/gotap-test-$$ || break; sleep 0.2; done"
	[ ! -w "$limit" ] || break
	limit=''
done
in_group() {
	echo 0 >"${limit%/*}/cgroup.procs"
	exec "$@"
}
# Its memory is limited to what it has, and then it is given more to remember.
starve() {
	_has=$(cat "${limit%/*}/memory.usage_in_bytes" "${limit%/*}/memory.current" 2>/dev/null)
	echo $((_has + 262144)) >"$limit"
	awk '/"type":"probe"/ { for (i = 0; i < 4000; i++) { l = $0; sub(/"probe":"/, "&" i, l); print l } }' \
		"$TMP/plan" >&9 2>/dev/null
	wait_for "gone $pid_goattach" 20
}
if [ -n "${limit:-}" ]; then
	attach in_group
	trap '' PIPE
	under_load 2 starve
	trap - PIPE
	over "OOM"
	wait "$pid_goattach"
	is "$?" 137 "OOM: it was killed"
else
	diag "no control group for memory here"
fi

# --- a pipe that nobody reads ------------------------------------------------------------

mkfifo "$TMP/full"
exec 8<>"$TMP/full"
rm -f "$TMP/in"
mkfifo "$TMP/in"
"$BIN/goattach" --flush-timeout 0 <"$TMP/in" >"$TMP/full" 2>"$TMP/goattach.err" &
pid_goattach=$!
on_exit "kill -KILL $pid_goattach"
exec 9>"$TMP/in"
cat "$TMP/plan" >&9
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 0 ]' 20
ids=$(programs "$pid_goattach")
full() {
	sleep "${GOTAP_FULL_SECONDS:-2}"
	kill "$pid_goattach"
}
under_load $((${GOTAP_FULL_SECONDS:-2} + 2)) full
over "full pipe"
exec 8>&-

# --- attached and detached, again and again ------------------------------------------------

again() {
	for i in $(seq "${GOTAP_ATTACH_TIMES:-6}"); do
		attach env
		exec 9>&-
		# Every third is killed, but not while it attaches: see goattach(1).
		kill -"$([ $((i % 3)) -eq 0 ] && echo KILL || echo TERM)" "$pid_goattach"
		wait "$pid_goattach"
		# shellcheck disable=SC2086  # a list
		remains="$remains$(links $ids)"
	done
}
descriptors() {
	find "/proc/$TARGET_PID/fd" -mindepth 1 | wc -l
}
fds=$(descriptors)
remains=''
: >"$TMP/go"
while [ -e "$TMP/go" ]; do
	"$LOAD" -addr "$TARGET_ADDR" -n 0 -for 1s -c 4 -paths /hello,/deep,/panic,/status/404
done >"$TMP/load" &
load=$!
on_exit "kill $load"
again
rm "$TMP/go"
wait $load
is "$(jq -s 'map(.requests == .good) | all' "$TMP/load")" true "the target answered every request meanwhile"
is "$remains" "" "${GOTAP_ATTACH_TIMES:-6} times attached and detached: no link is ever left"
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -eq 0 ]' 10
ok $? "and no breakpoint in the end"
is "$(load -n 1000 -paths /hello,/deep,/panic,/status/404 | jq .good)" 1000 "the target answers"
ok "$([ "$(descriptors)" -le $((fds + 10)) ]; echo $?)" "its descriptors are not more"
done_testing
