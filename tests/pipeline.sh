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
	wait_for "grep -qs ^ready $TARGET_LOG" 10 || bail "$1 does not get ready"
	TARGET_ADDR=$(sed -n 's/^ready *//p' "$TARGET_LOG")
	TARGET_PORT=${TARGET_ADDR##*:}
	export TARGET_PID TARGET_PORT
}

# load OPTION…: send requests to the target, print the generator's line of JSON.
load() {
	: "${LOAD:=$(build_target load)}"
	"$LOAD" -addr "$TARGET_ADDR" "$@"
}

pid_gofind='' pid_goresolve='' pid_goattach='' pid_gospan='' pid_goexport=''
status_gofind='' status_goresolve='' status_goattach='' status_gospan='' status_goexport=''
# run NAME IN OUT COMMAND…: a stage in the background, its pid in pid_NAME, its
# messages in $TMP/NAME.err.
run() {
	_name=$1 _in=$2 _out=$3
	shift 3
	"$@" <"$_in" >"$_out" 2>"$TMP/$_name.err" &
	eval "pid_$_name=$!"
}

# start_pipeline OPTION…: gofind with these options, and behind it goresolve
# $RESOLVE_ARGS, goattach $ATTACH_ARGS, gospan $SPAN_ARGS and, if $EXPORT_ARGS is
# set, goexport with them. What passes goattach is in $TMP/events, what passes
# gospan in $TMP/spans. $AS runs the unprivileged stages, such as "setpriv …".
# Returns when the first probe is attached; with $TEE empty nothing is kept, and
# it returns at once.
TEE=yes
start_pipeline() {
	rm -f "$TMP"/pipe.* "$TMP/events" "$TMP/spans"
	for _p in 1 2 3 4 5 6; do
		mkfifo "$TMP/pipe.$_p"
	done
	_events=$TMP/pipe.3 _spans=$TMP/pipe.5
	# shellcheck disable=SC2086  # lists of options, here and below
	run gofind /dev/null "$TMP/pipe.1" ${AS:-} "$BIN/gofind" "$@"
	# shellcheck disable=SC2086
	run goresolve "$TMP/pipe.1" "$TMP/pipe.2" ${AS:-} "$BIN/goresolve" ${RESOLVE_ARGS:-}
	# shellcheck disable=SC2086
	run goattach "$TMP/pipe.2" "$TMP/pipe.3" ${ATTACH_AS:-} "$BIN/goattach" ${ATTACH_ARGS:-}
	if [ -n "$TEE" ]; then
		_events=$TMP/pipe.4 _spans=$TMP/pipe.6
		run tee_events "$TMP/pipe.3" "$TMP/pipe.4" tee "$TMP/events"
		run tee_spans "$TMP/pipe.5" "$TMP/pipe.6" tee "$TMP/spans"
	fi
	# shellcheck disable=SC2086
	run gospan "$_events" "$TMP/pipe.5" ${AS:-} "$BIN/gospan" ${SPAN_ARGS:-}
	if [ -n "${EXPORT_ARGS:-}" ]; then
		# shellcheck disable=SC2086
		run goexport "$_spans" "$TMP/exported" ${AS:-} "$BIN/goexport" $EXPORT_ARGS
	else
		run goexport "$_spans" /dev/null cat
	fi
	_stages="$pid_gofind $pid_goresolve $pid_goattach $pid_gospan $pid_goexport"
	on_exit "kill $_stages; sleep 0.3; kill -KILL $_stages"
	[ -z "$TEE" ] || wait_attached 1 || bail "nothing was attached"
}

# wait_attached COUNT: until that many attach records have come, and a moment.
wait_attached() {
	wait_for "[ \"\$(grep -c '\"type\":\"attach\"' $TMP/events 2>/dev/null)\" -ge $1 ] 2>/dev/null" 20
}

# stop_pipeline: ask the source to end, and wait until all has drained; the exit
# statuses are in status_NAME.
stop_pipeline() {
	kill "$pid_goattach" "$pid_gofind" 2>/dev/null
	for _s in gofind goresolve goattach gospan goexport; do
		eval "wait \$pid_$_s; status_$_s=\$?"
	done
	export status_gofind status_goresolve status_goattach status_gospan status_goexport
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

# breakpoints PID PLAN: at how many sites of the plan (of a binary that is not
# PIE) the process has a breakpoint in its memory just now.
breakpoints() {
	jq -r 'select(.type == "probe") | .sites[].addr' "$2" | sort -u | while read -r _addr; do
		dd if="/proc/$1/mem" bs=1 count=1 skip=$((_addr)) 2>/dev/null | od -An -tx1
	done | grep -c cc
}
