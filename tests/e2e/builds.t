#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same spans from every kind of build, of the oldest and the newest Go.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq

paths='/hello,/deep,/go,/status/404,/status/500,/empty,/panic,/goexit,/recovered,/hijack'
for version in oldest newest; do
	for flavour in plain stripped pie pie-stripped cgo; do
		name="$version Go, $flavour"
		server=$(build_target server "$flavour" "$version") || bail "no server: $name"
		start_target "$server"
		start_pipeline --pid "$TARGET_PID"
		is "$(load -n 1000 -c 8 -paths "$paths" | jq -c '[.good, .wrong]')" "[1000,0]" \
			"$name: 1,000 requests are answered as without tracing"
		stop_pipeline
		stop "$TARGET_PID"
		jq -r 'select(.type == "span") | [.kind, .status, (.incomplete // false),
			(.attributes | .["http.request.method"], .["url.path"], .["url.scheme"],
			.["http.response.status_code"] // "-", .["server.address"],
			.["client.address"], .["network.protocol.version"])] | join(" ")' \
			"$TMP/spans" | sort | uniq -c | awk '{ $1 = $1; print }' >"$TMP/$version-$flavour"
		is "$(awk '{ n += $1 } END { print n }' "$TMP/$version-$flavour")" 1000 \
			"$name: 1,000 spans"
		is "$(cat "$TMP/$version-$flavour")" "$(cat "$TMP/oldest-plain")" \
			"$name: the same as of the oldest Go, plain"
		is "$(lost)" 0 "$name: nothing was lost"
	done
done
like "$(cat "$TMP/oldest-plain")" '^100 server unset false GET /hello http 200 127.0.0.1 127.0.0.1 1.1$' \
	"and that is what was asked for"
done_testing
