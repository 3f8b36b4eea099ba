#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What one hit costs the traced program, by the kind of site, as long as nothing but the
# bare probe of floor.bpf.c is there: after the stack's check (emulated by the kernel on
# amd64), on the function's first instruction and on its return (single-stepped: a second trap).
# In turn, ROUNDS times; medians, and ratios to the first.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq

hits=$(build_target hits) || bail "no target"
mkfifo "$TMP/in"
exec 9<>"$TMP/in"
start_target sh -c "exec taskset -c $SERVER_CPU $hits <$TMP/in 9>&-"

# site EVENT PLACE OPTION…: file offset of the first such site of the function.
site() {
	event=$1 place=$2
	shift 2
	"$BIN/goresolve" --no-recipes --func main.Work "$@" "$hits" 2>/dev/null | jq -r --arg e "$event" --arg p "$place" \
		'select(.type == "probe" and .symbol == "main.Work") | .sites[] |
			select(.event == $e and .at == $p) | "\(.offset) \(.insn)"' | head -n 1
}
after=$(site begin entry) first=$(site begin entry --site first) ret=$(site end ret)
[ -n "$after" ] || bail "no site after the check"
[ -n "$first" ] || bail "no first instruction"
[ -n "$ret" ] || bail "no return"

# cost OFFSET: nanoseconds a call with a probe there, or with none.
cost() {
	floor=
	if [ -n "${1:-}" ]; then
		"${FLOOR:?}" "/proc/$TARGET_PID/exe" "$1" >"$TMP/floor.out" &
		floor=$!
		wait_for 'grep -qs attached "$TMP/floor.out"' 10 || bail "no floor"
	fi
	_n=$(wc -l <"$TARGET_LOG")
	echo "${CALLS:-100000}" >&9
	wait_for '[ "$(wc -l <"$TARGET_LOG")" -gt "$_n" ]' 60 || bail "no answer"
	tail -n 1 "$TARGET_LOG"
	[ -z "$floor" ] || stop "$floor"
}

round=0
while [ "$round" -lt "${ROUNDS:-5}" ]; do
	cost >>"$TMP/none"
	cost "${after%% *}" >>"$TMP/after"
	cost "${first%% *}" >>"$TMP/first"
	cost "${ret%% *}" >>"$TMP/ret"
	round=$((round + 1))
done
none=$(median <"$TMP/none")
base=$(median <"$TMP/after" | awk -v n="$none" '{ print $1 - n }')
# row NAME INSTRUCTION FILE
row() {
	median <"$3" | awk -v what="$1" -v insn="$2" -v none="$none" -v base="$base" \
		'{ printf "%-34s %-24s %8.0f ns a hit %6.2f\n", what, insn, $1 - none, ($1 - none) / base }'
}
say "$(printf '%-34s %-24s %8.0f ns' 'no probe' '' "$none")"
row "after the check of the stack" "${after#* }" "$TMP/after"
row "first instruction" "${first#* }" "$TMP/first"
row "return" "${ret#* }" "$TMP/ret"
