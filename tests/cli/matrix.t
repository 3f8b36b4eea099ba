#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A part of the matrix of Go versions and ways to build: make check-matrix is all of
# it. The table says what was left out.
. "$(dirname "$0")/../lib.sh"
require_go
require_command objdump python3

[ "$(go env GOARCH)" = amd64 ] || skip_all "only on amd64"
sh "$TOP/tests/matrix/run.sh" --part >"$TMP/table" 2>"$TMP/progress"
status=$?
sed 's/^/# /' "$TMP/table"
is "$status" 0 "no cell is wrong" || diag "$(cat "$TMP/progress")"
grep -q ' right, 0 wrong' "$TMP/table"
ok $? "by the table"
# What needs neither a C compiler nor another machine's has to be there.
[ "$(grep -Ec '^[0-9.]+ (plain|stripped|pie|pie-stripped|web|web-stripped|arm64|arm64-stripped): ok ' \
	"$TMP/progress")" -ge 14 ]
ok $? "the cells that need no C compiler were built and are right" || diag "$(cat "$TMP/progress")"
done_testing
