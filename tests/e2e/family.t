#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parents: each call's is who the program says made it, whatever way it went.
# make check-family has more versions and more requests.
. "$(dirname "$0")/../family.sh"
require_bpf
require_go
require_command jq curl

family newest plain 2000 cf --func 'main.lookup*'

# What client spans say, of each kind that the target makes.
client() { # JQ-FILTER
	spans ".span == \"http.client\" and ($1)"
}
served() { # PATH
	spans ".span == \"http.server\" and .attributes[\"url.path\"] == \"$1\""
}
is "$(client '.attributes["http.request.resend_count"] == 1')" "$(served /redirect)" \
	"a redirect leads to a request that was sent again"
is "$(client '.attributes["http.response.status_code"] == 302 and .status == "unset"')" "$(served /redirect)" \
	"and has a span of its own"
is "$(client '.attributes["error.type"] == "*net.OpError" and .status == "error" and
	.attributes["server.port"] == 1 and .attributes["http.response.status_code"] == null')" "$(served /refused)" \
	"a refused connection is an error"
is "$(client '.attributes["url.full"] | test("/slow/")')" "$(served /cancelled)" "a cancelled request has a span"
is "$(client '(.attributes["url.full"] | test("/slow/")) and .status == "error" and
	(.attributes["error.type"] | test("^context.deadlineExceededError$"))')" "$(served /cancelled)" \
	"with the error"
is "$(client '(.attributes["url.full"] | test("/c/")) and .attributes["server.port"] != 1 and
	(.status != "unset" or .attributes["http.response.status_code"] != 200 or .kind != "client" or
	.attributes["network.protocol.version"] != "1.1" or .attributes["server.address"] != "127.0.0.1")')" 0 \
	"all others were answered"
family oldest stripped 1000 c
family 1.20.14 cgo 1000 cf --func 'main.lookup*'

# Goroutines of testing/synctest do not come from go statements.
go=$(sh "$TOP/tests/build-target.sh" --go newest) || bail "no go"
(
	cd "$TOP/tests/targets/bubble" &&
		env -u GOROOT GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$go" test -c -o "$TMP/bubble" .
) >"$TMP/build.err" 2>&1 || bail "no test binary"
start_target "$TMP/bubble"
# shellcheck disable=SC2034  # of pipeline.sh
RESOLVE_ARGS='--func example.com/bubble.lookup'
start_pipeline --pid "$TARGET_PID"
kill -USR1 "$TARGET_PID"
wait "$TARGET_PID"
ok $? "a test in a bubble passes"
stop_pipeline
is "$(jq -r 'select(.type == "span") | [.attributes["arg.id"], .parent_from] | @tsv' "$TMP/spans" | sort)" \
	"1	none
2	goroutine
3	goroutine" "in testing/synctest: the bubble's goroutines belong to who made it"
is "$(jq -r 'select(.type == "span" and .attributes["arg.id"] > 1).parent_id' "$TMP/spans" | sort -u)" \
	"$(jq -r 'select(.type == "span" and .attributes["arg.id"] == 1).span_id' "$TMP/spans")" \
	"and their calls to its"
done_testing
