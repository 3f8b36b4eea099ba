#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How goexport speaks to OTLP receivers that are of all kinds: encodings, variables,
# refusals, faults. tests/e2e/otlp.t does the same with a real Collector.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command python3

# --- encodings ------------------------------------------------------------------

receiver 200
spans 600 >"$TMP/in"
run --otlp "$url" --otlp-compression gzip
is "$status $(query 'len(set(ids()))') $(query '{q["headers"].get("content-encoding") for q in r}')" \
	"0 600 {'gzip'}" "gzip"
: >"$log"
run --otlp "$url" --otlp-protocol http/json --otlp-compression gzip
is "$status $(query 'len(set(ids()))') $(query '{q["headers"]["content-type"] for q in r}')" \
	"0 600 {'application/json'}" "JSON"
: >"$log"
run --otlp-header 'Of-All: 1' --otlp-header of-all=2 --otlp "$url/a" --otlp-header 'k=a=b' --otlp "$url/b" --otlp-protocol http/json
is "$status" 2 "a header without '=' is refused"
unlike "$err" 'Of-All' "and not repeated, because it may be a secret"
run --otlp-header of-all=2 --otlp "$url/a" --otlp-header 'k=a=b' --otlp "$url/b" --otlp-protocol http/json
is "$status $(query 'sorted({(q["path"], q["headers"].get("of-all"), q["headers"].get("k"), q["headers"]["content-type"]) for q in r})')" \
	"0 [('/a/v1/traces', '2', 'a=b', 'application/x-protobuf'), ('/b/v1/traces', '2', None, 'application/json')]" \
	"options behind an --otlp are of that one, those before of all"
: >"$log"
run --otlp-metrics "$url"
is "$status $(query '(r[0]["path"], r[0]["points"])')" \
	"0 ('/v1/metrics', {'traces_service_graph_request': 1, 'traces_service_graph_request_failed': 1, 'traces_service_graph_request_server': 1, 'http.server.request.duration': 1})" \
	"metrics" || diag "$err"
: >"$log"
run --otlp-metrics "$url" --otlp-protocol http/json --exponential
is "$status $(query 'sorted(r[0]["points"])')" \
	"0 ['http.server.request.duration', 'traces_service_graph_request', 'traces_service_graph_request_failed', 'traces_service_graph_request_server']" \
	"metrics as JSON, exponential" || diag "$err"

# --- variables --------------------------------------------------------------------

spans 3 >"$TMP/in"
: >"$log"
OTEL_EXPORTER_OTLP_ENDPOINT=$url run
is "$status $(query 'sorted(q["path"] for q in r)')" "0 ['/v1/metrics', '/v1/traces']" \
	"an endpoint in the environment: traces and metrics"
: >"$log"
OTEL_EXPORTER_OTLP_ENDPOINT=$url OTEL_METRICS_EXPORTER=none run
is "$status $(query 'sorted(q["path"] for q in r)')" "0 ['/v1/traces']" "OTEL_METRICS_EXPORTER=none"
: >"$log"
OTEL_EXPORTER_OTLP_ENDPOINT=$url OTEL_TRACES_EXPORTER=none,nonsense run
is "$status $(query 'sorted(q["path"] for q in r)')" "0 ['/v1/metrics']" "OTEL_TRACES_EXPORTER=none"
like "$err" "OTEL_TRACES_EXPORTER: 'nonsense' is not known; ignored" "what is not known there is said"
: >"$log"
OTEL_METRICS_EXPORTER=otlp OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=$url/x OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/json \
	OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_EXPORTER_OTLP_COMPRESSION=gzip run --otlp "$url" --otlp-compression none
is "$status $(query 'sorted((q["path"], q["headers"]["content-type"], q["headers"].get("content-encoding")) for q in r)')" \
	"0 [('/v1/traces', 'application/x-protobuf', None), ('/x', 'application/json', 'gzip')]" \
	"a signal's variables win over those of all, options over both"
: >"$log"
OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=smoke OTEL_EXPORTER_OTLP_PROTOCOL=http/json OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=fog \
	OTEL_EXPORTER_OTLP_COMPRESSION=gzip run --otlp "$url"
is "$status $(query 'sorted((q["headers"]["content-type"], q["headers"].get("content-encoding")) for q in r)') $(printf '%s\n' "$err" | grep -c ignored)" \
	"0 [('application/json', 'gzip')] 2" "a signal's variable that makes no sense is unset: that of all counts"
OTEL_METRICS_EXPORTER=console run
like "$status $(cat "$TMP/out")" 'shop +GET' "OTEL_METRICS_EXPORTER=console: the table" || diag "$err"
OTEL_TRACES_EXPORTER=console OTEL_METRICS_EXPORTER=console run
is "$status $(grep -c GET "$TMP/out") $err" \
	"0 3 goexport: warning: OTEL_METRICS_EXPORTER: console: standard output is taken; ignored" "one console at a time"
for bad in http://u:sEcReT@h:999999 ftp://u:sEcReT@h 'http://h:x/?key=sEcReT' 'http://u:p?sEcReT@h:x' u:sEcReT@h 'http://h:x?k=a@sEcReT'; do
	run --otlp "$bad"
	like "$status $err" "^2 goexport: otlp: '" "not an URL, refused: $bad"
	is "$(printf '%s\n' "$err" | grep -c sEcReT)" 0 "and no secret is said"
done
for host in 127.0.0.1 ::1 '[::1]'; do
	[ "$host" = 127.0.0.1 ] || grep -q '^0*1 .* lo$' /proc/net/if_inet6 2>/dev/null || continue
	OTEL_METRICS_EXPORTER=prometheus OTEL_EXPORTER_PROMETHEUS_HOST=$host OTEL_EXPORTER_PROMETHEUS_PORT=0 run
	like "$status $err" '^0 goexport: prometheus: metrics at http://(127.0.0.1|\[::1\]):[0-9]+/metrics$' \
		"OTEL_METRICS_EXPORTER=prometheus at $host"
done
: >"$log"
OTEL_SDK_DISABLED=true run --otlp "$url" --file "$TMP/none"
is "$status $(query 'len(r)') $([ -e "$TMP/none" ] && echo there)" "0 0 " "OTEL_SDK_DISABLED"
: >"$log"
OTEL_SERVICE_NAME=all OTEL_RESOURCE_ATTRIBUTES='a=b%20c, d = e ,f%2Cg=h,service.name=x' run --otlp "$url"
is "$status $(query '[r[0]["spans"][0]["resource"].get(k) for k in ("service.name", "a", "d", "f,g")]')" \
	"0 ['all', 'b c', 'e', 'h']" "OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES"
: >"$log"
sed 's/"service":/"service_from":"env","service":/' "$TMP/in" >"$TMP/in2" && mv "$TMP/in2" "$TMP/in"
OTEL_SERVICE_NAME=all OTEL_RESOURCE_ATTRIBUTES='a=b,broken' run --otlp "$url"
is "$status $(query '[r[0]["spans"][0]["resource"].get(k) for k in ("service.name", "a")]')" \
	"0 ['shop', None]" "a process' own name wins; an error discards all attributes"
like "$err" 'OTEL_RESOURCE_ATTRIBUTES.*ignored' "with a warning"
: >"$log"
OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2 OTEL_BSP_MAX_QUEUE_SIZE=0 OTEL_EXPORTER_OTLP_INSECURE=maybe run --otlp "$url"
is "$status $(query '[len(q["spans"]) for q in r]')" "0 [2, 1]" "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
is "$(printf '%s\n' "$err" | grep -c ignored)" 2 "numbers and words that make no sense are ignored" || diag "$err"
: >"$log"
http_proxy=$url run --otlp http://collector.example:4318
is "$status $(query 'r[0]["path"]')" "0 http://collector.example:4318/v1/traces" "a proxy"
: >"$log"
HTTPS_PROXY=$url run --otlp https://collector.example --otlp-header key=secret --flush-timeout 300
is "$status $(query '(r[0]["path"], r[0]["headers"].get("key"))')" "1 ('collector.example:443', None)" \
	"HTTPS_PROXY is asked to connect, and not told the key"
: >"$log"
http_proxy=$url NO_PROXY=127.0.0.1 run --otlp "$url"
is "$status $(query 'r[0]["path"]')" "0 /v1/traces" "NO_PROXY"
receiver_end
run --otlp https://127.0.0.1:1 --otlp-ca "$TMP/nowhere"
is "$status $err" "2 goexport: otlp: $TMP/nowhere: No such file or directory" "a CA that is not there"
run --otlp http://127.0.0.1:1 --otlp-protocol smoke
is "$status" 2 "a protocol that is none"

# --- refusals -----------------------------------------------------------------------

receiver most=100
spans 1000 >"$TMP/in"
run --otlp "$url"
is "$status $(query 'ids([q for q in r if len(q["spans"]) <= 100]) == ["%016x" % i for i in range(1, 1001)]')" "0 True" \
	"413: smaller and smaller, all arrive once, in order" || diag "$err"
is "$(grep -c 'too many: HTTP status 413' "$TMP/err")" 1 "said once"
: >"$log"
run --otlp "$url" --otlp-protocol http/json
is "$status $(query 'ids([q for q in r if len(q["spans"]) <= 100]) == ["%016x" % i for i in range(1, 1001)]')" "0 True" \
	"the same in JSON" || diag "$err"
receiver_end
for answer in 401 403 404; do
	receiver $answer
	spans 5000 >"$TMP/in"
	run --otlp "$url/base"
	is "$status $(grep -c "$url/base/v1/traces: 512 spans refused: HTTP status $answer: no" "$TMP/err") $(grep -c refused "$TMP/err")" \
		"1 1 1" "$answer: one line that names the URL" || diag "$err"
	is "$(query 'len(r) < 6')" True "$answer: and no storm"
	like "$err" '5000 of 5000 spans dropped: 5000 rejected' "$answer: and counted"
	receiver_end
done

# --- faults ---------------------------------------------------------------------------

spans 100 >"$TMP/in"
receiver garbage half close 200
run --otlp "$url"
is "$status $(query 'len(set(ids())), len(r)')" "0 (100, 4)" "garbage, half an answer, none: tried again" || diag "$err"
receiver_end
receiver hang 200
run --otlp "$url" --otlp-timeout 300
is "$status $(query 'len(r)')" "0 2" "no answer in time: tried again"
receiver_end
receiver hang
# Nobody waits for a receiver that hangs: neither the other one, nor the end.
hung=$url
receiver 200
live=$url
spans 3000 >"$TMP/in"
run --otlp "$hung" --otlp "$live" --flush-timeout 4000
is "$status $(query 'len(set(ids()))')" "1 3000" "one hangs: the other gets everything"
like "$err" "$hung/v1/traces: .* of 3000 spans dropped: .* shutdown" "and what the hanging one did not take is counted"
receiver_end
receiver slow=0.3
spans 2000 >"$TMP/in"
"$G" --otlp "$url" --flush-timeout 60000 <"$TMP/in" 2>"$TMP/err" &
pid=$!
wait_for '[ -s "$log" ]' 20
kill -TERM $pid
wait $pid
is "$? $(query 'len(set(ids()))')" "0 2000" "SIGTERM in the middle of the last flush: it goes on"
receiver_end
receiver 200
mkfifo "$TMP/fifo"
: >"$TMP/err"
"$G" --otlp "$url" --batch-delay 50 --flush-timeout 60000 <"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
spans 10 >&3
wait_for '[ -s "$log" ]' 20
receiver_end
spans 10 11 >&3
wait_for 'grep -q "trying again" "$TMP/err"' 20
first=$log
PORT=$port receiver 200
exec 3>&-
wait $pid
status=$?
cat "$first" >>"$log"
is "$status $(query 'len(set(ids()))')" "0 20" "a receiver that goes away and comes back" || diag "$(cat "$TMP/err")"
like "$(cat "$TMP/err")" 'back after' "which is said"
receiver_end
done_testing
