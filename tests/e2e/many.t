#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parents where there is a lot of everything, after the request's end, and after panics.
# MANY is how many requests are in flight at once, GOROUTINES how many goroutines live,
# PANICS how many there are one after the other, THROWN how many of which nothing is kept.
. "$(dirname "$0")/../family.sh"
require_bpf
require_go
require_command jq curl

family=$(build_target family) || bail "no target"
many=${MANY:-2000} goroutines=${GOROUTINES:-20000} panics=${PANICS:-10000}

# begin OPTION…: the target, traced; the options are goattach's.
begin() {
	start_target "$family"
	RESOLVE_ARGS="--func main.lookup*" ATTACH_ARGS=$*
	start_pipeline --pid "$TARGET_PID"
}
# ask N C PATH: N requests, C at a time.
ask() {
	is "$("$family" -load "$TARGET_ADDR" -n "$1" -c "$2" -paths "$3" 2>"$TMP/load.err")" "$1" \
		"$3: $1 requests are answered" || diag "$(cat "$TMP/load.err")"
}
# entries MAP: how many entries goattach's map of this name has.
entries() {
	sed -n 's/^map_id:[[:space:]]*//p' /proc/"$pid_goattach"/fdinfo/* 2>/dev/null | sort -u |
		while read -r _id; do
			[ "$(bpftool -j map show id "$_id" | jq -r .name)" = "$1" ] || continue
			bpftool -j map dump id "$_id" | jq length
		done
}

# kib: what goattach's maps take, all of them.
kib() {
	cat /proc/"$pid_goattach"/fdinfo/* 2>/dev/null | awk '/^memlock:/ { m = $2 } /^map_id:/ { of[$2] = m }
		END { for (i in of) sum += of[i]; printf "%d\n", sum / 1024 }'
}
small() { # NAME
	_kib=$(kib)
	ok "$([ "$_kib" -gt 1000 ] && [ "$_kib" -le 40960 ]; echo $?)" "$1: the maps fit in 40 MB ($_kib KiB)"
}

# They are forgotten when they have been counted.
begin --forget $((2 + goroutines / 5000))
before=$(kib)
ask 1 1 "/many-goroutines?n=$goroutines"
got=$(entries lineage)
# Connections have let go of theirs.
ok "$([ "$got" -ge $((goroutines * 95 / 100)) ]; echo $?)" "$goroutines goroutines have inherited ($got)"
small "$goroutines goroutines"
ask 1 1 '/many-nested?n=1000'
wait_for '[ "$(entries lineage)" = 0 ]' 120
is "$(entries lineage) $(entries calls)" "0 0" "when all have ended nothing is left in the kernel"
diag "maps before, and after: $before KiB, $(kib) KiB"
compare cf "many goroutines and calls"

# All but one are held until that one comes.
begin
"$family" -load "$TARGET_ADDR" -n $((many - 1)) -c "$many" -paths "/many-requests?n=$many" \
	>"$TMP/held" 2>"$TMP/load.err" &
held=$!
wait_for '[ "$(entries calls)" -ge $((many - 1)) ]' 120
is "$(entries calls)" $((many - 1)) "$((many - 1)) requests are in flight"
small "$many requests"
ask 1 1 "/many-requests?n=$many"
wait $held
is "$(cat "$TMP/held")" $((many - 1)) "and are answered when one more has come" || diag "$(cat "$TMP/load.err")"
is "$(entries calls)" 0 "then no call is left in the kernel"
compare cf "$many requests at once"

# What it says of panics: 2 calls for each.
begin --ring 16M
ask 20 4 "/many-panics?n=$((panics / 20))"
ask 40 4 /dies-panic
is "$(entries calls)" 0 "after $((panics + 40)) panics no call is left in the kernel"
compare cf "panics"
is "$(spans '.span == "function" and .attributes["arg.id"] == 0 and .status == "error" and
	.attributes["error.type"] == "panic" and .attributes["exception.type"] == "*errors.errorString" and
	.attributes["exception.message"] == "wanted"')" $((2 * panics)) "each call that a panic ended has its value"
is "$(spans '.span == "http.server" and .attributes["url.path"] == "/dies-panic" and
	.attributes["exception.type"] == "string" and .attributes["exception.message"] == "wanted"')" \
	"$(spans '.attributes["url.path"] == "/dies-panic"')" "and each request"

# Any number of them.
thrown=${THROWN:-20000}
"$BIN/goresolve" --func 'main.lookup*' "$family" >"$TMP/plan" 2>"$TMP/plan.err"
TEE=''
begin
TEE=yes
wait_for '[ "$(breakpoints "$TARGET_PID" "$TMP/plan")" -gt 10 ]' 20 || bail "not attached"
ask 100 4 "/many-panics?n=$((thrown / 100))"
is "$(entries calls)" 0 "after $thrown panics no call is left in the kernel"
small "$thrown panics"
stop_pipeline
is "$status_goattach" 0 "which goattach gets over"
stop "$TARGET_PID" KILL

# Late children, and later ones.
begin --late-children 2
ask 4 4 '/many-milliseconds?n=200,/many-milliseconds?n=4000'
curl -sf "http://$TARGET_ADDR/log" >/dev/null
stop_pipeline
jq -r 'select(.type == "span" and .span == "http.client") |
	[.parent_from, .parent_id // "-", .links[0].span_id // "-", .links[0].trace_id // "-"] | @tsv' \
	"$TMP/spans" >"$TMP/late"
is "$(awk '$2 != "-" { print $1 }' "$TMP/late" | sort | uniq -c | sed 's/^ *//')" "2 context
4 goroutine" "soon after the end of their request calls are its children"
is "$(awk '$1 == "none" && $3 != "-"' "$TMP/late" | wc -l)" 6 "later they are roots with a link"
jq -r 'select(.type == "span" and .span == "http.server") | "\(.span_id)\t\(.trace_id)"' "$TMP/spans" |
	sort >"$TMP/servers"
is "$(awk '$3 != "-" { print $3 "\t" $4 }' "$TMP/late" | sort -u | comm -23 - "$TMP/servers")" "" \
	"to the request"
is "$(spans '.links')" 6 "and nobody else has one"

# Limits: what finds no room is counted, never taken for something else.
begin --max-goroutines 100 --max-relatives 16
ask 4 4 '/many-goroutines?n=1000'
ask 64 64 '/many-requests?n=64'
curl -sf "http://$TARGET_ADDR/log" >"$TMP/truth"
stop_pipeline
is "$(jq -r 'select(.type == "lost") | "\(.where) \(.reason)"' "$TMP/spans" | sort -u)" \
	"goroutines limit
relatives limit" "parents that there is no room for are counted by limit"
edges_of cf <"$TMP/truth" >"$TMP/want"
edges_traced <"$TMP/spans" | awk '$2 != "-"' >"$TMP/got"
is "$(comm -13 "$TMP/want" "$TMP/got")" "" "and those that there are are right"
done_testing
