#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same spans from every kind of build, of the oldest and the newest Go: all
# that is read by an offset is compared, so that a wrong one shows.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

trace=0af7651916cd43dd8448eb211c80319c parent=b7ad6b7169203331
paths='/hello?a=b&n=%20,/deep,/go,/status/404,/status/204,/status/500,/empty,/panic,/goexit,/recovered,/hijack,/echo'
kinds=12 each=50
for version in oldest newest; do
	for flavour in plain stripped pie pie-stripped cgo; do
		name="$version Go, $flavour"
		server=$(build_target server "$flavour" "$version") || bail "no server: $name"
		start_target "$server"
		start_pipeline --pid "$TARGET_PID"
		is "$(load -n $((kinds * each)) -c 8 -paths "$paths" -method POST -body 37 -host shop.example:81 \
			-H "User-Agent: agent/$each" -H "Traceparent: 00-$trace-$parent-01" |
			jq -c '[.good, .wrong]')" "[$((kinds * each)),0]" "$name: requests are answered as without tracing"
		# One more, from a port that is known and with no header.
		from=$(free_port)
		curl -s -o /dev/null -H 'User-Agent;' --local-port "$from" "http://127.0.0.1:$TARGET_PORT/hello"
		stop_pipeline
		stop "$TARGET_PID"
		is "$(spans ".parent_from == \"none\" and .attributes[\"network.peer.port\"] == $from")" 1 \
			"$name: the peer's port"
		# The peer's port, time, ids and pid differ by nature; all else is compared.
		jq -r --arg parent "$parent" 'select(.type == "span" and .parent_id == $parent)
			| del(.v, .pid, .goid, .span_id, .start, .end, .attributes["network.peer.port"])
			| [paths(type != "object" and type != "array") as $p | "\($p | last)=\(getpath($p))"] | sort | join(" ")' \
			"$TMP/spans" | sort | uniq -c | awk '{ $1 = $1; print }' >"$TMP/$version-$flavour"
		is "$(wc -l <"$TMP/$version-$flavour") $(awk '{ n += $1 } END { print n }' "$TMP/$version-$flavour")" \
			"$kinds $((kinds * each))" "$name: a span for each request, $kinds kinds of them"
		is "$(cat "$TMP/$version-$flavour")" "$(cat "$TMP/oldest-plain")" \
			"$name: the same as of the oldest Go, plain"
		is "$(lost)" 0 "$name: nothing was lost"
	done
done

# And that is what was asked for. "$TMP/common" has what all spans share.
jq -r --arg parent "$parent" 'select(.type == "span" and .parent_id == $parent) | [.kind, .name,
	.parent_from, .trace_id, .flags, (.attributes | .["http.request.method"], .["url.scheme"],
	.["server.address"], .["server.port"], .["client.address"], .["network.peer.address"],
	.["network.protocol.version"], .["user_agent.original"], .["http.request.body.size"])]
	| map(tostring) | join(" ")' "$TMP/spans" | sort -u >"$TMP/common"
is "$(cat "$TMP/common")" \
	"server POST remote $trace 1 POST http shop.example 81 127.0.0.1 127.0.0.1 1.1 agent/$each 37" \
	"what all requests have in common is what was sent"
jq -r --arg parent "$parent" 'select(.type == "span" and .parent_id == $parent) | [.status, (.attributes
	| .["url.path"], .["url.query"], .["http.response.status_code"], .["http.response.body.size"],
	.["error.type"])] | map(. // "-" | tostring) | join(" ")' "$TMP/spans" | sort -u >"$TMP/each"
is "$(cat "$TMP/each")" "error /goexit - - - runtime.Goexit
error /panic - - - panic
error /status/500 - 500 11 500
unset /deep - 200 10 -
unset /echo - 200 37 -
unset /empty - 200 0 -
unset /go - 200 5 -
unset /hello a=b&n=%20 200 6 -
unset /hijack - - - -
unset /recovered - 200 10 -
unset /status/204 - 204 0 -
unset /status/404 - 404 11 -" "and so is what each has of its own"
done_testing
