#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Separate files of debug information: where they are found, what is taken from them,
# and that one of another build is not used.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq
require_command objcopy

goresolve=$BIN/goresolve
plain=$(sh "$TOP/tests/build-target.sh" args plain) || exit 1
old=$(sh "$TOP/tests/build-target.sh" args plain 1.20.14) || exit 1

# run OPTION…: the plan of functions of main, without what names the file.
run() {
	"$goresolve" --no-recipes --func 'main.*' "$@" >"$TMP/raw" 2>"$TMP/err" </dev/null
	status=$?
	jq -c 'del(.path)' "$TMP/raw" >"$TMP/out"
}
# captures: how many values the plan reads.
captures() { jq -r 'select(.recipe == "func") | .captures[]?.name' "$TMP/out" | wc -l; }
# split FILE NAME: $TMP/NAME without, and $TMP/NAME.debug with what is stripped.
split() {
	objcopy --only-keep-debug "$1" "$TMP/$2.debug" &&
		objcopy --strip-all "$1" "$TMP/$2"
}
gnu_id() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'; }
# by_id DIR FILE DEBUG: DEBUG is put where the build id of FILE leads below DIR.
by_id() {
	_id=$(gnu_id "$2")
	_rest=${_id#??}
	mkdir -p "$1/.build-id/${_id%"$_rest"}"
	cp "$3" "$1/.build-id/${_id%"$_rest"}/$_rest.debug"
}

run "$plain"
cp "$TMP/out" "$TMP/want"
[ "$(captures)" -gt 20 ]
ok $? "a whole binary: values are read"
split "$plain" app
run "$TMP/app"
is "$(captures)" 0 "stripped: none are"
is "$(cat "$TMP/err")" "" "without a word"

# --- by the build id ---

by_id "$TMP/dbg" "$plain" "$TMP/app.debug"
run --debug-dir "$TMP/dbg" "$TMP/app"
cmp -s "$TMP/want" "$TMP/out"
ok $? "found by build id below --debug-dir: the plan of the whole binary" ||
	diag "$(diff "$TMP/want" "$TMP/out")"
is "$status,$(cat "$TMP/err")" "0," "without a word"
run -v --debug-dir "$TMP/dbg" "$TMP/app"
like "$(cat "$TMP/err")" "app: symbols and debug information of $TMP/dbg/\.build-id/" \
	"-v tells the file"
like "$("$goresolve" --no-recipes --func main.main --dry-run --debug-dir "$TMP/dbg" "$TMP/app")" \
	'names from symtab' "symbols are taken from it too"
mkdir "$TMP/none"
run --debug-dir "$TMP/none" --debug-dir "$TMP/dbg" "$TMP/app"
cmp -s "$TMP/want" "$TMP/out"
ok $? "below the second of two --debug-dir"
objcopy --strip-debug "$plain" "$TMP/symbols"
run --debug-dir "$TMP/dbg" "$TMP/symbols"
cmp -s "$TMP/want" "$TMP/out"
ok $? "a binary that kept its symbols alone"
objcopy --compress-debug-sections=zlib "$TMP/app.debug" "$TMP/app.z"
by_id "$TMP/dbgz" "$plain" "$TMP/app.z"
run --debug-dir "$TMP/dbgz" "$TMP/app"
cmp -s "$TMP/want" "$TMP/out"
ok $? "compressed sections in it"

# --- compressed, in the binary itself ---

objcopy --decompress-debug-sections "$plain" "$TMP/open"
for how in none zlib-gnu zlib-gabi zstd; do
	objcopy --compress-debug-sections="$how" "$TMP/open" "$TMP/c.$how"
	run "$TMP/c.$how"
	cmp -s "$TMP/want" "$TMP/out" && ! [ -s "$TMP/err" ]
	ok $? "debug sections compressed by $how" || diag "$(cat "$TMP/err")"
done
[ "$(readelf -tW "$TMP/c.zstd" | grep -A3 'debug_info' | grep -c ZSTD)" -eq 1 ] &&
	[ "$(readelf -SW "$TMP/c.zlib-gnu" | grep -c zdebug_info)" -eq 1 ]
ok $? "as it says"
# poke OFFSET BYTES: writes over what .debug_info of $TMP/c.zstd has there.
poke() {
	cp "$TMP/c.zstd" "$TMP/poked"
	_at=$(readelf -SW "$TMP/c.zstd" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	# shellcheck disable=SC2059  # the bytes are the format
	printf "$2" | dd of="$TMP/poked" bs=1 seek=$((0x$_at + $1)) conv=notrunc 2>"$TMP/null"
	run "$TMP/poked"
}
poke 24 '\377\377\377\377'
is "$status,$(captures)" "0,0" "damaged zstd: no values"
like "$(cat "$TMP/err")" 'warning: .*/poked: \.debug_info: cannot be inflated' "and it is said"
poke 8 '\377\377\377\020'
like "$(cat "$TMP/err")" 'warning: .*/poked: \.debug_info: 285212671 bytes are too many' \
	"more than there is memory for: neither"
poke 8 '\001\000\000\000'
like "$(cat "$TMP/err")" '\.debug_info: cannot be inflated' "less than there is: neither"
poke 0 '\007'
like "$(cat "$TMP/err")" '\.debug_info: compression 7 is not known' "nor another compression"

# --- by the link ---

objcopy --add-gnu-debuglink="$TMP/app.debug" "$TMP/app" "$TMP/linked"
run "$TMP/linked"
cmp -s "$TMP/want" "$TMP/out"
ok $? "found by the link beside the binary"
mkdir "$TMP/.debug"
mv "$TMP/app.debug" "$TMP/.debug"
run "$TMP/linked"
cmp -s "$TMP/want" "$TMP/out"
ok $? "in .debug/ beside it"
ln -s "$TMP/linked" "$TMP/none/name"
run "$TMP/none/name"
cmp -s "$TMP/want" "$TMP/out"
ok $? "beside what a symbolic link leads to"
mkdir -p "$TMP/dbgp$TMP"
mv "$TMP/.debug/app.debug" "$TMP/dbgp$TMP"
run --debug-dir "$TMP/dbgp" "$TMP/linked"
cmp -s "$TMP/want" "$TMP/out"
ok $? "at the binary's path below --debug-dir"
run "$TMP/linked"
is "$(captures),$(cat "$TMP/err")" "0," "nowhere: no values, without a word"

# --- of another build ---

other=$(sh "$TOP/tests/build-target.sh" funcs plain) || exit 1
split "$other" other
by_id "$TMP/wrong" "$plain" "$TMP/other.debug"
run --debug-dir "$TMP/wrong" "$TMP/app"
is "$status,$(captures)" "0,0" "a file of another build: not used"
like "$(cat "$TMP/err")" "warning: .*/app: separate debug file not used: .*its build id is \
$(gnu_id "$other"), that of the binary $(gnu_id "$plain")\$" "and it is said"
run --debug-dir "$TMP/wrong" --debug-dir "$TMP/dbg" "$TMP/app"
cmp -s "$TMP/want" "$TMP/out" && ! [ -s "$TMP/err" ]
ok $? "the right one elsewhere: used, without a word"
echo "no such thing" >"$TMP/text"
by_id "$TMP/bad" "$plain" "$TMP/text"
run --debug-dir "$TMP/bad" "$TMP/app"
is "$status,$(captures)" "0,0" "a file that is no ELF file: not used"
like "$(cat "$TMP/err")" 'warning: .*\.debug: not an ELF file' "and it is said"
for size in 100 5000 100000; do
	head -c "$size" "$TMP/dbg"/.build-id/*/*.debug >"$TMP/cut"
	by_id "$TMP/bad" "$plain" "$TMP/cut"
	run --debug-dir "$TMP/bad" "$TMP/app"
	is "$status,$(captures)" "0,0" "one of $size bytes alone: status 0, no values"
done
rm -f "$TMP/bad"/.build-id/*/*.debug
mkfifo "$(echo "$TMP/dbg"/.build-id/*/*.debug | sed "s|$TMP/dbg|$TMP/bad|")"
run --debug-dir "$TMP/bad" "$TMP/app"
is "$status,$(captures)" "0,0" "a pipe in its place does not hold us"

# --- without a GNU build id ---

is "$(gnu_id "$old")" "" "Go 1.20 writes none"
run "$old"
cp "$TMP/out" "$TMP/want.old"
split "$old" old
objcopy --add-gnu-debuglink="$TMP/old.debug" "$TMP/old" "$TMP/oldlink"
run "$TMP/oldlink"
cmp -s "$TMP/want.old" "$TMP/out"
ok $? "Go's build id will do"
cp "$TMP/other.debug" "$TMP/old.debug"
run "$TMP/oldlink"
is "$(captures)" 0 "if it is the same"
like "$(cat "$TMP/err")" 'its build id is .*, that of the binary ' "which is said if not"

printf 'module m\n\ngo 1.20\n' >"$TMP/go.mod"
cat >"$TMP/main.go" <<'EOF'
package main

import "os"

//go:noinline
func Twice(n int) int { println(n); return 2 * n }

func main() { os.Exit(Twice(len(os.Args))) }
EOF
(cd "$TMP" && GOFLAGS=-buildvcs=false CGO_ENABLED=0 "$(sh "$TOP/tests/build-target.sh" --go 1.20.14)" \
	build -ldflags=-buildid= -o noid .) || exit 1
run "$TMP/noid"
want=$(captures)
cp "$TMP/noid" "$TMP/whole"
split "$TMP/whole" noid
objcopy --add-gnu-debuglink="$TMP/noid.debug" "$TMP/noid" "$TMP/noidlink"
run "$TMP/noidlink"
[ "$(captures)" -eq "$want" ] && [ "$want" -gt 0 ]
ok $? "without any id the checksum of the link must be right"
echo >>"$TMP/noid.debug"
run "$TMP/noidlink"
is "$(captures)" 0 "a wrong one: not used"
like "$(cat "$TMP/err")" 'neither a build id nor the checksum tells' "and it is said"

# --- of a process in a root of its own ---

if [ "$(id -u)" -eq 0 ]; then
	mkdir -p "$TMP/root/opt" "$TMP/root/usr/lib"
	cp "$TMP/app" "$TMP/root/opt/app"
	ln -s /opt/dbg "$TMP/root/usr/lib/debug" # leads out of the root, if one lets it
	by_id "$TMP/root/opt/dbg" "$plain" "$TMP/dbgp$TMP/app.debug"
	mkfifo "$TMP/hold"
	exec 8<>"$TMP/hold" # it waits for a line
	chroot "$TMP/root" /opt/app <&8 >/dev/null 2>&1 &
	pid=$!
	on_exit "kill $pid"
	wait_for '[ "$(readlink /proc/$pid/exe)" = "$TMP/root/opt/app" ]' 10
	"$BIN/gofind" --pid "$pid" >"$TMP/process"
	"$goresolve" --no-recipes --func 'main.*' <"$TMP/process" 2>"$TMP/err" |
		jq -c 'select(.type != "process") | del(.path)' >"$TMP/out"
	cmp -s "$TMP/want" "$TMP/out"
	ok $? "found in the root of the process" || diag "$(cat "$TMP/err")"
	stop "$pid"
fi

"$goresolve" --debug-dir '' "$plain" >"$TMP/raw" 2>"$TMP/err"
is $? 2 "--debug-dir without a name: status 2"
done_testing
