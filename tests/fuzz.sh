#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh SECONDS: runs each fuzz target that long, from the files that earlier
# findings left in tests/fuzz/corpus/NAME. What it learns stays under the build
# directory; an input that crashes is kept there as well, and ends the run.
set -eu
cd "$(dirname "$0")/.."
fuzz=${BUILD:-build}/fuzz
for src in tests/fuzz/*.c; do
	name=$(basename "$src" .c)
	seeds=tests/fuzz/corpus/$name
	mkdir -p "$fuzz/corpus/$name"
	[ -d "$seeds" ] || seeds=
	echo "fuzz: $name for $1 s"
	# shellcheck disable=SC2086  # no seeds, no argument
	"$fuzz/tests/fuzz/$name" -max_total_time="$1" -timeout=10 -rss_limit_mb=1024 \
		-print_final_stats=1 -verbosity=0 -artifact_prefix="$fuzz/crash-$name-" \
		"$fuzz/corpus/$name" $seeds
done
