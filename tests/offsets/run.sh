#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the programs under tests/offsets/ with each version that their file
# "versions" names and writes lib/offsets/PROGRAM.tsv from their debugging
# information. OFFSETS_BUILT=1 takes only what is built already.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
tool=${BUILD:-build}/tests/offsets/goresolve_offsets

for dir in tests/offsets/*/; do
	prog=$(basename "$dir")
	list=build/offsets/$prog.list
	mkdir -p build/offsets
	: >"$list"
	grep -v '^#' "$dir/versions" | while read -r version arches; do
		for arch in $arches; do
			bin=build/offsets/$prog-$version-$arch
			if [ -z "${OFFSETS_BUILT:-}" ]; then
				sh tests/offsets/build.sh "$prog" "$version" "$arch" >/dev/null
			fi
			if [ -x "$bin" ]; then
				echo "$version $arch $bin" >>"$list"
			fi
		done
	done
	{
		echo '# SPDX-License-Identifier: Apache-2.0'
		echo '# Made by "make offsets" from debugging information; see lib/offsets.h.'
		printf '# module\ttype\tfield (=: size)\tarch\toldest\tnewest\toffset (-: absent)\ttype of the field\n'
		"$tool" "$(cat "$dir/module" 2>/dev/null || echo std)" <"$list"
	} >"lib/offsets/$prog.tsv.new"
	mv "lib/offsets/$prog.tsv.new" "lib/offsets/$prog.tsv"
	echo "lib/offsets/$prog.tsv: $(wc -l <"$list") binaries, $(grep -vc '^#' "lib/offsets/$prog.tsv") rows"
done
