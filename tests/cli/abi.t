#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where parameters are: our reading of the rules against what Go's compiler wrote into
# the debugging information, for every parameter of every function.
. "$(dirname "$0")/../lib.sh"
require_go

truth=$(dirname "$BIN")/tests/unit/abitruth
[ -x "$truth" ] || skip_all "tests/unit/abitruth is not built"

# compare ONE_IN PREFIX FILE NAME: at most one of so many parameters may differ.
compare() {
	"$truth" "$1" "$2" "$3" >"$TMP/out"
	ok $? "$4: $(sed -n 's/^ok 2 - //p' "$TMP/out")" || diag "$(cat "$TMP/out")"
}

# The functions of "signatures" use all of their parameters: not one may differ.
for v in oldest newest local; do
	bin=$(sh "$TOP/tests/build-target.sh" signatures plain "$v") || exit 1
	compare 1000000 main. "$bin" "every rule, $v Go"
done
pie=$(sh "$TOP/tests/build-target.sh" signatures pie local) || exit 1
compare 1000000 main. "$pie" "every rule, PIE"
(cd "$TOP/tests/targets/signatures" &&
	GOARCH=arm64 CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -o "$TMP/arm64" .) || exit 1
compare 1000000 main. "$TMP/arm64" "every rule, arm64"

# Whole programs: the compiler's locations of some parameters that are assigned to
# early are those that they have later. Up to Go 1.21 unnamed parameters are missing.
for v in newest local; do
	bin=$(sh "$TOP/tests/build-target.sh" server plain "$v") || exit 1
	compare 500 "" "$bin" "a whole server, $v Go"
done
compare 500 "" "$TMP/arm64" "a whole program, arm64"
old=$(sh "$TOP/tests/build-target.sh" server plain oldest) || exit 1
compare 20 "" "$old" "a whole server, oldest Go"
done_testing
