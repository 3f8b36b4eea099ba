#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goexport --file: new files by size and age, compression, and what a kill leaves.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"

spans_in() { # FILE...: how many are in them
	cat "$@" | grep -o '"spanId"' | wc -l
}
spans 6000 >"$TMP/in"
mkdir "$TMP/d"
run --file "$TMP/d/a" --file-size 1
is "$status $(spans_in "$TMP/d"/*)" "0 6000" "--file-size: all spans are in one file or another" || diag "$err"
n=$(find "$TMP/d" -name 'a.2*' | wc -l)
ok $((n >= 2 ? 0 : 1)) "there are old ones: $n"
is "$(find "$TMP/d" -size +1024k | wc -l)" 0 "none is larger"
is "$(find "$TMP/d" -name 'a.*' | grep -Evc '/a\.[0-9]{8}T[0-9]{6}\.[0-9]{3}$')" 0 "their names tell when"
rm "$TMP/d"/*
: >"$TMP/d/a.20200101T000000.000"
: >"$TMP/d/a.other"
: >"$TMP/d/ab.20200101T000000.000"
run --file "$TMP/d/a" --file-size 1 --file-keep 1
is "$status $(find "$TMP/d" -name 'a.2*' | wc -l) $(find "$TMP/d" -name '*.other' -o -name 'ab.*' | wc -l)" "0 1 2" \
	"--file-keep: one old one, and nobody else's file is touched"
ok "$([ ! -e "$TMP/d/a.20200101T000000.000" ]; echo $?)" "the oldest go first"
(cd "$TMP/d" && "$G" --file here --file-size 1 --file-keep 1 <"$TMP/in" 2>"$TMP/err")
is "$? $(find "$TMP/d" -name 'here*' | wc -l)" "0 2" "a path without a directory"
rm -f "$TMP/d"/*
mkfifo "$TMP/fifo"
"$G" --file "$TMP/d/a" --file-age 1 --batch-delay 0 <"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
spans 1 >&3
wait_for '[ -s "$TMP/d/a" ]' 20
sleep 1.1
spans 1 2 >&3
wait_for '[ "$(find "$TMP/d" -name "a.2*" | wc -l)" = 1 ]' 20
ok $? "--file-age"
exec 3>&-
wait $pid
is "$? $(spans_in "$TMP/d"/*)" "0 2" "both are there"
run --file - --file-gzip
gunzip <"$TMP/out" >"$TMP/plain"
"$G" --file "$TMP/same" <"$TMP/in"
is "$status $(cmp "$TMP/plain" "$TMP/same" && echo same)" "0 same" "--file-gzip: the same, compressed"
"$G" --file "$TMP/killed" --file-gzip --batch-delay 0 <"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
spans 1000 >&3
wait_for '[ -s "$TMP/killed" ]' 20
kill -KILL $pid
wait $pid 2>/dev/null
exec 3>&-
gunzip <"$TMP/killed" >"$TMP/plain"
is "$? $(($(spans_in "$TMP/plain") > 0))" "0 1" "killed: what was written can be read"
run --file "$TMP/d/none/a" --file-size 1
is "$status" 1 "no such directory"
mkdir "$TMP/sealed"
: >"$TMP/sealed/a"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=2m tmpfs "$TMP/sealed" 2>/dev/null; then
	on_exit "umount $TMP/sealed"
	spans 20000 >"$TMP/in"
	run --file "$TMP/sealed/a" --file-size 1
	is "$status $(grep -c 'No space left on device' "$TMP/err")" "1 1" "a full disk: said once, status 1" || diag "$err"
	like "$err" 'spans dropped: [0-9]+ error' "and counted"
fi
done_testing
