#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goresolve --report and --types: what will be traced, what will not, and why.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq
require_command perl python3

goresolve=$BIN/goresolve
server=$(sh "$TOP/tests/build-target.sh" server plain local) || exit 1
shapes=$(sh "$TOP/tests/build-target.sh" shapes plain local) || exit 1
stripped=$(sh "$TOP/tests/build-target.sh" shapes stripped local) || exit 1

run() { # ARG…
	"$goresolve" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}
out() {
	jq -rc "$1" "$TMP/out"
}
# report FILE STATUS VERDICT REASON TEXT: the verdict on one file, as record and for people.
report() {
	file=$1
	run --report --json "$file"
	is "$status" "$2" "$(basename "$file"): status $2"
	is "$(out '[.type, .verdict, .reason // .left_out[0].reason]')" "[\"report\",\"$3\",$4]" \
		"one verdict: $3, $4"
	is "$(cat "$TMP/err")" "" "nothing on stderr"
	run --report "$file"
	is "$status" "$2" "for people: status $2"
	like "$(cat "$TMP/out")" "$5" "with the reason"
	[ "$3" = traced ] || like "$(cat "$TMP/out")" '^ +what to do: .' "and what to do"
}

report "$server" 0 traced null '^[^ ]*: will be traced \(go[0-9.]+ amd64, example.com/server\)$'
like "$(cat "$TMP/out")" '^  traced +http.server +net/http.\(\*conn\).serve  \(2 places, 2 cheap\)$' \
	"what is traced"
run --report --json "$server"
is "$(out '.traced[] | [.recipe, .span, .symbol, .count, .emulated]')" \
	'["net-http","http.server","net/http.(*conn).serve",2,2]' "also in the record"
is "$(out '[.go, .module] | map(type)')" '["string","string"]' "with versions"

report "$stripped" 1 nothing '"absent"' 'absent: net/http is not in the program$'
run --report --func 'main.*' "$stripped"
is "$status" 0 "with functions: status 0"
like "$(cat "$TMP/out")" 'will be traced, but for what is left out' "a part is traced"
like "$(cat "$TMP/out")" '^  left out +function +main.Forever  no-return: ' "the rest is said"
run --report --json --func 'main.*' "$stripped"
is "$(out '.verdict, (.left_out[] | select(.symbol == "main.Empty") | .reason, .advice)')" \
	'partly
empty
nothing to time' "in the record too"

# A program of which a recipe finds only a part: the package is there, the function not.
cat >"$TMP/new.recipe" <<'END'
recipe new
span s
	kind internal
	scope main
	begin entry main.NotInThisVersion
span f
	kind internal
	scope main
	begin entry main.Handle
	capture begin x r.Nosuch
func main.Handle (w interface, r *main.Request)
END
run --report --json --no-recipes --recipe "$TMP/new.recipe" "$stripped"
is "$(out '.left_out[] | [.span, .symbol, .field, .reason]')" \
	'["s","main.NotInThisVersion",null,"not-found"]
["f","main.Handle","main.Request.Nosuch","offset-unknown"]' "a version and a field that are not known"
is "$(out '.left_out[].advice | length > 10' | sort -u)" true "each with advice"

# Of the standard library a linker leaves out what is not used.
cat >"$TMP/part.recipe" <<'END'
recipe part
span s
	kind internal
	scope fmt
	begin entry fmt.NoSuchThing
END
run --report --json --no-recipes --recipe "$TMP/part.recipe" "$stripped"
is "$(out '.left_out[] | [.reason, .detail]')" \
	'["absent","fmt is in the program, but not that part of it"]' "a part that is not used"

# --- modules that others replace, within each other ---

mkdir -p "$TMP/mod/lib/deep" "$TMP/mod/app"
printf 'module example.com/fork\n' >"$TMP/mod/lib/go.mod"
printf 'module example.com/other\n' >"$TMP/mod/lib/deep/go.mod"
for name in lib deep; do
	cat >"$TMP/mod/$name.go" <<-END
		package $name

		type T struct{ N int }

		//go:noinline
		func Do(t *T) int { return t.N }
	END
done
mv "$TMP/mod/lib.go" "$TMP/mod/lib"
mv "$TMP/mod/deep.go" "$TMP/mod/lib/deep"
cat >"$TMP/mod/app/go.mod" <<'END'
module example.com/app

go 1.18

require (
	example.com/lib v1.5.0
	example.com/lib/deep v1.9.0
)

replace (
	example.com/lib => ../lib
	example.com/lib/deep => ../lib/deep
)
END
cat >"$TMP/mod/app/main.go" <<'END'
package main

import (
	"example.com/lib"
	"example.com/lib/deep"
)

func main() { println(lib.Do(&lib.T{N: 1}), deep.Do(&deep.T{N: 2})) }
END
(cd "$TMP/mod/app" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOWORK=off go build -o "$TMP/replaced" .)
ok $? "a program with modules that directories replace"
spans() { # NAME…: a span for each function of example.com/, and what it needs
	echo 'recipe modules'
	for f; do
		printf 'span s\n\tkind internal\n\tscope example.com/%s\n' "${f%.*}"
		printf '\tbegin entry example.com/%s\n\tend ret example.com/%s\n' "$f" "$f"
		printf '\trequire module example.com/%s\n' "${f%.*}"
	done
}
spans lib.Do lib/deep.Do >"$TMP/replaced.recipe"
run --report --json --no-recipes --recipe "$TMP/replaced.recipe" "$TMP/replaced"
is "$(out '.traced[].symbol')" 'example.com/lib.Do
example.com/lib/deep.Do' "they are there under the paths that the program knows them by"
sed 's/\(module .*\)/\1 v1.0.0/' "$TMP/replaced.recipe" >"$TMP/newer.recipe"
run --report --json --no-recipes --recipe "$TMP/newer.recipe" "$TMP/replaced"
is "$(out '.verdict, .left_out[].detail')" "nothing
example.com/lib (devel) is not a version that the recipe knows: lacks 'example.com/lib', v1.0.0
example.com/lib/deep (devel) is not a version that the recipe knows: lacks 'example.com/lib/deep', v1.0.0" \
	"a directory has no version"
# A module within another one has a version of its own.
perl -0777 -pe 's|(\.\./lib/deep\t)\(devel\)|$1v1.9.99|g' "$TMP/replaced" >"$TMP/versions"
spans lib/deep.Gone >"$TMP/gone.recipe"
run --report --json --no-recipes --recipe "$TMP/gone.recipe" "$TMP/versions"
is "$(out '.left_out[].detail')" 'example.com/lib/deep v1.9.99 is not a version that the recipe knows' \
	"of modules within each other the inner one counts"

# --- what is refused ---

report /bin/sh 3 nothing '"not-go"' '^/bin/sh: nothing will be traced: not-go: '
report "$TMP/nosuch" 1 nothing '"unreadable"' 'nosuch: nothing will be traced: unreadable: No such file'

# As old a Go as this one's version says.
version=$(go version "$shapes" | grep -o 'go1\.[0-9]*')
minor=${version#go1.}
LC_ALL=C sed "s/go1\.$minor/go1.16/g" "$shapes" >"$TMP/old"
report "$TMP/old" 1 nothing '"version-unsupported"' 'version-unsupported: go1.16[.0-9]* passes arguments'

# Older ones have no build information either.
LC_ALL=C sed 's/Go buildinf:/Go nothing!:/g' "$shapes" >"$TMP/older"
report "$TMP/older" 1 nothing '"version-unsupported"' \
	'version-unsupported: made by Go, but without build information, as programs before Go 1.13 '

head -c 5000 "$shapes" >"$TMP/cut"
report "$TMP/cut" 3 nothing '"damaged"' 'damaged: .*offset'

# What UPX leaves of a program: the ELF header, program headers, its own mark.
n=$(od -An -tu2 -j 56 -N 2 "$shapes" | tr -d ' ')
{
	head -c $((64 + n * 56)) "$shapes"
	printf '\0\0\0\0UPX!'
	head -c "$(stat -c %s "$shapes")" /dev/zero
} >"$TMP/packed"
report "$TMP/packed" 1 nothing '"packed"' 'packed: packed by UPX: '
run "$TMP/packed"
is "$(out '[.type, .reason]')" '["skip","packed"]' "a skip of the stream"
like "$(cat "$TMP/err")" 'packed: packed by UPX' "with a message"

# What garble leaves: no version, no modules, another magic of the function table.
cp "$shapes" "$TMP/garbled"
patch() { # OFFSET BYTES
	# shellcheck disable=SC2059  # octal escapes
	printf "$2" | dd of="$TMP/garbled" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
at=$(LC_ALL=C grep -abo 'Go buildinf:' "$shapes" | tail -n 1 | cut -d : -f 1)
patch $((at + 30)) '\007unknown\0\0\0'
table=$(readelf -SW "$shapes" | awk '$2 == ".gopclntab" { print $5 } $3 == ".gopclntab" { print $6 }')
patch $((0x$table)) '\001\002\003\004'
report "$TMP/garbled" 1 nothing '"obfuscated"' 'obfuscated: its names and tables are obfuscated'
run "$TMP/garbled"
is "$(out '[.type, .reason]')" '["skip","obfuscated"]' "a skip of the stream"

# --- processes ---

mkfifo "$TMP/hold"
sleep 300 >"$TMP/hold" &
hold=$!
on_exit "kill $hold"
"$shapes" <"$TMP/hold" >/dev/null &
one=$!
on_exit "kill $one"
"$shapes" <"$TMP/hold" >/dev/null &
two=$!
on_exit "kill $two"
wait_for "[ \"\$(readlink /proc/$two/exe)\" = '$shapes' ]" 5
for pid in "$one" "$two" 4194303; do
	jq -nc --argjson pid "$pid" --arg exe "$shapes" --arg binary "$(go tool buildid "$shapes")" \
		'{type:"process",v:1,pid:$pid,start:"1",exe:$exe,binary:$binary}'
done >"$TMP/in"
"$goresolve" --report --json --func main.Small <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
ok $? "processes: status 0" || diag "$(cat "$TMP/err")"
is "$(out '[.pid, .verdict, .reason]')" "[$one,\"partly\",null]
[$two,\"partly\",null]
[4194303,\"nothing\",\"unreadable\"]" "a verdict for each, also of one binary"
"$goresolve" --report --func main.Small <"$TMP/in" >"$TMP/out" 2>/dev/null
like "$(cat "$TMP/out")" "^$one /.*: will be traced" "for people with the pid"

# What is no Go program may have loaded a Go library.
library=$(sh "$TOP/tests/build-target.sh" matrix cshared local) || exit 1
host='import ctypes, sys
ctypes.CDLL(sys.argv[1])
print("loaded", flush=True)
sys.stdin.read()'
python3 -c "$host" "$library" <"$TMP/hold" >"$TMP/host" &
host=$!
on_exit "kill $host"
wait_for "grep -q loaded '$TMP/host'" 20
jq -nc --argjson pid "$host" '{type:"process",v:1,pid:$pid,start:"1",exe:"/x",binary:"y"}' >"$TMP/other"
"$goresolve" --report --json <"$TMP/other" >"$TMP/out" 2>"$TMP/err"
is "$(out '[.verdict, .reason, .detail]')" "[\"nothing\",\"not-go\",\"no Go build information; it has loaded $library, made by Go, but libraries are not traced\"]" \
	"a Go library in another program"
"$BIN/gofind" --pid "$host" >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "1 " "gofind does not find that program"
like "$(cat "$TMP/err")" "^gofind: pid $host: .*: not a Go program: .*; it has loaded $library, made by Go" \
	"and says why"
kill "$host"

"$goresolve" --report --no-recipes <"$TMP/in" >/dev/null 2>&1
is $? 1 "nothing at all will be traced: status 1"

# --- types ---

"$shapes" </dev/null >"$TMP/offsets"
check_types() { # BINARY SOURCE
	run --types main.Request --json "$1"
	is "$status" 0 "--types: status 0"
	is "$(out '[.type, .name, .source]')" "[\"struct\",\"main.Request\",\"$2\"]" "the type, from $2"
	for field in Name Tags Next Any; do
		[ "$field" != Name ] || continue
		is "$(out ".fields[] | select(.field == \"$field\").offset")" "$(jq ".$field" "$TMP/offsets")" \
			"$field is where the compiler says"
	done
	is "$(out '.fields[].source' | sort -u)" "$2" "every field from $2"
}
check_types "$shapes" dwarf
check_types "$stripped" rtype
run --types 'net/http.Re*' "$server"
is "$(grep -v '^ ' "$TMP/out" | cut -d ' ' -f 1 | grep -xE 'net/http.(Request|Response)' | tr '\n' ' ')" \
	"net/http.Request net/http.Response " "a pattern, in order of names"
like "$(cat "$TMP/out")" '^net/http.Request  [0-9]+ bytes, from dwarf$' "a table for people"
like "$(cat "$TMP/out")" '^ +0  dwarf +Method string$' "with fields"
run --types main.nosuch "$shapes"
is "$status" 1 "a type that is not there: status 1"
is "$(cat "$TMP/err")" "goresolve: no type matches" "with a message"

for args in "--json" "--dry-run --json" "--report --list=x" "--types" "--types=x --explain=y"; do
	# shellcheck disable=SC2086  # several arguments
	run $args
	is "$status" 2 "goresolve $args: status 2"
done

done_testing
