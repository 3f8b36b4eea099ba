#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, begins with its licence and has a guard.
. "$(dirname "$0")/../lib.sh"
command -v gcc >/dev/null || skip_all "no gcc here"

cd "$TOP" || exit 1
for h in lib/*.h cmd/*/*.h tests/unit/*.h; do
	# What includes the generated protobuf header needs it built before.
	out=$(gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Ilib -Ibpf -I"${BUILD:-build}/gen" \
		-I"$(dirname "$h")" -fsyntax-only -x c "$h" 2>&1 | grep -v 'pragma once')
	is "$out" "" "$h compiles alone"
	like "$(head -n 1 "$h")" "SPDX-License-Identifier: Apache-2.0" "$h names its licence"
done
done_testing
