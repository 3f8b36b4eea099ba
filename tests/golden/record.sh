#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record.sh [CASE…]: records what goattach says of the hard cases of the target "family",
# one request or a few each, as golden streams of gospan: gospan/family-CASE.in.jsonl, and
# in .edges who made which call, by the target's own log. Needs root. What gospan makes of
# a new recording is taken over by gospan.t with ACCEPT=1, once it has been looked at.
. "$(dirname "$0")/../family.sh"
require_bpf
require_go
require_command jq curl

# record CASE PATHS REQUESTS AT-ONCE
record() {
	start_target "$program"
	RESOLVE_ARGS='--func main.lookup*'
	start_pipeline --pid "$TARGET_PID"
	"$program" -load "$TARGET_ADDR" -n "$3" -c "$4" -paths "$2" >/dev/null || bail "$1: no answers"
	curl -sf "http://$TARGET_ADDR/log" >"$TMP/truth"
	stop_pipeline
	stop "$TARGET_PID" KILL
	keep "$1"
	edges_of cf <"$TMP/truth" >"$golden/family-$1.edges"
	edges_traced <"$TMP/spans" | diff "$golden/family-$1.edges" - >"$TMP/diff"
	ok $? "$1: the edges are the program's own" || diag "$(cat "$TMP/diff")"
}

# keep CASE: the events, without what is of this machine alone.
keep() {
	jq -c 'select(.type != "stats" and .type != "skip") |
		if .type == "process" then {type, v, pid, start, exe: "/usr/bin/family"} else . end' \
		"$TMP/events" >"$golden/family-$1.in.jsonl"
}

# The first goroutines of testing/synctest's bubbles.
record_bubble() {
	go=$(sh "$TOP/tests/build-target.sh" --go newest) || bail "no go"
	(
		cd "$TOP/tests/targets/bubble" &&
			env -u GOROOT GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$go" test -c -o "$TMP/bubble" .
	) >"$TMP/build.err" 2>&1 || bail "no test binary"
	start_target "$TMP/bubble"
	# shellcheck disable=SC2034  # of pipeline.sh
	RESOLVE_ARGS='--func example.com/bubble.lookup'
	start_pipeline --pid "$TARGET_PID"
	kill -USR1 "$TARGET_PID"
	wait "$TARGET_PID"
	stop_pipeline
	keep synctest
	printf 'f1 -\nf2 f1\nf3 f1\n' >"$golden/family-synctest.edges"
	edges_traced <"$TMP/spans" | diff "$golden/family-synctest.edges" - >"$TMP/diff"
	ok $? "synctest: the edges are the program's own" || diag "$(cat "$TMP/diff")"
}

golden=$TOP/tests/golden/gospan
while read -r case flavour paths requests at_once; do
	[ $# -eq 0 ] || echo " $* " | grep -q " $case " || continue
	program=$(build_target family "$flavour") || bail "no target"
	record "$case" "$paths" "$requests" "$at_once" </dev/null
done <<END
abort plain /dies-abort 1 1
afterfunc plain /afterfunc 1 1
cancelled plain /cancelled 1 1
cgo cgo /cgo 1 1
chain plain /chain 1 1
cleanup plain /cleanup 1 1
direct plain /direct 1 1
errgroup plain /errgroup 2 2
fan plain /fan 1 1
finalizer plain /final 1 1
functions plain /func 1 1
generations plain /generations 1 1
goexit plain /goexit,/goexit-deferred 2 1
hijack plain /hijack 1 1
late plain /late 1 1
later-body plain /later 1 1
locked plain /locked 1 1
panic plain /dies-panic 1 1
panics plain /panics 1 1
pool-context plain /pool-context,/lazy-context 4 2
pool-request plain /pool-request,/lazy-request 4 2
proxy plain /by-proxy 1 1
pull plain /pull 1 1
recovered plain /recovered 1 1
redirect plain /redirect 1 1
refused plain /refused 1 1
reverse-proxy plain /proxy 1 1
round-trip plain /round-trip,/unsent 2 1
singleflight plain /singleflight 4 4
stale plain /stale 1 1
sync-pool plain /syncpool 2 1
timed-out plain /timed-out 1 1
timeout-handler plain /timeout 1 1
timer plain /timer 1 1
tunnel plain /by-tunnel 1 1
without-cancel plain /cause,/pool-late 2 1
wrapped plain /wrapped 1 1
END
if [ $# -eq 0 ] || echo " $* " | grep -q " synctest "; then
	record_bubble
fi
done_testing
