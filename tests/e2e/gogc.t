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
is "$(load -n 60000 -c 16 -paths '/garbage,/deep,/hello' | jq -c '[.good, .wrong]')" "[60000,0]" \
	"20,000 requests of each kind are answered as without tracing"
stop_pipeline
is "$(spans true)" 60000 "60,000 spans"
is "$(spans .incomplete)" 0 "none is incomplete"
is "$(lost)" 0 "nothing was lost"
done_testing
