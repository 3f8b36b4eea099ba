#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cell.sh GORESOLVE VERSION FLAVOUR
#
# One cell of the matrix: builds tests/targets/matrix with Go VERSION and compares
# what goresolve says of it with what Go's own tools and the program itself say.
# Prints "ok", "wrong" or "none" (it cannot be built) and why, then the faults. What
# others say is kept beside the binary; of a stripped one, it is its twin's.
set -u

goresolve=$1 version=$2 flavour=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
err=$(mktemp) || exit 1
trap 'rm -f "$err"' EXIT

build() { # FLAVOUR
	sh "$top/tests/build-target.sh" matrix "$1" "$version" 2>"$err"
}
none() {
	# The last line with a letter says most.
	echo "none $(grep '[a-z]' "$err" | tail -n 1 | cut -c 1-150)"
	exit
}
# keep FILE COMMAND…: its output in FILE, unless that is there and newer than the binary.
keep() {
	file=$1
	shift
	[ -s "$file" ] && [ -z "$(find "$twin" "$top/tests/matrix/truth.py" -newer "$file" -type f)" ] && return
	"$@" >"$file.new" 2>"$err" && mv "$file.new" "$file"
}
run_target() {
	case $flavour in
	arm64*)
		qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) &&
			"$qemu" -L /usr/aarch64-linux-gnu "$twin"
		;;
	*cshared* | *plugin*) ;; # no program
	*) "$twin" ;;
	esac
}

bin=$(build "$flavour") || none
twin=$bin
set --
case $flavour in
*stripped | *nosyms)
	same=${flavour%stripped} same=${same%nosyms} same=${same%-}
	twin=$(build "${same:-plain}") || none
	set -- --stripped
	;;
nodwarf) twin=$(build plain) || none ;;
esac
case $flavour in
*web*) set -- "$@" --plan ;;
esac
go=$(sh "$top/tests/build-target.sh" --go newest 2>"$err") || none
structs=$(sh "$top/tests/build-target.sh" structs plain newest 2>"$err") || none

wrong() {
	echo "wrong $1"
	tail -n 3 "$err"
	exit
}
export GOTOOLCHAIN=local
# Plugins of Go 1.17 to 1.19 say nothing of where they come from: that has to be said.
if [ -z "$("$go" version "$bin" 2>/dev/null)" ]; then
	"$goresolve" --report "$bin" 2>"$err" | grep -q 'without build information, as .* plugins before 1.20' ||
		wrong "no build information, and goresolve does not say so"
	echo "none no Go build information is in it, says go version; goresolve says so too"
	exit
fi
exec 9>"$twin.truth.lock"
flock 9
keep "$twin.truth" python3 "$top/tests/matrix/truth.py" "$go" "$twin" ||
	wrong "go tool nm and objdump do not read it"
keep "$twin.dwarf" "$structs" "$twin" || wrong "debug/dwarf does not read it"
says=$twin.says
keep "$says" run_target || case $flavour in
arm64* | *cshared* | *plugin*) says='' ;; # or no qemu here
*) wrong "it does not run" ;;
esac
exec 9>&-

# shellcheck disable=SC2086  # one word or none
if out=$(python3 "$top/tests/matrix/compare.py" "$@" "$goresolve" "$bin" "$twin.truth" \
	"$twin.dwarf" $says 2>&1); then
	echo "ok $out"
else
	echo "wrong $out"
fi
