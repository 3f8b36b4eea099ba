#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 50 processes that live for a second: each is found, attached and let go.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
: "${LOAD:=$(build_target load)}"
app=$TMP/brief-$$
cp "$server" "$app"
# One that stays, so that the binary is resolved before the others come.
start_target "$app"
start_pipeline --exe "brief-$$" --watch

# Each lives for a second, and is asked ten times as soon as it is attached.
for i in $(seq 50); do
	(
		"$app" -for 1s >"$TMP/brief.$i" &
		wait_for "grep -q ^ready $TMP/brief.$i" 1
		wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":$!,'" 1
		"$LOAD" -addr "$(sed -n 's/^ready *//p' "$TMP/brief.$i")" -n 10 -c 1 |
			jq .good >"$TMP/brief.$i.good"
		wait $!
		: >"$TMP/brief.$i.ended"
	) &
	sleep 0.1
done
wait_for '[ "$(ls "$TMP"/brief.*.ended | wc -l)" -eq 50 ]' 30
wait_for '[ "$(grep -c "\"type\":\"exit\"" "$TMP/events")" -eq 50 ]' 10
ok $? "50 processes came and went"
stop_pipeline
is "$(cat "$TMP"/brief.*.good | sort | uniq -c | awk '{ print $1, $2 }')" "50 10" \
	"each was attached and answered ten requests within its second"
is "$(spans ".pid != $TARGET_PID")" 500 "500 spans"
is "$(jq -r 'select(.type == "span") | .pid' "$TMP/spans" | sort | uniq -c |
	awk '$1 != 10' | wc -l)" 0 "ten of each process"
is "$(lost)" 0 "nothing was lost"
is "$status_goattach" 0 "goattach ends with status 0"
done_testing
