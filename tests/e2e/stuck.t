#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Goroutines that are blocked within a span: which, and what they wait for.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

# stuck FILTER: the records that pass this jq filter.
stuck() {
	jq -c "select(.type == \"stuck\") | select($1)" "$TMP/spans"
}

# block VERSION FLAVOUR PID-OPTION…: requests that block in every way.
block() {
	_what="Go $1 $2"
	start_target "$(build_target flight "$2" "$1")"
	_ids=
	# shellcheck disable=SC2034  # of pipeline.sh
	ATTACH_ARGS="--stuck 2s"
	start_pipeline --pid "$TARGET_PID"
	for _path in chan mutex select read busy; do
		curl -s -o /dev/null "http://$TARGET_ADDR/$_path" &
		_ids="$_ids $!"
		on_exit "stop $!"
	done
	# One that never ends: nobody waits for it.
	curl -s -o /dev/null "http://$TARGET_ADDR/sleep" &
	on_exit "stop $!"
	wait_for "[ \"\$(grep -c '\"type\":\"stuck\"' $TMP/spans)\" -ge 5 ]" 30
	ok $? "$_what: five are found"
	curl -s -o /dev/null "http://$TARGET_ADDR/release"
	# shellcheck disable=SC2086  # a list
	wait $_ids
	stop_pipeline
	is "$(stuck true | jq -r .reason | sort | tr '\n' ,)" \
		"IO wait,chan receive,select,sleep,sync.Mutex.Lock," "$_what: each once, with its reason"
	is "$(stuck '.ms >= 2000 and .span == "http.server"' | wc -l)" 5 "$_what: for as long as asked at least"
	is "$(jq -rs '(map(select(.type == "span")) | map({key: .span_id, value: .}) | from_entries) as $spans |
		.[] | select(.type == "stuck") | $spans[.span_id] as $s |
		"\(.reason) \($s.attributes["url.path"]) \($s.goid == .goid)"' "$TMP/spans" | sort)" \
		"IO wait /read true
chan receive /chan true
select /select true
sleep /sleep true
sync.Mutex.Lock /mutex true" "$_what: each in its own span"
	is "$(spans '.attributes["url.path"] == "/busy"')" 1 \
		"$_what: who waits a little again and again is not blocked"
	like "$(cat "$TMP/goattach.err")" \
		"goroutine [0-9]+ is blocked for [0-9]+ s \(chan receive\) within http.server" "$_what: it is said, too"
	stop "$TARGET_PID" KILL
}

block newest plain
block 1.25.0 stripped
done_testing
