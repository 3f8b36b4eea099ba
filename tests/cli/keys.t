#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every type and key of lib/record.h is in gotap-jsonl(5), and the other way round.
. "$(dirname "$0")/../lib.sh"

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
done_testing
