#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [NAME…]: the benchmarks (overhead calls stages start attach apart hits resolve replay export
# web), one after the other. They print and assert nothing; compare only numbers of one run.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-build}
case $build in /*) ;; *) build=$(cd ../.. && pwd)/$build ;; esac
export GOTAP_BIN="$build/bin" FLOOR="$build/tests/bench/floor" GEN_EVENTS="$build/tests/bench/gen_events"
echo "machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"
[ $# -gt 0 ] || set -- overhead calls stages start attach apart hits resolve replay export web
for name; do
	echo "== $name"
	sh "./$name.sh"
done
