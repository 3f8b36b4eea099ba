#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What goexport counts beside the spans that it exports: spans that are not sampled, and
# requests under way.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command curl jq python3
mkfifo "$TMP/fifo"

# serve ARG...: goexport with what comes on descriptor 3; sets pid and page.
serve() {
	: >"$TMP/err"
	"$G" --prometheus :0 "$@" <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	on_exit "kill $pid"
	exec 3>"$TMP/fifo"
	wait_for 'grep -q "metrics at" "$TMP/err"' 20
	page=$(sed -n 's/.*metrics at //p' "$TMP/err")
}
# shows REGEX: waits until a line of the page is so.
shows() {
	wait_for "curl -sSf --max-time 20 '$page' | grep -E '$1' >'$TMP/shown'" 20
}
end() {
	exec 3>&-
	wait $pid
}

# --- spans that are not sampled ---------------------------------------------------

receiver 200
serve --otlp "$url" --file "$TMP/file" --tree --web :0
spans 4 >&3
spans 6 5 | sed 's/"flags":1,//; s/"status":"unset"/"sampled":false,&/' >&3
shows '^gotap_spans_received_total 10$'
ok $? "all come in"
shows '^http_server_request_duration_seconds_count\{job="shop".* 10$'
ok $? "and are counted"
shows '^traces_service_graph_request_total\{client="user",server="shop".* 10$'
ok $? "in the service graph, too"
web=$(sed -n 's/.*\(http:[^ ]*\)\/$/\1/p' "$TMP/err")
is "$(curl -s "$web/api/routes" | jq -c '[.routes[].all.count]') $(curl -s "$web/api/traces" | jq '.traces | length')" "[10] 4" \
	"and among the routes of the page, which has no traces of them" || diag "$(curl -s "$web/api/routes" | head -c 300)"
kill -TERM $pid # else the page stays
end
is "$? $(query 'sorted(ids())') $(grep -o '"spanId":"[0-9a-f]*"' "$TMP/file" | sort -u | wc -l)" \
	"0 ['0000000000000001', '0000000000000002', '0000000000000003', '0000000000000004'] 4" \
	"those that are not sampled are not exported" || diag "$(cat "$TMP/err")"
is "$(grep -c 'GET' "$TMP/out")" 4 "and not shown" || diag "$(cat "$TMP/out")"
{ spans 4 && spans 6 5 | sed 's/"status":"unset"/"sampled":false,&/'; } >"$TMP/in"
run --top
like "$(cat "$TMP/out")" '^shop +GET +10\.0 ' "the live table counts all"
: >"$log"
spans 3 | sed 's/"status":"unset"/"sampled":false,&/' >"$TMP/in"
run --otlp "$url" --otlp-metrics "$url"
is "$status $(query '[(q["path"], (q["points"] or {}).get("http.server.request.duration")) for q in r]')" \
	"0 [('/v1/metrics', 1)]" "metrics by OTLP, and no empty request of traces"
spans 1 | sed 's/"status":"unset"/"sampled":0,&/' >"$TMP/in"
run --file -
is "$status" 1 "\"sampled\" is true or false"
like "$err" '"sampled" is not true or false' "which is said"
receiver_end

# --- requests under way ---------------------------------------------------------------

# active COUNT METHOD [SPAN [MORE]]
active() {
	printf '{"type":"active","v":1,"pid":4200001,"span":"%s","count":%s,"attributes":{"http.request.method":"%s"%s,"url.scheme":"http"}}\n' \
		"${3:-http.server}" "$1" "$2" "${4:-}"
}
serve
spans 0 >&3
active 3 GET >&3
active 1 POST >&3
active 2 GET http.client ',"server.address":"db","server.port":8080' >&3
active 7 GET other >&3
shows '^http_server_active_requests\{job="shop",instance="[^"]*",http_request_method="GET",url_scheme="http"\} 3$'
ok $? "of a server"
shows '^http_client_active_requests\{job="shop",instance="[^"]*",http_request_method="GET",server_address="db",server_port="8080",url_scheme="http"\} 2$'
ok $? "of a client"
is "$(curl -s "$page" | grep -c '_active_requests{')" 3 "each once, and none of another kind"
shows '^target_info\{job="shop"'
ok $? "their process is told"
active 0 GET >&3
shows '^http_server_active_requests\{.*"GET".* 0$'
ok $? "and down again"
if command -v promtool >/dev/null; then
	curl -s "$page" | promtool check metrics >"$TMP/promtool" 2>&1
	ok $? "promtool has nothing to say" || diag "$(cat "$TMP/promtool")"
fi
end
for bad in '"span":"http.server","count":1,"attributes":{}' '"pid":1,"count":1,"attributes":{}' \
	'"pid":1,"span":"http.server","count":-1,"attributes":{}' '"pid":1,"span":"http.server","count":1' \
	'"pid":1,"span":"http.server","count":1,"attributes":[]' '"pid":1,"span":5,"count":1,"attributes":{}'; do
	{ echo "{\"type\":\"active\",\"v\":1,$bad}" && spans 1; } >"$TMP/in"
	run --file -
	is "$status $(printf '%s\n' "$err" | grep -c 'stdin:1: active: no usable') $(wc -l <"$TMP/out")" "1 1 1" \
		"active of $bad: said, and passed over"
done
serve --status error
spans 0 >&3
active 3 GET >&3
echo '{"type":"lost","v":1,"where":"ring","reason":"full","count":1}' >&3
shows '^gotap_lost_total\{.* 1$'
is "$? $(curl -s "$page" | grep -c _active_requests)" "0 0" "with a filter they are left out"
end

# --- who asks badly -------------------------------------------------------------------

cat >"$TMP/askbadly.py" <<'END'
import socket, sys, urllib.parse
u = urllib.parse.urlparse(sys.argv[1])
get = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

def connect():
    c = socket.create_connection((u.hostname, u.port))
    c.settimeout(20)
    return c

def status(data, end=False):
    """What is answered to the data: a status, or "-" for none."""
    c = connect()
    got = b""
    try:
        c.sendall(data)
        if end:
            c.shutdown(socket.SHUT_WR)
        while b"\r\n" not in got:
            more = c.recv(4096)
            if not more:
                break
            got += more
    except OSError:
        pass
    c.close()
    return got.split(b" ")[1].decode() if got.startswith(b"HTTP/1.") else "-"


if sys.argv[2] == "bad":
    slow = [connect() for _ in range(60)]
    for c in slow:
        c.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
    print(status(get))
    print(status(b"\x16\x03\x01\x02\x00nonsense\r\n\r\n", True))
    print(status(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 10000000 + b"\r\n\r\n"))
    print(status(b"GET /" + b"y" * 1000000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"))
    print(status(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999999\r\n\r\n", True))
    print(status(b"GET /metrics", True))
    for c in slow:
        c.close()
else:
    # Pages that nobody reads fill the memory that they may have, and no more.
    slow = [connect() for _ in range(24)]
    for c in slow:
        c.sendall(get)
    print(status(get))
    for c in slow:
        c.close()
    while status(get) != "200":
        pass
print(status(get))
END
serve
spans 1 >&3
shows '^gotap_spans_received_total 1$'
python3 "$TMP/askbadly.py" "$page" bad >"$TMP/asked" 2>&1
is "$(sed -n '1p;$p' "$TMP/asked" | xargs)" "200 200" "while 60 ask slowly, and after all who ask badly: an answer" ||
	diag "$(cat "$TMP/asked")"
unlike "$(sed -n '2,6p' "$TMP/asked" | xargs)" '200|Traceback|^$' "who asks badly gets none of the page" || diag "$(cat "$TMP/asked")"
wait_for 'curl -s "$page" | grep "^gotap_http_unanswered_total" >"$TMP/count"; [ "$(sed "s/.* //" "$TMP/count")" = 65 ]' 30
is "$(sed 's/.* //' "$TMP/count")" 65 "and is counted"
end
serve --series 20000
awk 'BEGIN { for (i = 1; i <= 8000; i++) printf "{\"type\":\"span\",\"v\":1,\"trace_id\":\"%032x\",\"span_id\":\"%016x\",\"name\":\"GET\",\"kind\":\"server\",\"start\":\"1\",\"end\":\"2\",\"attributes\":{\"http.request.method\":\"GET\",\"http.route\":\"/%d\"}}\n", i, i, i }' >&3
shows '^gotap_spans_received_total 8000$'
timeout 120 python3 "$TMP/askbadly.py" "$page" unread >"$TMP/asked" 2>&1
is "$(xargs <"$TMP/asked")" "503 200" "pages that are not read take no more memory than they may" || diag "$(cat "$TMP/asked")"
end
done_testing
