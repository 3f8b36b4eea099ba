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
is "$(client '.attributes["http.request.resend_count"] == 1 and .attributes["http.request.method"] == "GET"')" \
	"$(served /redirect)" "a redirect leads to a request that was sent again"
is "$(client '.attributes["http.response.status_code"] == 302 and .status == "unset"')" "$(served /redirect)" \
	"and has a span of its own"
is "$(client '.attributes["error.type"] == "*net.OpError" and .status == "error" and
	.attributes["server.port"] == 1 and .attributes["http.response.status_code"] == null')" "$(served /refused)" \
	"a refused connection is an error"
# The second request of /stale goes out twice: its connection had been closed.
is "$(client '.attributes["http.request.method"] == "PUT" and .attributes["http.request.resend_count"] == null and
	.status == "error" and .attributes["error.type"] == "http.transportReadFromServerError" and
	.attributes["http.response.status_code"] == null')" "$(served /stale)" "what a closed connection fails is a span"
is "$(client '.attributes["http.request.method"] == "PUT" and .attributes["http.request.resend_count"] == 1 and
	.status == "unset" and .attributes["http.response.status_code"] == 200')" "$(served /stale)" \
	"and so is what the Transport sends once more"
is "$(jq -r 'select(.type == "span" and .attributes["http.request.method"] == "PUT") |
	[.attributes["url.full"], (.attributes["http.request.resend_count"] // 0), .start, .end] | @tsv' "$TMP/spans" | sort |
	awk '$2 { bad += $1 != url || $3 != end } { url = $1; end = $4 } END { print bad + 0 }')" 0 \
	"which begins when that has ended"
is "$(client '.attributes["url.full"] | test("^http://proxied.invalid/c/")')" "$(served /by-proxy)" "requests by a proxy"
is "$(client '(.attributes["url.full"] | test("^https://tunnelled.invalid:8443/c/")) and
	.attributes["server.address"] == "tunnelled.invalid" and .attributes["server.port"] == 8443 and
	.attributes["http.response.status_code"] == 200')" "$(served /by-tunnel)" "and by a tunnel"
is "$(client '.attributes["error.type"] == "*http.badStringError" or (.attributes["url.full"] | test("^gopher:")) and
	.status == "error"')" "$(served /unsent)" "what is never sent is an error"
# The first half of a body is there with the header; the caller does other things then.
is "$(client '.attributes["url.full"] | test("/halves/")')" "$(served /later)" "bodies that are read later"
is "$(jq -r 'select(.type == "span" and .span == "http.client" and .goid) | [.goid, .start, .end] | @tsv' "$TMP/spans" |
	sort -k 1,1n -k 2,2 | awk '{ bad += $1 == goid && $2 < end } { goid = $1; end = $3 } END { print bad + 0 }')" \
	0 "a request ends with its answer's header: what its goroutine sends next begins later"
is "$(spans '.span == "function" and .status == "error" and .attributes["error.type"] == "panic" and
	(.attributes["exception.type"] == null or .attributes["exception.message"] == null)')" 0 \
	"what a panic ended has its value, also where a deferred function called on its way"
is "$(spans '.attributes["exception.message"] == "inner: wanted" and .attributes["exception.type"] == "*fmt.wrapError"')" \
	"$(served /panics)" "a panic within the deferred function of another"
is "$(spans '.attributes["error.type"] == "runtime.Goexit"')" "$(($(served /goexit) + 2 * $(served /goexit-deferred)))" \
	"runtime.Goexit is no panic, also where a deferred function calls"
is "$(client '.attributes["url.full"] | test("/slow/")')" "$(served /cancelled)" "a cancelled request has a span"
is "$(client '(.attributes["url.full"] | test("/slow/")) and .status == "error" and
	(.attributes["error.type"] | test("^context.deadlineExceededError$"))')" "$(served /cancelled)" \
	"with the error"
is "$(client '(.attributes["url.full"] | test("^http:.*/c/")) and .attributes["server.port"] != 1 and
	(.attributes["http.request.method"] == "GET" or .attributes["http.request.resend_count"] == 1) and
	(.status != "unset" or .attributes["http.response.status_code"] != 200 or .kind != "client" or
	.attributes["network.protocol.version"] != "1.1" or
	(.attributes["server.address"] | test("^127.0.0.1$|^proxied.invalid$") | not))')" 0 \
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
