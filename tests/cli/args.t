#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What goresolve plans to read of any function's parameters and results.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq

goresolve=$BIN/goresolve
plain=$(sh "$TOP/tests/build-target.sh" args plain local) || exit 1
stripped=$(sh "$TOP/tests/build-target.sh" args stripped local) || exit 1

run() {
	"$goresolve" --no-recipes "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}
# captures SYMBOL: event, name, kind and path of each.
captures() {
	jq -rc --arg s "$1" 'select(.type == "probe" and .symbol == $s).captures[] |
		[.on, .name, .kind, .path]' "$TMP/out"
}
skips() {
	jq -rc 'select(.type == "skip") | [.symbol, .reason, .field]' "$TMP/out"
}

run --func main.Numbers "$plain"
is "$status" 0 "--func: status 0"
is "$(captures main.Numbers)" '["begin","arg.a","reg_int","a"]
["begin","arg.b","reg_int","b"]
["begin","arg.c","reg_uint","c"]
["begin","arg.d","reg_bool","d"]
["begin","arg.e","reg_uint","e"]
["begin","arg.f","reg_int","f"]
["begin","arg.d2","reg_int","d2"]
["end","ret.0","reg_int","ret0"]
["end","ret.1","reg_uint","ret1"]' "parameters at the begin, results at the end"
is "$(jq -rc 'select(.symbol == "main.Numbers").captures[] | .ops' "$TMP/out" | tr '\n' ' ')" \
	'[["arg",0]] [["arg",1]] [["arg",2]] [["arg",3]] [["arg",4]] [["arg",5]] [["arg",6]] [["arg",0]] [["arg",1]] ' \
	"in registers"
is "$(jq -rc 'select(.symbol == "main.Numbers").captures[] | .size' "$TMP/out" | tr '\n' ' ')" \
	'8 1 2 1 8 2 8 8 1 ' "of their sizes"

run --func main.Floats "$plain"
is "$(captures main.Floats)" '["begin","arg.n","reg_int","n"]' "what can be read is"
is "$(skips)" '["main.Floats","unavailable","f"]
["main.Floats","unavailable","g"]
["main.Floats","unavailable","ret0"]' "and what cannot is said"

run --func main.Other "$plain"
is "$(skips)" '["main.Other","unavailable","f"]
["main.Other","unavailable","c"]
["main.Other","unavailable","p"]
["main.Other","unavailable","ret0"]' "nor is what has a type that is not read"
run --func main.Many "$plain"
is "$(jq -rc 'select(.symbol == "main.Many").captures[]? | select(.name | test("ret.1[01]$")) |
	[.on, .name, .kind, .ops]' "$TMP/out")" '["end","ret.10","int",[["sp",72]]]
["end","ret.11","string",[["sp",80]]]' "results on the stack come behind the parameters there"
arm=$(sh "$TOP/tests/build-target.sh" args arm64 newest) || exit 1
run --func main.Grow "$arm"
is "$(jq -rc 'select(.symbol == "main.Grow").captures[]? | select(.on == "end") | [.name, .ops]' \
	"$TMP/out" | head -n 1)" '["ret.0.Sides[0]",[["sp",56]]]' \
	"on arm64 too, where rules and compiler agree on it"
old=$(sh "$TOP/tests/build-target.sh" args plain 1.20.14) || exit 1
run --func main.Pair "$old"
is "$(skips)" '["main.Pair","unavailable","out"]' "where that is not sure they are unavailable"

run --func 'main.(*store).Get' "$plain"
like "$(captures 'main.(*store).Get')" '^\["begin","arg.r.Name","string","r.Name"\]$' \
	"fields through a pointer"
like "$(captures 'main.(*store).Get')" '^\["begin","arg.v.Name","string","v.Name"\]$' \
	"fields of what is on the stack"
unlike "$(captures 'main.(*store).Get')" 'In\.ID|Val\.ID|region' "one struct deep"
run --depth 2 --func 'main.(*store).Get' "$plain"
like "$(captures 'main.(*store).Get')" 'arg.r.In.ID' "--depth 2: two"
run --depth 0 --func 'main.(*store).Get' "$plain"
is "$(captures 'main.(*store).Get')" '["begin","arg.key","reg_string","key"]' \
	"--depth 0: no fields at all"
run --depth 4 --func 'main.(*store).Get' "$plain"
is "$(captures 'main.(*store).Get' | grep -c begin)" 16 "never more than goattach takes"
like "$(skips)" '"limit"' "and what is past that is said"
run --no-args --func main.Numbers "$plain"
is "$(captures main.Numbers)" "" "--no-args: only times"
run --func main.Numbers "$stripped"
is "$status, $(captures main.Numbers)$(skips)" "0, " "without DWARF: only times too"
run --func '*' "$plain"
is "$(jq -c 'select(.recipe == "func" and .type == "probe" and (.captures | length) > 0)' \
	"$TMP/out")" "" "a whole program: only times"
like "$(cat "$TMP/err")" 'functions match: no parameters are read' "which is said"

# --- --capture ---

run --capture 'main.(*store).Get(key, user=r.In.ID, hits=s.hits["k"], ret0.In.ID, ret0.Tags[1], s.region, len(v.Tags))' \
	"$plain"
is "$(captures 'main.(*store).Get')" '["begin","arg.key","reg_string","key"]
["begin","user","int","r.In.ID"]
["begin","hits","int","s.hits[\"k\"]"]
["end","ret.0.In.ID","int","ret0.In.ID"]
["end","ret.0.Tags[1]","string","ret0.Tags[1]"]
["begin","arg.s.region","string","s.region"]
["begin","arg.v.Tags.len","int","len(v.Tags)"]' "what is named and nothing else"
run --capture 'main.When(when=at, ret0)' "$plain"
is "$(captures main.When)" '["begin","when","reg_time_wall","at.wall"]
["begin","when","reg_time_ext","at.ext"]
["end","ret.0","reg_time_wall","ret0.wall"]
["end","ret.0","reg_time_ext","ret0.ext"]' "a time is two words of one name"
run --capture 'main.Any(v, typeof(v), typeof(w))' "$plain"
is "$(captures main.Any)" '["begin","arg.v.type","type","typeof(v)"]
["begin","arg.w.type","type","typeof(w)"]' "the type that an interface holds"
is "$(skips)" '["main.Any","unavailable","v"]' "which itself is no value"
run --capture 'main.Texts(out, err)' --func main.Numbers "$plain"
like "$(captures main.Texts)" '^\["end","ret.out","reg_string","out"\]$' "a result by its name"
is "$(captures main.Numbers | wc -l)" 9 "other functions are read as before"
run --capture 'main.Numbers(zip, a.b, d2)' "$plain"
is "$status" 0 "what there is not: status 0"
is "$(skips)" '["main.Numbers","unavailable","zip"]
["main.Numbers","unavailable","a.b"]' "and a skip for each"
run --capture 'main.Numbers(a)' "$stripped"
is "$(skips)" '["main.Numbers","unavailable",null]' "nor is there any without DWARF"
run --capture 'main.Numbers(a..b)' "$plain"
is "$status" 2 "a path that is none: status 2"
like "$(cat "$TMP/err")" '^goresolve: --capture:1:16: a field' "and where"
run --depth 9 --func main.Numbers "$plain"
is "$status" 2 "--depth takes 0 to 4"
done_testing
