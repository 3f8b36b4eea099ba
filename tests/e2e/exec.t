#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A process that executes its own file again, in place: process id, start time and
# file are the same, but calls that were open are gone, and with a PIE the load
# address is another.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

# again COMMAND…: a command that makes the target execute itself; it prints its new address.
# That goattach looks at it anew then takes no request: it is told of the exec itself.
again() {
	_ready=$(grep -c ^ready "$TARGET_LOG") _looked=$(grep -c 'has called exec' "$TMP/goattach.err")
	_attached=$(grep -c '"type":"attach"' "$TMP/events")
	"$@"
	wait_for "[ \"\$(grep -c ^ready $TARGET_LOG)\" -gt $_ready ]" 10 || bail "it does not come back"
	TARGET_ADDR=$(sed -n 's/^ready *//p' "$TARGET_LOG" | tail -n 1)
	wait_for "[ \"\$(grep -c '\"type\":\"attach\"' $TMP/events)\" -gt $_attached ]" 10
	ok $? "$flavour: goattach looks at it anew"
	is "$(grep -c 'has called exec' "$TMP/goattach.err")" $((_looked + 1)) "$flavour: once"
}

# By address too: there the site itself is only found with the right load address.
for flavour in plain pie pie-address; do
	server=$(build_target server "${flavour%-*}" newest) || bail "no server"
	start_target "$server"
	ATTACH_ARGS=
	[ $flavour != pie-address ] || ATTACH_ARGS=--attach=address
	start_pipeline --pid "$TARGET_PID"
	# An exec before the first hit: only the load address can be too old.
	again kill -USR1 "$TARGET_PID"
	is "$(load -n 500 -paths '/any/a?b' | jq .good)" 500 "$flavour: the target answers"
	# In the middle of a request.
	again curl -s -o /dev/null "http://$TARGET_ADDR/exec"
	is "$(load -n 500 -paths '/any/a?b' | jq .good)" 500 "$flavour: and after it has executed itself"
	stop_pipeline
	is "$(spans '.incomplete | not')" 1000 "$flavour: each request has its span"
	is "$(jq -r 'select(.type == "span" and (.incomplete | not)) | .attributes |
		[.["url.path"], .["url.query"], .["http.response.status_code"]] | join(" ")' \
		"$TMP/spans" | sort | uniq -c | sed 's/^ *//')" "1000 /any/a b 200" "$flavour: with all attributes"
	is "$(spans '.parent_id')" 0 "$flavour: what was open before the exec is nobody's parent"
	stop "$TARGET_PID"
done
done_testing
