#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What goexport shows on a terminal, by what is on the screen under tmux: --top with
# its keys, when the terminal changes size and when the stream hangs, and the tree.
. "$(dirname "$0")/../lib.sh"
require_command tmux python3

unset OTEL_EXPORTER_OTLP_ENDPOINT COLUMNS NO_COLOR TMUX
export LC_ALL=C.UTF-8
tm() {
	tmux -L "gotap-$$" -f /dev/null "$@"
}
on_exit "tm kill-server"
gen() {
	python3 "$TOP/tests/views_spans.py" "$@"
}
screen() {
	tm capture-pane -p -t view
}
# on_screen REGEX NAME: within ten seconds.
on_screen() {
	# shellcheck disable=SC2034 # expanded by wait_for
	regex=$1
	# shellcheck disable=SC2016
	wait_for 'screen | grep -Eq -- "$regex"' 10
	ok $? "$2" || diag "$(screen)"
}
# start COLUMNS LINES COMMAND: in a terminal of this size.
start() {
	tm kill-session -t view 2>/dev/null
	tm new-session -d -s view -x "$1" -y "$2" "$3; echo \"ended with \$?\"; sleep 1000"
}

# Without a session the server ends, perhaps when the next session is to begin.
tm new-session -d -s keep 'exec sleep 1000'
mkfifo "$TMP/fifo"
start 120 24 "$BIN/goexport --top <$TMP/fifo"
exec 3>"$TMP/fifo"
on_screen '0.0 req/s, 0.0 failed/s, 0 routes' "an empty table"
gen shop 400 >&3
on_screen 'SERVICE +ROUTE +\*REQ/S' "the heads"
on_screen '^shop +GET /products/\{id\} .*ms +.*[▁▂▃▄▅▆▇█]' "a line for a route, with the last minute"
is "$(screen | grep -cE '^(shop|cart|payments|search) ')" 5 "five of them"
tm send-keys -t view s
on_screen '\*ERRORS' "s sorts by the next column: the stream hangs, keys work"
like "$(screen | sed -n 3p)" '^(payments|shop) +POST' "what fails most comes first"
tm send-keys -t view Enter
on_screen '^[0-9a-f]{32} .* 6 spans' "enter opens the slowest"
on_screen '⇉ POST /charge' "as a waterfall"
tm send-keys -t view q
on_screen '\*ERRORS' "q goes back"
tm send-keys -t view f
on_screen 'card declined' "f: the last that failed"
tm send-keys -t view q
tm send-keys -t view /
tm send-keys -t view -l search
on_screen ' /search_' "a filter is typed"
tm send-keys -t view Enter
on_screen '1 route,' "and holds"
is "$(screen | grep -cE '^(shop|cart|payments|search) ')" 1 "one line"
tm send-keys -t view /
for _ in 1 2 3 4 5 6; do tm send-keys -t view BSpace; done
tm send-keys -t view Enter
on_screen '5 routes' "an empty one shows all"
tm send-keys -t view Space
on_screen '\[paused\]' "a pause"
tm send-keys -t view Space
for size in "80 24" "50 12" "200 40"; do
	# shellcheck disable=SC2086 # two numbers
	set -- $size
	tm resize-window -t view -x "$1" -y "$2"
	wait_for 'screen | head -n 2 | tail -n 1 | grep -q "P99" && [ "$(screen | tail -n 1 | cut -c 1-6)" = "q quit" ]' 10
	ok $? "the terminal becomes $1 by $2" || diag "$(screen)"
	is "$(($(screen | wc -L) <= $1)) $(screen | grep -cE '^(shop|cart|payments|search) ')" "1 5" "nothing is cut or lost"
done
tm send-keys -t view '?'
on_screen 'ctrl-L' "help"
tm send-keys -t view q
tm send-keys -t view q
on_screen 'ended with 0' "q ends it, status 0, while the stream is open"
on_screen '^search +GET /search' "and leaves the table behind"
exec 3>&-

gen hostile >"$TMP/in"
start 100 30 "$BIN/goexport --top <$TMP/in"
on_screen '\[input ended\]' "a recording stays on the screen"
like "$(screen)" '^<script>docum' "what a target says is text"
tm send-keys -t view C-c
on_screen 'ended with 0' "Ctrl-C ends it"
start 100 30 "TERM=dumb-as-stone $BIN/goexport --top <$TMP/in"
on_screen 'ended with 0' "a terminal that ncurses does not know: a plain table"

gen shop 3 >"$TMP/in"
for width in 80 200; do
	start "$width" 40 "$BIN/goexport <$TMP/in"
	on_screen '⇉ POST /charge' "no sink, a terminal $width wide: the tree"
	is "$(screen | grep -cE '^[0-9a-f]{32}')" 3 "three traces"
	bar=$(screen | grep -oE '█+' | head -n 1)
	is "$(printf %s "$bar" | wc -m)" "$((width / 4))" "a quarter of $width columns is the bar"
done
like "$(tm capture-pane -e -p -t view)" "$(printf '\033')\[36m" "in colour"
start 80 40 "NO_COLOR=1 $BIN/goexport <$TMP/in"
on_screen '⇉ POST /charge' "with NO_COLOR"
unlike "$(tm capture-pane -e -p -t view)" "$(printf '\033')\[3[0-9]m" "there is none"

# Wide and combining characters, clocks, what is cut: nothing wraps, names stay in line.
gen odd >"$TMP/in"
python3 - >"$TMP/gap" <<'END'
import json, os
for line in open(os.environ["TMP"] + "/in"):
    r = json.loads(line)
    if r.get("trace_id", "").endswith("dd2") and r["name"] == "POST /jobs":
        continue # then the others are one trace with the next, forty seconds apart
    print(line.strip())
    if r.get("name") == "step":
        r.update(span_id="00000000000000aa", start=str(int(r["start"]) + 40 * 10**9), end=str(int(r["end"]) + 40 * 10**9))
        print(json.dumps(r))
END
in_line() { # the columns in which the names begin on the screen, each once
	screen | python3 -c '
import sys, unicodedata
width = lambda s: sum(0 if unicodedata.combining(c) or unicodedata.category(c) == "Mn" else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
print(*sorted({width(line[:line.index("@")]) for line in sys.stdin if "@" in line}))'
}
for width in 80 200; do
	start "$width" 40 "$BIN/goexport --tree <$TMP/gap"
	on_screen '⇉ @plain' "$width columns: traces of many scripts"
	is "$(screen | grep -c '@')" 6 "no line is longer than the terminal"
	is "$(in_line | wc -w)" 1 "names begin in one column"
	like "$(screen)" '200 cart +└─ ⇉ GET /items +clock \+3h00m' "another host's clock is put right and said"
	like "$(screen)" '13:40:00.000 +50.0ms +4 spans' "and does not stretch the trace"
	like "$(screen)" 'cut 40.0s' "idle time is cut out, and said"
	like "$(screen)" '█+┊┊ .*ERR shop ↗ job +parent missing +no such file' "and marked; a parent that is missing, too"
	on_screen 'ended with 0' "status 0"
done

# Confined as another user the terminal is there, too.
gen shop 400 >"$TMP/in"
chmod 755 "$TMP"
mkfifo "$TMP/fifo2"
start 120 24 "$BIN/goexport --top --user nobody <$TMP/fifo2"
exec 3>"$TMP/fifo2"
cat "$TMP/in" >&3
on_screen '^shop +GET /products/\{id\} .*ms +.*[▁▂▃▄▅▆▇█]' "--user: the table"
pid=$(tm list-panes -t view -F '#{pane_pid}' | head -n 1)
pid=$(pgrep -P "$pid" goexport)
is "$(awk '/^Uid:/ { print $2 } /^CapEff:/ { print $2 }' "/proc/$pid/status" | xargs)" "$(id -u nobody) 0000000000000000" "by nobody, who may do nothing"
tm send-keys -t view Enter
on_screen '^[0-9a-f]{32} .* 2 spans' "a trace"
tm send-keys -t view q
tm send-keys -t view q
on_screen 'ended with 0' "the end"
exec 3>&-
start 100 40 "$BIN/goexport --tree --user nobody <$TMP/in"
on_screen '⇉ POST /charge' "and the tree"
done_testing
