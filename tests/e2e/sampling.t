#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sampling in the kernel: the same decision for the same trace id as the SDK makes, for
# 100,000 of them; what follows from it for the spans below; and the limit of traces.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl python3

server=$(build_target server) || bail "no server"
sampler=$(build_target sampler) || bail "no sampler"
LOAD=$(build_target load) || bail "no load"
unset OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG
# The server may go on from one to the next.
start_target "$server"

count() {
	jq -r --arg k "$1" 'select(.from == "goattach") | .counters[$k]' "$TMP/events" | tail -n 1
}

# decisions WORDS COUNT OPTION…: traces so many requests, and leaves in $TMP/ours a line
# "TRACE-ID WORD SAMPLED" for each server span.
TEE='' AS=
decisions() {
	words=$1 n=$2
	shift 2
	rm -f "$TMP/plan" "$TMP/events"
	: >"$TMP/goattach.err"
	"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null | "$BIN/goresolve" >"$TMP/plan"
	mkfifo "$TMP/events"
	grep -e '"type":"attach"' -e '"event":"begin"' -e '"type":"stats"' -e '"type":"lost"' <"$TMP/events" >"$TMP/begins" &
	reader=$!
	"$BIN/goattach" --ring 64M "$@" <"$TMP/plan" >"$TMP/events" 2>"$TMP/goattach.err" &
	tracer=$!
	wait_for "grep -q 'probes at' $TMP/goattach.err" 20 ||
		bail "nothing was attached"
	if [ "$words" = root ]; then
		load -n "$n" -c 4 -paths /empty >/dev/null && : >"$TMP/sent"
	else
		# shellcheck disable=SC2086  # a list
		python3 "$TOP/tests/e2e/traceparents.py" "$TARGET_ADDR" "$n" $words >"$TMP/sent"
	fi
	kill "$tracer"
	wait "$tracer"
	wait "$reader"
	python3 - "$TMP/begins" "$TMP/sent" >"$TMP/ours" <<-'END'
		import json, sys
		words = dict(l.split() for l in open(sys.argv[2]))
		for l in open(sys.argv[1]):
		    r = json.loads(l)
		    if r["type"] == "event":
		        sampled = r.get("sampled", True)
		        assert sampled == bool(r["flags"] & 1), l
		        print(r["trace_id"], words.get(r["trace_id"], "root"), int(sampled))
	END
}

# same NAME SAMPLER WORDS COUNT: by option, or by the environment if SAMPLER is "".
same() {
	name=$1 by=$2
	decisions "$3" "$4" ${by:+--sampler "$by"}
	is "$(wc -l <"$TMP/ours")" "$4" "$name: all requests are seen" || diag "$(tail -n 3 "$TMP/goattach.err")"
	cut -d' ' -f1,2 "$TMP/ours" | "$sampler" ${by:+"$by"} >"$TMP/theirs"
	cmp -s "$TMP/ours" "$TMP/theirs"
	ok $? "$name: the SDK decides the same" || diag "$(diff "$TMP/ours" "$TMP/theirs" | head -n 4)"
	sampled=$(grep -c ' 1$' "$TMP/ours")
	diag "$sampled of $4"
}

OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.25
export OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG
same "a ratio of the environment" '' root 30000
ok "$([ "$sampled" -gt 7000 ] && [ "$sampled" -lt 8000 ]; echo $?)" "which is about a quarter"
same "the option comes before it" always_off root 1000
unset OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG
same "by default" '' 'remote1 remote0' 1000
is "$sampled" 500 "which follows the parent"
same "a ratio, whatever the parent" traceidratio:0.5 'remote1 remote0' 30000
same "a small ratio" parentbased_traceidratio:1e-3 root 18000
same "all the rules" \
	parentbased_always_off,remote_parent_sampled=traceidratio:0.9,remote_parent_not_sampled=traceidratio:0.01 \
	'remote1 remote0' 18000
same "always on" always_on 'remote0' 1000
same "never" parentbased_always_off root 1000

# What is below, on the same goroutine.
TEE=yes RESOLVE_ARGS='--func main.hello'
# below SAMPLER: parent and child, whether they are sampled.
below() {
	ATTACH_ARGS="--sampler $1"
	start_pipeline --pid "$TARGET_PID"
	wait_attached 3
	curl -s -o /dev/null "http://$TARGET_ADDR/hello"
	stop_pipeline
	jq -rs 'map(select(.type == "span")) | sort_by(.span) | map(.sampled != false and .flags == 1) |
		join(" ")' "$TMP/spans"
}
is "$(below always_on)" "true true" "a function below a span, and it: both"
is "$(below parentbased_always_off)" "false false" "none"
is "$(below parentbased_always_on,local_parent_sampled=always_off)" "false true" "only the span"
is "$(below parentbased_always_off,local_parent_not_sampled=always_on)" "true false" "only what is below"

# Light records: what metrics need, exactly; or nothing at all.
RESOLVE_ARGS=
paths='/hello,/status/503,/panic'
ATTACH_ARGS='--sampler traceidratio:0.3'
start_pipeline --pid "$TARGET_PID"
load -n 900 -c 4 -paths "$paths" >/dev/null
stop_pipeline
is "$(spans true)" 900 "a span record for each request"
is "$(jq -r 'select(.type == "span") | .attributes | [.["http.request.method"], .["http.response.status_code"],
	.["error.type"], .["url.scheme"], .["network.protocol.version"]] | join(" ")' "$TMP/spans" | sort | uniq -c | sed 's/^ *//')" \
	"300 GET  panic http 1.1
300 GET 200  http 1.1
300 GET 503 503 http 1.1" "with all that metrics need"
is "$(jq -c 'select(.type == "span" and .sampled == false) | .attributes | has("url.path")' "$TMP/spans" | sort -u)" \
	false "and no more if it is not sampled"
unsampled=$(spans '.sampled == false')
is "$(count unsampled)" "$unsampled" "they are counted"
ok "$([ "$unsampled" -gt 500 ] && [ "$unsampled" -lt 760 ]; echo $?)" "about 630 of them"
# The same spans as metrics and as traces: all are counted, the sampled ones are exported.
port=$(free_port)
mkfifo "$TMP/to_export"
"$BIN/goexport" --prometheus "127.0.0.1:$port" --file "$TMP/otlp" <"$TMP/to_export" 2>"$TMP/goexport.err" &
exporter=$!
on_exit "stop $exporter KILL"
exec 3>"$TMP/to_export"
cat "$TMP/spans" >&3
# counted: requests by status, from the histogram's counts.
counted() {
	curl -s "http://127.0.0.1:$port/metrics" | sed -n 's/^http_server_request_duration_seconds_count{\(.*\)} \([0-9.]*\)$/\1 \2/p' |
		awk '{ status = "none"; if (match($0, /http_response_status_code="[0-9]*"/))
			status = substr($0, RSTART + 27, RLENGTH - 28)
			n[status] += $NF } END { for (s in n) print s, n[s] }' | sort | paste -sd, -
}
wait_for '[ "$(counted)" = "200 300,503 300,none 300" ]' 20
is "$(counted)" "200 300,503 300,none 300" "goexport counts each request"
exec 3>&-
wait "$exporter"
is "$(jq -s '[.[].resourceSpans[]?.scopeSpans[].spans | length] | add' "$TMP/otlp")" $((900 - unsampled)) \
	"and exports those that are sampled"
ATTACH_ARGS='--sampler traceidratio:0.3 --unsampled drop'
start_pipeline --pid "$TARGET_PID"
load -n 900 -c 4 -paths "$paths" >/dev/null
stop_pipeline
is "$(spans '.sampled == false') $(($(spans true) + $(count unsampled)))" "0 900" "dropped: no record, but counted"
is "$(count lost) $(count suppressed) $(count unpaired)" "0 0 0" "and nothing else is said of them"

# A client's request has what its metrics need as well, and is not sampled as its parent is not.
hello_pid=$TARGET_PID hello_addr=$TARGET_ADDR
start_target "$(build_target backend)"
backend_port=$TARGET_PORT
start_target "$(build_target frontend)" -backend "$TARGET_ADDR"
ATTACH_ARGS='--sampler parentbased_always_off'
start_pipeline --pid "$TARGET_PID"
curl -s -o /dev/null "http://$TARGET_ADDR/product?item=cup"
stop_pipeline
is "$(jq -r 'select(.type == "span" and .kind == "client") | [.sampled, .parent_from, .flags] +
	[.attributes | .["http.request.method"], .["server.address"], .["server.port"],
	.["http.response.status_code"], has("url.full")] | join(" ")' "$TMP/spans" | sort -u)" \
	"false stack 0 GET 127.0.0.1 $backend_port 200 false" "a client's request: likewise"
TARGET_PID=$hello_pid TARGET_ADDR=$hello_addr

# So many traces a second, and whole ones. A second is one of the kernel's clock.
RESOLVE_ARGS='--func main.hello'
ATTACH_ARGS='--max-traces-per-second 7'
start_pipeline --pid "$TARGET_PID"
wait_attached 3
load -n 600 -rate 300 -c 4 -paths /hello >/dev/null
curl -s -o /dev/null -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' "http://$TARGET_ADDR/hello"
stop_pipeline
jq -s 'map(select(.event == "begin")) | group_by(.trace_id) |
	map({second: .[0].t[:-9], spans: length, sampled: map(.sampled != false), from: .[0].parent_from})' \
	"$TMP/events" >"$TMP/traces"
is "$(jq 'map(select(.spans != 2 or (.sampled | unique | length) != 1)) | length' "$TMP/traces")" 0 \
	"traces are sampled whole, or not at all"
# Two CPUs that begin a second together may both forget the other's.
is "$(jq --argjson cpus "$(nproc)" 'map(select(.sampled[0] and .from != "remote")) | group_by(.second) |
	map(select(length > 7 + $cpus - 1)) | length' "$TMP/traces")" 0 "no more a second than asked for"
ok "$(jq -e 'map(select(.sampled[0])) | length >= 15' "$TMP/traces" >/dev/null; echo $?)" "and no fewer"
is "$(jq 'map(select(.sampled[0] and .from == "remote")) | length' "$TMP/traces")" 1 \
	"others' traces are not ours to limit"
is "$(count over_rate)" "$(jq 'map(select(.sampled[0] | not)) | length' "$TMP/traces")" "the others are counted"

for bad in always traceidratio:2 traceidratio:x parentbased_always_on,x=always_on always_on,local_parent_sampled=always_on; do
	"$BIN/goattach" --sampler "$bad" </dev/null >/dev/null 2>&1
	is $? 2 "--sampler $bad: status 2"
done
done_testing
