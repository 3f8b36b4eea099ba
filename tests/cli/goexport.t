#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goexport by its command line: options, sinks that fail, bad input, and delivery
# to a scripted OTLP receiver (otlp_server.py). The same against a real Collector
# and Prometheus is in tests/e2e.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"

# run ARG...: goexport on $TMP/in with its own times; sets out, err and status.
run() {
	"$G" "$@" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	status=$?
	err=$(cat "$TMP/err")
}

# --- options -----------------------------------------------------------------

spans 1 >"$TMP/in"
like "$("$G" --help)" '^usage: goexport' "--help on stdout"
"$G" --help >/dev/null
is $? 0 "--help ends with 0"
like "$("$G" --version)" '^goexport ' "--version"
for args in '--nonsense' '--otlp' '--queue 0 --tree' '--queue x --tree' '--batch -1 --tree' \
	'--flush-timeout 1e9 --tree' 'operand --tree' '--tree --file -' '--otlp-header x --tree' \
	'--resource x --tree' '--resource =x --tree' \
	'--otlp localhost:4318' '--otlp ftp://localhost' '--otlp http://' '--otlp http://h:99999' \
	'--prometheus 9464' '--prometheus :99999' '--prometheus ::1:9464' '--prometheus :'; do
	# shellcheck disable=SC2086 # words
	run $args
	is "$status $(wc -l <"$TMP/err")" "2 1" "goexport $args: status 2 and one line" || diag "$err"
done
run --otlp-header "a=b
c" --tree
is "$status" 2 "a header with a line feed in it"
run
is "$status" 2 "no sink, and no terminal: status 2"
like "$err" 'no sink' "and says why"

# --- sinks that cannot be opened, or fail -------------------------------------

run --file "$TMP/none/such"
is "$status $err" "1 goexport: file: $TMP/none/such: No such file or directory" "--file in no directory"
run --tree --file "$TMP/none/such"
is "$status" 1 "one sink of two cannot be opened"
for sink in "--file -" --tree "--file /dev/full"; do
	spans 2000 >"$TMP/in"
	# shellcheck disable=SC2086 # words
	"$G" $sink <"$TMP/in" >/dev/full 2>"$TMP/err"
	is "$?" 1 "goexport $sink to a full disk: status 1"
	is "$(grep -c 'No space left on device' "$TMP/err")" 1 "goexport $sink: says so once"
	like "$(cat "$TMP/err")" 'spans dropped: [0-9]+ error' "goexport $sink: and counts"
done
for sink in "--file -" --tree; do
	# shellcheck disable=SC2086 # words
	"$G" $sink <"$TMP/in" 2>"$TMP/err" >&-
	is "$?" 1 "goexport $sink with a closed stdout: status 1"
	like "$(cat "$TMP/err")" 'stdout: Bad file descriptor' "goexport $sink: and says so"
done
"$G" --file - --batch 1 <"$TMP/in" 2>"$TMP/err" | head -c 1 >/dev/null
like "$(cat "$TMP/err")" 'stdout: Broken pipe' "the reader of stdout goes away"
run --file /dev/full --file "$TMP/copy"
is "$status $(wc -l <"$TMP/copy")" "1 4" "one sink fails, the other gets everything"
"$G" --file "$TMP/copy" <"$TMP/in" 2>"$TMP/err" >&-
is "$? $(cat "$TMP/err")" "0 " "a closed stdout that nobody uses is no error"
"$G" --file "$TMP/copy" <&- 2>"$TMP/err"
is "$?" 1 "a closed stdin: status 1"

# --- input -------------------------------------------------------------------

: >"$TMP/in"
run --file -
is "$status $err" "0 " "no input at all: nothing, status 0"
is "$(wc -c <"$TMP/out")" 0 "and no empty envelope"
spans 1 >"$TMP/good"
run_between() { # the good line before and after $TMP/bad
	cat "$TMP/good" "$TMP/bad" "$TMP/good" >"$TMP/in"
	run --file -
}
T='"trace_id":"0af7651916cd43dd8448eb211c80319c"' S='"span_id":"b7ad6b7169203331"'
N='"name":"n"' E='"start":"5","end":"6"'
bad_span() { # MEMBERS REGEX
	printf '{"type":"span","v":1,%s}\n' "$1" >"$TMP/bad"
	run_between
	is "$status $(grep -c '^goexport: stdin:3: ' "$TMP/err") $(wc -l <"$TMP/err")" "1 1 1" \
		"span of $1: status 1, one message with the line"
	like "$err" "$2" "and the reason"
	is "$(grep -o '"spanId"' "$TMP/out" | wc -l)" 2 "and the spans around it arrive"
}
bad_span "$S,$N,$E" 'no "trace_id"'
bad_span "$T,$N,$E" 'no "span_id"'
bad_span "$T,$S,$E" 'no "name"'
bad_span "$T,$S,$N,\"start\":\"5\"" 'no "end"'
bad_span "$T,$S,$N,\"start\":\"6\",\"end\":\"5\"" 'before'
bad_span "$T,$S,$N,\"start\":\"99999999999999999999\",\"end\":\"5\"" '"start"'
bad_span "\"trace_id\":\"00000000000000000000000000000000\",$S,$N,$E" 'all zero'
bad_span "\"trace_id\":\"0af7\",$S,$N,$E" 'trace_id'
bad_span "$T,\"span_id\":7,$N,$E" 'span_id'
bad_span "$T,$S,\"name\":{},$E" '"name"'
bad_span "$T,$S,$N,$E,\"kind\":\"odd\"" '"kind"'
bad_span "$T,$S,$N,$E,\"status\":2" '"status"'
bad_span "$T,$S,$N,$E,\"pid\":-1" '"pid"'
bad_span "$T,$S,$N,$E,\"attributes\":[]" '"attributes"'
bad_span "$T,$S,$N,$E,\"links\":[{}]" 'link'
bad_span "$T,$S,$N,$E,\"incomplete\":1" '"incomplete"'
for line in 'nonsense' '{"type":"span","v":2}' '{"type":"process","v":1}' '{"type":"exit","v":1,"pid":1}' \
	'{"type":"lost","v":1}' '{"type":"lost","v":1,"count":1,"where":{"a":1},"reason":1}'; do
	printf '%s\n' "$line" >"$TMP/bad"
	run_between
	is "$status $(grep -o '"spanId"' "$TMP/out" | wc -l)" "1 2" "line $line: status 1, the rest arrives"
done
echo nonsense >"$TMP/in"
run --file -
is "$status" 3 "nothing but nonsense: status 3"
{ echo nonsense && spans 3; } >"$TMP/in"
run --file - --strict
is "$status $(wc -c <"$TMP/out")" "3 0" "--strict stops at the first"

awk 'BEGIN { printf "{\"type\":\"span\",\"v\":1,'"$(printf '%s' "$T,$S,$N,$E" | sed 's/"/\\"/g')"',\"attributes\":{"
	for (i = 0; i < 100000; i++) printf "%s\"k%d\":%d", i ? "," : "", i, i; print "}}" }' >"$TMP/in"
run --file -
is "$status $(grep -o '"key":"k' "$TMP/out" | wc -l)" "0 128" "100,000 attributes: 128 are kept"
like "$(cat "$TMP/out")" '"droppedAttributesCount":99872' "and the rest is counted"
awk 'BEGIN { printf "{\"type\":\"span\",\"v\":1,'"$(printf '%s' "$T,$S,$N,$E" | sed 's/"/\\"/g')"',\"attributes\":{"
	for (i = 0; i < 300000; i++) printf "%s\"k%d\":%d", i ? "," : "", i, i; print "}}" }' >"$TMP/in"
run --file -
is "$status" 3 "more values than a line may have: malformed"
{
	printf '{"type":"span","v":1,%s,"attributes":{"x":"' "$T,$S,$N,$E"
	head -c 3000000 /dev/zero | tr '\0' '\377'
	printf '"}}\n'
} >"$TMP/in"
run --file - --tree
is "$status" 2 "two sinks on stdout"
run --file - --otlp http://127.0.0.1:1 --flush-timeout 0 --prometheus :0
is "$(wc -c <"$TMP/out" | awk '{ print ($1 > 9000000) }')" 1 "3 MB of bytes that are no text: U+FFFD each"
{
	spans 2
	printf '{"type":"span","v":1,%s,"attributes":{"x":"' "$T,$S,$N,$E"
	head -c 10000000 /dev/zero | tr '\0' x
	printf '"}}\n'
	spans 2 3
} >"$TMP/in"
run --file -
is "$status $err $(grep -o '"spanId"' "$TMP/out" | wc -l)" "1 goexport: stdin:4: line too long 4" \
	"10 MB in one line: said, and what is around it arrives"

# --- OTLP ---------------------------------------------------------------------

receiver 200:empty
spans 1500 >"$TMP/in"
run --otlp "$url" --otlp-header 'X-Key=a b' --resource host.name=box --resource a.b=c
is "$status" 0 "OTLP: status 0"
is "$err" "goexport: otlp: sending to $url/v1/traces" "it says where to, and an empty partial success is none" ||
	diag "$err"
is "$(query 'len(r)')" 3 "1,500 spans in three requests"
is "$(query 'len({s["span_id"] for q in r for s in q["spans"]})')" 1500 "each span once"
is "$(query '{(q["path"], q["headers"]["content-type"], q["headers"]["x-key"]) for q in r}')" \
	"{('/v1/traces', 'application/x-protobuf', 'a b')}" "path and headers"
is "$(query 'r[0]["spans"][0]["name"], r[0]["spans"][0]["kind"], r[0]["spans"][0]["scope"], r[0]["spans"][0]["flags"], r[0]["spans"][0]["end"]')" \
	"('GET', 2, ['net/http'], 256, 1764510000001000000)" "a span's fields"
is "$(query 'r[0]["spans"][0]["attributes"]')" \
	"{'http.request.method': 'GET', 'url.path': '/1', 'url.scheme': 'http', 'http.response.status_code': 200}" \
	"a span's attributes"
is "$(query '[r[0]["spans"][0]["resource"][k] for k in ("service.name", "host.name", "a.b", "service.instance.id", "process.pid")]')" \
	"['shop', 'box', 'c', 'box:4200001:77', 4200001]" "resource attributes"
is "$(query 'r[0]["spans"][0]["schema"]')" https://opentelemetry.io/schemas/1.44.0 "the schema"
cp "$TOP/tests/golden/goexport/spans.jsonl" "$TMP/in"
: >"$log"
run --otlp "$url/v1/traces/" --otlp "$url" -q
is "$status $err" "0 " "-q: no notes"
is "$(query 'sorted(q["path"] for q in r)')" "['/v1/traces', '/v1/traces']" "two receivers; no path twice"
is "$(query '[s for s in r[0]["spans"] if s["name"] == "main.kinds"][0]["attributes"]')" \
	"{'s': 'tab\\tquote\" nul\\x00 end', 'i': -42, 'big': 9223372036854775807, 'bigger': 9.223372036854776e+18, 'd': 0.25, 'e': 1e+300, 't': True, 'f': False, 'list': ['a', 1, 2.5, False], 'empty': [], 'obj': '{\"a\":[1]}'}" \
	"attributes of every kind"
is "$(query '[(s["trace_state"], s["parent"], s["flags"], s["status"]) for s in r[0]["spans"] if s["span_id"] == "00f067aa0ba902c1"]')" \
	"[('vendor=x', '00f067aa0ba902ba', 769, [2, ''])]" "a remote parent, its state, an error"
is "$(query '[s["links"] for s in r[0]["spans"] if s["name"] == "main.render"]')" \
	"[[['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']]]" "links"
is "$(query '[s["status"] for s in r[0]["spans"] if s["name"] == "main.price"]')" \
	"[[2, 'index out of range']]" "a status message"
spans 1 >"$TMP/in"
: >"$log"
OTEL_EXPORTER_OTLP_ENDPOINT=$url/base OTEL_EXPORTER_OTLP_HEADERS='k=a%20b,x=%zz' run
is "$status $(query 'sorted((q["path"], q["headers"]["k"], q["headers"]["x"]) for q in r)')" \
	"0 [('/base/v1/metrics', 'a b', '%zz'), ('/base/v1/traces', 'a b', '%zz')]" \
	"endpoint and headers of the environment"
: >"$log"
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=$url/exact OTEL_EXPORTER_OTLP_TIMEOUT=soon run
is "$status $(query 'r[0]["path"]')" "0 /exact" "an endpoint for traces is used as it is"
like "$err" 'OTEL_EXPORTER_OTLP_TIMEOUT.*ignored' "a bad number there is warned about"
receiver_end

receiver 503 429 close 200
spans 10 >"$TMP/in"
run --otlp "$url"
is "$status $(query '[q["answer"] for q in r]')" "0 ['503', '429', 'close', '200']" "retries until it is taken"
is "$(query 'len({tuple(s["span_id"] for s in q["spans"]) for q in r})')" 1 "the same request each time"
is "$(grep -c 'HTTP status 503: no; trying again' "$TMP/err") $(wc -l <"$TMP/err")" "1 3" \
	"it is said once that it went, and once that it is back" || diag "$err"
receiver_end

receiver 503:after=2 200
run --otlp "$url"
is "$status $(query 'r[1]["time"] - r[0]["time"] >= 1.9')" "0 True" "Retry-After is kept to"
receiver_end

for answer in 400 400:status 500 301; do
	receiver $answer 200
	spans 600 >"$TMP/in"
	run --otlp "$url"
	is "$status $(query '[q["answer"] for q in r]')" "1 ['$answer', '200']" "status $answer: not tried again, the next batch is sent"
	like "$err" "512 spans refused: HTTP status ${answer%%:*}" "and is said"
	like "$err" "512 of 600 spans dropped: 512 rejected" "and counted"
	receiver_end
done
receiver 400:status
run --otlp "$url"
like "$err" 'HTTP status 400: told so' "the receiver's own words"
receiver_end

receiver 200:partial=7
spans 100 >"$TMP/in"
run --otlp "$url"
is "$status" 1 "partial success: status 1"
like "$err" '7 of 100 spans rejected: too old' "says how many and why"
like "$err" '7 of 100 spans dropped: 7 rejected' "and counts"
is "$(query 'len(r)')" 1 "and does not send it again"
receiver_end

receiver 200:html
run --otlp "$url"
is "$status" 0 "an answer that is no OTLP: taken as it says, status 0"
like "$err" 'not OTLP' "with a warning"
receiver_end
receiver 200:huge
run --otlp "$url"
is "$status" 0 "an answer of 8 MiB does no harm"
receiver_end

spans 5000 >"$TMP/in"
run --otlp http://127.0.0.1:1 --flush-timeout 300
is "$status" 1 "nobody there: status 1"
like "$err" '5000 of 5000 spans dropped: 5000 shutdown' "all are counted"
is "$(grep -c 'trying again' "$TMP/err")" 1 "and said once"
run --otlp http://127.0.0.1:1 --otlp-retry 0
like "$err" '5000 of 5000 spans dropped: 5000 unreachable' "--otlp-retry 0: each batch is tried once"
run --otlp http://no-such-host.invalid --flush-timeout 300
is "$status" 1 "a name that nobody has: status 1"

# A pipe, so that the queue is the limit: nothing waits, and every span is counted.
receiver slow=1 slow=1 200
# shellcheck disable=SC2002 # through a pipe is the point
cat "$TMP/in" | "$G" --otlp "$url" --queue 1000 --file "$TMP/copy" 2>"$TMP/err"
is "$?" 1 "a slow receiver and a full queue: status 1"
dropped=$(sed -n 's/.* \([0-9]*\) of 5000 spans dropped: \([0-9]*\) full$/\1 \2/p' "$TMP/err")
arrived=$(query 'len({s["span_id"] for q in r for s in q["spans"]})')
is "$dropped" "$((5000 - arrived)) $((5000 - arrived))" "what did not arrive is what was counted"
ok $((arrived > 999 ? 0 : 1)) "and the queue's worth arrived"
is "$(grep -c 'queue of 1000 spans is full' "$TMP/err")" 1 "said once"
is "$(grep -o '"spanId"' "$TMP/copy" | wc -l)" 5000 "the other sink has everything"
receiver_end
receiver slow=1 200
# shellcheck disable=SC2002 # through a pipe is the point
cat "$TMP/in" | "$G" --otlp "$url" --queue 1000 --wait 2>"$TMP/err"
is "$? $(query 'len({s["span_id"] for q in r for s in q["spans"]})')" "0 5000" "--wait: nothing is dropped"
: >"$log"
"$G" --otlp "$url" --queue 100 <"$TMP/in" 2>"$TMP/err"
is "$? $(query 'len({s["span_id"] for q in r for s in q["spans"]})')" "0 5000" "a recording waits by itself"
receiver_end

# --- signals ------------------------------------------------------------------

receiver 200
mkfifo "$TMP/fifo"
: >"$TMP/err"
# A shell ignores SIGINT for what it starts in the background.
python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$G" --otlp "$url" --file "$TMP/copy" --batch-delay 60000 \
	<"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
wait_for 'grep -q "sending to" "$TMP/err"' 30
spans 10 >&3
sleep 0.3
kill -INT $pid
sleep 0.2
kill -0 $pid
ok $? "SIGINT passes it by while there is input"
kill -TERM $pid
wait $pid
is "$? $(query 'len(r[0]["spans"])') $(wc -l <"$TMP/copy")" "0 10 1" "SIGTERM: what was read is sent, status 0"
exec 3>&-
"$G" --otlp "$url" --file "$TMP/copy" --batch-delay 200 <"$TMP/fifo" 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
: >"$log"
spans 3 >&3
wait_for '[ "$(wc -l <"$log")" -gt 0 ] && [ "$(wc -l <"$TMP/copy")" -gt 0 ]' 30
ok $? "spans go out although no more come"
exec 3>&-
wait $pid
is "$?" 0 "end of input: status 0"
receiver_end
"$G" --file - --batch-delay 0 <"$TMP/fifo" >/dev/full 2>"$TMP/err" &
pid=$!
exec 3>"$TMP/fifo"
spans 3 >&3
wait_for '! kill -0 $pid 2>/dev/null' 30
ok $? "when no sink is left it does not wait for the input to end"
exec 3>&-
wait $pid
is "$?" 1 "and has status 1"

# --- Prometheus ---------------------------------------------------------------

# serve ARG...: goexport with what comes on descriptor 3; sets pid and page.
serve() {
	: >"$TMP/err" # else what the one before said may still be read
	"$G" --prometheus :0 "$@" <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	on_exit "kill $pid"
	exec 3>"$TMP/fifo"
	wait_for 'grep -q "metrics at" "$TMP/err"' 30
	page=$(sed -n 's/.*metrics at //p' "$TMP/err")
}
end() {
	exec 3>&-
	wait $pid
}
# shellcheck disable=SC2317 # called by wait_for
scrape() {
	curl -sSf --max-time 20 "$page" >"$TMP/page.new" && mv "$TMP/page.new" "$TMP/page"
}
serve
like "$page" '^http://127\.0\.0\.1:[0-9]*/metrics$' "without a host it listens on loopback"
cat "$TOP/tests/golden/goexport/spans.jsonl" >&3
echo '{"type":"lost","v":1,"where":"ring","reason":"full","count":12}' >&3
echo '{"type":"lost","v":1,"where":"ring","reason":"full","count":3}' >&3
wait_for 'scrape && grep -q "^gotap_lost_total.* 15$" "$TMP/page"' 30
ok $? "lost records are counted"
echo '{"type":"stats","v":1,"from":"gospan","counters":{"events":44,"open":3}}' >&3
wait_for 'scrape && grep -q "^gotap_open_calls{stage=\"gospan\"} 3$" "$TMP/page"' 30
ok $? "calls under way, as gospan says"
like "$(cat "$TMP/page")" '^gotap_stage_total\{stage="gospan",counter="events"\} 44$' "and what stages count"
if command -v promtool >/dev/null; then
	promtool check metrics <"$TMP/page" >"$TMP/promtool" 2>&1
	ok $? "promtool has nothing to say" || diag "$(cat "$TMP/promtool")"
else
	diag "no promtool here"
fi
is "$(grep -c '^http_server_request_duration_seconds_bucket.*http_response_status_code="200".*le="+Inf"} 2$' "$TMP/page")" 1 \
	"two requests with status 200 and no route"
is "$(grep -c '^http_server_request_duration_seconds_bucket.*http_response_status_code="200".*http_route="/checkout"' "$TMP/page")" 15 \
	"a route is a label of its own: 15 buckets" || diag "$(cat "$TMP/page")"
is "$(sed -n 's/^gotap_spans_received_total //p' "$TMP/page")" 16 "spans are counted"
like "$(cat "$TMP/page")" '^target_info\{job="store/shop",instance="[^"]*:4200001:81234567",.*process_runtime_version="go1.24.4"' "target_info"
python3 - "$page" >"$TMP/http" 2>&1 <<'END'
import http.client, sys, urllib.parse
u = urllib.parse.urlparse(sys.argv[1])
for method, path in (("GET", "/"), ("GET", "/nowhere"), ("POST", "/metrics"), ("HEAD", "/metrics")):
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=10)
    c.request(method, path, "body" if method == "POST" else None)
    print(method, path, c.getresponse().status)
END
is "$(cat "$TMP/http")" "GET / 200
GET /nowhere 404
POST /metrics 405
HEAD /metrics 200" "other paths and methods"
port=${page%/metrics}
spans 1 >"$TMP/in"
run --prometheus "127.0.0.1:${port##*:}"
is "$status $err" "1 goexport: prometheus: 127.0.0.1:${port##*:}: Address already in use" "a port in use"
end
is "$?" 0 "and it ends with the input"

serve
{ spans 1 && spans 1 && spans 1 | sed 's/"service"/"go":"go1.27","service"/' && spans 1 | sed 's/"77"/"78"/'; } >&3
wait_for 'scrape && grep -q "^gotap_spans_received_total 4" "$TMP/page"' 30
is "$(sed -n 's/^http_server_request_duration_seconds_count.*instance="[^"]*\(:7.\)".* /\1 /p' "$TMP/page" | sort | xargs)" \
	":77 3 :78 1" "a process reported again is the same; one with its pid is not"
is "$(grep -v '^#' "$TMP/page" | sed 's/ [^ ]*$//' | sort | uniq -d)" "" "no series twice"
is "$(grep -c '^target_info' "$TMP/page") $(grep -c '^target_info.*"go1.27"' "$TMP/page")" "2 1" \
	"and the newer report counts"
end

serve --otlp http://127.0.0.1:1 --flush-timeout 1500 -v
spans 100 >&3
wait_for 'scrape && grep -q "^gotap_spans_held.*otlp.* 100$" "$TMP/page"' 30
ok $? "spans that wait are a metric"
exec 3>&-
while scrape 2>/dev/null; do cp "$TMP/page" "$TMP/last"; done
wait $pid
is "$?" 1 "scraped until the very end: no harm"
like "$(cat "$TMP/last")" '^gotap_spans_(held|dropped_total)\{.*otlp.* 100$' "and every span is accounted for"

serve --file /dev/null
awk 'BEGIN { for (i = 0; i < 2500; i++) printf "{\"type\":\"span\",\"v\":1,\"trace_id\":\"%032x\",\"span_id\":\"%016x\",\"name\":\"GET\",\"kind\":\"server\",\"start\":\"1\",\"end\":\"2\",\"attributes\":{\"http.request.method\":\"GET\",\"http.route\":\"/\\\"\\\\\\n%d\"}}\n", i + 1, i + 1, i }' >&3
wait_for 'scrape && grep -q "^gotap_spans_received_total 2500" "$TMP/page"' 30
is "$(grep -c '^http_server_request_duration_seconds_count' "$TMP/page")" 2001 "2,000 series and one for the rest"
like "$(cat "$TMP/page")" '_count\{otel_metric_overflow="true"\} 500$' "which has what is past them"
if command -v promtool >/dev/null; then
	promtool check metrics <"$TMP/page" >"$TMP/promtool" 2>&1
	ok $? "labels are escaped" || diag "$(head -n 5 "$TMP/promtool")"
fi
end

# --- who runs it ---------------------------------------------------------------

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	spans 3 >"$TMP/in"
	mkdir "$TMP/nobody" && cp "$G" "$TMP/nobody/" && chmod 755 "$TMP" "$TMP/nobody"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/nobody/goexport" --file - --prometheus :0 \
		<"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	is "$? $(grep -o '"spanId"' "$TMP/out" | wc -l)" "0 3" "as nobody" || diag "$(cat "$TMP/err")"
fi
python3 - "$G" >"$TMP/tty" 2>&1 <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "--file", "/dev/null"])
data = b""
try:
    while True:
        got = os.read(fd, 1000)
        if not got:
            break
        data += got
except OSError:
    pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), data.decode())
END
like "$(cat "$TMP/tty")" '^2 goexport: stdin is a terminal' "records from a terminal: a usage error"
done_testing
