#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# CPU per span and resident memory of each stage at 1,000 and 10,000 requests a
# second, and the highest rate at which nothing is lost.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq taskset curl

prepare
start_server "$server"

at_rate() { # RATE SECONDS
	start_stages
	for s in $STAGES; do
		eval "before_$s=\$(cpu_ns \$pid_$s)"
	done
	load_for "$2" -rate "$1" -c 32 >"$TMP/load"
	sleep 1.5
	n=$(jq .requests "$TMP/load")
	for s in $STAGES; do
		! eval "gone \$pid_$s" || bail "$s has ended before it was measured"
	done
	say "$1 requests/s for $2 s ($(jq '.rate | floor' "$TMP/load") reached):"
	for s in $STAGES; do
		eval "echo $s \$(cpu_ns \$pid_$s) \$before_$s $n \$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/\$pid_$s/status) \$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/\$pid_$s/status)"
	done | awk '{ us = ($2 - $3) / $4 / 1000; all += us; rss += $5
		printf "  %-10s %8.2f us/span %8.1f MB resident %8.1f MB at most\n", $1, us, $5 / 1024, $6 / 1024 }
		END { printf "  %-10s %8.2f us/span %8.1f MB resident\n", "all", all, rss / 1024 }'
	stop_pipeline
}

at_rate 1000 "${SECONDS_1000:-60}"
at_rate 10000 "${SECONDS_10000:-20}"

# lost_at RATE: what the stages say they lost at this rate, in five seconds.
port=$(free_port)
lost_at() {
	MORE_EXPORT_ARGS="--prometheus 127.0.0.1:$port"
	start_stages
	load_for 5 -rate "$1" -c 64 >"$TMP/load"
	sleep 2
	curl -s "http://127.0.0.1:$port/metrics" | awk '/^gotap_.*lost.*[ }]/ { n += $NF } END { print n + 0 }'
	stop_pipeline
}
best=0
for rate in 5000 10000 15000 20000 25000 30000 40000 50000; do
	lost=$(lost_at $rate)
	reached=$(jq '.rate | floor' "$TMP/load")
	say "$rate requests/s ($reached reached): $lost lost"
	[ "$lost" = 0 ] || break
	[ "$reached" -le "$best" ] || best=$reached
	[ $((reached * 100)) -ge $((rate * 95)) ] || break
done
say "highest rate with nothing lost: $best requests/s, with server, load and stages on $CPUS cores"
