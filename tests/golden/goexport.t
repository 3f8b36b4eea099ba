#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Recorded streams through goexport: the output is the same, byte for byte.
# tests/golden/goexport/NAME.jsonl is the stream; NAME.otlp.json what --file
# writes, with @VERSION@ for the version; NAME.tree what --tree draws,
# NAME.ascii the same where the terminal knows only ASCII. GOLDEN_UPDATE=1 writes
# them anew, for a look at the difference with git.
. "$(dirname "$0")/../lib.sh"

dir=$TOP/tests/golden/goexport
version=$("$BIN/goexport" --version | sed 's/.* //')
export TZ=UTC
unset COLUMNS NO_COLOR OTEL_EXPORTER_OTLP_ENDPOINT

same() { # GOT WANT NAME
	[ -z "${GOLDEN_UPDATE:-}" ] || cp "$1" "$2"
	diff -a "$2" "$1" >"$TMP/diff"
	ok $? "$3" || diag "$(cat -v "$TMP/diff")"
}

for in in "$dir"/*.jsonl; do
	name=$(basename "$in" .jsonl)
	"$BIN/goexport" --file - --batch 8 --resource host.name=golden <"$in" >"$TMP/out" 2>"$TMP/err"
	is "$? $(cat "$TMP/err")" "0 " "$name: --file ends well and says nothing"
	sed "s/\"stringValue\":\"$version\"/\"stringValue\":\"@VERSION@\"/g" "$TMP/out" >"$TMP/otlp"
	same "$TMP/otlp" "$dir/$name.otlp.json" "$name: OTLP/JSON lines"
	python3 -c 'import json,sys
for line in open(sys.argv[1], "rb"): json.loads(line.decode())' "$TMP/out" 2>"$TMP/err"
	ok $? "$name: each line is JSON, in valid UTF-8" || diag "$(cat "$TMP/err")"

	LC_ALL=C.UTF-8 "$BIN/goexport" --tree <"$in" >"$TMP/tree" 2>"$TMP/err"
	is "$? $(cat "$TMP/err")" "0 " "$name: --tree ends well and says nothing"
	same "$TMP/tree" "$dir/$name.tree" "$name: the tree"
	COLUMNS=60 "$BIN/goexport" --tree <"$in" >"$TMP/ascii"
	same "$TMP/ascii" "$dir/$name.ascii" "$name: the tree in ASCII, 60 columns"
	# shellcheck disable=SC2002 # through a pipe is the point
	cat "$in" | LC_ALL=C.UTF-8 "$BIN/goexport" --tree - >"$TMP/piped"
	cmp -s "$TMP/tree" "$TMP/piped"
	ok $? "$name: the same through a pipe"
	! LC_ALL=C grep -aq "$(printf '[\001-\011\013-\037\177]')" "$TMP/tree"
	ok $? "$name: no control byte reaches the terminal"
	LC_ALL=C.UTF-8 awk 'length($0) > 60' "$TMP/ascii" >"$TMP/wide"
	is "$(cat "$TMP/wide")" "" "$name: no line is wider than the terminal"
done
done_testing
