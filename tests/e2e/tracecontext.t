#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trace contexts that come with requests: W3C Trace Context level 2, in every version of
# Go's maps, and from whom they are believed.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq python3 curl
cases=$TOP/tests/e2e/tracecontext.py

# Flags that say that the caller has not sampled are looked at too.
ATTACH_ARGS='--sampler parentbased_always_on,remote_parent_not_sampled=always_on'
for version in oldest newest; do
	server=$(build_target server plain $version) || bail "no server of the $version Go"
	start_target "$server"
	start_pipeline --pid "$TARGET_PID"
	python3 "$cases" send "$TARGET_ADDR" >"$TMP/answers"
	stop_pipeline
	python3 "$cases" check "$TMP/answers" <"$TMP/spans" >"$TMP/checked"
	ok $? "$version Go: each trace context is taken, or not" ||
		diag "$(grep -A1 '^not ok' "$TMP/checked" | grep -v '^--')"
	is "$(grep -c '^ok' "$TMP/checked")" "$(wc -l <"$TMP/answers")" "$version Go: all of them were looked at"
	is "$(lost)" 0 "$version Go: nothing was lost"
	like "$(jq -r 'select(.from == "goattach") | .counters.bad_traceparent' "$TMP/events" | tail -n 1)" \
		'^[0-9]{2}$' "$version Go: the bad ones are counted"
done
done_testing
