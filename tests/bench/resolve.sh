#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goresolve's time and memory on large Go binaries, beside those of Go's own tools on
# the same file in the same run: the Collector, with symbols and debug information
# and without, and what larger programs make check-large has built. Budget: a 100 MB
# binary with debug information in 1 s and 100 MB resident, a stripped one in 0.2 s.
. "$(dirname "$0")/common.sh"
require_go
require_command python3

go=$(sh "$TOP/tests/build-target.sh" --go newest) || bail "no go"
for flavour in plain stripped; do
	build_target otelcol "$flavour" || bail "no Collector"
	for file in "$TOP"/build/targets/caddy-*-"$flavour" "$TOP"/build/targets/prometheus-*-"$flavour"; do
		[ ! -x "$file" ] || echo "$file"
	done
done >"$TMP/files"

python3 - "$BIN/goresolve" "$go" "$TMP/files" <<'END'
import os, re, subprocess, sys, time

goresolve, go, files = sys.argv[1:]

def measure(command, times):
    """Wall and CPU time of the best run, most memory of all, lines and status."""
    best, cpu, rss, lines = 1e9, 0, 0, 0
    for _ in range(times):
        start = time.monotonic()
        p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: p.stdout.read(1 << 16), b""))
        _, status, used = os.wait4(p.pid, 0)
        wall = time.monotonic() - start
        if wall < best:
            best, cpu = wall, used.ru_utime + used.ru_stime
        rss = max(rss, used.ru_maxrss / 1024)
    return best, cpu, rss, lines, os.waitstatus_to_exitcode(status)

for file in open(files).read().split():
    print("%s, %.1f MB:" % (os.path.basename(file), os.path.getsize(file) / 1e6))
    none = ["--no-recipes"]
    for name, command, times in (
            ("goresolve", [goresolve], 3),
            ("goresolve --report", [goresolve, "--report"], 3),
            ("goresolve --func main.main", [goresolve, *none, "--func", "main.main"], 3),
            ("goresolve --func '*'", [goresolve, *none, "--func", "*"], 1),
            ("goresolve --list '*'", [goresolve, "--list", "*"], 1),
            ("go tool nm", [go, "tool", "nm"], 1),
            ("go tool objdump", [go, "tool", "objdump"], 1)):
        wall, cpu, rss, lines, status = measure(command + [file], times)
        print("  %-27s %8.3f s, CPU %8.3f s, %6.1f MB at most, %8d lines, status %d" %
              (name, wall, cpu, rss, lines, status), flush=True)
END
