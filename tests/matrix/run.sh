#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [--part] versions|layouts
#
# goresolve against many versions of Go, each built in many ways: prints a table of
# cells, each "ok", "WRONG", "none" (cannot be built here), or "." (left out), and why.
# Status 1 if one is wrong. The file of that name in this directory has the versions and
# ways; --part takes the cells that it names for make check. MATRIX chooses versions by
# a pattern (grep -E), GOTAP_BIN or BUILD the build, JOBS how many cells are looked
# at at once.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
build=${BUILD:-build}
goresolve=${GOTAP_BIN:-$build/bin}/goresolve
[ -x "$goresolve" ] || {
	echo "matrix: no $goresolve" >&2
	exit 1
}
[ "$(go env GOARCH)" = amd64 ] || {
	echo "matrix: only on amd64" >&2
	exit 1
}
part=''
if [ "${1:-}" = --part ]; then
	part=yes
	shift
fi
list=tests/matrix/$1
ways=$(sed -n 's/^#ways //p' "$list")
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# "VERSION FLAVOUR" of each cell, in the order of the table; what others wait for first.
grep -v '^#' "$list" | grep -E -- "^(${MATRIX:-.*})( |\$)" |
	while read -r version chosen; do
		for way in $ways; do
			case "$part $chosen " in
			yes*" $way "* | ' '*) echo "$version $way" ;;
			esac
		done
	done >"$results/cells"

# shellcheck disable=SC2016  # expanded by that shell
xargs -L 1 -P "${JOBS:-$(nproc)}" sh -c '
	sh tests/matrix/cell.sh "$1" "$3" "$4" </dev/null >"$2/$3 $4" ||
		echo "wrong cell.sh failed" >"$2/$3 $4"
	printf "%s %s: %s\n" "$3" "$4" "$(head -n 1 "$2/$3 $4")" >&2
' sh "$goresolve" "$results" <"$results/cells"

python3 tests/matrix/table.py "$results" <"$list"
