#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goattach's command line, what it says where it may not trace, and plans that are
# wrong in one place: that place is named, and the rest is used.
. "$(dirname "$0")/../lib.sh"

# run OPTION…: goattach on $TMP/in; leaves $status, and $out and $err.
run() {
	"$BIN/goattach" "$@" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	status=$?
	out=$(cat "$TMP/out") err=$(cat "$TMP/err")
}

: >"$TMP/in"
run --help
is "$status" 0 "--help: status"
like "$out" '^usage: goattach' "--help: text on stdout"
run --version
is "$status $out" "0 goattach (gotap) $("$BIN/goattach" --version | awk '{ print $3 }')" "--version"
for wrong in --bogus -x --tick '--tick 0' '--tick 1001' '--tick 5x' '--ring 3M' '--ring 1K' '--ring -4M' \
	'--attach dwim' '--max-calls 0' '--max-sites many' 'operand'; do
	# shellcheck disable=SC2086  # two words
	run $wrong
	is "$status" 2 "$wrong: status 2"
	is "$(wc -l <"$TMP/err")" 1 "$wrong: one message"
done
"$BIN/goattach" --help >/dev/full 2>"$TMP/err"
is "$?" 1 "--help to a full disk: status 1"
"$BIN/goattach" >&- <"$TMP/in" 2>"$TMP/err"
is "$?" 1 "a closed stdout: status 1"
"$BIN/goattach" <&- >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "a closed stdin: status 1"

# Without the privilege: one line that says what to do.
unprivileged() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	fi
}
# A copy, because the tree may be where nobody else may go.
cp "$BIN/goattach" "$TMP/goattach"
chmod 755 "$TMP" "$TMP/goattach"
unprivileged "$TMP/goattach" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
is "$?" 4 "no privilege: status 4"
is "$(wc -l <"$TMP/err")" 1 "no privilege: one message"
like "$(cat "$TMP/err")" 'CAP_BPF.*CAP_PERFMON.*sudo' "no privilege: what is missing and what to do"
is "$(cat "$TMP/out")" "" "no privilege: no record"

# From here on the kernel must let us in.
"$BIN/goattach" <"$TMP/in" >/dev/null 2>"$TMP/err"
if [ $? -eq 4 ]; then
	[ "${GOTAP_REQUIRE:-}" != bpf ] || ok 1 "tracing is required here"
	# --btf: what is no such file is said before anything else is looked at.
"$BIN/goattach" --btf "$TMP/none" </dev/null >"$TMP/out" 2>"$TMP/err"
is "$? $(cat "$TMP/out")" "4 " "--btf with no file: status 4"
like "$(cat "$TMP/err")" 'none: No such file' "and why"
echo text >"$TMP/text"
"$BIN/goattach" --btf "$TMP/text" </dev/null >"$TMP/out" 2>"$TMP/err"
is "$?" 4 "--btf with another file: status 4"
like "$(cat "$TMP/err")" 'text: no file with BTF' "and why"
done_testing
fi

probe() {
	printf '{"type":"probe","v":1,"probe":"%s","binary":"b","span":"s","symbol":"f",' "$1"
	printf '"g":{"goid":152,"stack_hi":8},"sites":[%s],"captures":[%s]}\n' "$2" "${3:-}"
}
site='{"at":"call","event":"begin","addr":"0x10","offset":"0x10","bytes":"e8"}'
{
	probe good "$site"
	probe double "$site,$site"
	probe nosites ""
	probe badop "$site" '{"name":"x","on":"begin","kind":"int","ops":[["jump",1]]}'
	probe bighop "$site" '{"name":"y","on":"begin","kind":"int","ops":[["arg",0],["map",{"key":"K","layout":"swiss","dir_ptr":16,"dir_len":24,"table_groups":16,"slot_size":64,"elem_off":16}]]}'
	echo 'not json'
	echo '{"type":"process","v":1,"pid":0,"start":"1","dev":"1:1","inode":"1","binary":"b"}'
	echo '{"type":"process","v":1,"pid":1,"start":"1","dev":"1","inode":"1","binary":"b"}'
	echo '{"type":"exit","v":1,"pid":"x"}'
	echo '{"type":"other","v":1,"kept":["as",{"it":"was"}]}'
} >"$TMP/in"
run
is "$status" 1 "bad records: status 1"
is "$(grep -v 'nothing to trace' "$TMP/err")" 'goattach: stdin:2: probe double: site 2: the same as one before
goattach: stdin:3: probe nosites: "sites" is missing or empty
goattach: stdin:4: probe badop: capture x: unknown op "jump"
goattach: warning: stdin:5: probe bighop: capture y: map slots of 64 bytes, more than 48
goattach: stdin:6: byte 1: not a value
goattach: stdin:7: "pid" is missing or no process id
goattach: stdin:8: "dev" is not major:minor
goattach: stdin:9: "pid" is missing or no process id' "each is named by its line"
like "$out" '^\{"type":"other","v":1,"kept":\["as",\{"it":"was"\}\]\}$' "what goattach does not know passes"
like "$out" '^\{"type":"skip",.*"field":"y","reason":"limit"' "a capture past a limit has a skip record"
like "$(head -n 1 "$TMP/out")" '^\{"type":"clock",' "the clock comes first"
run --strict
is "$status" 1 "--strict: status 1"
is "$(wc -l <"$TMP/err")" 1 "--strict: the first bad record ends it"
unlike "$out" '"other"' "--strict: nothing comes after it"

echo 'not json' >"$TMP/in"
run
is "$status" 3 "nothing but malformed lines: status 3"

# A process that is not there (any more).
{
	probe good "$site"
	echo '{"type":"process","v":1,"pid":2147483646,"start":"1","dev":"1:1","inode":"1","binary":"b"}'
	echo '{"type":"exit","v":1,"pid":2147483646,"start":"1"}'
} >"$TMP/in"
run
is "$status" 1 "no such process: status 1"
is "$(grep -c '"type":"exit"' "$TMP/out")" 1 "no such process: one exit record"
printf '{"type":"process","v":1,"pid":%d,"start":"1","dev":"1:1","inode":"1","binary":"c"}\n' $$ >"$TMP/in"
run
is "$status" 1 "no plan for the process: status 1"
like "$err" "pid $$: not traced: the plan has no probe for it" "and it is said"

"$BIN/goattach" <"$TMP/in" >/dev/full 2>"$TMP/err"
is "$?" 1 "a full disk: status 1"
like "$(cat "$TMP/err")" 'stdout: No space left' "a full disk: the reason"
done_testing
