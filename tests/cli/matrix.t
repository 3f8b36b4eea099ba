#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A part of the matrix of Go versions and ways to build: make check-matrix is all of
# it. The table says what was left out.
. "$(dirname "$0")/../lib.sh"
require_go
require_command objdump python3

[ "$(go env GOARCH)" = amd64 ] || skip_all "only on amd64"

part() { # FILE CELLS: at least so many of those that need no C compiler are right
	sh "$TOP/tests/matrix/run.sh" --part "$1" >"$TMP/table" 2>"$TMP/progress"
	status=$?
	sed 's/^/# /' "$TMP/table"
	is "$status" 0 "$1: no cell is wrong" || diag "$(cat "$TMP/progress")"
	grep -q ' right, 0 wrong' "$TMP/table"
	ok $? "$1: by the table"
	right=$(grep -v cgo "$TMP/progress" |
		grep -Ec ' (plain|stripped|pie|nosyms|nodwarf|dwarf|web|arm64|arm64-tramp)(-stripped)?: ok ')
	[ "$right" -ge "$2" ]
	ok $? "$1: the cells that need no C compiler were built and are right" ||
		diag "$(cat "$TMP/progress")"
}
case $BIN in
*/san/*) # what the sanitizers have to see is the same in all
	MATRIX=1.27.3
	export MATRIX
	part versions 8
	;;
*)
	part versions 14
	part layouts 5
	;;
esac
done_testing
