#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sites that cannot be probed: such as the kernel refuses, and such as would break
# the program. They are left out, one by one and soon; the rest is traced.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl

# detach: asks goattach to end.
detach() {
	kill "$pid_goattach"
	wait "$pid_goattach"
}

# attach PLAN OPTION…: goattach in the background; returns once a probe is in place.
attach() {
	rm -f "$TMP/events"
	_plan=$1
	shift
	"$BIN/goattach" "$@" <"$_plan" >"$TMP/events" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	wait_attached 1
}

# links: descriptors of BPF links that goattach holds.
links() {
	grep -l '^link_id:' /proc/"$pid_goattach"/fdinfo/* 2>/dev/null | wc -l
}

# skipped REASON: detail of the skip records.
skipped() {
	jq -r "select(.type == \"skip\" and .reason == \"$1\") | .detail" "$TMP/events"
}

server=$(build_target server plain newest) || bail "no server"
start_target "$server"
"$BIN/gofind" --pid "$TARGET_PID" 2>/dev/null >"$TMP/process"
"$BIN/goresolve" <"$TMP/process" 2>/dev/null >"$TMP/plan"

# --- sites inside instructions -----------------------------------------------------

# wrong NAME JQ: the probe of the server's spans with its first site changed is left
# out, and with it the begin of all spans; the target lives.
wrong() {
	jq -c "if .type == \"probe\" and (.sites | any(.event == \"begin\")) then $2 else . end" \
		"$TMP/plan" >"$TMP/wrong"
	rm -f "$TMP/events"
	"$BIN/goattach" <"$TMP/wrong" >"$TMP/events" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	wait_for "grep -qs bytes-differ $TMP/events" 10
	like "$(skipped bytes-differ)" 'whole instruction|entry|instruction at' "$1: left out"
	is "$(load -n 20 -paths /hello | jq .good)" 20 "$1: the target lives"
	kill "$pid_goattach"
	wait "$pid_goattach"
}
inside='.addr |= (ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + if $c > 57 then $c - 87 else $c - 48 end)
	| "\(. + 1)") | .offset |= (ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + if $c > 57 then $c - 87 else $c - 48 end)
	| "\(. + 1)") | .bytes |= .[2:]'
wrong "an instruction cut short" '(.sites[0].bytes |= .[:2])'
wrong "cut short, no entry" 'del(.entry) | (.sites[0].bytes |= .[:2])'
if [ "$(uname -m)" = x86_64 ]; then
	wrong "the middle of an instruction" "(.sites[0] |= ($inside))"
	wrong "the middle of it, no entry" "del(.entry) | (.sites[0] |= ($inside))"
fi
wrong "an entry behind the site" '.entry = .sites[0].addr | .entry |= (.[:-1] + "f")'
wrong "an entry elsewhere" '.entry = "0x10"'

# A plan without entries, as made by hand, is good if each site is an instruction.
jq -c 'del(.entry)' "$TMP/plan" >"$TMP/noentry"
attach "$TMP/noentry"
ok $? "a plan without entries is attached"
is "$(grep -c '"reason":"bytes-differ"' "$TMP/events")" 0 "all of it"
detach

# --- no room ----------------------------------------------------------------------

# Probes that unwind come last in the plan, but without them no panic would be seen.
"$BIN/goresolve" --func 'net/http.*' <"$TMP/process" 2>/dev/null >"$TMP/plan"
attach "$TMP/plan" --max-sites 40
like "$(skipped limit)" 'max-sites' "more sites than --max-sites"
jq -r 'select(.type == "probe" and .role == "unwind") | .symbol | select(startswith("runtime."))' "$TMP/plan" |
	sort >"$TMP/unwind"
is "$(jq -r 'select(.type == "attach") | .symbol' "$TMP/events" | sort | comm -12 - "$TMP/unwind")" \
	"$(cat "$TMP/unwind")" "the probes that unwind have theirs"
[ -s "$TMP/unwind" ]
ok $? "there are such probes"
detach

# --- sites that the kernel refuses --------------------------------------------------

if [ "$(uname -m)" != x86_64 ]; then
	done_testing
fi
# An EVEX instruction, which the kernel does not single-step: first of a function
# of the garbage collector.
at=$(go tool nm "$server" | awk '$3 ~ /scan\.expandAVX512_1$/ { print "0x" $1 }')
[ -n "$at" ] || bail "no AVX-512 in the server"
shift=$(jq -r 'select(.type == "probe") | .sites[0] | "\(.addr) \(.offset)"' "$TMP/plan" |
	head -n 1 | { read -r a o; echo $((a - o)); })
bytes=$(dd if="$server" bs=1 skip=$((at - shift)) count=6 2>/dev/null | od -An -tx1 | tr -d ' \n')
# One in each ten probes gets a companion of that kind.
jq -c --arg at "$at" --arg off "$((at - shift))" --arg bytes "$bytes" '., (
	select(.type == "probe" and .recipe == "func" and input_line_number % 10 == 0) |
	.probe |= "bad" + .[3:] | .span = "bad" + .probe | .entry = $at | .captures = [] | .sites = [
		{at: "entry", event: "begin", addr: $at, offset: $off, bytes: $bytes}])' \
	"$TMP/plan" >"$TMP/refused"
bad=$(grep -c '"probe":"bad' "$TMP/refused")
all=$(grep -c '"type":"probe"' "$TMP/plan")
like "$bad of $all" '^[2-9][0-9]+ of [0-9]{3}|^[0-9]{3} of' "there are refused probes among many ($bad of $all)"

attach "$TMP/refused" --max-sites 65536 --max-ops 300000
ok $? "attached in good time"
is "$(skipped attach-refused | sort | uniq -c | sed 's/^ *//')" \
	"$bad the kernel cannot probe this instruction" "what the kernel refuses is left out, in words"
is "$(jq -r 'select(.type == "attach") | .probe' "$TMP/events" | wc -l)" "$all" "all others are attached"
ok "$([ "$(links)" -le $((8 * bad)) ]; echo $?)" "with few links"
is "$(load -n 50 -paths /hello | jq .good)" 50 "the target answers"
detach

# A signal is seen in the middle of it, and so is the target's end.
for what in TERM end; do
	rm -f "$TMP/events" "$TMP/goattach.err"
	"$BIN/goattach" --max-sites 65536 --max-ops 300000 <"$TMP/refused" >"$TMP/events" 2>"$TMP/goattach.err" &
	pid_goattach=$!
	on_exit "kill -KILL $pid_goattach"
	wait_for "grep -qs 'left out' $TMP/goattach.err" 10
	case $what in
	TERM) kill "$pid_goattach" ;;
	end) stop "$TARGET_PID" KILL ;;
	esac
	wait_for "gone $pid_goattach" 10
	ok $? "$what: goattach ends"
	ok "$([ "$(skipped attach-refused | wc -l)" -lt "$bad" ]; echo $?)" "$what: at once"
	is "$(jq -r 'select(.type == "exit") | .pid' "$TMP/events")" \
		"$([ $what = TERM ] || echo "$TARGET_PID")" "$what: an exit record only if the target has ended"
	wait "$pid_goattach"
done
done_testing
