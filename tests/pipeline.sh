# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# lib.sh, and what the end-to-end tests need beside it: targets in Go that are
# built, started and ended, and the five programs as a pipeline whose parts can
# be looked at and killed. Written to also work without -e: a step that fails
# bails out of the test.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# bail WHY: the test cannot go on; what the programs said helps to see why.
bail() {
	diag "$1"
	for _f in "$TMP"/*.err; do
		[ ! -s "$_f" ] || diag "$(basename "$_f"): $(tail -n 5 "$_f")"
	done
	echo "Bail out! $1" | sed 's/^Bail out!/# cannot go on:/'
	exit 1
}

# build_target NAME [FLAVOUR [VERSION]]: print the path of the built program.
build_target() {
	"$TOP/tests/build-target.sh" "$@" 2>"$TMP/build.err"
}

_targets=0
# start_target PROGRAM ARGUMENT…: start a program that prints "ready ADDRESS";
# sets TARGET_PID, TARGET_ADDR, TARGET_PORT and TARGET_LOG. It ends with the test.
start_target() {
	_targets=$((_targets + 1))
	TARGET_LOG=$TMP/target.$_targets
	"$@" >"$TARGET_LOG" 2>"$TARGET_LOG.err" &
	TARGET_PID=$!
	on_exit "stop $TARGET_PID KILL"
	wait_for "grep -q ^ready $TARGET_LOG" 10 || bail "$1 does not get ready"
	TARGET_ADDR=$(sed -n 's/^ready *//p' "$TARGET_LOG")
	TARGET_PORT=${TARGET_ADDR##*:}
	export TARGET_PID TARGET_PORT
}

# load OPTION…: send requests to the target, print the generator's line of JSON.
load() {
	: "${LOAD:=$(build_target load)}"
	"$LOAD" -addr "$TARGET_ADDR" "$@"
}

# start_pipeline OPTION…: gofind with these options, and behind it goresolve
# $RESOLVE_ARGS, goattach $ATTACH_ARGS and gospan $SPAN_ARGS, every one a process
# of its own with its pid in pid_NAME and its messages in $TMP/NAME.err. What
# passes goattach is in $TMP/events, what comes out in $TMP/spans. Returns when
# the first probe is attached.
start_pipeline() {
	rm -f "$TMP"/pipe.*
	mkfifo "$TMP/pipe.1" "$TMP/pipe.2" "$TMP/pipe.3" "$TMP/pipe.4"
	"$BIN/gofind" "$@" >"$TMP/pipe.1" 2>"$TMP/gofind.err" &
	pid_gofind=$!
	# shellcheck disable=SC2086  # lists of options
	"$BIN/goresolve" ${RESOLVE_ARGS:-} <"$TMP/pipe.1" >"$TMP/pipe.2" 2>"$TMP/goresolve.err" &
	pid_goresolve=$!
	# shellcheck disable=SC2086
	"$BIN/goattach" ${ATTACH_ARGS:-} <"$TMP/pipe.2" >"$TMP/pipe.3" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	tee "$TMP/events" <"$TMP/pipe.3" >"$TMP/pipe.4" &
	pid_tee=$!
	# shellcheck disable=SC2086
	"$BIN/gospan" ${SPAN_ARGS:-} <"$TMP/pipe.4" >"$TMP/spans" 2>"$TMP/gospan.err" &
	pid_gospan=$!
	on_exit "kill $pid_gofind $pid_goresolve $pid_goattach; sleep 0.3"
	on_exit "kill -KILL $pid_tee $pid_gospan"
	wait_attached 1 || bail "nothing was attached"
}

# wait_attached COUNT: until that many attach records have come, and a moment.
wait_attached() {
	wait_for "[ \$(grep -c '\"type\":\"attach\"' $TMP/events) -ge $1 ]" 20
}

# stop_pipeline: ask the source to end, and wait until all has drained; the exit
# statuses are in status_NAME.
stop_pipeline() {
	kill "$pid_goattach" "$pid_gofind" 2>/dev/null
	wait "$pid_gofind"
	status_gofind=$?
	wait "$pid_goresolve"
	status_goresolve=$?
	wait "$pid_goattach"
	status_goattach=$?
	wait "$pid_tee"
	wait "$pid_gospan"
	status_gospan=$?
	export status_gofind status_goresolve status_goattach status_gospan
}

# spans FILTER: how many spans pass this jq filter.
spans() {
	jq -c "select(.type == \"span\") | select($1)" "$TMP/spans" | wc -l
}

# events FILTER: how many records of goattach pass this jq filter.
events() {
	jq -c "select($1)" "$TMP/events" | wc -l
}

# lost: how many things any stage says it has lost.
lost() {
	jq -s '[.[] | select(.type == "lost") | .count] | add // 0' "$TMP/spans"
}
