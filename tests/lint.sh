#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh: every check that needs no running program; says all that is wrong,
# and fails if anything is. FLAGS are the compiler's, from the Makefile. The tools
# are Debian 12's; later ones find other things, some of them not there.
# shellcheck disable=SC2317  # the steps are called by name
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
step() { # NAME COMMAND…
	name=$1
	shift
	if "$@"; then
		echo "lint: $name: good"
	else
		echo "lint: $name: FAILED"
		failed=1
	fi
}

# No git here: the tree may be an archive, or belong to somebody else.
files() { # NAME…
	for pattern; do
		find . -path ./build -prune -o -path ./.git -prune -o -type f -name "$pattern" -print
	done | sed 's,^\./,,' | sort
}
c_files() {
	files '*.c' '*.h'
}
own_c() { # what the host's compiler builds, libFuzzer's targets too
	c_files | grep '\.c$' | grep -Ev '\.bpf\.c$'
}
shell_files() {
	files '*.sh' '*.t'
	echo .ci/run
}

spdx() {
	for f in $(c_files) $(shell_files) Makefile $(files '*.go'); do
		[ ! -e "$f" ] || head -n 3 "$f" | grep -q SPDX-License-Identifier || echo "$f: no SPDX line"
	done | (! grep .)
}
format() {
	c_files | xargs clang-format --dry-run -Werror
}
tidy() {
	# Generated headers are not ours to judge.
	# shellcheck disable=SC2016  # expanded by the inner shell
	own_c | xargs -P "$(nproc)" -n 4 sh -c '
		flags=$0
		clang-tidy --quiet "$@" -- $flags -Itests/unit 2>/dev/null |
			grep -E "(error|warning):" | grep -v /gen/ && exit 1 || exit 0' "$FLAGS"
}
check_cpp() {
	own_c | xargs cppcheck --quiet --std=c11 --error-exitcode=1 -j "$(nproc)" --inline-suppr \
		--enable=warning,performance,portability --suppress=missingIncludeSystem \
		--suppress=unknownMacro --suppress='*:build/*' -D_GNU_SOURCE -D__x86_64__ -Ilib -Ibpf
}
shells() {
	shell_files | xargs shellcheck -x
}
pages() {
	# SEE ALSO is in the order of the pipeline, as people read it.
	mandoc -Tlint -Wwarning man/*.[1-8] | grep -v 'unusual Xr order' | (! grep .)
}
go_format() {
	gofmt -l tests/targets | (! grep .)
}

step spdx spdx
step clang-format format
step shellcheck shells
step mandoc pages
if command -v gofmt >/dev/null; then
	step gofmt go_format
fi
step cppcheck check_cpp
step clang-tidy tidy
exit "$failed"
