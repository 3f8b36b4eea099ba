#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gospan as a program: options, messages, exit statuses, and what it does when
# input or output fail.
. "$(dirname "$0")/../lib.sh"
unset OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS
gospan=$BIN/gospan
page=$TOP/man/gospan.1

clock='{"type":"clock","v":1,"mono":"1000","real":"1764510000000001000"}'
# call METHOD: a begin and an end.
call() {
	printf '{"type":"event","v":1,"t":"%s","pid":1,"goid":"1","depth":8,"span":"http.server","event":"%s","values":{"http.request.method":"%s"}}\n' \
		2000 begin "$1" 3000 end "$1"
}

# --- options
out=$("$gospan" --help)
is $? 0 "--help ends with 0"
like "$out" "^usage: gospan" "--help is on stdout"
for o in $(printf '%s\n' "$out" | grep -o -- '--[a-z-]*' | sort -u); do
	grep -q -- "Fl -${o#--}\\b" "$page"
	ok $? "$o is in the manual"
done
sed -n 's/.*Fl -\([a-z-]*\).*/--\1/p' "$page" | sort -u >"$TMP/options"
while read -r o; do
	printf '%s\n' "$out" | grep -q -- "$o"
	ok $? "$o of the manual is in --help"
done <"$TMP/options"
out=$("$gospan" --version)
is $? 0 "--version ends with 0"
like "$out" "^gospan \\(gotap\\) [0-9]" "--version"
out=$("$gospan" --help 2>&1 >/dev/full)
is $? 1 "--help on a full disk fails"
for bad in --nonsense -x "--max-open 0" "--max-open -1" "--max-open 1x" "--max-open 99999999999" \
	"--max-open" "--timeout 5x" "--timeout -1" "--timeout 1.5s" "--timeout s" \
	"--timeout 99999999999h" file "- -"; do
	# shellcheck disable=SC2086  # an option and its value
	err=$("$gospan" $bad </dev/null 2>&1 >/dev/null)
	is $? 2 "'$bad' is a usage error"
	is "$(printf '%s\n' "$err" | wc -l)" 1 "with one line of message"
	like "$err" "^gospan: .*--help" "that says where help is"
done
for good in "--max-open 1" "--timeout 0" "--timeout 90" "--timeout 10ms" "--timeout 10s" \
	"--timeout 2m" "--timeout 1h" --strict -q -v --quiet --verbose -; do
	# shellcheck disable=SC2086
	"$gospan" $good </dev/null >/dev/null 2>"$TMP/err"
	is "$?$(cat "$TMP/err")" 0 "'$good' is an option"
done

# --- input
out=$("$gospan" </dev/null)
is $? 0 "no input is no failure"
like "$out" '^\{"type":"stats","v":1,"from":"gospan"' "and gives its totals"
out=$(echo nonsense | "$gospan" 2>&1 >/dev/null)
is $? 3 "nothing understood ends with 3"
is "$out" "gospan: stdin:1: byte 1: not a value" "and says where"
out=$({ echo "$clock"; echo nonsense; echo '{"type":"x","v":1}'; } | "$gospan" 2>/dev/null)
is $? 1 "a bad line among good ones ends with 1"
like "$out" '"type":"x"' "and what comes after is read"
out=$({ echo "$clock"; echo nonsense; echo '{"type":"x","v":1}'; } | "$gospan" --strict 2>/dev/null)
is $? 1 "--strict ends with 1"
unlike "$out" '"type":"x"' "and stops at the bad line"
out=$("$gospan" 2>&1 </ >/dev/null)
is $? 1 "input that cannot be read ends with 1"
is "$out" "gospan: stdin: Is a directory" "and says why"
"$gospan" <&- >/dev/null 2>"$TMP/err"
is $? 1 "a closed stdin ends with 1"
{ echo "$clock"; head -c 5000000 /dev/zero | tr '\0' x; echo; call GET; } >"$TMP/long"
out=$("$gospan" <"$TMP/long" 2>"$TMP/err")
is $? 1 "a line too long ends with 1"
is "$(cat "$TMP/err")" "gospan: stdin:2: line too long" "and says which"
like "$out" '"type":"span"' "and what comes after is read"
if command -v script >/dev/null; then
	out=$(script -qec "'$gospan'; echo status \$?" /dev/null </dev/null)
	like "$out" "stdin is a terminal" "a terminal as input is refused"
	like "$out" "status 2" "as a usage error"
fi

# --- output
{ echo "$clock"; call GET; } >"$TMP/in"
out=$("$gospan" <"$TMP/in" 2>&1 >/dev/full)
is $? 1 "a full disk ends with 1"
is "$out" "gospan: stdout: No space left on device" "and is reported"
out=$("$gospan" <"$TMP/in" 2>&1 >&-)
is $? 1 "a closed stdout ends with 1"
is "$out" "gospan: stdout: Bad file descriptor" "and is reported"
# A reader that goes away ends it by SIGPIPE: silently, also when input goes on.
{ "$gospan" 2>"$TMP/err"; echo $? >"$TMP/status"; } <<END | head -n 1 >/dev/null
$(i=0; while [ $i -lt 3000 ]; do cat "$TMP/in"; i=$((i + 1)); done)
END
is "$(cat "$TMP/status")" 141 "a reader that went away ends it"
is "$(cat "$TMP/err")" "" "without a word"

# --- what is there goes out before more is waited for
mkfifo "$TMP/fifo"
"$gospan" <"$TMP/fifo" >"$TMP/out" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
cat "$TMP/in" >&3
wait_for "grep -q '\"type\":\"span\"' '$TMP/out'" 10
ok $? "a span comes out while the input is open"
call PUT | head -n 1 | sed 's/"goid":"1"/"goid":"2"/' >&3
wait_for "grep -q '\"type\":\"active\".*\"count\":1.*\"PUT\"' '$TMP/out'" 10
ok $? "and what is under way is told, although nothing more comes"
call PUT | tail -n 1 | sed 's/"goid":"1"/"goid":"2"/' >&3
wait_for "grep -q '\"type\":\"active\".*\"count\":0.*\"PUT\"' '$TMP/out'" 10
ok $? "and that it is not any more"
kill -INT $pid
call GET >&3
exec 3>&-
wait $pid
is $? 0 "SIGINT does not end it, end of input does"
is "$(grep -c '"type":"span"' "$TMP/out")" 3 "and nothing is lost"

# --- HTTP methods
names() { sed -n 's/.*"type":"span".*"name":"\([^"]*\)".*/\1/p' | xargs; }
{ echo "$clock"; call GET; call BREW; call get; } >"$TMP/in"
is "$("$gospan" <"$TMP/in" | names)" "GET HTTP HTTP" "the usual methods are known"
is "$("$gospan" --http-methods BREW,get <"$TMP/in" | names)" "HTTP BREW get" \
	"--http-methods takes their place"
is "$(OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS=GET,BREW "$gospan" <"$TMP/in" | names)" "GET BREW HTTP" \
	"so does the environment"
is "$(OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS='' "$gospan" <"$TMP/in" | names)" "GET HTTP HTTP" \
	"but not an empty one"
is "$(OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS=GET "$gospan" --http-methods get <"$TMP/in" | names)" \
	"HTTP HTTP get" "the option wins"

# --- unprivileged
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	cp "$gospan" "$TMP/gospan"
	chmod 755 "$TMP" "$TMP/gospan"
	out=$(setpriv --reuid nobody --regid nogroup --clear-groups "$TMP/gospan" <"$TMP/in" 2>&1 | names)
	is "$out" "GET HTTP HTTP" "it needs no privilege"
fi
done_testing
