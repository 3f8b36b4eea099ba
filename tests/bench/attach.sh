#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How long SITES sites (300) of one program take to attach and to detach: each way that
# goattach has, and bpftrace at the same sites, where it is installed. What is measured is
# the target's memory: from the tracer's start to the last breakpoint, and from the signal
# until none is left. PROGRAM is a command to trace instead of the server of the tests, such as
# a large one, "caddy run"; no PIE. WAYS are the ways (multi event perf address).
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq python3

if [ -n "${PROGRAM:-}" ]; then
	server=$(command -v "${PROGRAM%% *}") || bail "no ${PROGRAM%% *}"
	start_target sh -c "echo ready; exec $PROGRAM"
	sleep 1
else
	server=$(build_target server) || bail "no server"
	start_target "$server"
fi
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null >"$TMP/process"
# First instructions: Debian's bpftrace takes no others.
"$BIN/goresolve" --site first --func 'net/http.*' <"$TMP/process" 2>/dev/null |
	jq -c --argjson want "${SITES:-300}" --slurp '
		map(if .type == "probe" then .entry as $first | .sites |= map(select(.addr == $first)) else . end) |
		map(select(.type != "probe" or (.sites | length) > 0)) |
		reduce .[] as $r ({n: 0, out: []};
			if $r.type != "probe" then .out += [$r]
			elif .n < $want then .n += ($r.sites | length) | .out += [$r] else . end) | .out[]' \
		>"$TMP/plan"
# bpftrace needs tracefs, which is not mounted everywhere.
cat >"$TMP/with_tracefs" <<-'END'
	mount -t tracefs none /sys/kernel/tracing
	exec "$@"
END
unshare -m sh "$TMP/with_tracefs" python3 "$TOP/tests/bench/attach.py" "$BIN/goattach" "$TMP/plan" "$TARGET_PID" "$server" "${ROUNDS:-3}"
