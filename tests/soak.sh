#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# soak.sh: what takes too long for `make check`. SOAK_MINUTES (10) of full load on a target,
# with one pipeline that traces it all the time and a goattach beside it that comes and goes
# every few seconds. Then the faults of tests/e2e/faults.t at full length: 30 seconds
# stopped, a minute of a full pipe, a thousand times attached and detached (SOAK_TIMES).
# Needs root; BUILD is the build directory.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export GOTAP_BIN="$build/bin" GOTAP_SOAK_SECONDS=$((${SOAK_MINUTES:-10} * 60))
export GOTAP_STOP_SECONDS=30 GOTAP_FULL_SECONDS=60 GOTAP_ATTACH_TIMES="${SOAK_TIMES:-1000}"
exec prove --timer --exec sh tests/e2e/soak.t tests/e2e/faults.t tests/e2e/churn.t
