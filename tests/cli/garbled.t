#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that garble has made are refused, and it is said why.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq

goresolve=$BIN/goresolve
garble_version=v0.18.0 # for Go 1.27
garble=$TOP/build/targets/garble-$garble_version

# garble takes the go in PATH.
go=$(sh "$TOP/tests/build-target.sh" --go newest) || exit 1
PATH=$(dirname "$go"):$PATH
export PATH GOTOOLCHAIN=local GOFLAGS=-mod=mod GOWORK=off GARBLE_CACHE="$TOP/build/garble"
if [ ! -x "$garble" ]; then
	GOBIN=$TMP nice go install "mvdan.cc/garble@$garble_version" >"$TMP/log" 2>&1 &&
		mv "$TMP/garble" "$garble"
fi
[ -x "$garble" ] || missing go "garble cannot be built: $(tail -n 1 "$TMP/log")"

# It patches the linker, which go forbids where the modules are, and so is this go.
(cd "$TOP/tests/targets/shapes" &&
	GOMODCACHE=$TMP/modules CGO_ENABLED=0 nice "$garble" build -o "$TMP/garbled" .) >"$TMP/log" 2>&1
ok $? "garble build" || diag "$(cat "$TMP/log")"
"$goresolve" --report --json "$TMP/garbled" >"$TMP/out" 2>"$TMP/err"
is "$?, $(cat "$TMP/err")" "1, " "--report: status 1, nothing on stderr"
is "$(jq -r '.verdict, .reason, .detail, .advice' "$TMP/out")" "nothing
obfuscated
its names and tables are obfuscated, as garble does it
build without garble" "a verdict"
"$goresolve" --func 'main.*' "$TMP/garbled" >"$TMP/out" 2>"$TMP/err"
is "$?" 1 "a plan: status 1"
is "$(jq -rc '[.type, .reason]' "$TMP/out")" '["skip","obfuscated"]' "one skip"
is "$(cat "$TMP/err")" "goresolve: $TMP/garbled: its names and tables are obfuscated, as garble does it" \
	"with one message"
done_testing
