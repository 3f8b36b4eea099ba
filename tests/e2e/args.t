#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters and results of any function: every call's span has the values that the
# program itself says it was given and gave back.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

mkfifo "$TMP/stdin"
for version in 1.20.14 1.23.12 local newest; do
	args=$(build_target args plain $version) || bail "no args"
	exec 9<>"$TMP/stdin"
	start_target sh -c "exec $args <$TMP/stdin 9>&-"
	RESOLVE_ARGS='--func main.Numbers --func main.Texts --func main.(*store).Get
		--func main.Blank --func main.Any --func main.When --func main.Floats --func main.Generic
		--func main.Pair --func main.Grow --func main.Many --func main.Other --capture main.Unused(length=ret0,system="sql",count=-7)'
	start_pipeline --pid "$TARGET_PID"
	wait_attached 10
	echo go >&9
	wait_for 'grep -q main.Unused "$TARGET_LOG"' 20 || bail "the target did not go on"
	stop_pipeline
	exec 9>&-
	wait "$TARGET_PID"

	grep '^{' "$TARGET_LOG" >"$TMP/want"
	jq -c 'select(.type == "span") | .attributes + {function: .name}' "$TMP/spans" >"$TMP/got"
	is "$(wc -l <"$TMP/got")" "$(wc -l <"$TMP/want")" "$version: a span for every call"
	# Line by line: what is wanted and missing or different.
	jq -nr --slurpfile want "$TMP/want" --slurpfile got "$TMP/got" '
		range($want | length) as $i | $want[$i] | to_entries[] |
		select(.key != "function") |
		select(($got[$i][.key] | tostring) != (.value | tostring)) |
		"\($want[$i].function) \(.key): \($got[$i][.key]), not \(.value)"' >"$TMP/differ"
	want=
	# Where DWARF does not tell all parameters some places are not sure.
	[ $version != 1.20.14 ] || want='main.Blank arg.a
main.Blank arg.b
main.Grow ret.0.Name
main.Grow ret.0.Score
main.Grow ret.0.Sides
main.Many ret.10
main.Many ret.11
main.Pair ret.out
main.Texts arg.nums'
	is "$(sed -n 's/\(\.len\|\[.\]\)*: null, .*//p' "$TMP/differ" | sort -u)" "$want" \
		"$version: what there is none of"
	is "$(grep -v ': null,' "$TMP/differ")" "" "$version: all others are what they were"
	[ "$(jq -s 'map(length) | add' "$TMP/want")" -gt 50 ]
	ok $? "$version: $(jq -s 'map(length) | add' "$TMP/want") values"
	is "$(jq -c 'select(.function == "main.(*store).Get" and has("arg.r.Name")) | .["arg.r.Name"]' "$TMP/got")" '"ann"' \
		"$version: a null pointer has no fields"
	is "$(jq -rc 'select(.type == "skip" and .symbol == "main.Floats") | [.reason, .field]' \
		"$TMP/events" | sort -u | tr '\n' ' ')" \
		'["unavailable","f"] ["unavailable","g"] ["unavailable","ret0"] ' \
		"$version: floating point registers are said to be out of reach"
	unread=$(jq -c 'select(.type == "event" and .unread) | [.probe, .unread]' "$TMP/events")
	is "$unread" "" "$version: nothing was unreadable"
done
done_testing
