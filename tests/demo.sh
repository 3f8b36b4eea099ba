#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The demo: a shop of two ordinary Go services, a little load, and the five
# programs for ten seconds: HTTP servers, and one function by name, with the
# traces on the terminal. Where this machine cannot trace, it says so and replays
# a recorded stream. Leaves nothing behind.
set -eu
cd "$(dirname "$0")/.."
bin=${BUILD:-build}/bin
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gotap-demo.XXXXXX")
pids=
finish() {
	trap - EXIT
	# shellcheck disable=SC2086  # a list of pids
	[ -z "$pids" ] || kill $pids 2>/dev/null || true
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
say() { printf '\n== %s\n' "$*"; }

start() { # NAME PROGRAM ARGUMENT…; its address is in $address
	name=$1
	shift
	: >"$tmp/$name" # there before the program is: it is read at once
	"$@" >"$tmp/$name" 2>&1 &
	pids="$! $pids"
	for _ in $(seq 100); do
		address=$(sed -n 's/^ready *//p' "$tmp/$name")
		[ -z "$address" ] || return 0
		sleep 0.1
	done
	cat "$tmp/$name" >&2
	exit 1
}

say "Building the two services and the load generator with $(PATH=$PATH:/usr/local/go/bin go version)"
for t in backend frontend load; do
	tests/build-target.sh "$t" plain local
done >"$tmp/built"
{ read -r backend; read -r frontend; read -r load; } <"$tmp/built"

start backend "$backend"
start frontend "$frontend" -backend "$address"
ports=${address##*:}
"$load" -addr "$address" -for 12s -n 0 -rate 4 -c 2 -H 'User-Agent: demo' \
	-paths '/,/product?item=cup,/product?item=teapot,/checkout,/missing' >"$tmp/load" &
pids="$! $pids"
ports=$ports,$(sed -n 's/^ready .*://p' "$tmp/backend")

say "Tracing them for ten seconds:"
say "gofind --port $ports | goresolve --func main.ask | goattach | gospan | goexport --tree"
{
	"$bin/gofind" --port "$ports" | "$bin/goresolve" -q --func main.ask | {
		status=0
		timeout --foreground -s TERM 10 "$bin/goattach" || status=$?
		echo "$status" >"$tmp/status"
	} | "$bin/gospan" | "$bin/goexport" --tree
} || true

if [ "$(cat "$tmp/status")" -eq 4 ]; then
	say "This machine cannot trace (the message above says why)."
	say "Instead, a stream recorded elsewhere: gospan < demo.jsonl | goexport --tree"
	"$bin/gospan" <tests/golden/demo.jsonl | "$bin/goexport" --tree
	exit 0
fi
wait "${pids%% *}" || true
say "The services answered: $(cat "$tmp/load")"
