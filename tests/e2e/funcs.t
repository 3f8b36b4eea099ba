#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Any function by name: one span for each call, also when it recurses, grows the
# stack, is unwound by a panic or ended by runtime.Goexit.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

# stdin of the target: each line is a round of calls.
mkfifo "$TMP/stdin"
rounds=34
for version in oldest newest; do
	funcs=$(build_target funcs stripped $version) || bail "no funcs"
	exec 9<>"$TMP/stdin"
	start_target sh -c "exec $funcs <$TMP/stdin 9>&-"
	RESOLVE_ARGS='--func main.Recurse --func main.Grow --func main.Panics --func main.Inner
		--func main.Exits --func main.Outer --func main.Leaf'
	start_pipeline --pid "$TARGET_PID"
	wait_attached 7
	for _ in $(seq $rounds); do
		echo go >&9
	done
	wait_for '[ "$(grep -c Leaf "$TARGET_LOG")" -eq $rounds ]' 20
	stop_pipeline
	exec 9>&-
	wait "$TARGET_PID"
	is "$?" 0 "$version: the target ends by itself"

	tail -n 1 "$TARGET_LOG" | jq -r 'to_entries[] | "main.\(.key) \(.value)"' | sort >"$TMP/want"
	jq -r 'select(.type == "span") | .name' "$TMP/spans" | sort | uniq -c |
		awk '{ print $2, $1 }' | sort >"$TMP/got"
	is "$(cat "$TMP/got")" "$(cat "$TMP/want")" "$version: spans by function are the calls that were made"
	is "$(spans .incomplete)" 0 "$version: none is incomplete"
	is "$(lost)" 0 "$version: nothing was lost"
	is "$(spans '.name == "main.Recurse" and .parent_from == "stack"')" $((rounds * 20 * 30)) \
		"$version: each call of a recursion has the one before as its parent"
	is "$(jq -r 'select(.type == "span" and .name == "main.Recurse") | .trace_id' "$TMP/spans" |
		sort -u | wc -l)" $((rounds * 20)) "$version: and shares its trace"
	is "$(spans '.name == "main.Inner" and .status != "error"')" 0 \
		"$version: calls that a panic unwound are errors"
	is "$(spans '.name == "main.Panics" and .status == "error"')" 0 \
		"$version: the call that recovered is none"
	is "$(jq -r 'select(.type == "event" and .event == "unwind") | .unwind' "$TMP/events" |
		sort | uniq -c | awk '{ print $2, $1 }')" "goexit $((rounds * 20 * 4))
panic $((rounds * 20 * 6))" "$version: panics and ends of goroutines are told apart"
done
done_testing
