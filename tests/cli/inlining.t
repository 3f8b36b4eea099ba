#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions that were inlined: said, with where to, from the runtime's own tables;
# compared with what DWARF says.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq readelf

goresolve=$BIN/goresolve
mkdir "$TMP/src"
cat >"$TMP/src/main.go" <<'END'
package main

import "os"

func only(n int) int { return inner(n) * 3 }
func inner(n int) int { return n ^ 5 }

type T struct{ n int }

func (t *T) partly(n int) int { return t.n + n }

//go:noinline
func first(t *T, n int) int { return only(n) + t.partly(n) }

//go:noinline
func second(t *T, n int) int { return only(n+1) + inner(n) - t.partly(n+2) }

//go:noinline
func never(n int) int { return n + len(os.Args) }

var method = (*T).partly

func main() {
	t := &T{len(os.Args)}
	println(first(t, 1), second(t, 2), method(t, 3), never(4))
}
END
printf 'module example.com/inl\n\ngo 1.17\n' >"$TMP/src/go.mod"
build() { # NAME FLAG…
	name=$1
	shift
	(cd "$TMP/src" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -o "$TMP/$name" "$@" .) || exit 1
}
build plain
build stripped -ldflags='-s -w'
build pie -buildmode=pie -ldflags='-s -w'
export CGO_ENABLED=0
GOARCH=arm64 build arm64

run() { # ARG…
	"$goresolve" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}
out() {
	jq -rc "$1" "$TMP/out"
}

for name in plain stripped pie arm64; do
	run --no-recipes --func 'main.*' "$TMP/$name"
	is "$status" 0 "$name: status 0"
	is "$(out 'select(.reason == "inlined") | [.symbol, .inlined, ([.inlined_in[].symbol] | sort)]')" \
		'["main.inner",3,["main.first","main.second","main.second"]]
["main.only",2,["main.first","main.second"]]' "$name: functions without code of their own, and where they are"
	is "$(out 'select(.type == "probe" and .recipe == "func") | [.symbol, .inlined]' | sort)" \
		'["main.(*T).partly",2]
["main.first",null]
["main.main",null]
["main.never",null]
["main.second",null]' "$name: calls that are not seen of one that has"
	out 'select(.reason == "inlined").inlined_in[] | [.symbol, .addr] | @tsv' >"$TMP/places"
	"$goresolve" --list 'main.*' --json "$TMP/$name" |
		jq -r 'select(.addr) | [.symbol, .addr, .size] | @tsv' >"$TMP/bodies"
	while read -r symbol addr; do
		awk -v s="$symbol" '$1 == s { print $2, $3 }' "$TMP/bodies" | (
			read -r entry size
			[ $((addr)) -ge $((entry)) ] && [ $((addr)) -lt $((entry + size)) ]
		) || echo "$symbol $addr"
	done <"$TMP/places" >"$TMP/outside"
	is "$(cat "$TMP/outside")" "" "$name: addresses are inside of those functions"
done

run --no-recipes --func main.only "$TMP/stripped"
is "$status" 1 "only an inlined function: nothing to trace"
is "$(cat "$TMP/err")" "goresolve: nothing to trace" "no talk of a pattern that matches nothing"
like "$(out .detail)" '^has no code of its own, it is in main.first at 0x[0-9a-f]+, main.second at 0x[0-9a-f]+$' \
	"the reason, for people"
run --no-recipes --func main.nosuch "$TMP/stripped"
is "$(out '[.reason, .detail]')" \
	'["not-found","no function has this name, and none was inlined"]' "one that is not there"
run --list 'main.*' "$TMP/stripped"
like "$(cat "$TMP/out")" '^- +- +inlined +main.only  in main.first at 0x' "--list has it"
like "$(cat "$TMP/out")" 'main.\(\*T\).partly  \(2 inlined calls\)$' "and the other"
run --explain main.only "$TMP/stripped"
is "$status" 0 "--explain of an inlined function: status 0"
like "$(cat "$TMP/out")" '^main.only has no code of its own$' "says so"
like "$(cat "$TMP/out")" '^  0x[0-9a-f]+  in main.second$' "and where it is"
run --explain 'main.(*T).partly' "$TMP/stripped"
like "$(cat "$TMP/out")" '^2 calls were inlined:$' "--explain of one that is partly inlined"
run --dry-run --no-recipes --func 'main.*' "$TMP/stripped"
like "$(cat "$TMP/out")" '2 calls were inlined into other functions, not seen' "--dry-run"
printf 'recipe mine\nspan s\n\tkind internal\n\tscope main\n\tbegin entry main.only\n' >"$TMP/a.recipe"
run --no-recipes --recipe "$TMP/a.recipe" "$TMP/stripped"
is "$(out 'select(.type == "skip") | [.span, .symbol, .reason, .inlined]')" \
	'["s","main.only","inlined",2]' "a recipe's function that was inlined"

# --- every inlined call, against DWARF ---

cat >"$TMP/dwarf.awk" <<'AWK'
/^ *<[0-9a-f]+><[0-9a-f]+>: Abbrev Number/ {
	split($0, part, /[<>]/)
	die = part[4]; tag = $NF
	if (part[2] <= 1) body = ""
	if (tag == "(DW_TAG_subprogram)") body = die
	if (tag == "(DW_TAG_inlined_subroutine)") container[++n] = body
	next
}
/DW_AT_name/ && die == body {
	sub(/.*DW_AT_name *: */, ""); sub(/^\(indirect[^)]*\): /, ""); sub(/[ \t]+$/, "")
	name[die] = $0
}
/DW_AT_abstract_origin/ {
	v = $NF; gsub(/[<>]|0x/, "", v)
	if (tag == "(DW_TAG_inlined_subroutine)") of[n] = v
	if (tag == "(DW_TAG_subprogram)") origin[die] = v
}
END {
	for (i = 1; i <= n; i++) {
		c = container[i]
		print name[c in origin ? origin[c] : c] "\t" name[of[i]]
	}
}
AWK
against_dwarf() { # BINARY
	readelf --debug-dump=info "$1" 2>/dev/null | awk -f "$TMP/dwarf.awk" |
		grep -v '\[' | sort >"$TMP/want"
	run --list '*' --json "$1"
	out '.symbol as $name | .inlined_in[]? | [.symbol, $name] | @tsv' | grep -v '\[' |
		sort >"$TMP/got"
	[ "$(wc -l <"$TMP/want")" -gt "$2" ]
	ok $? "$(basename "$1"): DWARF has inlined calls ($(wc -l <"$TMP/want"))"
	comm -23 "$TMP/want" "$TMP/got" >"$TMP/missing"
	is "$(cat "$TMP/missing")" "" "the tables have every one of them"
}
against_dwarf "$TMP/plain" 1000
comm -13 "$TMP/want" "$TMP/got" >"$TMP/more"
is "$(cat "$TMP/more")" "" "and no other"
# An older linker wrote no DWARF for method wrappers and the like.
against_dwarf "$(sh "$TOP/tests/build-target.sh" server plain oldest)" 5000

done_testing
