# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# pipeline.sh, and the edges of traces: between the spans of the target "family" there
# must be just those that it says there are.

# shellcheck source=tests/pipeline.sh
. "$(dirname "$0")/../pipeline.sh"

# shellcheck source=tests/edges.sh
. "$TOP/tests/edges.sh"

# compare KINDS NAME: ends the pipeline, and compares.
compare() {
	curl -sf "http://$TARGET_ADDR/log" >"$TMP/truth"
	stop_pipeline
	stop "$TARGET_PID" KILL
	edges_of "$1" <"$TMP/truth" >"$TMP/want"
	edges_traced <"$TMP/spans" >"$TMP/got"
	is "$(lost)" 0 "$2: nothing is lost"
	is "$(spans .incomplete)" 0 "$2: every span has its end"
	diff "$TMP/want" "$TMP/got" >"$TMP/diff"
	ok $? "$2: the $(wc -l <"$TMP/want") edges are the program's own" ||
		diag "$(grep -c '^>' "$TMP/diff") wrong; < is right: $(head -n 12 "$TMP/diff")"
}

# family VERSION FLAVOUR REQUESTS KINDS OPTION…: traces the target under load and
# compares. The options are goresolve's.
family() {
	_what="Go $1 $2, $3 requests"
	_n=$3 _kinds=$4
	_program=$(build_target family "$2" "$1") || bail "no target"
	shift 4
	start_target "$_program"
	RESOLVE_ARGS=$*
	start_pipeline --pid "$TARGET_PID"
	is "$("$_program" -load "$TARGET_ADDR" -n "$_n" -c 64 2>"$TMP/load.err")" "$_n" \
		"$_what: all are answered" || diag "$(cat "$TMP/load.err")"
	compare "$_kinds" "$_what"
	ok "$([ "$(wc -l <"$TMP/want")" -gt "$_n" ]; echo $?)" "$_what: there are more calls than requests"
}
