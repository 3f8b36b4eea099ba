#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What tracing adds to a goroutine's creation and to a client's request: untraced,
# traced, traced with probes at newproc1's entry and RETs in place of the one call site,
# or with the client's spans ended at RETs in place of the branch, and (requests) with
# otelhttp's Transport; in turn, several times. The programs measure
# their own CPU; of otelhttp's the answering side is another process, so what the
# same requests take there without it is measured too.
. "$(dirname "$0")/common.sh"
require_bpf
require_go
require_command jq taskset curl

ROUNDS=${ROUNDS:-5} GOROUTINES=${GOROUTINES:-200000} REQUESTS=${REQUESTS:-5000}
LOAD=$(build_target load) || bail "no load generator"
costs=$(build_target costs) || bail "no target"
cp "$costs" "$TMP/costs"
sink=$(build_target sink) || bail "no sink"
sdk=$(build_target sdkserver) || bail "no SDK server"
start_target taskset -c "$LOAD_CPU" "$sink"
SINK=$TARGET_ADDR
OTEL_EXPORTER_OTLP_ENDPOINT=http://$SINK OTEL_SERVICE_NAME=sdkserver
export OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME
start_server "$sdk"
sdk_addr=$TARGET_ADDR
unset OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME
start_server "$TMP/costs"
costs_pid=$TARGET_PID costs_addr=$TARGET_ADDR
backend=$(curl -sf "http://$costs_addr/backend") || bail "no backend"
"$BIN/goresolve" "$TMP/costs" >"$TMP/plan" || bail "no plan"

# The dear way: the first instructions of what the caller does on the system stack, and
# its returns.
cat >"$TMP/newproc1.recipe" <<END
recipe lineage
on-demand
contexts context.Context
contexts context.withoutCancelCtx c
func runtime.newproc1 () (newg *runtime.g)
span any
	kind internal
	scope runtime
	g g.m.curg
	create ret runtime.newproc1
	disown entry runtime.newproc1
	capture create gotap.new_g newg
END

ask() { # VARIANT WHAT ADDRESS N …
	curl -sf "http://$3/$2?n=$4${5:-}" >>"$TMP/$1.$2" || bail "$1: no answer"
}
both() { # VARIANT
	ask "$1" go "$costs_addr" "$GOROUTINES"
	ask "$1" client "$costs_addr" "$REQUESTS"
}
traced() { # VARIANT goresolve's options
	TARGET_PID=$costs_pid RESOLVE_ARGS=$2
	start_stages
	both "$1"
	stop_pipeline
}

both warm
ask warm client "$sdk_addr" "$REQUESTS" "&to=$backend"
for round in $(seq "$ROUNDS"); do
	say "# round $round of $ROUNDS"
	both untraced
	traced traced ''
	traced newproc1 "--recipe $TMP/newproc1.recipe"
	traced ret '--site ret'
	ask otelhttp client "$sdk_addr" "$REQUESTS" "&to=$backend"
	ask plain client "$sdk_addr" "$REQUESTS" "&to=$backend&plain=1"
done

row() { # WHAT VARIANT BASE
	[ -e "$TMP/$2.$1" ] || return 0
	echo "$1 $2 $(min_median_max <"$TMP/$2.$1") $(median <"$TMP/$3.$1")" |
		awk -v base="$3" '{ printf "%-8s %-9s %9.0f %9.0f %9.0f %9s\n", $1, $2, $3, $4, $5,
			$2 == base ? "-" : sprintf("%.0f", $4 - $6) }'
}
say "CPU of the program, ns for each; $ROUNDS interleaved rounds"
printf '%-8s %-9s %9s %9s %9s %9s\n' what variant min median max added
for what in go client; do
	for v in untraced traced newproc1 ret; do
		row "$what" "$v" untraced
	done
done
row client plain plain
row client otelhttp plain
say "(go: a goroutine created within a traced request; client: a request by net/http, whose" \
	"answering side is in the same program; plain and otelhttp: without and with otelhttp's" \
	"Transport, the answering side left out)"
