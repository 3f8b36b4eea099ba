#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the page of goexport costs: CPU at 2,000 traces a second with --web and one page
# open, against the same without; whether that page got every trace; and, where there is
# a chromium, how far its list is behind at that rate, how long its first paint takes and
# traces of 10,000 and 100,000 spans.
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

command -v chromedriver >/dev/null && command -v chromium >/dev/null || exit 0

PYTHONPATH=$top/tests/e2e GOEXPORT=$bin/goexport GEN=$top/tests/views_spans.py python3 - "$tmp" "$seconds" <<'END'
import os, re, subprocess, sys, time
from webdriver import Browser
tmp, seconds = sys.argv[1], int(sys.argv[2])
median = lambda list: sorted(list)[len(list) // 2]
FIRST = "document.querySelector('.row.trace[data-index]:not(.head)')"
OPEN = """
    const done = arguments[0], from = performance.now();
    document.querySelector('.row.trace:not(.head)').click();
    (function look() {
        if (document.querySelectorAll('.row.span').length > 20)
            requestAnimationFrame(() => done(performance.now() - from));
        else
            requestAnimationFrame(look);
    })();"""
LAG = """const first = [...document.querySelectorAll('.row.trace[data-index]')].find((r) => r.dataset.index === '0');
    const t = first?.querySelector('.time').textContent, now = new Date();
    if (!t) return null;
    const [h, m, s] = t.split(':').map(Number);
    return now - new Date(now.getFullYear(), now.getMonth(), now.getDate(), h, m, Math.floor(s), Math.round(s % 1 * 1000))"""


def serve(*args, gen):
    log = open(os.path.join(tmp, "log"), "w+")
    source = subprocess.Popen([sys.executable, os.environ["GEN"], *gen], stdout=subprocess.PIPE)
    p = subprocess.Popen([os.environ["GOEXPORT"], "--web", ":0", *args], stdin=source.stdout, stderr=log)
    source.stdout.close()
    while True:
        found = re.search(r"page is at (\S+)", open(log.name).read())
        if found:
            return p, source, found.group(1), log.name
        time.sleep(0.05)


def cpu(p):
    f = open("/proc/%d/stat" % p.pid).read().rpartition(")")[2].split()
    return (int(f[11]) + int(f[12])) * 1000 / os.sysconf("SC_CLK_TCK")


b = Browser(tmp)
p = None
try:
    p, source, url, log = serve("--file", "/dev/null", gen=("shop", str(2000 * seconds), "2000"))
    b.open(url)
    b.wait(FIRST)
    lag = []
    while source.poll() is None:
        lag.append(b.js(LAG))
        time.sleep(0.3)
    lag = [n for n in lag if n is not None][3:-1]
    b.wait("/%d/.test(document.querySelector('.status').textContent.replace('.0k', '000'))" % (2000 * seconds), 5)
    print("web: in chromium at 2,000/s the newest line is %d ms old (median of %d looks, at most %d); CPU of goexport %d ms" %
          (median(lag), len(lag), max(lag), cpu(p)))
    p.terminate()
    p.wait()
    for n in (10000, 100000):
        p, source, url, log = serve(gen=("big", str(n)))
        while "input has ended" not in open(log).read():
            time.sleep(0.1)
        paint, opened = [], []
        for i in range(5):
            b.open("about:blank")
            b.open(url)
            b.wait(FIRST)
            paint.append(b.js("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
            opened.append(b.call("POST", b.session + "/execute/async", {"args": [], "script": OPEN}))
        print("web: first paint %d ms (the first time %d), %d spans opened in %d ms (%d): medians of 5" %
              (median(paint), paint[0], n, median(opened), opened[0]))
        p.terminate()
        p.wait()
finally:
    b.close()
    if p:
        p.terminate()
END
