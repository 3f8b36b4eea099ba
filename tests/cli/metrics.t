#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What goexport counts beside the spans that it exports: spans that are not sampled, and
# requests under way.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command curl python3
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
serve --otlp "$url" --file "$TMP/file" --tree
spans 4 >&3
spans 6 5 | sed 's/"flags":1,//; s/"status":"unset"/"sampled":false,&/' >&3
shows '^gotap_spans_received_total 10$'
ok $? "all come in"
shows '^http_server_request_duration_seconds_count\{job="shop".* 10$'
ok $? "and are counted"
shows '^traces_service_graph_request_total\{client="user",server="shop".* 10$'
ok $? "in the service graph, too"
end
is "$? $(query 'sorted(ids())') $(grep -o '"spanId":"[0-9a-f]*"' "$TMP/file" | sort -u | wc -l)" \
	"0 ['0000000000000001', '0000000000000002', '0000000000000003', '0000000000000004'] 4" \
	"those that are not sampled are not exported" || diag "$(cat "$TMP/err")"
is "$(grep -c 'GET' "$TMP/out")" 4 "and not shown" || diag "$(cat "$TMP/out")"
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
done_testing
