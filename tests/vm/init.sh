#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
#
# The first and only process of the virtual machine: traces, and says what came of
# it on the console, one "@@ KEY VALUE" a line. What it means is judged outside.
# The kernel's command line: gotap.requests=N; and to trace once more without the kernel's
# own BTF, gotap.btf=NAME and gotap.wrong=NAME, the right and a wrong file under /btf/.

/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
ip link set lo up
ulimit -n 4096
btf='' wrong=''
read -r cmdline </proc/cmdline
for word in $cmdline; do
	case $word in
	gotap.requests=*) requests=${word#*=} ;;
	gotap.btf=*) btf=${word#*=} ;;
	gotap.wrong=*) wrong=${word#*=} ;;
	esac
done

say() {
	echo "@@ $*"
}
# give NAME FILE: a whole file, to be found in the console's log.
give() {
	echo "@@< $1"
	gzip -c "$2" | base64
	echo "@@> $1"
}
# until_true SECONDS COMMAND…
until_true() {
	left=$(($1 * 5))
	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.2
	done
}
has() {
	grep -q "$1" "$2" 2>/dev/null
}
ended() {
	! kill -0 "$1" 2>/dev/null
}

# run PROGRAM: a target; sets target and addr.
run() {
	: >/tmp/ready
	$1 >/tmp/ready 2>&1 &
	target=$!
	until_true 60 has ^ready /tmp/ready
	addr=$(sed -n 's/^ready //p' /tmp/ready)
}
# start PROGRAM: a target, with its plan.
start() {
	run "$1"
	gofind --pid $target 2>/tmp/gofind.err >/tmp/process
	goresolve </tmp/process >/tmp/plan 2>/tmp/goresolve.err
}

# attach OPTION…: goattach by /tmp/plan; sets tracer. 1 if it ends or nothing is attached.
attach() {
	: >/tmp/events
	goattach -v "$@" </tmp/plan >/tmp/events 2>/tmp/goattach.err &
	tracer=$!
	until_true 240 attached_or_ended || return 1
	has '"type":"attach"' /tmp/events
}
attached_or_ended() {
	attached_or_ended_as "$tracer"
}
attached_or_ended_as() {
	has '"type":"attach"' /tmp/events || ended "$1"
}

# count TEXT FILE
count() {
	grep -c "$1" "$2"
}
more() {
	[ "$(count "$1" "$2")" -gt "$3" ]
}
# again: the target executes itself; goattach is told of that, and looks at it anew.
again() {
	attached=$(count '"type":"attach"' /tmp/events)
	kill -USR1 $target
	until_true 60 more ^ready /tmp/ready 1
	addr=$(sed -n '$s/^ready //p' /tmp/ready)
	until_true 60 more '"type":"attach"' /tmp/events "$attached"
}

# changed [PID]: at how many sites the target's memory is not as its file. A PIE's addresses
# are not known here.
changed() {
	n=0
	for site in $(grep -o '"addr":"0x[0-9a-f]*","offset":"0x[0-9a-f]*","bytes":"[0-9a-f]*"' /tmp/plan |
		tr -d '"' | sed 's/addr://; s/,.*bytes:/,/'); do
		bytes=${site#*,}
		now=$(dd if="/proc/${1:-$target}/mem" bs=1 skip=$((${site%,*})) count=$((${#bytes} / 2)) 2>/dev/null |
			hexdump -v -e '1/1 "%02x"')
		[ "$now" = "$bytes" ] || n=$((n + 1))
	done
	echo $n
}
unchanged() {
	[ "$(changed)" -eq 0 ]
}

# trace NAME REQUESTS OPTION…: attaches, sends requests, stops.
trace() {
	name=$1 n=$2
	shift 2
	if attach "$@"; then
		say "$name.changed" "$(changed)"
		case $name in
		own)
			xlated /sys/kernel/btf/vmlinux
			say own.other "$(changed "$other")"
			;;
		pie) again ;;
		esac
		say "$name.load" "$(load -addr "$addr" -n "$n" -c 4 -paths '/any/a?b=c,/hello,/panic')"
		wget -q -O /dev/null --header "traceparent: $traceparent" "http://$addr/hello?parent"
		kill -TERM $tracer
	fi
	wait $tracer
	say "$name.status" $?
	say "$name.left" "$(changed)"
	say "$name.after" "$(load -addr "$addr" -n 20 -c 2)"
	give "$name.events" /tmp/events
	give "$name.err" /tmp/goattach.err
}
traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01

say kernel "$(uname -r)"
say machine "$(uname -m)"
say booted "$(cut -d' ' -f1 /proc/uptime)"
say sha256 "$(sha256sum /bin/goattach | cut -d' ' -f1)"

goattach --check >/tmp/check 2>&1
say check.status $?
give check /tmp/check

start server-pie
trace pie 30
kill -KILL $target

run server
other=$target
start server
trace own "$requests"
kill -KILL $other

# The other way, where there are two, and SIGKILL in the middle.
if attach --attach=perf; then
	say killed.changed "$(changed)"
	load -addr "$addr" -n 20 >/tmp/load
	kill -KILL $tracer
fi
wait $tracer
until_true 10 unchanged
say killed.left "$(changed)"
give killed.events /tmp/events

# timed NAME OPTION…: how long these sites take.
timed() {
	name=$1
	shift
	began=$(uptime_cs)
	if attach "$@"; then
		until_true 60 more '"type":"attach"' /tmp/events 0
		grep -o '"ms":[0-9.]*' /tmp/events | head -n 1 | sed "s/.*:/@@ $name.attach_ms /"
		began=$(uptime_cs)
		kill -TERM $tracer
	fi
	wait $tracer
	say "$name.detach_cs" $(($(uptime_cs) - began))
}
uptime_cs() {
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}"
}
goresolve --no-recipes --site first --func 'net/http.*' </tmp/process 2>/dev/null | awk -v want=60 '
	/"type":"probe"/ { if (n >= want) next; n += gsub(/"at":/, "&") }
	{ print }
	END { print "@@ sites " n > "/dev/stderr" }' >/tmp/plan 2>/tmp/sites
cat /tmp/sites
timed auto
timed perf --attach=perf
goresolve </tmp/process >/tmp/plan 2>/tmp/goresolve.err

if [ -n "$btf" ]; then
	mkdir /tmp/empty
	mount --bind /tmp/empty /sys/kernel/btf
	attach
	wait $tracer
	say none.status $?
	give none.err /tmp/goattach.err
	trace external 30 --btf "/btf/$btf"
	if [ -n "$wrong" ]; then
		attach --btf "/btf/$wrong"
		wait $tracer
		say wrong.status $?
		say wrong.left "$(changed)"
		give wrong.err /tmp/goattach.err
	fi
	umount /sys/kernel/btf
fi

# The limit of locked memory, which root may raise as long as it has CAP_SYS_RESOURCE.
if [ -x /bin/setpriv-full ]; then
	limited="setpriv-full --bounding-set -sys_resource --inh-caps -sys_resource"
	(
		ulimit -l 64
		$limited goattach --check >/tmp/check 2>&1
		say memlock.check $?
		$limited goattach </tmp/plan >/tmp/events 2>/tmp/goattach.err &
		wait_tracer=$!
		until_true 120 attached_or_ended_as $wait_tracer
		kill -TERM $wait_tracer 2>/dev/null
		wait $wait_tracer
		say memlock.status $?
	)
	give memlock.table /tmp/check
	give memlock.err /tmp/goattach.err
fi
# Lockdown can be raised, never lowered.
mount -t securityfs security /sys/kernel/security
for level in integrity confidentiality; do
	echo $level >/sys/kernel/security/lockdown || continue
	goattach --check >/tmp/check 2>&1
	say $level.check $?
	give $level.table /tmp/check
	attach
	kill -TERM $tracer 2>/dev/null
	wait $tracer
	say $level.status $?
	give $level.events /tmp/events
	give $level.err /tmp/goattach.err
done
say finished "$(cut -d' ' -f1 /proc/uptime)"
poweroff -f
