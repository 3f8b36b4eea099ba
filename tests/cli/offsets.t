#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The three sources of offsets: debugging information, descriptors, the table.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq
require_command perl

goresolve=$BIN/goresolve
plain=$(sh "$TOP/tests/build-target.sh" server plain) || exit 1
stripped=$(sh "$TOP/tests/build-target.sh" server stripped) || exit 1
version=1.27.3

run() {
	"$goresolve" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}
# fields TYPE: offset and source of each field of it in the plan; not of errors that a panic
# had, which are told by their descriptors, whatever the source of offsets is.
fields() {
	jq -rc --arg t "$1." '.fields[]? | select((.field | startswith($t)) and
		(.field | contains("rrorAddress") | not)) |
		[.field, .offset, .source, .assumed]' "$TMP/out" | sort -u
}
# hide TYPE… < BINARY: the descriptors of these types get another name.
hide() {
	for type; do
		# The last letter becomes a '#'; a flag byte follows the name.
		printf 's/\\*\\Q%s\\E(?=[\\x00-\\x0f])/*%s#/g;' "$type" "${type%?}"
	done >"$TMP/hide.pl"
	perl -0777 -p "$TMP/hide.pl"
}

# --- the same offsets from each ---

run "$plain"
fields runtime | sed 's/"dwarf"/"?"/' >"$TMP/dwarf"
is "$(fields runtime | jq -r '.[2]' | sort -u)" dwarf "with DWARF it is the source"
run "$stripped"
fields runtime | sed 's/"rtype"/"?"/' >"$TMP/rtype"
is "$(fields runtime | jq -r '.[2]' | sort -u)" rtype "without it the descriptors are"
hide runtime.g runtime._panic runtime.stack <"$stripped" >"$TMP/hidden"
run "$TMP/hidden"
is "$status" 0 "types that have no descriptor: status 0"
fields runtime | sed 's/"table"/"?"/' >"$TMP/table"
is "$(fields runtime | jq -r '.[2]' | sort -u)" table "without either the table is"
is "$(fields runtime | jq -r '.[3]' | sort -u)" null "which knows this version"
is "$(cat "$TMP/err")" "" "all that without a word"
[ "$(wc -l <"$TMP/dwarf")" -ge 3 ] && cmp -s "$TMP/dwarf" "$TMP/rtype" &&
	cmp -s "$TMP/dwarf" "$TMP/table"
ok $? "all three say the same" || diag "$(cat "$TMP/dwarf" "$TMP/rtype" "$TMP/table")"
run --dry-run "$TMP/hidden"
like "$(cat "$TMP/out")" 'offset .* table .*runtime\.g\.goid$' "--dry-run shows the source"

# --- maps, whose layout no path names ---

lookups() { jq -c '.captures[]? | select(.ops[]?[0] == "map") | [.name, .ops]' "$TMP/out" | sort -u; }
for v in 1.23.12 newest; do
	sh "$TOP/tests/build-target.sh" server stripped "$v" >"$TMP/path" || exit 1
	run "$(cat "$TMP/path")"
	lookups >"$TMP/rtype"
	hide runtime.hmap maps.Map maps.table maps.groupsReference <"$(cat "$TMP/path")" >"$TMP/nomaps"
	cmp -s "$(cat "$TMP/path")" "$TMP/nomaps"
	[ $? -eq 1 ] && run "$TMP/nomaps" && lookups >"$TMP/table"
	[ -s "$TMP/rtype" ] && cmp -s "$TMP/rtype" "$TMP/table"
	ok $? "$v: the table knows them as the descriptors do" ||
		diag "$(cat "$TMP/err" "$TMP/rtype" "$TMP/table")"
done

# --- versions that the table has not seen ---

# as VERSION FILE: the file with another version of Go (of the same length) in it.
as() {
	perl -0777 -pe "s/go\\Q$version\\E/go$1/g" "$2"
}
as 1.29.1 "$TMP/hidden" >"$TMP/newer"
run "$TMP/newer"
is "$(fields runtime | jq -r '[.[2], .[3]] | @tsv' | sort -u | tr '\t' ' ')" "table true" \
	"past the newest version offsets are assumed"
run --dry-run "$TMP/newer"
like "$(cat "$TMP/out")" 'runtime\.g\.goid  \(assumed' "and --dry-run says so"
as 1.28rc "$TMP/hidden" >"$TMP/rc"
run "$TMP/rc"
is "$(fields runtime | jq -r '[.[2], .[3]] | @tsv' | sort -u | tr '\t' ' ')" "table true" \
	"likewise for a pre-release"
as 1.16.9 "$TMP/hidden" >"$TMP/older"
run "$TMP/older"
is "$(jq -r 'select(.type == "probe").probe' "$TMP/out")" "" "nothing is guessed for an older one"

# --- two sources that disagree ---

# 1.18's goid is where 1.27 has something else; the binary says what is right.
as 1.24.5 "$plain" >"$TMP/lies"
run "$TMP/lies"
like "$(cat "$TMP/err")" \
	"warning: .*: runtime.g.goid is at 152, at 160 by the table of go1.24.5" \
	"a difference is reported"
is "$(grep -c 'runtime.g.goid' "$TMP/err")" 1 "once"
is "$(fields runtime | jq -rc 'select(.[0] == "runtime.g.goid")')" \
	'["runtime.g.goid",152,"dwarf",null]' "and the binary is right"

# --- fields that a version does not have ---

cat >"$TMP/absent.recipe" <<-'EOF'
	recipe absent
	func net/http.serverHandler.ServeHTTP (sh word, rw interface, req *net/http.Request)
	span http.server
		kind server
		scope net/http
		begin entry net/http.serverHandler.ServeHTTP
		end ret net/http.serverHandler.ServeHTTP
		capture begin http.route req.Pattern
EOF
old=$(sh "$TOP/tests/build-target.sh" server plain oldest) || exit 1
run --no-recipes --recipe "$TMP/absent.recipe" "$old"
is "$(jq -rc 'select(.type == "skip") | [.reason, .field]' "$TMP/out")" \
	'["offset-unknown","net/http.Request.Pattern"]' "a field that is not there is a skip"
like "$(jq -r 'select(.type == "skip").detail' "$TMP/out")" 'there is none in go1\.19' \
	"which says that this version has none"

# --- the table has what recipes name ---

run --func main.main "$plain"
jq -r '.fields[]?.field | select(. != "runtime.g.stack.hi") | capture("^(?<t>.*)[.](?<f>[^.]*)$") |
	"\(.t)\t\(.f)"' "$TMP/out" | sort -u >"$TMP/named"
grep -v '^#' "$TOP/lib/offsets/std.tsv" | cut -f 2,3 | sort -u >"$TMP/known"
is "$(comm -23 "$TMP/named" "$TMP/known")" "" \
	"the table has every field of the plan (make offsets makes it anew)"

# --- the table against every binary at hand ---

for v in oldest newest local; do
	bin=$(sh "$TOP/tests/build-target.sh" server plain "$v") || exit 1
	run "$bin"
	is "$(grep -c 'by the table' "$TMP/err")" 0 "$(basename "$bin") and the table agree"
done
done_testing
