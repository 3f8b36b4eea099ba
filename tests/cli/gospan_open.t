#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gospan with far more open calls than it keeps, OPEN_BEGINS of them: bounded memory, and
# each that it gave up counted.
. "$(dirname "$0")/../lib.sh"
require_command prlimit
memory=$((${MEMORY_MB:-200} << 20))
case $BIN in */san/*) memory=unlimited ;; esac # a sanitizer maps terabytes

n=${OPEN_BEGINS:-300000}
kept=10000
awk -v n="$n" 'BEGIN {
	print "{\"type\":\"clock\",\"v\":1,\"mono\":\"1000\",\"real\":\"1764510000000000000\"}"
	for (i = 1; i <= n; i++)
		printf "{\"type\":\"event\",\"v\":1,\"t\":\"%d\",\"pid\":7,\"tid\":8,\"goid\":\"%d\",\"depth\":500,\"probe\":\"p\",\"span\":\"http.client\",\"event\":\"begin\",\"trace_id\":\"%032x\",\"span_id\":\"%016x\",\"parent_id\":\"00000000000000ab\",\"parent_from\":\"goroutine\",\"flags\":1}\n", 2000 + i, i, i, i
	for (i = 1; i <= n; i += 1000)
		printf "{\"type\":\"event\",\"v\":1,\"t\":\"%d\",\"pid\":7,\"tid\":8,\"goid\":\"%d\",\"depth\":500,\"probe\":\"p\",\"span\":\"http.client\",\"event\":\"end\",\"trace_id\":\"%032x\",\"span_id\":\"%016x\"}\n", 2000 + n + i, i, i, i
}' | prlimit --as=$memory "$BIN/gospan" --max-open $kept --timeout 0 2>"$TMP/err" |
	awk -F '"' '/^{"type":"lost"/ { lost[$10 " " $14] += substr($17, 2) }
		/^{"type":"span"/ { match($0, /"parent_id":"[0-9a-f]*"/)
			spans[(/"incomplete":true/ ? "true " : "false ") substr($0, RSTART + 13, 16)]++ }
		END { for (l in lost) print l, lost[l]; for (s in spans) print s, spans[s] }' | sort >"$TMP/got"
ended=$(((n + 999) / 1000)) found=$((kept / 1000))
is "$(cat "$TMP/err")" "" "no message"
is "$(cat "$TMP/got")" "false 00000000000000ab $found
open-calls limit $((n - kept))
pairs no-begin $((ended - found))
true 00000000000000ab $((n - found))" "$n open calls: $kept are kept, all others are given up and counted"
done_testing
