#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A target that collects garbage all the time (stacks shrink and move) is traced
# exactly, and answers as it should.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

server=$(build_target server) || bail "no server"
GOGC=1
export GOGC
start_target "$server"
unset GOGC
start_pipeline --pid "$TARGET_PID"
is "$(load -n 6000 -c 16 -paths '/garbage,/deep,/hello' | jq -c '[.good, .wrong]')" "[6000,0]" \
	"6,000 requests are answered as without tracing"
stop_pipeline
is "$(spans true)" 6000 "6,000 spans"
is "$(spans .incomplete)" 0 "none is incomplete"
is "$(lost)" 0 "nothing was lost"
done_testing
