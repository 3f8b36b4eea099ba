#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gofind against real processes: a small Go program in all its forms, found once
# and watched, by the process events connector and by polling. The machine may
# run other Go programs too, even this test a second time.
. "$(dirname "$0")/../lib.sh"

require_command jq setpriv unshare
require_go
GOFIND=$BIN/gofind
root=$(id -u)
chmod 755 "$TMP"

# The program does what its arguments say, one after the other, and stays.
mkdir "$TMP/src"
cat >"$TMP/src/go.mod" <<'EOF'
module example.com/acme/probe/v2

go 1.19
EOF
cat >"$TMP/src/main.go" <<'EOF'
package main

import (
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

var keep []net.Listener

func main() {
	for i, arg := range os.Args[1:] {
		kv := strings.SplitN(arg, "=", 2)
		switch kv[0] {
		case "wait":
			d, _ := time.ParseDuration(kv[1])
			time.Sleep(d)
		case "listen":
			l, err := net.Listen("tcp", kv[1])
			if err != nil {
				println(err.Error())
				os.Exit(1)
			}
			keep = append(keep, l)
		case "ready":
			os.WriteFile(kv[1], nil, 0o644)
		case "exec":
			err := syscall.Exec(kv[1], append([]string{kv[1]}, os.Args[i+2:]...), os.Environ())
			println(err.Error())
			os.Exit(1)
		case "end":
			return
		}
	}
	time.Sleep(2 * time.Minute)
}
EOF
build() { # build NAME [OPTION...]
	name=$1
	shift
	(cd "$TMP/src" && GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o "$TMP/$name" "$@") >&2
}
export CGO_ENABLED=0
if ! build app || ! build app-stripped -ldflags '-s -w' || ! build app-pie -buildmode=pie ||
	! CGO_ENABLED=1 build app-cgo; then
	missing go "go build failed"
fi
cp "$TMP/app" "$TMP/sshd"
cp "$TMP/app" "$TMP/odd (deleted)"
cp "$TMP/app" "$TMP/gone"
cp "$TMP/app" "$TMP/replaced"

# start PROGRAM [ARG...]: in the background until the test's end; sets $pid.
pids=
start() {
	rm -f "$TMP/ready"
	"$@" "ready=$TMP/ready" &
	pid=$!
	pids="$pids $pid"
	wait_for '[ -e "$TMP/ready" ]' 10 || diag "$* did not start"
}
# shellcheck disable=SC2016
on_exit 'kill $pids'

# run [OPTION...]: gofind; sets $out, $err and $rc.
run() {
	out=$("$GOFIND" "$@" 2>"$TMP/err")
	rc=$?
	err=$(cat "$TMP/err")
}
# get FILTER: what jq makes of $out.
get() {
	printf '%s\n' "$out" | jq -c "$1" 2>&1
}

# Forms of a program.

port=$(free_port)
port6=$(free_port)
start "$TMP/app" "listen=127.0.0.1:$port" "listen=127.0.0.1:$port6"
app=$pid
run --pid "$app"
is "$rc" 0 "a Go program by its pid"
is "$err" "" "says nothing"
is "$(get .type,.v)" '"process"
1' "one process record"
is "$(get .pid)" "$app" "its pid"
is "$(get .start)" "\"$(sed 's/.*) //' "/proc/$app/stat" | cut -d' ' -f20)\"" "its start time"
is "$(get .exe)" "\"$TMP/app\"" "its executable"
is "$(get .dev,.inode)" "$(stat -L -c '"%Hd:%Ld"
"%i"' "/proc/$app/exe")" "the file's device and inode"
is "$(get .go)" "\"$(cd "$TMP/src" && GOTOOLCHAIN=local go env GOVERSION)\"" "the Go version"
is "$(get .go_build_id)" "\"$(go tool buildid "$TMP/app")\"" "the Go build id"
is "$(get '.binary == .go_build_id')" true "which names the binary"
is "$(get .module)" '"example.com/acme/probe/v2"' "the main module"
is "$(get .service,.service_from)" '"probe"
"module"' "the service is named for it"
is "$(get .cmdline)" "[\"$TMP/app\",\"listen=127.0.0.1:$port\",\"listen=127.0.0.1:$port6\",\"ready=$TMP/ready\"]" \
	"the command line"
is "$(get .ports)" "$(printf '%s\n' "$port" "$port6" | sort -n | jq -sc .)" "the listening ports"

for form in app-stripped app-pie app-cgo sshd; do
	start "$TMP/$form"
	run --pid "$pid"
	is "$(get '[.exe, .module]')" "[\"$TMP/$form\",\"example.com/acme/probe/v2\"]" "$form"
done

start "$TMP/gone"
rm "$TMP/gone"
run --exe "$TMP/gone"
is "$(get '[.pid, .exe]')" "[$pid,\"$TMP/gone\"]" "deleted on disk"
start "$TMP/replaced"
inode=$(stat -c %i "$TMP/replaced")
cp "$TMP/app-pie" "$TMP/new" && mv "$TMP/new" "$TMP/replaced"
run --exe "$TMP/replaced"
is "$(get '[.pid, .exe, .inode]')" "[$pid,\"$TMP/replaced\",\"$inode\"]" "replaced on disk: the old file"
start "$TMP/odd (deleted)"
run --exe "$TMP/odd*"
is "$(get '[.pid, .exe]')" "[$pid,\"$TMP/odd (deleted)\"]" "a name that ends like a deleted one"

sleep 120 &
sleeper=$!
pids="$pids $sleeper"
run --pid "$sleeper,$app"
is "$rc" 1 "a C program among others: status 1"
like "$err" "^gofind: pid $sleeper: .*/sleep: not a Go program: " "and an error"
is "$(get .pid)" "$app" "the others are there"
run --exe "$(readlink /proc/$sleeper/exe)"
is "$rc" 1 "a C program by name is not selected"
is "$out" "" "no record"
like "$err" "^gofind: no running Go program matches$" "a message"

# Programs that hide what they are.

# What UPX leaves: its mark behind the program headers, and no Go program to be seen.
gcc -static -x c - -o "$TMP/packed" <<'EOF' || ok 1 "a static C program"
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) { creat(argv[argc - 1] + 6, 0644); return pause(); }
EOF
n=$(od -An -tu2 -j 56 -N 2 "$TMP/packed" | tr -d ' ')
printf 'UPX!' | dd of="$TMP/packed" bs=1 seek=$((68 + n * 56)) conv=notrunc 2>/dev/null
start "$TMP/packed"
packed=$pid
why="pid $packed: $TMP/packed: cannot be traced: packed by UPX: .*; unpack it with upx -d"
run --pid "$packed"
is "$rc $out" "1 " "a packed program by its pid: status 1"
like "$err" "^gofind: $why" "says why and what to do"
run --pid "$packed,$app"
is "$rc $(get .pid)" "1 $app" "among others"
run --exe "$TMP/packed"
is "$rc" 1 "by name: status 1"
like "$err" "^gofind: warning: $why" "a warning"
run --all -v
like "$err" "^gofind: $why" "--all -v tells of it"
run --all
unlike "$err" packed "but not --all alone"

# What garble leaves of the version of Go; the runtime has another copy.
cp "$TMP/app" "$TMP/garbled"
at=$(LC_ALL=C grep -abo 'Go buildinf:' "$TMP/garbled" | tail -n 1 | cut -d : -f 1)
printf '\007unknown\0\0\0' | dd of="$TMP/garbled" bs=1 seek=$((at + 30)) conv=notrunc 2>/dev/null
start "$TMP/garbled"
run --pid "$pid"
is "$rc $(get .pid)" "0 $pid" "an obfuscated program is a Go program"
like "$err" "^gofind: warning: pid $pid: $TMP/garbled: cannot be traced: .*; build without garble$" \
	"with a warning"

# Text that is not text.

bytes=$(printf 'a\377\376b"\\\n\t\033')
start "$TMP/app" "$bytes" ""
run --pid "$pid"
is "$(get '.cmdline[1:3]')" '["a��b\"\\\n\t\u001b",""]' "a command line that is not UTF-8"
start env -i "OTEL_SERVICE_NAME=$(printf 'caf\351')" \
	"OTEL_RESOURCE_ATTRIBUTES=service.name=no,deployment.environment=a%20b,=x,y,bad=%zz,$(printf '\377')=1" \
	"$TMP/app"
run --pid "$pid"
is "$(get '[.service, .service_from]')" '["caf�","env"]' "OTEL_SERVICE_NAME that is not UTF-8"
is "$(get .resource)" '{"deployment.environment":"a b","bad":"%zz","�":"1"}' "resource attributes"
start env "OTEL_RESOURCE_ATTRIBUTES=service.name=cart,big=$(head -c 100000 /dev/zero | tr '\0' '\001')" "$TMP/app"
run --pid "$pid"
is "$(get '[.service, .service_from, (.resource.big | length < 70000)]')" '["cart","resource-env",true]' \
	"service.name, and an attribute that is far too long"

# How selections combine.

run --port "$port"
is "$(get .pid)" "$app" "by port"
run --port "1,$port6-$port6,2"
is "$(get .pid)" "$app" "by another port of it"
start "$TMP/app-pie" 'listen=[::1]:0'
other=$pid
run --pid "$pid"
v6=$(get '.ports[0]')
run --port "$v6"
is "$(get '[.pid, .ports]')" "[$other,[$v6]]" "by an IPv6 port"
run --port "$port,$v6"
is "$(get .pid | sort -n)" "$(printf '%s\n' "$app" "$other" | sort -n)" "ports: one or the other"
run --port "$port" --port "$v6" --exe app --exe nothing
is "$(get .pid)" "$app" "ports and names: both"
run --port "$port,$v6" --module 'example.com/*' --exclude-exe 'app-*'
is "$(get .pid)" "$app" "an exclusion"
run --pid "$app,$other" --module example.org
is "$rc" 1 "kinds that do not agree: nothing"
is "$out" "" "no record"
run --module '*/acme/*'
is "$(get .pid | grep -cx -e "$app" -e "$other")" 2 "by module"
run --all
is "$(get .pid | grep -cx -e "$app" -e "$other" -e "$sleeper")" 2 "--all"
is "$(get .pid | sort | uniq -d)" "" "each once"
tid=$(find "/proc/$app/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$app" | head -n 1)
run --pid "$tid"
is "$rc" 1 "a thread"
like "$err" "^gofind: pid $tid: not a process but a thread of process $app$" "is no process"
run --pid 2147483647
like "$err" '^gofind: pid 2147483647: no such process$' "no such process"

sed -i 's,^module .*,module go.opentelemetry.io/collector/cmd/x,' "$TMP/src/go.mod"
build collector
start "$TMP/collector"
run --all
unlike "$out" "\"pid\":$pid," "--all leaves a collector out"
like "$err" "^gofind: pid $pid: $TMP/collector is a telemetry collector " "and says so"
run --all -q
unlike "$err" "collector" "but not with -q"
run --exe "$TMP/collector"
is "$(get .pid)" "$pid" "by name it is selected"

# Namespaces, other users.

if [ "$root" -eq 0 ] && unshare -m true 2>/dev/null; then
	mkdir "$TMP/mnt"
	start unshare -m sh -c "mount -t tmpfs none '$TMP/mnt' && cp '$TMP/app' '$TMP/mnt/in' &&
		exec '$TMP/mnt/in' \"\$@\"" sh
	run --exe "$TMP/mnt/in"
	is "$(get '[.pid, .module]')" "[$pid,\"example.com/acme/probe/v2\"]" "in another mount namespace"
else
	ok 0 "in another mount namespace # SKIP not permitted"
fi
if [ "$root" -eq 0 ] && unshare -n true 2>/dev/null; then
	start unshare -n "$TMP/app" "listen=:$port" "listen=:4321"
	run --port "$port"
	is "$(get '[.pid, .ports]' | grep "^.$pid,")" "[$pid,$(printf '%s\n' "$port" 4321 | sort -n | jq -sc .)]" \
		"in another network namespace"
	is "$(get .pid | sort -n)" "$(printf '%s\n' "$app" "$pid" | sort -n)" "which has the same ports again"
	kill "$pid"
else
	ok 0 "in another network namespace # SKIP not permitted"
fi
if [ "$root" -eq 0 ]; then
	cp "$GOFIND" "$TMP/gofind"
	as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
	rm -f "$TMP/ready"
	mkdir "$TMP/nobody" && chown 65534:65534 "$TMP/nobody"
	$as_nobody "$TMP/app" "ready=$TMP/nobody/ready" &
	pid=$!
	pids="$pids $pid"
	wait_for '[ -e "$TMP/nobody/ready" ]' 10
	GOFIND="$as_nobody $TMP/gofind"
	# shellcheck disable=SC2317
	run() {
		out=$($GOFIND "$@" 2>"$TMP/err")
		rc=$?
		err=$(cat "$TMP/err")
	}
	run --all --exe "$TMP/app"
	is "$rc" 0 "as nobody"
	is "$(get '[.pid, .service]')" "[$pid,\"probe\"]" "nobody's processes are found"
	like "$err" '^gofind: [0-9]+ processes are not readable \(run as root\)$' "the others are counted"
	run --pid "$app"
	is "$rc" 1 "somebody else's process by pid"
	like "$err" "^gofind: pid $app: this process is not readable \(run as root\)$" "is an error"
	run --port "$port"
	is "$rc" 1 "somebody else's process by port"
	like "$err" "^gofind: port $port: held by no process that is readable \(run as root\)$" "is an error"
	unlike "$err" "no running Go program" "and the only one"
	run --exe "$TMP/app"
	is "$rc,$err" "0," "what was found by name is found in silence"
	run --exe nothing
	like "$err" '^gofind: [0-9]+ processes are not readable \(run as root\)$' \
		"where nothing was found it matters who could not be read"
	free=$(free_port)
	rm "$TMP/nobody/ready"
	$as_nobody "$TMP/app" "listen=127.0.0.1:$free" "ready=$TMP/nobody/ready" &
	pids="$pids $!"
	wait_for '[ -e "$TMP/nobody/ready" ]' 10
	run --exe nothing --port "$free"
	is "$rc" 1 "a port of a process that --exe leaves out"
	like "$err" '^gofind: no running Go program matches$' "does not match"
	unlike "$err" "port $free" "and is no port of unknown holder"

	# A root that lacks a capability may not read those that have it.
	GOFIND="setpriv --bounding-set -sys_ptrace $BIN/gofind"
	start setpriv --bounding-set -sys_ptrace "$TMP/app"
	run --exe "$TMP/app"
	is "$rc,$err" "0," "a root with fewer capabilities: silence, too"
	is "$(get .pid | grep -cx -e "$app" -e "$pid")" 1 "but not all is found"
	run --exe "$TMP/app" -v
	like "$err" '^gofind: [0-9]+ processes are not readable \(not permitted, even for root\)$' \
		"-v says so"
	run --port "$port"
	like "$err" "^gofind: port $port: held by no process that is readable \(not permitted, even for root\)$" \
		"it is not told to be root"
	GOFIND=$BIN/gofind
else
	ok 0 "as nobody # SKIP not root"
fi

# Watching. watch [OPTION...] starts gofind into $TMP/watch; unwatch ends it.

watch() {
	: >"$TMP/watch"
	: >"$TMP/watch.err" # what an earlier one said is no sign that this one is ready
	$prefix "$GOFIND" --watch "$@" >"$TMP/watch" 2>"$TMP/watch.err" &
	watcher=$!
	pids="$pids $watcher"
	wait_for 'grep -q "^gofind: watching by" "$TMP/watch.err"' 10
}
unwatch() {
	kill "$watcher"
	wait "$watcher"
	rc=$?
}
# seen TYPE PID COUNT: wait until there are so many records.
seen() {
	wait_for "[ \$(grep -c '^{\"type\":\"$1\",\"v\":1,\"pid\":$2,' '$TMP/watch') -ge $3 ]" 10
}
# records PID: the types of its records, in order.
records() {
	jq -r "select(.pid == $1) | .type" "$TMP/watch" | tr '\n' ' '
}

watch_all() {
	cp "$TMP/app" "$TMP/second"
	watch --exe "$TMP/app" --exe "$TMP/second"
	seen process "$app" 1
	ok $? "$how: a process that was there before"

	"$TMP/app" wait=200ms end &
	pid=$!
	wait "$pid"
	seen exit "$pid" 1
	is "$(records "$pid")" "process exit " "$how: one that starts and ends"
	is "$(jq -r "select(.pid == $pid) | .start" "$TMP/watch" | sort -u | wc -l)" 1 "$how: with one start time"

	sh -c "sleep 0.3; exec '$TMP/app'" &
	pid=$!
	pids="$pids $pid"
	seen process "$pid" 1
	ok $? "$how: a shell that executes it after a while"
	kill -9 "$pid"
	seen exit "$pid" 1
	ok $? "$how: and is killed"

	"$TMP/app" wait=700ms "exec=$TMP/second" wait=700ms "exec=$TMP/second" wait=700ms exec=/bin/sleep 60 &
	pid=$!
	pids="$pids $pid"
	seen exit "$pid" 3
	ok $? "$how: a process that executes another Go program, the same again, and a C program"
	is "$(records "$pid")" "process exit process exit process exit " "$how: is three programs in turn"
	is "$(jq -r "select(.pid == $pid and .exe) | .exe" "$TMP/watch" | xargs -n 1 basename | tr '\n' ' ')" \
		"app second second " "$how: with their names"
	is "$(jq -r "select(.pid == $pid) | .start" "$TMP/watch" | sort -u | wc -l)" 1 "$how: in one process"
	kill "$pid"

	burst=
	n=0
	while [ "$n" -lt 50 ]; do
		"$TMP/app" wait=500ms end &
		burst="$burst $!"
		n=$((n + 1))
	done
	for pid in $burst; do
		wait "$pid"
	done
	seen exit "$pid" 1
	wait_for '[ "$(grep -c "\"exit\"" "$TMP/watch")" -ge 55 ]' 5
	bad=
	for pid in $burst; do
		[ "$(records "$pid")" = "process exit " ] || bad="$bad $pid:$(records "$pid")"
	done
	is "$bad" "" "$how: fifty short-lived ones, each once"
	is "$(records "$app")" "process " "$how: the one from before is still there"
	unwatch
	is "$rc" 0 "$how: ends by SIGTERM with status 0"

	p=$(free_port)
	watch --port "$p"
	"$TMP/app" wait=300ms "listen=127.0.0.1:$p" wait=500ms end &
	pid=$!
	"$TMP/app" wait=300ms listen=127.0.0.1:0 wait=500ms end &
	none=$!
	seen exit "$pid" 1
	ok $? "$how: a process that listens after a while"
	wait "$none"
	is "$(jq -c '[.type, .pid, .ports]' "$TMP/watch" | tr '\n' ' ')" \
		"[\"process\",$pid,[$p]] [\"exit\",$pid,null] " "$how: and no other"
	"$TMP/app" "wait=200ms" "listen=127.0.0.1:$p" "wait=500ms" "exec=$TMP/app" end &
	pid=$!
	wait "$pid"
	seen exit "$pid" 1
	is "$(records "$pid")" "process exit " "$how: a program that leaves its port by exec"
	unwatch
}

how="connector" prefix=
watch --exe nothing
unwatch
if grep -q "connector$" "$TMP/watch.err"; then
	watch_all
else
	ok 0 "the process events connector # SKIP not permitted here"
fi
if unshare -n true 2>/dev/null; then
	how="polling" prefix="unshare -n"
	watch --exe nothing
	like "$(cat "$TMP/watch.err")" "^gofind: watching by polling /proc " "polling is said to be so"
	unwatch
	watch_all
	prefix=
else
	ok 0 "polling # SKIP no network namespaces here"
fi

watch --exe nothing
kill -s INT "$watcher"
wait "$watcher"
is $? 0 "ends by SIGINT with status 0"
watch --pid 2147483647 -v
like "$(cat "$TMP/watch.err")" "pid 2147483647: no such process" "a pid that is not there is told"
unwatch

# Output that goes nowhere.

run --all >/dev/null
for how in "" --watch; do
	timeout 20 "$GOFIND" --all $how >/dev/full 2>"$TMP/err"
	is $? 1 "a full disk: status 1 $how"
	like "$(cat "$TMP/err")" '^gofind: stdout: No space left on device$' "and a message"
	timeout 20 "$GOFIND" --all $how >&- 2>"$TMP/err"
	is $? 1 "a closed stdout: status 1 $how"
	like "$(cat "$TMP/err")" '^gofind: stdout: Bad file descriptor$' "and a message"
done
{
	"$GOFIND" --exe nothing --watch 2>/dev/null &
	echo $! >"$TMP/pid"
	wait $!
	echo $? >"$TMP/status"
} | { sleep 0.5; } &
wait_for '[ -s "$TMP/status" ]' 10
ok $? "a reader that goes away ends --watch while nothing happens"
is "$(cat "$TMP/status")" 141 "as SIGPIPE does"
kill "$(cat "$TMP/pid")" 2>/dev/null

# Usage.

usage() { # usage MESSAGE ARG...
	want=$1
	shift
	run "$@"
	is "$rc" 2 "usage: $*"
	is "$err" "gofind: $want (try 'gofind --help')" "usage message"
}
usage "nothing to select by: give --pid, --exe, --port, --module or --all"
usage "nothing to select by: give --pid, --exe, --port, --module or --all" --watch --exclude-exe x
usage "x: operands are not taken" --all x
usage "--port: '0' is not a port or a range of ports" --port 80,0
usage "--port: '90-80' is not a port or a range of ports" --port 90-80
usage "--pid: 'self' is not a process id" --pid self
usage "--exe: an empty pattern matches nothing" --exe ''
usage "--port: an argument is needed" --port
usage "--all=1: takes no argument" --all=1
usage "--frob: no such option" --frob
usage "-z: no such option" -qz
run --help
is "$rc" 0 "--help"
like "$out" '^usage: gofind ' "is on stdout"
run --version
like "$out" '^gofind \(gotap\) [0-9]' "--version"
"$GOFIND" --help >/dev/full 2>/dev/null
is $? 1 "--help to a full disk"

done_testing
