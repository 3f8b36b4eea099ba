#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where there are no uprobe_multi links, all sites of a file are one trace event, which
# goes away at once: seen here with --attach=event and --attach=address, as on older kernels.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq unshare

# Its own tracefs, whether or not the machine has mounted one.
cat >"$TMP/with_tracefs" <<-'END'
	mount -t tracefs none /sys/kernel/tracing && exec "$@"
END
with_tracefs() {
	unshare -m sh "$TMP/with_tracefs" "$@"
}
with_tracefs true 2>/dev/null || skip_all "tracefs cannot be mounted here"

# defined: how many lines of uprobe_events are of a goattach.
defined() {
	with_tracefs grep -c gotap/ /sys/kernel/tracing/uprobe_events
}
# perf_events PID: how many it holds, by themselves or in links.
perf_events() {
	_own=$(find "/proc/$1/fd" -lname '*perf_event*' | wc -l)
	echo $((_own + $(grep -l '^link_type:[[:space:]]*perf' /proc/"$1"/fdinfo/* 2>/dev/null | wc -l)))
}
attach() {
	rm -f "$TMP/events"
	# Not with_tracefs, which would be a shell between.
	unshare -m sh "$TMP/with_tracefs" "$BIN/goattach" --attach="$how" <"$TMP/plan" >"$TMP/events" \
		2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	wait_attached 1 || bail "nothing was attached"
}

for what in pie-event plain-address pie-address; do
	flavour=${what%-*} how=${what#*-}
	server=$(build_target server "$flavour") || bail "no server"
	start_target "$server"
	"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null | "$BIN/goresolve" --func 'net/http.(*conn).*' \
		--func 'net/http.(*response).*' >"$TMP/plan" 2>/dev/null
	attach
	is "$(jq -r 'select(.type == "attach") | .how' "$TMP/events" | sort -u)" "$how" "$what: attached by $how"
	sites=$(sed -n 's/.* at \([0-9]*\) sites of .*/\1/p' "$TMP/goattach.err")
	ok "$([ "$sites" -gt 50 ]; echo $?)" "$what: at many sites ($sites)"
	# Of two probes at one address the second has an event of its own, where that can be told
	# apart.
	more=0 out='net/http.(*conn).serve.func1'
	if [ "$how" = event ]; then
		more=$(($(perf_events "$pid_goattach") - 1)) out=''
		is "$more" "$(jq -r 'select(.type == "probe") | .sites[].addr' "$TMP/plan" | sort | uniq -d | wc -l)" \
			"$what: those with the address of another have one"
	fi
	is "$(perf_events "$pid_goattach")" $((1 + more)) "$what: with one event, and $more more"
	is "$(defined)" "$sites" "$what: that have a probe at each"
	is "$(jq -r 'select(.type == "skip" and (.detail // "" | test("another probe has this address"))) | .symbol' \
		"$TMP/events" | sort -u)" "$out" "$what: of two probes at one address one is left out, or none"
	n=500
	is "$(load -n $n -paths '/any/a?b=c' | jq .good)" $n "$what: the target answers"
	kill "$pid_goattach"
	wait "$pid_goattach"
	is "$?" 0 "$what: goattach ends with status 0"
	is "$(defined)" 0 "$what: and removes the event"
	for event in begin end; do
		is "$(events ".event == \"$event\" and .span == \"http.server\"")" $n "$what: each request has its $event"
	done
	is "$(jq -r 'select(.event == "begin" and .span == "http.server") | [.values["url.path"],
		.values["url.query"]] | join(" ")' "$TMP/events" | sort -u)" "/any/a b=c" "$what: with its fields"
	is "$(jq -r 'select(.type == "stats") | .counters | [.lost, .unknown, .no_goroutine] | join(" ")' \
		"$TMP/events" | tail -n 1)" "0 0 0" "$what: nothing lost, nothing odd"
	[ "$what" = plain-address ] || {
		stop "$TARGET_PID"
		continue
	}

	# Killed: the probes go, the definition stays, and the next one clears it away.
	attach
	like "$(breakpoints "$TARGET_PID" "$TMP/plan")" '^[1-9]' "there are breakpoints"
	kill -KILL "$pid_goattach"
	wait "$pid_goattach" 2>/dev/null
	wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -eq 0 ]' 5
	ok $? "SIGKILL: none is left"
	is "$(defined)" "$sites" "only the event's definition"
	attach
	is "$(defined)" "$sites" "which the next goattach removes"
	kill "$pid_goattach"
	wait "$pid_goattach"
	is "$(defined)" 0 "as its own"
	is "$(load -n 100 | jq .good)" 100 "the target answers as ever"
	stop "$TARGET_PID"
done
done_testing
