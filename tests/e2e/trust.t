#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --trust: whose trace context becomes a parent, by the address of the peer.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq curl ip

trace=0af7651916cd43dd8448eb211c80319c
header="traceparent: 00-$trace-b7ad6b7169203331-01"
# In a network of its own, which has any addresses.
net=gotap-$$
ip netns add "$net" 2>/dev/null || missing bpf "no network namespaces here"
on_exit "ip netns del $net"
ip -n "$net" link set lo up
# 4in6 is written as IPv4.
cat >"$TMP/peers" <<'END'
10.1.2.3 yes
10.1.2.255 yes
10.1.3.3 no
192.0.2.7 yes
192.0.2.6 no
fd00::1 yes
fd00:1:2:3:4:5:6:7 yes
fd01::1 no
fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff no
2001:db8:0:1:: yes
2001:db8:0:1:0:0:0:ffff yes
2001:db8:0:2::1 no
2001:db8:1::1 no
::2 yes
::2:2 no
1::2 no
2::2 yes
127.0.0.1 no
END
while read -r peer _; do
	case $peer in
	127.*) ;;
	*:*) ip -n "$net" -6 addr add "$peer/128" dev lo nodad ;;
	*) ip -n "$net" addr add "$peer/32" dev lo ;;
	esac
done <"$TMP/peers"

server=$(build_target server) || bail "no server"
# parents: for each span its path and where its parent came from.
parents() {
	jq -r 'select(.type == "span") | [.attributes["url.path"], .parent_from, .trace_id] | join(" ")' "$TMP/spans" |
		sed "s/ $trace/ same/; s/ [0-9a-f]\{32\}/ new/; s,^/any/,,"
}
count() {
	jq -r --arg k "$1" 'select(.from == "goattach") | .counters[$k]' "$TMP/events" | tail -n 1
}

start_target ip netns exec "$net" "$server" -addr '[::]:0'
wait_for "[ \"\$(readlink /proc/$TARGET_PID/exe)\" = \"\$(readlink -f $server)\" ]" 10
ATTACH_ARGS='--trust 10.1.2.0/24,192.0.2.7,fd00::/16,2001:db8:0:1::/64,::2,2::/16'
start_pipeline --pid "$TARGET_PID"
while read -r peer _; do
	at=$peer
	case $at in *:*) at=[$at] ;; esac
	ip netns exec "$net" curl -s -g -o /dev/null --interface "$peer" -H "$header" "http://$at:$TARGET_PORT/any/$peer"
done <"$TMP/peers"
stop_pipeline
sed 's/ yes/ remote same/; s/ no$/ none new/' "$TMP/peers" >"$TMP/want"
is "$(parents)" "$(cat "$TMP/want")" "networks: those within, and no others"
is "$(count untrusted) $(count bad_traceparent)" "$(grep -c ' no$' "$TMP/peers") 0" "the others are counted"

# Loopback and this machine's own addresses; a Unix socket has no address.
start_target "$server" -addr "$TMP/socket"
unix_pid=$TARGET_PID
start_target "$server" -addr 0.0.0.0:0
for trust in local none all 10.1.2.3; do
	ATTACH_ARGS="--trust $trust"
	start_pipeline --pid "$TARGET_PID" --pid "$unix_pid"
	wait_attached 4
	curl -s -o /dev/null -H "$header" "http://127.0.0.1:$TARGET_PORT/any/ip"
	curl -s -o /dev/null -H "$header" --unix-socket "$TMP/socket" http://unix/any/unix
	stop_pipeline
	got=$(parents | sort | paste -sd' ' -)
	case $trust in
	local | all) want='ip remote same unix remote same' ;;
	*) want='ip none new unix none new' ;;
	esac
	is "$got" "$want" "$trust"
done
"$BIN/goattach" --trust 10.0.0.0/40 </dev/null >/dev/null 2>"$TMP/err"
is $? 2 "a network that is none: status 2"
like "$(cat "$TMP/err")" '--trust: .*/40' "and a message"
done_testing
