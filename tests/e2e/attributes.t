#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a span says of its request, by the HTTP conventions.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl python3

# The mux that has patterns, though go.mod names an older Go.
GODEBUG=httpmuxgo121=0
export GODEBUG
ask() { curl -s -o /dev/null --path-as-is "$@"; }

server=$(build_target server) || bail "no server"
start_target "$server"
start_pipeline --pid "$TARGET_PID"
url=http://$TARGET_ADDR

ask -A agent/1.2 "$url/request?a=b&c=%20d"
ask "$url/empty"
ask "$url/status/404"
ask "$url/status/503"
ask "$url/status/204"
ask -X DELETE "$url/any/delete"
ask -X BREW "$url/any/brew"
ask -I "$url/hello"
ask -H 'Host: shop.example:8443' "$url/any/host"
ask -0 "$url/any/http10"
ask -d "$(head -c 5000 /dev/zero | tr '\0' x)" "$url/echo"
long=$(head -c 3000 /dev/zero | tr '\0' y)
ask "$url/any/$long?$long"
ask -A bytes --request-target '/any/%ff%fe%00z%e2%82%ac' "$url"
ask -A quotes --request-target '/any/%22%5c%0a%7b' "$url"
ask -A nopath --request-target 'http://absolute.example' "$url"
ask "$url/items/7"
ask -X POST "$url/items/8"
ask -X OPTIONS --request-target '*' "$url"
# Bytes that no client would send, from a port that is known.
from=$(free_port)
python3 - "$TARGET_PORT" "$from" <<-'END'
	import socket, sys
	s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=("127.0.0.1", int(sys.argv[2])))
	s.sendall(b"GET /any/raw\xff\xc3 HTTP/1.1\r\nHost: h\r\nUser-Agent: \xfe\r\nConnection: close\r\n\r\n")
	while s.recv(4096):
	    pass
END
stop_pipeline

# attr PATH KEY: what the span with this path has for a key, "-" if nothing.
attr() {
	jq -r --arg p "$1" --arg k "$2" 'select(.type == "span" and .attributes["url.path"] == $p)
		| .attributes[$k] // "-"' "$TMP/spans"
}
field() { # PATH KEY: the same of the span itself
	jq -r --arg p "$1" --arg k "$2" 'select(.type == "span" and .attributes["url.path"] == $p)
		| .[$k] // "-"' "$TMP/spans"
}

# path AGENT: the path, as JSON, of the span with this user agent.
path() {
	jq -c --arg a "$1" 'select(.type == "span" and .attributes["user_agent.original"] == $a)
		| .attributes["url.path"]' "$TMP/spans"
}

is "$(spans true)" 19 "a span for each request"
is "$(lost)" 0 "nothing was lost"
is "$(spans '.kind == "server" and .scope == "net/http" and .span == "http.server"')" 19 "kind, scope and type"

p=/request
is "$(attr $p http.request.method)" GET "method"
is "$(attr $p url.query)" 'a=b&c=%20d' "query, as it was sent"
is "$(attr $p url.scheme)" http "scheme"
is "$(attr $p http.response.status_code)" 200 "status"
is "$(attr $p server.address)" 127.0.0.1 "host"
is "$(attr $p server.port)" "$TARGET_PORT" "port"
is "$(attr $p client.address)" 127.0.0.1 "client address"
is "$(attr $p network.peer.address)" 127.0.0.1 "peer address"
is "$(attr $p user_agent.original)" agent/1.2 "user agent"
is "$(attr $p network.protocol.version)" 1.1 "protocol version"
is "$(attr $p http.route) $(field $p name)" "/request GET /request" "route and name"
is "$(jq -r 'select(.type == "span" and .attributes["url.path"] == "/request")
	| .attributes["http.response.status_code"] | type' "$TMP/spans")" number "the status is a number"

is "$(attr /empty http.response.status_code)" 200 "an implicit 200"
is "$(attr /empty url.query)" - "no query, no attribute"
is "$(attr /status/404 http.response.status_code) $(field /status/404 status)" "404 unset" \
	"404 is not the server's error"
is "$(attr /status/503 http.response.status_code) $(field /status/503 status)" "503 error" "503 is"
is "$(attr /status/503 error.type)" 503 "and has an error type"
is "$(attr /status/204 http.response.status_code)" 204 "204"
is "$(attr /any/delete http.request.method)" DELETE "DELETE"
is "$(attr /any/brew http.request.method) $(attr /any/brew http.request.method_original)" \
	"_OTHER BREW" "an unknown method"
is "$(field /any/brew name)" HTTP "and its name"
is "$(attr /hello http.request.method)" HEAD "HEAD"
is "$(attr /any/host server.address) $(attr /any/host server.port)" "shop.example 8443" "Host with a port"
is "$(attr /any/http10 network.protocol.version)" 1.0 "HTTP/1.0"
is "$(attr /echo http.request.body.size)" 5000 "request body size"
is "$(attr /echo http.response.body.size)" 5000 "response body size"
is "$(attr '*' http.request.method)" OPTIONS "OPTIONS *"
is "$(path bytes)" '"/any/��\u0000z€"' "a path with NUL and with bytes that are not UTF-8"
is "$(path quotes)" '"/any/\"\\\n{"' "a path with a quote, a backslash and a line feed"
is "$(path nopath)" '""' "an empty path is there, and empty"
is "$(attr '' server.address)" absolute.example "the host of an absolute request target"
is "$(attr /items/7 http.route) $(field /items/7 name)" "/items/{id} GET /items/{id}" \
	"the route, and the name from it"
is "$(attr /items/8 http.route) $(field /items/8 name)" "/items/ POST /items/" \
	"another pattern for another method"
is "$(attr /any/delete http.route) $(field /any/delete name)" "- DELETE" \
	"no mux, no route: the name is the method"
is "$(attr /any/raw�� network.peer.port)" "$from" "peer port"
is "$(attr /any/raw�� user_agent.original)" "�" "bytes that are not UTF-8 are replaced, one for one"

# The long path: the beginning, marked as truncated.
jq -c 'select(.type == "span") | select(.attributes["url.path"] | startswith("/any/yyy"))' \
	"$TMP/spans" >"$TMP/long"
is "$(wc -l <"$TMP/long")" 1 "a long path gives a span"
is "$(jq -r '.attributes["url.path"] | (length >= 200 and length < 3005) and (ltrimstr("/any/") |
	gsub("y"; "") == "")' "$TMP/long")" true "with its beginning"
like "$(jq -c .truncated "$TMP/long")" '"url.path"' "marked as truncated"

# Go that knows no patterns: no route, and nothing said about it.
stop "$TARGET_PID"
server=$(build_target server plain oldest) || bail "no server"
start_target "$server"
start_pipeline --pid "$TARGET_PID"
ask "http://$TARGET_ADDR/items/7"
stop_pipeline
is "$(attr /items/7 http.route) $(field /items/7 name)" "- GET" "oldest Go: no route, and the method for a name"
is "$(jq -c 'select(.type == "skip")' "$TMP/events")" "" "oldest Go: no skip record"
is "$(cat "$TMP/goresolve.err")" "" "oldest Go: no message either"
done_testing
