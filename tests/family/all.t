#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# e2e/family.t with many versions of Go, plain and stripped, 10,000 requests each, 64 at a
# time: minutes. make check-family runs it; FAMILY_REQUESTS and FAMILY_VERSIONS are for
# those who want less.
. "$(dirname "$0")/../family.sh"
require_bpf
require_go
require_command jq curl

n=${FAMILY_REQUESTS:-10000}
for version in ${FAMILY_VERSIONS:-1.18.10 1.19.13 1.20.14 1.21.13 1.22.12 1.23.12 1.24.9 1.25.6 \
	1.26.11 1.27.3}; do
	family "$version" plain "$n" cf --func 'main.lookup*'
	family "$version" stripped "$n" c
done
done_testing
