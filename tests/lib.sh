# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What every shell test (tests/*/*.t) starts with:
#
#	. "$(dirname "$0")/../lib.sh"
#
# It gives $TOP (the repository), $BIN (the built programs: $GOTAP_BIN, else
# build/bin) and $TMP (a fresh directory, removed at the end), speaks TAP, and
# undoes at the end what on_exit was told, also when the test fails or is
# killed. A test ends with done_testing; one that stops before has no plan, and
# prove counts it as failed. tests/pipeline.sh adds targets and pipelines.

set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
BIN=${GOTAP_BIN:-$TOP/build/bin}
case $BIN in /*) ;; *) BIN=$TOP/$BIN ;; esac
TMP=$(mktemp -d "${TMPDIR:-/tmp}/gotap-test.XXXXXX") || exit 1
export LC_ALL=C TOP BIN TMP
PATH=$PATH:/usr/sbin:/sbin

_count=0 _failed=0 _undo=

# on_exit COMMAND: run COMMAND at the end; the last one registered runs first.
on_exit() {
	_undo="$1
$_undo"
}

_finish() {
	_status=$?
	trap - EXIT
	trap '' INT TERM HUP PIPE
	eval "$_undo" >/dev/null 2>&1
	rm -rf "$TMP"
	exit "$_status"
}
trap _finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP PIPE

# diag TEXT: a note for people, every line of it behind "# ".
diag() {
	printf '%s\n' "$1" | head -n 20 | cut -c 1-300 | sed 's/^/# /'
}

# ok STATUS NAME: a test that is good when STATUS is 0.
ok() {
	_count=$((_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $_count - $2"
		return 0
	fi
	echo "not ok $_count - $2"
	_failed=$((_failed + 1))
	return 1
}

# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
		return 1
	fi
}

# like TEXT REGEX NAME: some line of TEXT matches REGEX (grep -E).
like() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
		return 1
	fi
}

# unlike TEXT REGEX NAME: no line of TEXT matches REGEX.
unlike() {
	if printf '%s\n' "$1" | grep -Eq -- "$2"; then
		ok 1 "$3"
		diag "got:  $1"
		diag "not:  $2"
		return 1
	fi
	ok 0 "$3"
}

# skip_all WHY: the whole test cannot run here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# done_testing: print the plan and end the test.
done_testing() {
	echo "1..$_count"
	[ "$_failed" -eq 0 ]
	exit
}

# missing WHAT WHY: skip_all, or a failure where GOTAP_REQUIRE names WHAT.
missing() {
	case ,${GOTAP_REQUIRE:-}, in
	*,"$1",*)
		echo "1..1"
		echo "not ok 1 - $1 is required here: $2"
		exit 1
		;;
	esac
	skip_all "$2"
}

# require_command NAME…: the test needs these commands.
require_command() {
	for _c; do
		command -v "$_c" >/dev/null || missing "$_c" "no $_c here"
	done
}

# require_bpf: the test traces, so it needs root and eBPF with uprobes.
require_bpf() {
	[ "$(id -u)" -eq 0 ] || missing bpf "not root"
	[ -e /sys/kernel/btf/vmlinux ] || missing bpf "the kernel has no BTF"
	[ -e /sys/bus/event_source/devices/uprobe/type ] || missing bpf "the kernel has no uprobes"
	command -v bpftool >/dev/null || missing bpf "no bpftool here"
	bpftool prog list >/dev/null 2>&1 || missing bpf "the bpf system call is not permitted"
}

# require_go: the test builds programs in Go.
require_go() {
	command -v go >/dev/null || missing go "no go here"
}

# wait_for CONDITION SECONDS: until the shell command CONDITION succeeds;
# status 1 if it does not in time.
wait_for() {
	_left=$(($2 * 20))
	until eval "$1"; do
		_left=$((_left - 1))
		[ "$_left" -gt 0 ] || return 1
		sleep 0.05
	done
}

# gone PID: the process has ended (a zombie has).
gone() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	'' | Z* | X*) return 0 ;;
	esac
	return 1
}

# port_open PORT: somebody listens on this TCP port.
port_open() {
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		grep -Eqi "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A "
}

# wait_port PORT: until somebody listens on it, 10 seconds at most.
wait_port() {
	wait_for "port_open $1" 10
}

# free_port: print a TCP port that nobody uses, held for this test until its
# end (a directory is the lock, so tests can run side by side).
free_port() {
	_seed=$(od -An -N4 -tu4 /dev/urandom)
	while :; do
		_seed=$((_seed + 1))
		_port=$((20000 + _seed % 12000))
		_lock=${TMPDIR:-/tmp}/gotap-port-$_port
		if ! port_open "$_port" && mkdir "$_lock" 2>/dev/null; then
			echo "$_lock" >>"$TMP/.ports"
			echo "$_port"
			return
		fi
	done
}
# shellcheck disable=SC2016  # expanded at the end
on_exit 'while read -r _l; do rmdir "$_l"; done <"$TMP/.ports"'

# stop PID [SIGNAL]: end a process that this test started, and wait for it.
stop() {
	kill -s "${2:-TERM}" "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
