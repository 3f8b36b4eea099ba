#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A million recorded events through gospan, and through gospan and goexport.
. "$(dirname "$0")/common.sh"
require_command python3

events=${EVENTS:-1000000}
"${GEN_EVENTS:?}" "$events" >"$TMP/events"
lines=$(wc -l <"$TMP/events")
timed() { # NAME COMMAND
	python3 - "$1" "$2" "$lines" <<-'END'
		import resource, subprocess, sys, time
		start = time.monotonic()
		status = subprocess.call(["sh", "-c", sys.argv[2]])
		took = time.monotonic() - start
		use = resource.getrusage(resource.RUSAGE_CHILDREN)
		n = int(sys.argv[3])
		print("%-28s %9d lines/s, %5.2f us CPU/line, %6.1f MB at most, status %d" %
		      (sys.argv[1], n / took, (use.ru_utime + use.ru_stime) / n * 1e6, use.ru_maxrss / 1024, status))
	END
}
say "replay of $lines records:"
timed "gospan" "'$BIN/gospan' <'$TMP/events' >/dev/null"
timed "gospan | goexport --file" "'$BIN/gospan' <'$TMP/events' | '$BIN/goexport' -q --file '$TMP/otlp'"
