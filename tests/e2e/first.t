#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Services that are asked before they are there: with gofind --watch and a file that is
# known, each client's first request has its span if the service takes 50 ms to start.
# Nothing makes it wait for goattach: so on a busy machine not each is in time, but of
# forty some are; none would be if anything on the way looked only now and then.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq python3

server=$(build_target server) || bail "no server"
app=$TMP/first-$$
cp "$server" "$app"
# One that stays, so that the binary is resolved before the others come.
start_target "$app"
start_pipeline --exe "first-$$" --watch
port=$(free_port)

# of PATH: how many requests for it have spans.
of() {
	spans ".pid == $service and (.incomplete | not) and .attributes[\"url.path\"] == \"$1\""
}
caught=0 tried=0 answered=0
while [ $caught -lt 10 ] && [ $tried -lt 40 ]; do
	tried=$((tried + 1))
	python3 "$TOP/tests/e2e/knock.py" "$app" "$port" 4 20 >"$TMP/knock" || break
	read -r service first later <"$TMP/knock"
	[ "$first $later" != "4 76" ] || answered=$((answered + 1))
	# Its spans are there before its end is.
	wait_for "grep '\"type\":\"exit\"' $TMP/spans | grep -q '\"pid\":$service,'" 10
	[ "$(of /any/first) $(of /any/later)" != "4 76" ] || caught=$((caught + 1))
done
is $answered $tried "each service answers every request"
is $caught 10 "ten services are traced from their first request on (of $tried)"
stop_pipeline
is "$(lost) $status_goattach" "0 0" "nothing was lost"
done_testing
