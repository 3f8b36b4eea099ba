#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goexport --web by its HTTP interface: what it serves, to whom, and within what
# bounds. The page in a browser is in tests/e2e/web.t.
. "$(dirname "$0")/../lib.sh"
require_command curl jq openssl perl

G=$BIN/goexport
unset OTEL_EXPORTER_OTLP_ENDPOINT GOTAP_WEB_TOKEN
gen() {
	python3 "$TOP/tests/views_spans.py" "$@"
}

# serve ARG...: goexport on $TMP/in; sets pid and url (without a slash at the end).
serve() {
	: >"$TMP/err" # what the last one said is not this one's
	"$G" "$@" <"${input:-$TMP/in}" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	on_exit "kill $pid"
	wait_for 'grep -q "page is at" "$TMP/err" || gone $pid' 20
	url=$(sed -n 's/.*the page is at //p' "$TMP/err")
	url=${url%/*}
}
ended() {
	wait_for 'grep -q "input has ended" "$TMP/err"' 60
}
get() {
	curl -s --max-time 20 "$url/api/$1"
}
code() {
	curl -s --max-time 20 -o "$TMP/body" -w '%{http_code}' "$@"
}

# --- options --------------------------------------------------------------------

gen shop 300 >"$TMP/in"
for args in '--web 9464' '--web :99999' '--web ::1:9464' '--web :0 --web-memory 0' \
	'--web :0 --slower-than x' '--web :0 --status bad' '--web :0 --match x' '--web :0 --trace 12'; do
	# shellcheck disable=SC2086 # words
	"$G" $args <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	is "$? $(wc -l <"$TMP/err")" "2 1" "goexport $args: status 2 and one line"
done
GOTAP_WEB_TOKEN=short "$G" --web :0 <"$TMP/in" 2>"$TMP/err"
is "$?" 2 "a token that is too short"

# --- a recording ------------------------------------------------------------------

serve --web :0
ended
like "$url" '^http://127\.0\.0\.1:[0-9]*$' "without a host it listens on loopback"
is "$(get 'traces?limit=10000' | jq -c '[.held, (.traces|length), (.traces|map(.spans)|add)]')" \
	"[300,300,$(grep -c '"type":"span"' "$TMP/in")]" "every trace and span is there"
is "$(get 'traces?limit=3' | jq '.traces|length')" 3 "a limit"
failed=$(get 'traces?status=error&limit=10000')
is "$(echo "$failed" | jq '[.traces[]|select(.errors == 0)]|length')" 0 "traces with errors alone"
is "$(echo "$failed" | jq -r '.traces[].id' | sort)" \
	"$(jq -r 'select(.status == "error").trace_id' "$TMP/in" | sort -u)" "and all of them"
is "$(get 'traces?slower-than=20ms&route=/search&service=sea*' | jq -r '.traces[].id' | sort)" \
	"$(jq -r 'select(.type == "span" and .name == "GET /search" and (.end|tonumber) - (.start|tonumber) > 2e7).trace_id' "$TMP/in" | sort -u)" \
	"conditions together"
is "$(get 'traces?match=db.system.name=redis&match=service.name=cart&limit=10000' | jq '.traces|length')" \
	"$(grep -c '"redis"' "$TMP/in")" "an attribute of the span and one of the resource"
is "$(get 'traces?words=declined%20by' | jq '.traces|length')" "$(grep -c 'declined by' "$TMP/in")" "words"
is "$(code "$url/api/traces?limit=0") $(code "$url/api/traces?status=x") $(code "$url/api/traces?slower-than=x")" \
	"400 400 400" "arguments that make no sense"
id=$(echo "$failed" | jq -r '.traces[0].id')
is "$(get "trace/$id" | jq -r '.spans[].id' | sort)" \
	"$(jq -r "select(.trace_id == \"$id\").span_id" "$TMP/in" | sort)" "one trace"
get "trace/$id" | jq -r '.spans[0].id' >"$TMP/span"
get "trace/$id/$(cat "$TMP/span")" >"$TMP/got"
is "$(jq -c '[.name, .start, .end, .goid, .attributes]' "$TMP/got")" \
	"$(jq -c "select(.span_id == \"$(cat "$TMP/span")\")|[.name, .start, .end, .goid, (.attributes|to_entries|map([.key, .value]))]" "$TMP/in")" \
	"one span, with all it has"
is "$(code "$url/api/trace/00000000000000000000000000000001") $(code "$url/api/trace/$id/0000000000000001") \
$(code "$url/api/trace/x") $(code "$url/api/nothing") $(code "$url/nothing") $(code "$url/../etc/passwd")" \
	"404 404 404 404 404 404" "what is not there"
is "$(get routes | jq -c '[.routes[]|select(.name == "POST /checkout")|.all.count, .all.errors, (.slowest|length)]')" \
	"[$(grep -c '"name":"POST /checkout"' "$TMP/in"),$(grep '"name":"POST /checkout"' "$TMP/in" | grep -c '"status":"error"'),32]" \
	"requests by route"
is "$(get routes | jq '[.routes[]|.all|.p50 <= .p95 and .p95 <= .p99 and .p99 <= .max]|all')" true "quantiles in order"
is "$(get graph | jq -r '.nodes as $n|.edges[]|[$n[.from].name, $n[.to].name]|join(">")' | sort | xargs)" \
	"cart>redis shop>cart shop>payments shop>postgresql" "who calls whom"
is "$(get health | jq -c '[.ended, .lost[0], .memory.evicted_traces, (.stats|length)]')" \
	'[true,{"where":"ring","reason":"full","count":12},0,2]' "health"
like "$(curl -sN --max-time 3 "$url/api/events")" '^data: \{"traces":300,' "events"

# --- how it answers ------------------------------------------------------------------

curl -sI --max-time 20 "$url/" >"$TMP/head"
like "$(cat "$TMP/head")" "^Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'" "a strict policy"
unlike "$(cat "$TMP/head")" 'unsafe' "without exceptions"
like "$(cat "$TMP/head")" '^X-Content-Type-Options: nosniff' "and no guessing of types"
unlike "$(cat "$TMP/head")" 'Access-Control' "no other site may read it"
for f in / /app.js /style.css /icon.svg $(cd "$TOP/cmd/goexport/web" && printf '/%s ' *.js); do
	[ "$(code "$url$f")" = 200 ] || echo "$f"
	file=$TOP/cmd/goexport/web$f
	[ "$f" != / ] || file=$TOP/cmd/goexport/web/index.html
	cmp "$file" "$TMP/body"
done >"$TMP/wrong" 2>&1
is "$(cat "$TMP/wrong")" "" "the page's files, byte for byte"
is "$(grep -lE 'https?://' "$TOP"/cmd/goexport/web/*.* | xargs -r grep -hoE 'https?://[a-z0-9.]*' | sort -u | xargs)" "http://www.w3.org" \
	"and nothing in them is from elsewhere, but a name"
is "$(grep -nE 'innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|<script>|style=' "$TOP"/cmd/goexport/web/*.*)" "" \
	"and nothing parses markup or is inline"
etag=$(curl -s -o "$TMP/body" -D - "$url/app.js" | tr -d '\r' | sed -n 's/^ETag: //p')
is "$(curl -s --max-time 20 -o "$TMP/body" -w '%{http_code} %{size_download}' -H "If-None-Match: $etag" "$url/app.js") $(code -H 'If-None-Match: "x"' "$url/app.js")" "304 0 200" "a browser that has the files keeps them"
like "$(curl -sI "$url/api/health")" '^Cache-Control: no-store' "but nothing else"
is "$(grep -oE 'href="/[a-z]*\.js"' "$TOP/cmd/goexport/web/index.html" | cut -d/ -f2 | tr -d '"' | sort | xargs)" \
	"$(cd "$TOP/cmd/goexport/web" && printf '%s\n' *.js | grep -v app.js | sort | xargs)" "all modules are asked for at once"
is "$(code -X POST -d x "$url/api/traces") $(code -X DELETE "$url/") $(code -I "$url/api/health")" "405 405 200" "methods"
is "$(code -H 'Host: evil.example' "$url/") $(code -H 'Host: 127.0.0.1.evil.example' "$url/") $(code -H 'Host: localhost:1' "$url/") \
$(code -H 'Host: [::1]' "$url/")" "403 403 200 200" "no other name leads here"
head -c 100000 /dev/zero | tr '\0' a >"$TMP/long"
is "$(code "$url/$(head -c 60000 "$TMP/long")" | grep -cE '^(414|404|400|431|000)$')" 1 "an endless path"
is "$(get health | jq .ended)" true "it still answers"
kill -INT "$pid"
wait "$pid"
is "$?" 0 "Ctrl-C ends it, with status 0"

# --- other hosts --------------------------------------------------------------------

serve --web 0.0.0.0:0
like "$(cat "$TMP/err")" 'page is at http://0\.0\.0\.0:[0-9]*/\?token=[0-9a-f]{32}$' "to other hosts only with a token"
token=$(sed -n 's/.*token=//p' "$TMP/err")
port=$(sed -n 's,.*0\.0\.0\.0:\([0-9]*\)/.*,\1,p' "$TMP/err")
url=http://127.0.0.1:$port
is "$(code "$url/") $(code "$url/api/traces") $(code "$url/app.js") $(code "$url/api/traces?token=$token") $(code "$url/?token=x")" \
	"401 401 401 401 401" "nothing without it"
is "$(code -H "Authorization: Bearer $token" "$url/api/traces") $(code -H "Authorization: Bearer ${token}0" "$url/api/traces")" \
	"200 401" "as a bearer token"
is "$(code -c "$TMP/cookies" "$url/?token=$token") $(code -b "$TMP/cookies" "$url/api/traces") $(code -H "Cookie: gotap_$port=$token" -H 'Host: shop.example' "$url/")" \
	"303 200 200" "by the link, then by its cookie"
like "$(cat "$TMP/cookies")" '^#HttpOnly_' "that no script can read"
unlike "$(tr '\0' '\n' <"/proc/$pid/cmdline")" "$token" "and it is not in the command line"
kill "$pid"
wait "$pid"
GOTAP_WEB_TOKEN=0123456789abcdef serve --web :0
is "$(code "$url/") $(code -H 'Authorization: Bearer 0123456789abcdef' "$url/")" "401 200" "a token of one's own"
kill "$pid"
wait "$pid"
is "$?" 0 "SIGTERM ends it, too"

# --- TLS and passwords -----------------------------------------------------------------

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/key" -out "$TMP/crt" -days 2 \
	-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>"$TMP/openssl.err" || diag "$(cat "$TMP/openssl.err")"
# shellcheck disable=SC2016 # of perl
hash=$(perl -e 'print crypt("open sesame", q($2y$04$abcdefghijklmnopqrstuu))')
printf 'tls_server_config:\n  cert_file: crt\n  key_file: key\nbasic_auth_users:\n  alice: %s\n' "$hash" >"$TMP/web.yml"
serve --web 0.0.0.0:0 --web-config "$TMP/web.yml"
like "$(cat "$TMP/err")" 'page is at https://0\.0\.0\.0:[0-9]*/$' "--web-config: TLS, and no token where there are passwords"
url=https://localhost:${url##*:}
is "$(code --cacert "$TMP/crt" "$url/") $(code --cacert "$TMP/crt" -u alice:guess "$url/api/traces") $(code "$url/")" "401 401 000" \
	"nothing without the password, nothing to those who do not know the certificate"
is "$(code --cacert "$TMP/crt" -u 'alice:open sesame' "$url/") $(code --cacert "$TMP/crt" -u 'alice:open sesame' "$url/api/traces")" "200 200" "and all with it"
like "$(curl -s --cacert "$TMP/crt" -i "$url/")" '^WWW-Authenticate: Basic realm="gotap"' "a browser asks for it"
like "$(curl -sN --max-time 3 --cacert "$TMP/crt" -u 'alice:open sesame' "$url/api/events")" '^data: \{"traces":300,' "events by TLS"
is "$(code "http://localhost:${url##*:}/")" 000 "no clear text"
kill "$pid"
wait "$pid"
is "$?" 0 "and the end"
printf 'tls_server_config:\n  cert_file: crt\n  key_file: key\n' >"$TMP/web.yml"
serve --web 0.0.0.0:0 --web-config "$TMP/web.yml"
token=$(sed -n 's/.*token=//p' "$TMP/err")
url=https://localhost:$(sed -n 's,.*0\.0\.0\.0:\([0-9]*\)/.*,\1,p' "$TMP/err")
is "$(code --cacert "$TMP/crt" "$url/") $(code --cacert "$TMP/crt" -c "$TMP/cookies" "$url/?token=$token") $(code --cacert "$TMP/crt" -b "$TMP/cookies" "$url/api/traces")" \
	"401 303 200" "TLS alone: the token, and its cookie"
is "$(grep -c "^#HttpOnly_localhost	FALSE	/	TRUE" "$TMP/cookies")" 1 "which goes by TLS only"
kill "$pid"
wait "$pid"
printf 'tls_server_config:\n  cert_file: crt\n  key_file: key\n  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: crt\n' >"$TMP/web.yml"
serve --web 0.0.0.0:0 --web-config "$TMP/web.yml"
url=https://localhost:$(sed -n 's,.*0\.0\.0\.0:\([0-9]*\)/$,\1,p' "$TMP/err")
is "$(code --cacert "$TMP/crt" "$url/") $(code --cacert "$TMP/crt" --cert "$TMP/crt" --key "$TMP/key" "$url/api/traces")" "403 200" "client certificates"
kill "$pid"
wait "$pid"
for bad in 'nonsense' 'tls_server_config:
  cert_file: crt' 'tls_server_config:
  cert_file: web.yml
  key_file: web.yml'; do
	printf '%s\n' "$bad" >"$TMP/web.yml"
	"$G" --web :0 --web-config "$TMP/web.yml" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	is "$? $(wc -l <"$TMP/err")" "2 1" "no good file: status 2 and one line"
done

# --- bounds ----------------------------------------------------------------------------

gen shop 8000 >"$TMP/in"
serve --web :0 --web-memory 2
ended
is "$(get health | jq -c '.memory|[.bytes <= .max, .traces + .evicted_traces, .evicted_spans + .spans == .received]')" \
	'[true,8000,true]' "2 MiB of memory: the oldest make room, all are counted"
is "$(get routes | jq -r '.routes[].slowest' | while read -r t; do code "$url/api/trace/$t"; done)" "200200200200200" \
	"the slowest of each route stay"
kill "$pid"
wait "$pid"
gen big 101000 >"$TMP/in"
serve --web :0 --web-memory 8
ended
is "$(get health | jq -c '.memory|[.traces, .spans + .cut_spans, .cut_spans > 0, .bytes < 3000000]')" '[1,101000,true,true]' \
	"a trace of 101,000 spans takes its share of memory"
is "$(get 'trace/00c0ffee000000000000000000000b16' | jq '(.spans|length) + .more')" 101000 "and says how many it had"
kill "$pid"
wait "$pid"
serve --web :0
ended
is "$(get health | jq -c '.memory|[.spans, .cut_spans]')" '[100000,1000]' "of which 100,000 are kept where there is room"

# Fifteen megabytes each, which nobody takes.
python3 - "${url##*:}" >"$TMP/slow" 2>&1 <<'END'
import json, socket, sys, urllib.error, urllib.request
port = int(sys.argv[1])
readers, codes = [], []
for i in range(30):
    s = socket.create_connection(("127.0.0.1", port))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.sendall(b"GET /api/trace/00c0ffee000000000000000000000b16 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    s.settimeout(60)
    codes.append(s.recv(12)[9:])
    readers.append(s)
print(codes.count(b"200") < 8, codes.count(b"503") + codes.count(b"200"))
try:
    urllib.request.urlopen("http://127.0.0.1:%d/api/health" % port, timeout=20)
    print("200")
except urllib.error.HTTPError as e:
    print(e.code, e.headers["Retry-After"])
print(urllib.request.urlopen("http://127.0.0.1:%d/" % port, timeout=20).status)
for s in readers:
    s.close()
END
is "$(xargs <"$TMP/slow")" "True 30 503 2 200" "answers that nobody takes are bounded; others are asked to wait"
# shellcheck disable=SC2016
wait_for '[ "$(code "$url/api/health")" = 200 ]' 20
ok $? "until they have gone"
like "$(awk '/^VmHWM:/ { print ($2 < 400000) }' "/proc/$pid/status")" 1 "memory is bounded"
kill "$pid"
wait "$pid"
gen hostile >"$TMP/in"
serve --web :0
ended
# shellcheck disable=SC2016
wait_for '[ "$(get "traces?limit=100" | jq ".traces|length")" = 7 ]' 20
is "$(get 'traces?limit=100' | jq '.traces|length')" 7 "markup, rings, orphans and bad times"
is "$(get trace/00c0ffee000000000000000000000669 | jq -c '[.start, .duration]')" '["0",0]' "the time 0"
is "$(get trace/00c0ffee00000000000000000000066c | jq -c '.start')" '"0"' "to the end of time"
for what in routes graph health; do
	get $what | jq -e . >/dev/null
	ok $? "/api/$what is JSON"
done

# A hundred pages, most of which never read.
python3 - "${url##*:}" >"$TMP/pages" 2>&1 <<'END'
import json, socket, sys, time, urllib.request
port = int(sys.argv[1])
pages = []
for i in range(100):
    s = socket.create_connection(("127.0.0.1", port))
    s.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    pages.append(s)
get = lambda: json.load(urllib.request.urlopen("http://127.0.0.1:%d/api/health" % port, timeout=20))
end = time.time() + 20
while get()["pages"] < 100 and time.time() < end:
    time.sleep(0.2)
print(get()["pages"])
for s in pages[:99]:
    s.close()
pages[99].settimeout(20)
data = b""
while b"event: status" not in data:
    more = pages[99].recv(65536)
    if not more:
        break
    data += more
print(b"event: status" in data)
pages[99].close()
end = time.time() + 20
while get()["pages"] and time.time() < end:
    time.sleep(0.2)
print(get()["pages"])
END
is "$(xargs <"$TMP/pages")" "100 True 0" "a hundred pages open, and gone again"
kill "$pid"
wait "$pid"
is "$?" 0 "and it ends well"

# --- live -----------------------------------------------------------------------------------

mkfifo "$TMP/fifo"
: >"$TMP/err"
"$G" --web :0 --file "$TMP/copy" --batch-delay 0 <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
wait_for 'grep -q "page is at" "$TMP/err"' 20
url=$(sed -n 's,.*the page is at \(.*\)/$,\1,p' "$TMP/err")
curl -sN --max-time 120 "$url/api/events" >"$TMP/events" &
curl=$!
on_exit "kill $curl"
wait_for '[ -s "$TMP/events" ]' 20
gen shop 50 >&3
arrived() {
	sed -n 's/^data: \(.*"traces":\[.*\)/\1/p' "$TMP/events" | jq -r '.traces[].id' | sort -u | wc -l
}
wait_for '[ "$(arrived)" -eq 50 ]' 20
is "$(arrived)" 50 "new traces come as events"
stop $curl
exec 3>&-
ended
ok $? "the page stays when the stream has ended"
is "$(grep -o '"spanId"' "$TMP/copy" | wc -l)" "$(gen shop 50 | grep -c '"type":"span"')" "while other sinks are done"
kill "$pid"
wait "$pid"
is "$?" 0 "until a signal comes"

# --- confined ---------------------------------------------------------------------------------

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$TMP"
	gen shop 50 >"$TMP/in"
	# To look for leaks at its end a sanitizer would have to trace what may not be traced.
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	serve --web :0 --user nobody
	ended
	is "$(get 'traces?limit=1000' | jq '.traces|length')" 50 "--user: the page"
	is "$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")" "$(id -u nobody)" "by nobody"
	like "$(awk '/^State:/ { print $2 }' "/proc/$pid/status")" '^S$' "which waits without working"
	kill "$pid"
	wait_for 'gone $pid' 20 || kill -9 "$pid"
	wait "$pid"
	is "$?" 0 "until SIGTERM"
	mkfifo "$TMP/fifo2"
	input=$TMP/fifo2
	exec 3<>"$TMP/fifo2"
	serve --web :0 --user nobody
	kill "$pid"
	wait_for 'gone $pid' 20 || kill -9 "$pid"
	wait "$pid"
	is "$?" 0 "SIGTERM ends an input that is open, too"
	exec 3>&-
fi
done_testing
