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

# 16 connections, kept alive where the handler does not end them; a connection is
# a goroutine, so -close has the stack grow on a fresh one each time, in the
# handler as well as in the goroutine that it starts.
n=20000
exactly $n /hello "16 keep-alive connections" -c 16
exactly $n /deep "deep recursion on fresh goroutines" -c 16 -close
exactly $n /go "handlers that start goroutines" -c 16
exactly $n '/gate?n=1000' "1,000 in flight at once" -c 1000
exactly $n /recovered "handlers that panic and recover" -c 16
exactly $n /panic "panicking handlers" -c 16
exactly $n /panic-deep "panics deep below the handler" -c 16
exactly $n /abort "http.ErrAbortHandler" -c 16
exactly $n /goexit "runtime.Goexit in the handler" -c 16
exactly $n /hijack "hijacked connections" -c 16
exactly $n /empty "an implicit 200 with an empty body" -c 16
truth=$(curl -sf "http://$TARGET_ADDR/truth")
stop_pipeline

# The records are many: each file is read once, into columns.
jq -r 'select(.type == "span") | [.span_id, .status, .incomplete // false,
	(.end | tonumber) >= (.start | tonumber), (.attributes | .["http.request.method"],
	.["url.path"], .["http.response.status_code"] // "-")] | @tsv' \
	"$TMP/spans" >"$TMP/spans.tsv"
jq -r 'select(.type == "event") | [.event, .unwind // "-"] | @tsv' "$TMP/events" |
	sort | uniq -c | awk '{ print $2, $3, $1 }' >"$TMP/counts"
# count CONDITION: how many spans there are of which awk finds this true.
count() {
	awk -F '\t' '{ id = $1; status = $2; incomplete = $3; forward = $4; path = $6 }
		'"$1"' { n++ } END { print n + 0 }' "$TMP/spans.tsv"
}

is "$status_goattach $status_gospan" "0 0" "goattach and gospan end with status 0"
is "$(lost)" 0 "nothing was lost"
is "$(cat "$TMP/counts")" "begin - $((total + 1))
end - $((7 * n + 1))
unwind goexit $n
unwind panic $((3 * n))" "one begin and one end for each request; panics and Goexit are told apart"
is "$(count 1)" "$((total + 1))" "one span for each request, and one for /truth"
is "$(count 'incomplete != "false"')" 0 "no span is incomplete"
is "$(cut -f 1 "$TMP/spans.tsv" | sort -u | wc -l)" "$((total + 1))" "every span has an id of its own"

# What the server counted, as spans would say it: panics, aborts and Goexit have
# no status, and a hijacked connection has none either.
echo "$truth" | jq -r 'to_entries[] | "\(.key) \(.value)"' |
	sed -E 's/ (panic|abort|goexit|hijack) / - /' | sort >"$TMP/want"
cut -f 5-7 "$TMP/spans.tsv" | grep -v /truth | sort | uniq -c |
	awk '{ print $2, $3, $4, $1 }' | sort >"$TMP/got"
is "$(cat "$TMP/got")" "$(cat "$TMP/want")" "spans by method, path and status are what the server counted"

is "$(count 'path ~ /^\/panic/ && status == "error"')" $((2 * n)) "a panic gives an error"
is "$(count 'path !~ /^\/(panic|abort|goexit)/ && status != "unset"')" 0 \
	"a handler that returns leaves the status unset"
is "$(count 'forward != "true"')" 0 "no span ends before it starts"
done_testing
