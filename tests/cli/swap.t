#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The README's exporters in jq and in Python, taken out of it, send every span.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command jq python3 curl

# taken_out NAME: the block of the README that begins with "# NAME".
taken_out() {
	awk -v name="    # $1" 'index($0, name) == 1 { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' "$TOP/README.md"
}
for name in exporter.jq exporter.py; do
	taken_out $name >"$TMP/$name"
	n=$(wc -l <"$TMP/$name")
	ok $((n > 5 && n <= 12 ? 0 : 1)) "$name has about ten lines: $n"
done
grep -v '"type":"lost"' "$TOP/tests/golden/goexport/spans.jsonl" >"$TMP/in"
want=$(jq -c 'select(.type == "span") | [.span_id, .name]' "$TMP/in" | jq -cs 'sort')
got() {
	query 'json.dumps(sorted([s["span_id"], s["name"]] for q in r for s in q["spans"]), separators=(",", ":"))'
}
receiver 200
jq -c --unbuffered -f "$TMP/exporter.jq" "$TMP/in" >"$TMP/bodies"
while read -r span; do
	curl -sS -H 'Content-Type: application/json' -d "$span" "$url/v1/traces"
done <"$TMP/bodies"
is "$(got | jq -c .)" "$want" "jq: every span"
: >"$log"
python3 "$TMP/exporter.py" "$url/v1/traces" <"$TMP/in"
is "$? $(got | jq -c .)" "0 $want" "Python: every span"
receiver_end
done_testing
