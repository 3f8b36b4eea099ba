#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check.sh KIND…: runs the tests of these kinds (unit cli golden large e2e) under one
# prove; all but large and e2e once more with the sanitized build. BUILD is the build
# directory, JOBS how many tests run at once, ONLY a pattern to choose by name. A
# test that hangs is ended after ten minutes.
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
list=$build/check
rm -rf "$list"

# The tests know what Go 1.22 and later do: where the machine's is older (Debian 12
# has 1.19), the newest of the tests' own takes its place.
case $(go env GOVERSION 2>/dev/null) in
go1.1? | go1.1?.* | go1.2[01]*)
	PATH=$(dirname "$(tests/build-target.sh --go newest)"):$PATH
	export PATH GOTOOLCHAIN=local
	;;
esac

# One file for each run, so that prove shows which is which.
add() { # NAME BUILD TEST
	mkdir -p "$(dirname "$list/$1")"
	cat >"$list/$1" <<-END
		#!/bin/sh
		export BUILD='$2' GOTAP_BIN='$2/bin'
		export ASAN_OPTIONS=detect_leaks=\${GOTAP_LEAKS:-1} UBSAN_OPTIONS=print_stacktrace=1
		cd '$top' && exec timeout --foreground -k 10 600 $3
	END
}

for kind; do
	case $kind in
	unit)
		for t in tests/unit/*.c; do
			case $t in *.bpf.c) continue ;; esac
			name=$(basename "$t" .c)
			add "unit/$name.t" "$build" "$build/tests/unit/$name"
			add "unit-sanitized/$name.t" "$build/san" "$build/san/tests/unit/$name"
		done
		;;
	e2e | large)
		for t in tests/"$kind"/*.t; do
			[ ! -e "$t" ] || add "$kind/$(basename "$t")" "$build" "sh $t"
		done
		;;
	*)
		for t in tests/"$kind"/*.t; do
			[ -e "$t" ] || continue
			add "$kind/$(basename "$t")" "$build" "sh $t"
			add "$kind-sanitized/$(basename "$t")" "$build/san" "sh $t"
		done
		;;
	esac
done

cd "$list"
find . -name '*.t' | sed 's,^\./,,' | grep -E -- "${ONLY:-.}" | sort >tests
# Those that look at the machine's processes do not run beside each other.
exec prove --timer --exec sh --jobs "${JOBS:-$(nproc)}" \
	--rules 'seq={e2e/*,cli*/go{find,attach}}.t' --rules 'par=**' - <tests
