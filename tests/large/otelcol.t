#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/program.sh"
check_program otelcol
