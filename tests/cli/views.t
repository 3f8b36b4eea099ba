#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goexport's filters, what it reads beside its own stream, and --top as text. The
# same on a terminal is in tests/e2e/top.t, pages in web.t.
. "$(dirname "$0")/../lib.sh"
require_command jq

G=$BIN/goexport
unset OTEL_EXPORTER_OTLP_ENDPOINT COLUMNS NO_COLOR
gen() {
	python3 "$TOP/tests/views_spans.py" "$@"
}
gen shop 400 >"$TMP/in"
# run ARG...: goexport on $TMP/in; sets status and err.
run() {
	"$G" "$@" <"${input:-$TMP/in}" >"$TMP/out" 2>"$TMP/err"
	status=$?
	err=$(cat "$TMP/err")
}
spans_of() { # FILE of OTLP/JSON: trace and span ids
	jq -r '.resourceSpans[].scopeSpans[].spans[]|[.traceId, .spanId]|join(" ")' "$1" | sort
}
# whole JQ: the spans of all traces of which one span is as JQ says
whole() {
	jq -r "select(.type == \"span\" and ($1)).trace_id" "$TMP/in" | sort -u >"$TMP/ids"
	jq -r 'select(.type == "span")|[.trace_id, .span_id]|join(" ")' "$TMP/in" | sort >"$TMP/all"
	join "$TMP/ids" "$TMP/all"
}

# --- filters ----------------------------------------------------------------------

keeps() { # JQ OPTION...
	want=$(whole "$1")
	shift
	run --file - "$@"
	is "$status" 0 "$*: status 0"
	is "$(spans_of "$TMP/out")" "$want" "$*: whole traces, no others"
	[ -n "$want" ] || ok 1 "$*: some"
}
keeps '(.end|tonumber) - (.start|tonumber) > 2e7' --slower-than 20ms
keeps '.status == "error"' --status error
keeps '.pid == 103' --service 'pay*'
keeps '.attributes["http.route"] == "/search"' --route /search
keeps '.name == "SET"' --route SET
keeps '.attributes["db.system.name"] == "redis" and .pid == 102' --match 'db.system.name=re?is' --match service.name=cart
keeps '.status == "error" and .pid == 103 and (.end|tonumber) - (.start|tonumber) > 5e6' \
	--status error --service payments --slower-than 5
id=$(jq -r 'select(.status == "error").trace_id' "$TMP/in" | head -n 1)
keeps ".trace_id == \"$id\"" --trace "$id"
like "$err" "filter: 1 of 400 traces let through" "says how many"
run --file - --service nobody
is "$status $(wc -c <"$TMP/out")" "0 0" "nothing is wanted: no line, status 0"
"$G" --tree --file "$TMP/copy" --status error <"$TMP/in" >"$TMP/tree" 2>/dev/null
is "$(grep -c '^[0-9a-f]\{32\}' "$TMP/tree")" "$(spans_of "$TMP/copy" | cut -d' ' -f1 | sort -u | wc -l)" "one filter for all sinks"
# shellcheck disable=SC2002 # through a pipe is the point
cat "$TMP/in" | "$G" --tree --file "$TMP/copy2" --status error 2>/dev/null | cmp -s - "$TMP/tree"
ok $? "a pipe gives the same as a file"

# --- OTLP/JSON ---------------------------------------------------------------------

"$G" --file "$TMP/otlp" <"$TMP/in" 2>/dev/null
"$G" --file "$TMP/again" <"$TMP/otlp" 2>"$TMP/err"
is "$? $(cat "$TMP/err")" "0 " "OTLP/JSON lines are read"
fields() {
	jq -cS '.resourceSpans[]|.resource as $r|.scopeSpans[]|.scope as $s|.spans[]|
		[.traceId, .spanId, .parentSpanId, .name, .kind, .startTimeUnixNano, .endTimeUnixNano, .status, .attributes, $s.name, $r.attributes]' "$1" | sort
}
fields "$TMP/otlp" >"$TMP/a"
fields "$TMP/again" >"$TMP/b"
cmp -s "$TMP/a" "$TMP/b"
ok $? "every field comes out as it went in"
jq -s '{resourceSpans: map(.resourceSpans[])}' "$TMP/otlp" >"$TMP/pretty"
"$G" --file "$TMP/again" <"$TMP/pretty" 2>"$TMP/err"
is "$? $(cat "$TMP/err")" "0 " "a file of one request over many lines"
fields "$TMP/again" | cmp -s - "$TMP/a"
ok $? "has the same"
heads() {
	grep '^[0-9a-f]\{32\}' "$1" | sort
}
"$G" --tree <"$TMP/in" >"$TMP/tree" 2>/dev/null
"$G" --tree <"$TMP/otlp" >"$TMP/tree2" 2>/dev/null
is "$(heads "$TMP/tree2")" "$(heads "$TMP/tree")" "the same trees"
# shellcheck disable=SC2002
cat "$TMP/otlp" | "$G" --tree 2>/dev/null | cmp -s - "$TMP/tree2"
ok $? "through a pipe, too"
cat >"$TMP/others" <<'END'
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"caf\u00e9"}},{"key":"tags","value":{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":7}]}}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[
{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","parentSpanId":"","name":"I'm a server span","startTimeUnixNano":"1544712660000000000","endTimeUnixNano":1544712661000000000,"kind":"SPAN_KIND_SERVER","status":{"code":"STATUS_CODE_ERROR","message":"no"},"attributes":[{"key":"big","value":{"intValue":"9007199254740993"}},{"key":"d","value":{"doubleValue":1.5}},{"key":"b","value":{"boolValue":true}},{"key":"kv","value":{"kvlistValue":{"values":[]}}}],"events":[{"timeUnixNano":"1544712660500000000","name":"exception","attributes":[{"key":"exception.type","value":{"stringValue":"Boom"}}]}],"links":[{"traceId":"5b8efff798038103d269b633813fc60d","spanId":"eee19b7ec3c1b175"}]},
{"traceId":"bad","spanId":"eee19b7ec3c1b174","name":"x"},
{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b176","parentSpanId":"eee19b7ec3c1b174","name":"backwards","startTimeUnixNano":"5","endTimeUnixNano":"4"}]}]}]}
{"resourceMetrics":[]}
END
input=$TMP/others
run --file -
is "$status" 1 "a file of others with two bad spans: status 1"
like "$err" '2 spans left out: span: no good "traceId"' "says so"
is "$(jq -c '.resourceSpans[0]|[.resource.attributes[0].value.stringValue, (.resource.attributes[1].value.arrayValue.values|length),
	(.scopeSpans[0]|.scope.name, (.spans[0]|.kind, .status.code, .status.message, (.attributes|length), .attributes[0].value.intValue, .links[0].spanId,
	.attributes[4].value.stringValue))]' "$TMP/out")" \
	'["café",2,"lib",2,2,"no",5,"9007199254740993","eee19b7ec3c1b175","exception +500.000ms exception.type=Boom"]' "names of enums, arrays, events, links"
for text in '{"resourceSpans":7}' '{"resourceSpans":[7,{"scopeSpans":[7,{"spans":[7]}]}]}' '{"resourceSpans":[{"scopeSpans":[{"spans":[{' '{"resourceSpans":[]]' '{"resource'; do
	printf '%s' "$text" >"$TMP/others"
	run --file -
	is "$((status == 1 || status == 3)) $(wc -c <"$TMP/out")" "1 0" "$text: said, no harm"
done
python3 - >"$TMP/others" <<'END'
import json
span = lambda i: {"traceId": "%032x" % (i % 500 + 1), "spanId": "%016x" % (i + 1), "name": "n", "startTimeUnixNano": str(i), "endTimeUnixNano": str(i + 1), "attributes": [{"key": "k", "value": {"stringValue": "x" * 300}}]}
print(json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [span(i) for i in range(20000)]}]}]}))
END
ok $(($(wc -c <"$TMP/others") > 4194304 ? 0 : 1)) "a request longer than any line"
run --file -
is "$status $(grep -o '"spanId"' "$TMP/out" | wc -l)" "0 20000" "is read from a file"
input=$TMP/in

# --- the table, where there is no terminal -----------------------------------------------

COLUMNS=120 run --top
is "$status" 0 "--top: status 0"
is "$(grep -cE '^(shop|cart|payments|search) ' "$TMP/out")" 5 "a line for each route"
like "$(cat "$TMP/out")" '^SERVICE +ROUTE +\*REQ/S +ERRORS +P50 +P95 +P99 +MAX' "heads"
is "$(awk '{ print length($0) }' "$TMP/out" | sort -n | tail -n 1)" 120 "as wide as asked for"
COLUMNS=60 run --top
is "$(awk '{ print length($0) }' "$TMP/out" | sort -n | tail -n 1)" 60 "or as narrow"
want=$(jq -s '[.[]|select(.name == "GET /search")|(.end|tonumber) - (.start|tonumber)]|max / 1e6 * 10|round / 10' "$TMP/in")
COLUMNS=120 run --top
like "$(grep '^search' "$TMP/out")" " ${want}ms " "the longest request"
! LC_ALL=C grep -q "$(printf '\033')" "$TMP/out"
ok $? "no escape sequence"
run --top --tree
is "$status" 2 "not together with the tree"
gen hostile >"$TMP/bad"
input=$TMP/bad LC_ALL=C.UTF-8
export LC_ALL
run --top
is "$status" 0 "a hostile target"
! LC_ALL=C grep -aq "$(printf '[\001-\011\013-\037\177]')" "$TMP/out"
ok $? "no control byte comes through"
"$G" --top <"$TMP/in" >/dev/full 2>"$TMP/err"
is "$?" 1 "a full disk is an error"
mkfifo "$TMP/fifo"
: >"$TMP/out"
"$G" --top --top-interval 1 <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
gen shop 20 >&3
wait_for '[ "$(grep -c ^SERVICE "$TMP/out")" -ge 2 ]' 20
ok $? "a table from time to time"
exec 3>&-
wait "$pid"
is "$?" 0 "and the end"

# --- a reader that does not read ------------------------------------------------------------

# A terminal that was stopped, a pager: other sinks go on; what was left out is said.
gen shop 3000 >"$TMP/many"
mkfifo "$TMP/slow" "$TMP/fifo2"
exec 4<>"$TMP/slow"
"$G" --tree --file "$TMP/copy3" --batch-delay 10 <"$TMP/fifo2" >"$TMP/slow" 2>"$TMP/err" 4>&- &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo2"
cat "$TMP/many" >&3
# shellcheck disable=SC2016
wait_for '[ "$(cat "$TMP/copy3" 2>/dev/null | grep -o "\"spanId\"" | wc -l)" -eq "$(grep -c "\"type\":\"span\"" "$TMP/many")" ]' 30
ok $? "where nobody reads the tree other sinks get all"
exec 3>&-
cat "$TMP/slow" >"$TMP/read" 4>&- &
cat=$!
on_exit "kill $cat"
wait "$pid"
is "$?" 1 "status 1, because not all was shown"
exec 4>&-
wait "$cat"
like "$(cat "$TMP/err")" 'tree: stdout: [0-9]+ of [0-9]+ spans dropped: [0-9]+ full' "and it is said how much"
shown=$(grep -c '^[0-9a-f]\{32\} ' "$TMP/read")
left=$(sed -n 's/^\.\.\. \([0-9]*\) more traces, which nobody read$/\1/p' "$TMP/read" | awk '{ n += $1 } END { print n }')
is "$((shown + left))" 3000 "each trace is shown or counted"
# shellcheck disable=SC2002
is "$(cat "$TMP/many" | "$G" --tree 2>/dev/null | (sleep 1; cat) | grep -c '^[0-9a-f]\{32\} ')" 3000 "a reader that is only slow gets all"
is "$("$G" --tree 2>/dev/null <"$TMP/many" | (sleep 3; cat) | grep -c '^[0-9a-f]\{32\} ')" 3000 "and of a file also one who stops"
done_testing
