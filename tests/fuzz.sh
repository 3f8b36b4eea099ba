#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh SECONDS | replay: runs each fuzz target that long, from the files that earlier
# findings left in tests/fuzz/corpus/NAME and from real Go binaries, which it builds.
# ONLY is a pattern to choose targets by name. What a run learns stays under the build
# directory, for the next. An input that crashes, takes more than a second of the
# processor or more than 256 MB at once is kept there as well, and ends the run.
# With "replay" targets that any compiler built just run what they would begin with.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
fuzz=$build/fuzz

# The order is that of the first byte of an input (tests/fuzz/realbin.h).
binaries=
for b in "dwarf 1.17.13" "stripped oldest" "dwarf newest" "plain newest" "pie newest" \
	"stripped newest" "arm64 newest"; do
	# shellcheck disable=SC2086  # two words
	binaries=$binaries:$(tests/build-target.sh tiny $b)
done
export GOTAP_FUZZ_BINARIES="${binaries#:}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-quarantine_size_mb=16}"

# One patch of each kind in each region of each binary.
real_seeds() { # DIR
	for b in 0 1 2 3 4 5 6; do
		for region in 0 1 2 3 4 5 6; do
			# shellcheck disable=SC2059  # octal numbers
			printf "\\$b\\$region\\000\\000\\000\\000\\010\\000\\001\\000\\000\\000\\001\\000\\000" \
				>"$1/seed-$b-$region"
			# shellcheck disable=SC2059
			printf "\\$b\\$region\\001\\020\\000\\000\\004" >"$1/ones-$b-$region"
		done
	done
}

# What a target begins with: corpus directories that are only read.
seeds_of() {
	[ ! -d "tests/fuzz/corpus/$1" ] || echo "tests/fuzz/corpus/$1"
	case $1 in
	recipe_fuzz) echo lib/recipes ;;
	real_*)
		mkdir -p "$fuzz/seeds"
		real_seeds "$fuzz/seeds"
		echo "$fuzz/seeds"
		;;
	esac
}

# How long an input takes says little on a busy machine: those that took more than
# two seconds run again, alone, with a second of processor time.
check_slow() {
	for f in "$fuzz/crash-$1-slow-unit-"*; do
		[ -e "$f" ] || continue
		if prlimit --cpu=2 "$fuzz/tests/fuzz/$1" "$f" >/dev/null 2>&1; then
			rm "$f"
			continue
		fi
		echo "fuzz: $1: $f takes more than a second" >&2
		exit 1
	done
}

# Seconds of processor time of all targets so far.
cpu() {
	awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }'
}

run() { # NAME SECONDS
	mkdir -p "$fuzz/corpus/$1"
	times >"$fuzz/times" # not in a subshell, which has times of its own
	before=$(cpu <"$fuzz/times")
	# shellcheck disable=SC2046  # a word for each directory
	"$fuzz/tests/fuzz/$1" -max_total_time="$2" -timeout=20 -report_slow_units=2 \
		-malloc_limit_mb=256 -rss_limit_mb=1024 -len_control=0 -max_len=8192 \
		-artifact_prefix="$fuzz/crash-$1-" \
		"$fuzz/corpus/$1" $(seeds_of "$1") >"$fuzz/log-$1" 2>&1 || {
		tail -n 40 "$fuzz/log-$1" >&2
		exit 1
	}
	check_slow "$1"
	times >"$fuzz/times"
	echo "fuzz: $1: $(sed -n 's/^#\([0-9]*\).*DONE *\(cov: [0-9]*\).*corp: \([0-9]*\).*/\1 inputs, \2, \3 kept/p' \
		"$fuzz/log-$1"), $(($(cpu <"$fuzz/times") - before)) s of processor time"
}

replay() { # NAME
	# shellcheck disable=SC2046  # a word for each directory
	said=$("$build/tests/fuzz/$1" $(seeds_of "$1") 2>"$fuzz/said") && echo "ok $1: $said" && return
	echo "not ok $1"
	head -n 20 "$fuzz/said" | sed 's/^/# /'
}

mkdir -p "$fuzz"
for src in tests/fuzz/*.c; do
	name=$(basename "$src" .c)
	if [ "$1" = replay ]; then
		replay "$name"
	elif echo "$name" | grep -Eq -- "${ONLY:-.}"; then
		run "$name" "$1"
	fi
done
