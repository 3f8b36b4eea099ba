#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goexport --spool: what cannot be sent is kept on disk and sent later, in order, also
# by another run, after kills and on a full disk. GOTAP_KILLS is how many kills.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command python3

rows() { # of the spool, their spans
	python3 -c 'import glob,sqlite3,sys
print(sum(n or 0 for f in glob.glob(sys.argv[1] + "/*.db") for n, in sqlite3.connect(f).execute("SELECT sum(items) FROM request")))' "$TMP/spool"
}

# --- away, and back -----------------------------------------------------------------

receiver 503
spans 1500 >"$TMP/in"
run --otlp "$url" --spool "$TMP/spool" --flush-timeout 300
is "$status" 0 "the receiver is away: nothing is lost, status 0" || diag "$err"
like "$err" "1500 spans are kept in $TMP/spool for the next run" "it says where they are"
is "$(rows)" 1500 "and there they are"
receiver_end
PORT=$port receiver 503 200
spans 100 1501 >"$TMP/in"
run --otlp "$url" --spool "$TMP/spool" --flush-timeout 20000
is "$status $(query 'ids([q for q in r if q["answer"] == "200"]) == ["%016x" % i for i in range(1, 1601)]')" "0 True" \
	"the next run sends them, in order, and then its own" || diag "$err"
is "$(rows)" 0 "and the spool is empty"
like "$err" "1500 spans of an earlier run are in $TMP/spool" "which it said"
receiver_end
PORT=$port receiver 401
run --otlp "$url" --spool "$TMP/spool" --flush-timeout 300
is "$status $(rows)" "0 100" "what is refused because of a wrong key is kept, too" || diag "$err"
receiver_end

# --- limits ----------------------------------------------------------------------------

rm -rf "$TMP/spool"
spans 20000 >"$TMP/in"
# shellcheck disable=SC2002 # a pipe: a file would wait
cat "$TMP/in" | "$G" --otlp http://127.0.0.1:1 --spool "$TMP/spool" --spool-size 1 --flush-timeout 300 2>"$TMP/err"
is "$?" 1 "a spool that is full: status 1"
like "$(cat "$TMP/err")" 'the spool takes no more: No space left' "said"
dropped=$(sed -n 's/.* \([0-9]*\) of [0-9]* spans dropped: \([0-9]*\) full$/\1/p' "$TMP/err")
is "$((${dropped:-0} + $(rows)))" 20000 "every span is in it, or counted as dropped" || diag "$(cat "$TMP/err")"
ok $(($(rows) > 1000 ? 0 : 1)) "and it holds its worth"
sleep 1.1
spans 1 >"$TMP/in"
run --otlp http://127.0.0.1:1 --spool "$TMP/spool" --spool-age 1 --flush-timeout 1000
like "$err" '[0-9]+ expired' "what is too old is given up, and counted" || diag "$err"
is "$(rows)" 1 "and gone"

# --- a file that cannot be read, one that somebody has ------------------------------------

head -c 50000 /dev/urandom >"$(ls "$TMP"/spool/*.db)"
run --otlp http://127.0.0.1:1 --spool "$TMP/spool" --flush-timeout 300
is "$status $(rows)" "0 1" "a file of junk: a new one begins" || diag "$err"
like "$err" 'put aside' "which is said"
is "$(find "$TMP/spool" -name '*.bad-*' | wc -l)" 1 "and it is kept"
mkfifo "$TMP/fifo"
: >"$TMP/err"
"$G" --otlp http://127.0.0.1:1 --spool "$TMP/spool" --flush-timeout 300 <"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
wait_for 'grep -q "sending to" "$TMP/err"' 20
"$G" --otlp http://127.0.0.1:1 --spool "$TMP/spool" <"$TMP/in" 2>"$TMP/err2"
is "$?" 1 "two at once: the second does not begin"
like "$(cat "$TMP/err2")" 'another process has it' "and says why"
exec 3>&-
wait $pid
is "$?" 0 "the first goes on"
run --otlp http://127.0.0.1:1 --spool "$TMP/in/x"
is "$status" 1 "a directory that cannot be made"

# --- a full disk -----------------------------------------------------------------------------

if [ "$(id -u)" -eq 0 ] && mkdir "$TMP/disk" && mount -t tmpfs -o size=1500k tmpfs "$TMP/disk" 2>/dev/null; then
	on_exit "umount $TMP/disk"
	spans 20000 >"$TMP/in"
	rm -rf "$TMP/spool"
	ln -s "$TMP/disk/spool" "$TMP/spool"
	# shellcheck disable=SC2002
	cat "$TMP/in" | "$G" --otlp http://127.0.0.1:1 --spool "$TMP/disk/spool" --flush-timeout 300 2>"$TMP/err"
	is "$?" 1 "a full disk: status 1"
	mount -o remount,size=20m "$TMP/disk" # who looks needs some, too
	dropped=$(sed -n 's/.* \([0-9]*\) of [0-9]* spans dropped: .*/\1/p' "$TMP/err")
	is "$((${dropped:-0} + $(rows)))" 20000 "every span is there, or counted" || diag "$(cat "$TMP/err")"
	is "$(python3 -c 'import glob,sqlite3,sys
print(sqlite3.connect(glob.glob(sys.argv[1] + "/*.db")[0]).execute("PRAGMA integrity_check").fetchone()[0])' "$TMP/spool")" ok \
		"and the file is whole"
fi

# --- kills -------------------------------------------------------------------------------------

mkdir "$TMP/killed"
out=$(python3 "$TOP/tests/cli/spool_kill.py" "$G" "$TMP/killed" "${GOTAP_KILLS:-20}" 2>&1)
ok $? "killed ${GOTAP_KILLS:-20} times: $out"
done_testing
