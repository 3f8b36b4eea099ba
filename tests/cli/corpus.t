#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What fuzzing has found stays found: each fuzz target with all inputs of its corpus and
# patches of real binaries, under the sanitizers.
. "$(dirname "$0")/../lib.sh"
[ -d "$(dirname "$BIN")/tests/fuzz" ] || skip_all "fuzz targets are built with sanitizers alone"
require_go

out=$(BUILD=$(dirname "$BIN") sh "$TOP/tests/fuzz.sh" replay 2>&1)
for src in "$TOP"/tests/fuzz/*.c; do
	name=$(basename "$src" .c)
	like "$out" "^ok $name: [1-9][0-9]* inputs$" "$name"
done
[ "$_failed" -eq 0 ] || diag "$(printf '%s\n' "$out" | grep -v '^ok')"
done_testing
