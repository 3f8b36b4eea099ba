#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the page of goexport costs: CPU at 2,000 traces a second with --web and one page
# open, against the same without; whether that page got every trace; and, where there is
# a chromium, how long its first paint and a trace of 10,000 spans take.
# BENCH_SECONDS (10) is how long.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
bin=${BUILD:-$top/build}/bin
seconds=${BENCH_SECONDS:-10}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gotap-bench.XXXXXX")
pid='' page=''
cleanup() {
	# shellcheck disable=SC2086 # none, one or two
	[ -z "$pid$page" ] || kill $pid $page 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
unset OTEL_EXPORTER_OTLP_ENDPOINT GOTAP_WEB_TOKEN

# run NAME OPTION…: CPU milliseconds of goexport into $tmp/NAME
run() {
	name=$1
	shift
	mkfifo "$tmp/fifo"
	: >"$tmp/err"
	"$bin/goexport" --file /dev/null "$@" <"$tmp/fifo" >/dev/null 2>"$tmp/err" &
	pid=$!
	exec 3>"$tmp/fifo"
	if [ "$name" = page ]; then
		until grep -q 'page is at' "$tmp/err"; do sleep 0.1; done
		curl -sN "$(sed -n 's/.*the page is at //p' "$tmp/err")api/events" >"$tmp/events" &
		page=$!
		sleep 1
	fi
	python3 "$top/tests/views_spans.py" shop $((2000 * seconds)) 2000 >&3
	sleep 1
	ticks=$(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }')
	echo $((ticks * 1000 / $(getconf CLK_TCK))) >"$tmp/$name"
	exec 3>&-
	[ -z "$page" ] || kill $page
	kill "$pid" 2>/dev/null || true
	wait "$pid" || true
	pid='' page=''
	rm "$tmp/fifo"
}

run plain
run page --web :0
got=$(sed -n 's/^data: \(.*"traces":\[.*\)/\1/p' "$tmp/events" | jq -r '.traces[].id' | sort -u | wc -l)
echo "web: $((2000 * seconds)) traces at 2,000/s: CPU $(cat "$tmp/plain") ms without, $(cat "$tmp/page") ms with --web and a page:" \
	"x$(awk "BEGIN { printf \"%.2f\", $(cat "$tmp/page") / ($(cat "$tmp/plain") + 0.001) }"); the page got $got"

if command -v chromedriver >/dev/null && command -v chromium >/dev/null; then
	python3 "$top/tests/views_spans.py" big 10000 >"$tmp/big"
	: >"$tmp/err"
	"$bin/goexport" --web :0 <"$tmp/big" 2>"$tmp/err" &
	pid=$!
	until grep -q 'input has ended' "$tmp/err"; do sleep 0.1; done
	PYTHONPATH=$top/tests/e2e python3 - "$(sed -n 's/.*the page is at //p' "$tmp/err")" "$tmp" <<'END'
import sys
from webdriver import Browser
b = Browser(sys.argv[2])
paint, opened = [], []
try:
    for i in range(5):
        b.open(sys.argv[1])
        b.wait("document.querySelector('.row.trace')")
        paint.append(b.js("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
        opened.append(b.call("POST", b.session + "/execute/async", {"args": [], "script": """
            const done = arguments[0], from = performance.now();
            document.querySelector('.row.trace:not(.head)').click();
            (function look() {
                if (document.querySelectorAll('.row.span').length > 20)
                    requestAnimationFrame(() => done(performance.now() - from));
                else
                    requestAnimationFrame(look);
            })();"""}))
finally:
    b.close()
print("web: first paint %.0f ms, 10,000 spans opened in %.0f ms (medians of 5)" % (sorted(paint)[2], sorted(opened)[2]))
END
fi
