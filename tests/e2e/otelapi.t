#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Spans that a program makes by OpenTelemetry's API with no SDK installed: they come out as
# the program made them, in the trace of the request that they are for.
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

# edge SPAN PARENT COUNT NAME
edge() {
	is "$(grep -cE "^$1 < $2\$" "$TMP/edges")" "$3" "$_what: $4" ||
		diag "$(sed 's/00[0-9]*/N/g' "$TMP/edges" | sort | uniq -c)"
}

# said FILTER: how many spans of the program's own pass this jq filter.
said() {
	spans ".span == \"otel.span\" and ($1)"
}

# trace PROGRAM: what the target does at /manual, and under otelhttp without an SDK.
trace() {
	start_target "$1" -sdk=false
	start_pipeline --pid "$TARGET_PID"
	ask manual
	ask otel
	stop_pipeline
	stop "$TARGET_PID" KILL
	python3 "$TOP/tests/sdk_edges.py" "$TARGET_LOG" "$TMP/spans" >"$TMP/edges"
	is "$(lost)" 0 "$_what: nothing is lost"
	is "$(spans .incomplete)" 0 "$_what: every span has its end"
	unlike "$(cat "$TMP/edges")" '[?]$|^twice' "$_what: every parent is there, in its trace"
	edge 'gotap:internal:order 0.*' 'gotap:server:/manual/0.*' "$N" "a span is the request's child"
	edge 'gotap:internal:hand over 0.*' 'gotap:internal:order 0.*' "$N" \
		"one that another goroutine starts, and this one ends, is that of its context's"
	edge 'gotap:internal:pay 0.*' 'gotap:internal:order 0.*' "$N" "so is one in a function, under its last name"
	edge 'gotap:client:/leaf/0.*' 'gotap:internal:pay 0.*' "$N" "a request is the child of the span in its context"
	edge 'gotap:internal:detached 0.*' 'gotap:server:/manual/0.*' "$N" "one without a context is the request's"
	edge 'gotap:internal:inner 0.*' 'gotap:server:/otel/0.*' "$N" "within otelhttp too"
	is "$(said true)" $((5 * N)) "$_what: and there are no others: otelhttp's are the requests' own"
	is "$(said '.name | startswith("order")')" "$N" "$_what: names"
	is "$(said '(.name | startswith("order")) and .attributes == {"order.id": .name[6:], "order.items": 3,
		"order.gift": true, "order.price": 12.5, "from": "context"}')" "$N" \
		"$_what: attributes from the start, and set later, by the context too, and none when it has ended"
	is "$(said '(.name | startswith("order")) and .unread == ["go.attributes"]')" "$N" \
		"$_what: that a list is left out is said"
	is "$(said '(.name | startswith("pay")) and .status == "error" and .status_message == "no money"')" "$N" \
		"$_what: errors"
	is "$(said '(.name | startswith("hand")) and .status == "ok"')" "$N" "$_what: what is well"
	is "$(said '.scope == "example.com/spans"')" $((5 * N)) "$_what: scopes"
	is "$(jq -s 'map(select(.type == "stats" and .from == "goattach")) | last.counters.objects_now' "$TMP/events")" 0 \
		"$_what: nothing is kept of what has ended"
}

_what="otel 1.47"
trace "$(build_target spans)"
_what="otel 1.47 stripped"
trace "$(build_target spans stripped)"
_what="otel 1.24"
trace "$(build_target spansold plain 1.22.12)"

# With an SDK installed its tracers are asked, and it exports.
_what="otel 1.24 with the SDK"
start_target "$(build_target spansold plain 1.22.12)"
start_pipeline --pid "$TARGET_PID"
ask manual
stop_pipeline
is "$(grep -c ^sdk "$TARGET_LOG")" $((4 * N)) "$_what: the SDK has its spans"
is "$(said true)" 0 "$_what: and we have none of them"
done_testing
