# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034  # what is set here is for the tests
#
# What the tests of goexport's OTLP share: spans, a scripted receiver, and questions
# about what came to it. Sourced behind lib.sh.
G=$BIN/goexport
for _v in $(env | sed -n 's/^\(OTEL_[A-Z_]*\)=.*/\1/p') COLUMNS NO_COLOR http_proxy https_proxy \
	HTTPS_PROXY no_proxy NO_PROXY all_proxy ALL_PROXY; do
	unset "$_v"
done

# spans N [FROM]: N span records of one process, with ids that count up.
spans() {
	awk -v n="$1" -v from="${2:-1}" 'BEGIN {
		printf "{\"type\":\"process\",\"v\":1,\"pid\":4200001,\"start\":\"77\",\"service\":\"shop\"}\n"
		for (i = from; i < from + n; i++)
			printf "{\"type\":\"span\",\"v\":1,\"pid\":4200001,\"trace_id\":\"%032x\",\"span_id\":\"%016x\",\"name\":\"GET\",\"kind\":\"server\",\"scope\":\"net/http\",\"start\":\"1764510000000000000\",\"end\":\"1764510000001000000\",\"status\":\"unset\",\"attributes\":{\"http.request.method\":\"GET\",\"url.path\":\"/%d\",\"url.scheme\":\"http\",\"http.response.status_code\":200}}\n", i, i, i
	}'
}

# run ARG...: goexport on $TMP/in, with time enough to flush on a busy machine unless ARG
# says otherwise; sets err and status, leaves its output in $TMP/out.
run() {
	"$G" --flush-timeout 60000 "$@" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	status=$?
	err=$(cat "$TMP/err")
}

# receiver ANSWER...: starts one (see otlp_server.py), at $PORT or a free port; sets url,
# log and port.
receiver() {
	_n=$((${_n:-0} + 1))
	log=$TMP/log$_n
	: >"$log"
	PORT=${PORT:-0} python3 "$TOP/tests/cli/otlp_server.py" "$TMP/port$_n" "$log" "$@" 3>&- &
	server=$!
	on_exit "kill $server"
	wait_for "[ -e $TMP/port$_n ]" 30
	port=$(cat "$TMP/port$_n")
	url=http://127.0.0.1:$port
}
receiver_end() {
	kill "$server"
	wait "$server" 2>/dev/null
}
# proxy RULE...: starts one that cuts connections (see cutting_proxy.py); sets proxy and cuts, its log.
proxy() {
	cuts=$TMP/cuts
	rm -f "$TMP/proxyport" "$cuts"
	python3 "$TOP/tests/cli/cutting_proxy.py" "$TMP/proxyport" "$cuts" "$@" &
	proxy_pid=$!
	on_exit "kill $proxy_pid"
	wait_for "[ -e $TMP/proxyport ]" 30
	proxy=http://127.0.0.1:$(cat "$TMP/proxyport")
}
proxy_end() {
	kill "$proxy_pid"
	wait "$proxy_pid" 2>/dev/null
}
# query EXPRESSION: of r, the requests that came, ids() of all spans in them.
query() {
	python3 -c 'import json,sys
r = [json.loads(line) for line in open(sys.argv[1])]
def ids(q=r): return [s["span_id"] for x in q for s in x["spans"]]
print(eval(sys.argv[2]))' "$log" "$1"
}
