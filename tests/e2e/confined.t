#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stages that are started as root, with --user: they run as that user, confined, and
# trace what root could, also a file that only its owner may read.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

server=$(build_target server) || bail "no server"
for mode in 755 700; do
	cp "$server" "$TMP/server"
	chmod $mode "$TMP/server"
	start_target "$TMP/server"

	chmod 755 "$TMP"

	FIND_ARGS='--user nobody' RESOLVE_ARGS='--user nobody' SPAN_ARGS='--user nobody'
	mkdir -p "$TMP/files"
	chown 65534 "$TMP/files"
	port=$(free_port)
	EXPORT_ARGS="--user nobody --file $TMP/files/otlp.$mode --spool $TMP/files/spool --otlp http://127.0.0.1:1 --prometheus 127.0.0.1:$port"
	EXPORT_ARGS="$EXPORT_ARGS --flush-timeout 1000"
	# shellcheck disable=SC2086  # a list
	start_pipeline $FIND_ARGS --pid "$TARGET_PID" --watch
	for stage in gofind goresolve gospan goexport; do
		caps=none
		[ $stage != gofind ] || caps=81004 # net_admin, sys_ptrace, dac_read_search
		is "$(awk '/^(Uid|Gid|CapPrm|CapEff|NoNewPrivs|Seccomp):/ { print $2 }' \
			"/proc/$(eval "echo \$pid_$stage")/status" | sed 's/^0*$/none/; s/^00*//' | tr '\n' ' ')" \
			"65534 65534 $caps $caps 1 2 " "$mode: $stage is confined"
	done
	is "$(load -n 300 | jq -c '[.good, .wrong]')" "[300,0]" "$mode: 300 requests are answered"
	ok "$(wait_for "curl -s http://127.0.0.1:$port/metrics | grep -q '^http_server_request_duration_seconds_count.* 300'" 10; echo $?)" \
		"$mode: goexport answers Prometheus"
	# The opener is a child of goresolve, and ends with it.
	opener=$(pgrep -P "$pid_goresolve")
	is "$(awk '/^(Uid|CapEff|Seccomp):/ { print $2 }' "/proc/$opener/status" | sed 's/^00*//' | tr '\n' ' ')" \
		"65534 80004 2 " "$mode: goresolve's opener has two capabilities"
	stop_pipeline
	is "$(spans true)" 300 "$mode: 300 spans"
	is "$status_gofind $status_goresolve $status_goattach $status_gospan" "0 0 0 0" "$mode: all end with status 0"
	is "$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' "$TMP/files/otlp.$mode")" 300 "$mode: 300 in the file"
	wait_for "gone $opener" 5
	ok $? "$mode: the opener has ended"
	stop "$TARGET_PID"
done

# A binary as an operand, and its debug file beside it.
"$BIN/goresolve" --user nobody "$server" >"$TMP/confined" 2>"$TMP/err"
is "$?" 0 "a binary as an operand: status 0"
"$BIN/goresolve" "$server" >"$TMP/plain"
is "$(cat "$TMP/confined")" "$(cat "$TMP/plain")" "the plan is the same"
"$BIN/goresolve" --user nobody "$TMP/server" >"$TMP/confined" 2>"$TMP/err"
is "$?" 1 "one that the user may not read: status 1"
like "$(cat "$TMP/err")" 'Permission denied' "and it is said"

# Copies, because the tree may be where nobody else may go.
cp "$BIN"/go* "$TMP/"
for stage in gofind goresolve gospan goexport; do
	case $stage in
	gofind) all=--all ;;
	goexport) all=--tree ;;
	*) all= ;;
	esac
	# shellcheck disable=SC2086  # an option or none
	"$BIN/$stage" $all --user no-such-user </dev/null >"$TMP/out" 2>"$TMP/err"
	is "$?" 4 "$stage: no such user: status 4"
	like "$(cat "$TMP/err")" "no user 'no-such-user'" "$stage: it is said"
	# shellcheck disable=SC2086
	setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/$stage" $all --user nobody </dev/null >"$TMP/out" 2>"$TMP/err"
	is "$?" 4 "$stage: not as root: status 4"
done
done_testing
