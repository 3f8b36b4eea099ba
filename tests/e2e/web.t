#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page of goexport --web in a real browser: live updates, search, a shared link,
# details, keys, ten thousand spans, a hostile target. Screenshots, light and dark, at
# 1280 and 400 pixels, are left in $BUILD/screenshots to be looked at.
. "$(dirname "$0")/../lib.sh"
require_command chromium chromedriver python3

SHOTS=${BUILD:-$TOP/build}/screenshots
mkdir -p "$SHOTS"
unset GOTAP_WEB_TOKEN OTEL_EXPORTER_OTLP_ENDPOINT
GOEXPORT=$BIN/goexport SHOTS=$SHOTS timeout -k 10 400 \
	python3 "$TOP/tests/e2e/web_page.py" "$TMP"
