#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that make spans themselves, with the OpenTelemetry SDK: no request has two, and
# both kinds are children of each other as the program called.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl python3

N=100

# ask PATH: N requests of a caller that has a trace, several at a time.
ask() {
	seq -f %06g "$N" | xargs -P 8 -I{} curl -sf -o /dev/null \
		-H "traceparent: 00-{}00000000000000000000000000-00000000c0dec0de-01" \
		"http://$TARGET_ADDR/$1/{}"
}

# trace PROGRAM OPTION…: requests of each kind, and the edges of their traces.
trace() {
	start_target "$@"
	# shellcheck disable=SC2034  # of pipeline.sh
	RESOLVE_ARGS='--func main.guard'
	start_pipeline --pid "$TARGET_PID"
	for _path in otel bare both; do
		ask $_path
	done
	stop_pipeline
	stop "$TARGET_PID" KILL
	python3 "$TOP/tests/sdk_edges.py" "$TARGET_LOG" "$TMP/spans" >"$TMP/edges"
	is "$(lost)" 0 "$_what: nothing is lost"
	unlike "$(cat "$TMP/edges")" '[?]$|^twice' "$_what: every parent is there, in its trace"
}

# edge SPAN PARENT COUNT NAME
edge() {
	is "$(grep -cE "^$1 < $2\$" "$TMP/edges")" "$3" "$_what: $4" ||
		diag "$(sed 's/00[0-9]*/N/g' "$TMP/edges" | sort | uniq -c)"
}

# common: what is so whether the SDK passes its trace on or not.
common() {
	edge 'sdk:server:.*' remote $((2 * N)) "otelhttp's server spans are the caller's children"
	edge 'gotap:server:/otel/.*' '.*' 0 "their requests have none of ours"
	edge 'sdk:client:.*' 'sdk:server:.*' "$N" "otelhttp's client spans are within them"
	edge 'gotap:client:.*' 'sdk:client:.*' 0 "their requests have none of ours"
	edge 'gotap:client:/leaf/0.*' 'sdk:internal:inner .*' $((3 * N)) \
		"a request that nothing instruments is a child of the span in its context"
	edge 'gotap:client:.*' '.*' $((4 * N)) "and of that alone"
	edge 'gotap:server:/bare/.*' remote "$N" "a request that nothing instruments has a span"
	edge 'sdk:internal:.*' - "$N" "(under which the SDK does not see a parent)"
	edge 'gotap:server:/both/.*' remote "$N" "a request that had children already keeps its span"
	edge 'gotap:internal:main.guard' 'gotap:server:/both/.*' "$N" "and them"
	is "$(jq -s 'map(select(.type == "stats" and .from == "goattach")) | last.counters.covered' "$TMP/events")" \
		$((2 * N)) "$_what: what was left to the SDK is counted"
}

_what="otel 1.47"
trace "$(build_target spans)"
common
edge 'gotap:server:/leaf/.*' 'sdk:client:.*' "$N" "who is asked by otelhttp's client is its child"

_what="otel 1.47 stripped, without a propagator"
trace "$(build_target spans stripped)" -propagate=false
# Nobody tells otelhttp who the caller is, so its spans are roots.
sed 's/^\(sdk:server:.* <\) -$/\1 remote/' "$TMP/edges" >"$TMP/edges.2" && mv "$TMP/edges.2" "$TMP/edges"
common

_what="otel 1.24"
trace "$(build_target spansold plain 1.22.12)"
common
edge 'gotap:server:/leaf/.*' 'sdk:client:.*' "$N" "who is asked by otelhttp's client is its child"
done_testing
