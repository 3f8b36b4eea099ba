#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every type and key of lib/record.h is in gotap-jsonl(5), and the other way round;
# and what the programs really write is in the section of its record type.
. "$(dirname "$0")/../lib.sh"
require_command jq

header=$TOP/lib/record.h
page=$TOP/man/gotap-jsonl.5

# listed LIST: the texts in the header's list RECORD_LIST.
listed() {
	sed -n "/^#define RECORD_$1(/,/^\$/s/.*X([A-Z0-9_]*, \"\([a-z0-9_]*\)\").*/\1/p" "$header" |
		sort -u
}
# The page marks keys with Cm; what follows No or Pq on such a line is prose.
documented_keys() {
	sed -n 's/^\.\(It \|Brq \)\{0,1\}Cm //p' "$page" | sed 's/ No .*//' | tr -s ', ' '\n' |
		grep -Ex '[a-z0-9_]+' | sort -u
}
documented_types() {
	sed -n 's/^\.Ss \([a-z]*\)$/\1/p' "$page" | sort -u
}

listed TYPES >"$TMP/types"
listed KEYS >"$TMP/keys"
sort -u "$TMP/types" "$TMP/keys" >"$TMP/words"
ok "$([ "$(wc -l <"$TMP/keys")" -gt 50 ]; echo $?)" "the header's keys were found"
is "$(documented_types)" "$(cat "$TMP/types")" "the page has a section for each type, and no other"
is "$(documented_keys | comm -13 - "$TMP/keys")" "" "every key of the header is in the page"
is "$(documented_keys | comm -23 - "$TMP/words")" "" "every key of the page is in the header"

# keys_of_types: "type key" for each key, at any depth, of the records on stdin.
# What is below the keys that hold data is not the schema's, and neither is what
# was never in the header (streams of tests have such on purpose).
keys_of_types() {
	jq -rR 'fromjson? | objects | .type as $type |
		del(.attributes?, .values?, .deps?, .counters?, .resource[]?) |
		[paths[] | strings] | unique[] | "\($type) \(.)"' | sort -u |
		awk 'FILENAME ~ /types$/ { type[$1]; next } FILENAME ~ /keys$/ { key[$1]; next }
			$1 in type && $2 in key && $2 != "type" && $2 != "v"' "$TMP/types" "$TMP/keys" -
}
# The same for what the page documents.
documented_by_type() {
	sed -n '/^\.Ss [a-z]*$/,/^\.S[hs] [^a-z]/p' "$page" |
		sed -n 's/^\.Ss /.Ss /p; s/^\.\(It \|Brq \)\{0,1\}Cm //p' |
		awk '$1 == ".Ss" { type = $2; next }
			{ sub(/ No .*/, ""); gsub(/[ ,]+/, " "); n = split($0, k, " ")
			  for (i = 1; i <= n; i++) if (k[i] ~ /^[a-z0-9_]+$/) print type, k[i] }' | sort -u
}
documented_by_type >"$TMP/documented"
in_section() { # STREAM NAME TYPE…: of these types there are records
	name=$2
	keys_of_types <"$1" >"$TMP/written"
	is "$(comm -23 "$TMP/written" "$TMP/documented")" "" "$name: each key is in its type's section"
	shift 2
	is "$(cut -d ' ' -f 1 "$TMP/written" | sort -u | tr '\n' ' ')" "$* " "$name: of each type"
}
golden=$TOP/tests/golden
cat "$golden/demo.jsonl" "$golden/gospan/recorded.in.jsonl" >"$TMP/stream"
in_section "$TMP/stream" "recorded streams" attach clock event process skip stats
for in in "$golden"/gospan/*.in.jsonl; do
	"$BIN/gospan" <"$in" 2>/dev/null
done >"$TMP/stream"
in_section "$TMP/stream" "what gospan writes" active attach clock event exit lost process skip span stats
if command -v go >/dev/null; then
	shapes=$(sh "$TOP/tests/build-target.sh" shapes plain local) &&
		server=$(sh "$TOP/tests/build-target.sh" server plain local) || exit 1
	{
		"$BIN/goresolve" --func 'main.*' --func main.nosuch "$shapes" "$server"
		"$BIN/goresolve" --list 'main.*' --json "$shapes"
	} >"$TMP/stream" 2>/dev/null
	in_section "$TMP/stream" "what goresolve writes" function probe skip
	OTEL_RESOURCE_ATTRIBUTES=a=b "$server" -for 60s >"$TMP/ready" &
	on_exit "kill $!"
	wait_for '[ -s "$TMP/ready" ]' 10
	"$BIN/gofind" --pid $! >"$TMP/stream"
	in_section "$TMP/stream" "what gofind writes" process
else
	ok 0 "what goresolve and gofind write # SKIP no go here"
fi
done_testing
