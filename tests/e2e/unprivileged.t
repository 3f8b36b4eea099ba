#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Only goattach is root: every other stage runs as nobody, without capabilities.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq setpriv

# nobody may not be able to reach the repository.
server=$(build_target server) || bail "no server"
mkdir "$TMP/bin"
cp "$BIN"/go* "$server" "$TMP/bin/"
chmod 755 "$TMP" "$TMP/bin" "$TMP"/bin/*
BIN=$TMP/bin
AS="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs"
export AS
mkdir "$TMP/out"
chown 65534 "$TMP/out"

# gofind reads /proc/PID/exe, which the kernel shows to the process's own user.
# shellcheck disable=SC2086  # a list
start_target $AS "$BIN/$(basename "$server")"
EXPORT_ARGS="--file $TMP/out/otlp"
start_pipeline --pid "$TARGET_PID" --watch
for stage in gofind goresolve gospan goexport; do
	is "$(awk '/^(Uid|CapEff|CapPrm):/ { print $2 }' "/proc/$(eval "echo \$pid_$stage")/status" |
		sed 's/^0*$/none/' | tr '\n' ' ')" "65534 none none " "$stage has no privilege"
done
is "$(load -n 2000 | jq -c '[.good, .wrong]')" "[2000,0]" "2,000 requests are answered"
stop_pipeline
is "$(spans true)" 2000 "2,000 spans"
is "$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' "$TMP/out/otlp")" 2000 \
	"and 2,000 in the file of nobody"
is "$status_gofind $status_goresolve $status_goattach $status_gospan $status_goexport" \
	"0 0 0 0 0" "all end with status 0"

# goattach as nobody says what is missing, and ends with status 4.
# shellcheck disable=SC2086  # a list
err=$($AS "$BIN/goattach" </dev/null 2>&1 >/dev/null)
is "$?" 4 "goattach as nobody: status 4"
is "$(printf '%s\n' "$err" | wc -l)" 1 "one line"
like "$err" '^goattach: ' "that says who"
done_testing
