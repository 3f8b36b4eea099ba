#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How long a process that has just started stays unseen: from its exec to gofind's
# record, and to the first probe.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command python3

for flavour in plain stripped; do
	server=$(build_target server "$flavour") || bail "no server"
	say "$flavour:"
	python3 "$TOP/tests/bench/start.py" "$BIN" "$server" "${ROUNDS:-20}"
done
