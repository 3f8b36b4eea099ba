#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What every filter does with bad lines and bad ends: one clear message, the
# documented status, and nothing that was valid around it is lost.
. "$(dirname "$0")/../lib.sh"

# goattach has a test of its own: it traces, or says that there is nothing to trace.
filters="goresolve gospan"

good='{"type":"unheard-of","v":1,"text":"é","deep":[[[{"a":null}]]],"n":1e5}'
long=$TMP/long
{
	printf '{"type":"unheard-of","v":1,"x":"'
	head -c 5000000 /dev/zero | tr '\0' x
	printf '"}\n'
} >"$long"

# feed FILTER: the filter on stdin; sets out, err and status. Other records that
# a program makes by itself, such as clock and stats, do not count.
feed() {
	"$BIN/$1" >"$TMP/out" 2>"$TMP/err" <"$TMP/in"
	status=$?
	out=$(grep -Ev '"type":"(clock|stats|lost)"' "$TMP/out")
	err=$(grep -v ': note: ' "$TMP/err")
}

for p in $filters; do
	# bad NAME STATUS MESSAGE: $TMP/line stands between two good lines.
	bad() {
		{
			echo "$good"
			cat "$TMP/line"
			echo "$good"
		} >"$TMP/in"
		feed "$p"
		is "$out" "$good
$good" "$p: $1: the lines around it pass"
		is "$status" "$2" "$p: $1: status $2"
		like "$err" "$3" "$p: $1: a message with the place"
		is "$(printf '%s\n' "$err" | grep -c "^$p: stdin:2: ")" 1 "$p: $1: one message"
	}
	echo 'not JSON' >"$TMP/line"
	bad "no JSON" 1 "^$p: stdin:2: "
	echo '{"type":"event","v":1,"t":"12' >"$TMP/line"
	bad "half a record" 1 "^$p: stdin:2: "
	echo '[1,2]' >"$TMP/line"
	bad "no object" 1 "^$p: stdin:2: "
	echo '{"v":1}' >"$TMP/line"
	bad "no type" 1 "^$p: stdin:2: "
	echo '{"type":"unheard-of","v":2}' >"$TMP/line"
	bad "another version" 1 "^$p: stdin:2: "
	printf '{"type":"a\0b","v":1}\n' >"$TMP/line"
	bad "a NUL" 1 "^$p: stdin:2: "
	awk 'BEGIN { printf "{\"type\":\"deep\",\"v\":1,\"x\":"
		for (i = 0; i < 100000; i++) printf "["; print "" }' >"$TMP/line"
	bad "deep nesting" 1 "^$p: stdin:2: "
	cp "$long" "$TMP/line"
	bad "a line of 5 MB" 1 "^$p: stdin:2: "

	printf '%s\n%s' "$good" "$good" >"$TMP/in"
	feed "$p"
	is "$out" "$good
$good" "$p: a last line without its end passes"
	is "$status" 0 "$p: and is good"
	printf '%s\n{"type":"ev' "$good" >"$TMP/in"
	feed "$p"
	is "$out $status" "$good 1" "$p: a last line that was cut"
	: >"$TMP/in"
	feed "$p"
	is "$out$err $status" " 0" "$p: no input is no error"
	printf 'bad\nworse\n' >"$TMP/in"
	feed "$p"
	is "$out $status" " 3" "$p: nothing but bad lines: status 3"
	printf '%s\nbad\n%s\n' "$good" "$good" >"$TMP/in"
	"$BIN/$p" --strict <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	is "$? $(grep -c unheard-of "$TMP/out")" "1 1" \
		"$p: --strict stops at the first bad line"

	echo "$good" >"$TMP/in"
	err=$("$BIN/$p" <"$TMP/in" 2>&1 >/dev/full)
	is "$? $(printf '%s\n' "$err" | grep -vc ': note: ')" "1 1" "$p: a full disk: status 1, one message"
	like "$err" "^$p: .*No space left" "$p: that says so"
	err=$("$BIN/$p" <"$TMP/in" 2>&1 >&-)
	is "$? $(printf '%s\n' "$err" | grep -vc ': note: ')" "1 1" "$p: a closed stdout: status 1, one message"
done

for p in gofind goresolve goattach gospan goexport; do
	err=$("$BIN/$p" --no-such-option 2>&1 </dev/null)
	is "$?" 2 "$p: an unknown option: status 2"
	like "$err" "^$p: .*option.*--help" "$p: a message that points to --help"
	case $p in
	goexport) ;; # has its own words
	*)
		err=$("$BIN/$p" -q --quiet=1 2>&1 </dev/null)
		is "$? $err" "2 $p: --quiet=1: takes no argument (try '$p --help')" \
			"$p: a value where none is taken"
		err=$("$BIN/$p" -qvz 2>&1 </dev/null)
		is "$? $err" "2 $p: -z: no such option (try '$p --help')" "$p: a letter that is none"
		;;
	esac
	"$BIN/$p" --help >"$TMP/help" 2>"$TMP/err"
	is "$? $(cat "$TMP/err")" "0 " "$p: --help: status 0, nothing on stderr"
	like "$(cat "$TMP/help")" "^[Uu]sage: $p" "$p: --help shows the usage"
	like "$("$BIN/$p" --version)" "^$p \(gotap\) [0-9]" "$p: --version"
	"$BIN/$p" --help >/dev/full 2>/dev/null
	is "$?" 1 "$p: --help on a full disk: status 1"
done
err=$("$BIN/gospan" --timeout 2>&1 </dev/null)
is "$? $err" "2 gospan: --timeout: an argument is needed (try 'gospan --help')" "a missing argument"
done_testing
