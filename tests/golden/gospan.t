#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gospan on whole streams: gospan/NAME.in.jsonl gives NAME.out.jsonl, byte for
# byte, with the options in NAME.args, the messages in NAME.err and the exit
# status in NAME.status, where those files are. In NAME.edges is who is whose parent, as
# the traced program said it (record.sh). To take a changed output for good, look at it,
# then run this with ACCEPT=1.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/edges.sh
. "$TOP/tests/edges.sh"
require_command jq
unset OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS

# optional FILE OTHERWISE
optional() {
	if [ -e "$1" ]; then cat "$1"; else printf %s "$2"; fi
}

cd "$TOP/tests/golden/gospan" || exit 1
for in in *.in.jsonl; do
	name=${in%.in.jsonl}
	args=$(optional "$name.args" "")
	# shellcheck disable=SC2086  # several options
	"$BIN/gospan" $args <"$in" >"$TMP/out" 2>"$TMP/err"
	status=$?
	if [ -n "${ACCEPT:-}" ]; then
		cp "$TMP/out" "$name.out.jsonl"
		rm -f "$name.err" "$name.status"
		[ ! -s "$TMP/err" ] || cp "$TMP/err" "$name.err"
		[ "$status" -eq 0 ] || echo "$status" >"$name.status"
	fi
	cmp -s "$TMP/out" "$name.out.jsonl"
	ok $? "$name: the output" || diag "$(diff "$name.out.jsonl" "$TMP/out")"
	if [ -e "$name.edges" ]; then
		is "$(edges_traced <"$TMP/out")" "$(cat "$name.edges")" "$name: the parents"
	fi
	is "$(cat "$TMP/err")" "$(optional "$name.err" "")" "$name: the messages"
	is "$status" "$(optional "$name.status" 0)" "$name: the exit status"
	# But for what is said when nothing comes for a second, as it may on a busy machine.
	grep -v '^{"type":"active"' "$name.out.jsonl" >"$TMP/want"
	# shellcheck disable=SC2086
	dd bs=113 <"$in" 2>/dev/null | "$BIN/gospan" $args 2>/dev/null | grep -v '^{"type":"active"' >"$TMP/got"
	ok "$(cmp -s "$TMP/got" "$TMP/want"; echo $?)" "$name: the same when it comes in pieces"
done
done_testing
