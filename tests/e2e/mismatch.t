#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A plan that does not fit the binary: nothing is attached, and a record says why.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
start_target "$server"
"$BIN/gofind" --pid "$TARGET_PID" | "$BIN/goresolve" >"$TMP/plan"

# try NAME FILTER: goattach with the plan changed by a jq filter, for a moment.
try() {
	jq -c "$2" "$TMP/plan" >"$TMP/changed"
	timeout -s TERM 3 "$BIN/goattach" <"$TMP/changed" >"$TMP/out" 2>"$TMP/err"
	reasons=$(jq -r 'select(.type == "skip") | .reason' "$TMP/out" | sort -u)
}
try "as it is" .
is "$(grep -c '"type":"attach"' "$TMP/out")" "$(grep -c '"type":"probe"' "$TMP/plan")" \
	"the plan as it is: all is attached"
unlike "$(cat "$TMP/err")" warning "and nothing is missing"
try "no begin" 'if .type == "probe" and .role != "unwind" then .sites = [] else . end'
like "$(cat "$TMP/err")" "warning: pid $TARGET_PID: span http.server: no probe that begins or ends it" \
	"only what unwinds is attached: said at once"
try "no end" 'if .type == "probe" then .sites |= map(select(.event != "end")) else . end'
like "$(cat "$TMP/err")" "warning: pid $TARGET_PID: span http.server: no probe that ends it" \
	"no end: said at once"
try "bytes" 'if .type == "probe" then .sites[0].bytes = "90" else . end'
is "$(jq -r 'select(.type == "attach")' "$TMP/out")" "" "other bytes: nothing is attached"
like "$reasons" '^bytes-differ$' "and a skip record says so"
try "offset" 'if .type == "probe" then .sites[0].offset = "0xfffffff0" else . end'
is "$(jq -r 'select(.type == "attach")' "$TMP/out")" "" "an offset outside of the file: nothing is attached"
like "$reasons" '^(bytes-differ|attach-refused|unreadable)$' "and a skip record says so"
try "inode" 'if .type == "process" then .inode = "1" else . end'
is "$(jq -r 'select(.type == "attach")' "$TMP/out")" "" "another inode: nothing is attached"
like "$reasons" '^binary-differs$' "and a skip record says so"
is "$(load -n 100 | jq .good)" 100 "the target answers"
done_testing
