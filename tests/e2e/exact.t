#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exactly N requests give exactly N spans, whatever the handlers do.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
start_target "$server"
start_pipeline --pid "$TARGET_PID"

# exactly N PATH NAME OPTION…: N requests, all answered as they should be.
total=0
exactly() {
	_n=$1 _path=$2 _name=$3
	shift 3
	total=$((total + _n))
	is "$(load -n "$_n" -paths "$_path" "$@" | jq -c '[.requests, .good, .wrong]')" \
		"[$_n,$_n,0]" "$_name: $_n requests are answered as without tracing"
}

exactly 20000 /hello "16 keep-alive connections" -c 16
exactly 2000 /deep "deep recursion on fresh goroutines" -c 16 -close
exactly 2000 /go "handlers that start goroutines" -c 16
exactly 1000 '/gate?n=1000' "1,000 in flight at once" -c 1000
exactly 2000 /recovered "handlers that panic and recover" -c 16
exactly 500 /panic "panicking handlers" -c 16
exactly 500 /panic-deep "panics deep below the handler" -c 16
exactly 500 /abort "http.ErrAbortHandler" -c 16
exactly 500 /goexit "runtime.Goexit in the handler" -c 16
exactly 500 /hijack "hijacked connections" -c 16
exactly 1000 /empty "an implicit 200 with an empty body" -c 16
truth=$(curl -sf "http://$TARGET_ADDR/truth")
stop_pipeline

is "$status_goattach $status_gospan" "0 0" "goattach and gospan end with status 0"
is "$(lost)" 0 "nothing was lost"
is "$(events '.type == "event" and .event == "begin"')" "$((total + 1))" "one begin for each request"
is "$(spans true)" "$((total + 1))" "one span for each request, and one for /truth"
is "$(spans .incomplete)" 0 "no span is incomplete"
is "$(jq -r 'select(.type == "span") | .span_id' "$TMP/spans" | sort -u | wc -l)" \
	"$((total + 1))" "every span has an id of its own"

# What the server counted, as spans would say it: panics, aborts and Goexit have
# no status, and a hijacked connection has none either.
echo "$truth" | jq -r 'to_entries[] | "\(.key) \(.value)"' |
	sed -E 's/ (panic|abort|goexit|hijack) / - /' | sort >"$TMP/want"
jq -r 'select(.type == "span") | .attributes
	| "\(.["http.request.method"]) \(.["url.path"]) \(.["http.response.status_code"] // "-")"' \
	"$TMP/spans" | grep -v ' /truth ' | sort | uniq -c |
	awk '{ print $2, $3, $4, $1 }' | sort >"$TMP/got"
is "$(cat "$TMP/got")" "$(cat "$TMP/want")" "spans by method, path and status are what the server counted"

is "$(spans '(.attributes["url.path"] | startswith("/panic")) and .status != "error"')" 0 \
	"a panic gives an error"
is "$(spans '.attributes["url.path"] == "/hello" and .status != "unset"')" 0 \
	"an ordinary answer leaves the status unset"
is "$(spans '(.end | tonumber) < (.start | tonumber)')" 0 "no span ends before it starts"
is "$(jq -r 'select(.type == "event" and .event == "unwind") | .unwind' "$TMP/events" |
	sort | uniq -c | awk '{ print $2, $1 }')" "goexit 500
panic 1500" "panics and Goexit are told apart"
done_testing
