#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slow spans are noted so that they are found in a real flight recording of the program.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

start_target "$(build_target flight plain newest)"
go=$(sh "$TOP/tests/build-target.sh" --go newest) || bail "no go"
# shellcheck disable=SC2034  # of pipeline.sh
ATTACH_ARGS="--flight $TMP/slow --slow 250ms"
start_pipeline --pid "$TARGET_PID"
for _i in 1 2 3; do
	curl -sf -o /dev/null "http://$TARGET_ADDR/fast"
	curl -sf -o /dev/null "http://$TARGET_ADDR/slow"
done
curl -sf -o "$TMP/recording" "http://$TARGET_ADDR/dump"
ok $? "the program gives its recording"
stop_pipeline
# of PATH: the span ids of its requests.
of() {
	jq -r --arg path "$1" 'select(.type == "span" and .attributes["url.path"] == $path).span_id' "$TMP/spans"
}
of /slow >"$TMP/ids"
grep -F -f "$TMP/ids" "$TMP/slow" >"$TMP/notes"
is "$(sed -n 's/G=\([0-9]*\) .* trace_id=\(.*\) span_id=\([0-9a-f]*\) span=http.server .*/\1 \2 \3/p' "$TMP/notes" | sort)" \
	"$(jq -r 'select(.type == "span" and .attributes["url.path"] == "/slow") | "\(.goid) \(.trace_id) \(.span_id)"' "$TMP/spans" | sort)" \
	"every slow request is noted, with its goroutine"
is "$(wc -l <"$TMP/notes")" 3 "once"
of /fast >"$TMP/ids"
is "$(grep -cF -f "$TMP/ids" "$TMP/slow")" 0 "and none that was fast"

env -u GOROOT GOTOOLCHAIN=local "$go" tool trace -d=parsed "$TMP/recording" >"$TMP/parsed" 2>"$TMP/trace.err"
ok $? "go tool trace reads the recording" || diag "$(cat "$TMP/trace.err")"
# joined G FROM TO: in the recording this goroutine went to sleep, and woke up, in that time.
joined() {
	awk -v g="$1" -v from="$2" -v to="$3" '
		{ time = state = "" }
		match($0, /Time=[0-9]+/) { time = substr($0, RSTART + 5, RLENGTH - 5) }
		$0 ~ "GoID=" g " Running->Waiting" && time >= from && time <= to { waits = 1 }
		$0 ~ "GoID=" g " Waiting->Runnable" && time >= from && time <= to { woken = 1 }
		END { exit !(waits && woken) }' "$TMP/parsed"
}
sed -n 's/G=\([0-9]*\) from=\([0-9]*\) to=\([0-9]*\) .*/\1 \2 \3/p' "$TMP/notes" >"$TMP/list"
_n=0
while read -r _g _from _to; do
	joined "$_g" "$_from" "$_to" && _n=$((_n + 1))
done <"$TMP/list"
is "$_n" "$(wc -l <"$TMP/list")" "each is found there: its goroutine sleeps and wakes within its times" ||
	diag "$(cat "$TMP/notes"; grep -c . "$TMP/parsed"; grep -m3 GoID "$TMP/parsed")"
_n=0
while read -r _g _from _to; do
	joined "$_g" $((_from - 3600000000000)) $((_to - 3600000000000)) && _n=$((_n + 1))
done <"$TMP/list"
is "$_n" 0 "and at no other time"
like "$("$BIN/goattach" --slow 1 </dev/null 2>&1)" "--slow goes with --flight" "--slow alone means nothing"
done_testing
