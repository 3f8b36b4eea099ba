#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parents: each call's is who the program says made it, whatever way it went.
# make check-family has more versions and more requests.
. "$(dirname "$0")/../family.sh"
require_bpf
require_go
require_command jq curl

family newest plain 2000 cf --func 'main.lookup*'
family oldest stripped 1000 c
done_testing
