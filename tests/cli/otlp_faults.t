#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What lies between goexport and its receiver fails: a proxy cuts connections, names
# are not found or move to another address, certificates expire. Nothing is lost.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/otlp.sh"
require_command python3 openssl unshare

# certificate NAME [SECONDS]: signed by the CA, for this machine, in one file with its
# key; it ends so many seconds from now, or tomorrow.
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/ca.key" -out "$TMP/ca.crt" -days 2 \
	-subj /CN=ca 2>"$TMP/openssl.err" || diag "$(cat "$TMP/openssl.err")"
cat >"$TMP/ca.conf" <<END
[ca]
default_ca = it
[it]
database = $TMP/ca.index
rand_serial = yes
new_certs_dir = $TMP
certificate = $TMP/ca.crt
private_key = $TMP/ca.key
default_md = sha256
policy = any
unique_subject = no
x509_extensions = these
[any]
commonName = supplied
[these]
subjectAltName = IP:127.0.0.1,DNS:localhost,DNS:collector.test
END
: >"$TMP/ca.index"
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$TMP/$1.key" -out "$TMP/$1.csr" -subj /CN=localhost 2>"$TMP/openssl.err"
	openssl ca -batch -notext -config "$TMP/ca.conf" -in "$TMP/$1.csr" -out "$TMP/$1.crt" \
		-enddate "$(date -u -d "now + ${2:-86400} seconds" +%y%m%d%H%M%SZ)" 2>>"$TMP/openssl.err"
	cat "$TMP/$1.crt" "$TMP/$1.key" >"$TMP/$1.pem" || diag "$(cat "$TMP/openssl.err")"
}

# --- a proxy that cuts connections ----------------------------------------------------

# The ids of 1 to N, as query prints them.
all_of() {
	python3 -c 'import sys; print(["%016x" % i for i in range(1, int(sys.argv[1]) + 1)])' "$1"
}

spans 1300 >"$TMP/in"
receiver 200
proxy up=150 up=30000 down=10 pass
http_proxy=$proxy run --otlp "http://collector.test:$port"
is "$status $(query 'sorted(set(i for q in r for s in q["spans"] if isinstance(s, dict) for i in [s["span_id"]]))')" "0 $(all_of 1300)" \
	"a proxy that cuts in a head, in a body and in an answer: all arrive" || diag "$err"
is "$(sort "$cuts" | grep ' cut$' | tr '\n' ' ')" "down=10 POST cut up=150 POST cut up=30000 POST cut " \
	"and it did cut" || diag "$(cat "$cuts")"
is "$(grep -c 'trying again' "$TMP/err") $(grep -c 'back after' "$TMP/err")" "1 1" "said once that it went, and once that it is back" ||
	diag "$err"
is "$(query 'len(ids([q for q in r if q["answer"] == "200"])) - len(set(ids()))')" 512 \
	"sent twice is only the request whose answer was cut"
proxy_end
receiver_end

certificate proxied
export CERT="$TMP/proxied.pem"
receiver 200
unset CERT
proxy down=1200 up=5000 pass
HTTPS_PROXY=$proxy run --otlp "https://collector.test:$port" --otlp-ca "$TMP/ca.crt" --otlp-compression gzip
is "$status $(query 'sorted(set(ids()))')" "0 $(all_of 1300)" "the same in a tunnel, by TLS" || diag "$err"
is "$(grep -c ' cut$' "$cuts")" 2 "it cut there, too" || diag "$(cat "$cuts")"
proxy_end
receiver_end

# --- a receiver that hangs up when nothing comes, and one that says when to come again ------

mkfifo "$TMP/fifo"
export IDLE=0.3
receiver 200
unset IDLE
: >"$TMP/err"
"$G" --otlp "$url" --batch-delay 50 --flush-timeout 60000 -v <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
for i in 1 11 21; do
	spans 10 $i >&3
	wait_for "[ \"\$(query 'len(set(ids()))')\" = $((i + 9)) ]" 20
	sleep 0.5 # longer than the receiver is patient
done
exec 3>&-
wait $pid
is "$? $(query 'len(ids())')" "0 30" "a receiver that closes idle connections: nothing is sent twice" || diag "$(cat "$TMP/err")"
unlike "$(cat "$TMP/err")" 'trying again' "and nothing goes wrong"
receiver_end
spans 10 >"$TMP/in"
receiver 503:date=3 200
run --otlp "$url"
is "$status $(query 'r[1]["time"] - r[0]["time"] > 1.9')" "0 True" "a Retry-After that is a date is kept to"
receiver_end
# One that is longer than a batch may wait: the batch is given up, and nobody asks sooner.
receiver 503:after=3 200
run --otlp "$url" --otlp-retry 500 --batch 5
is "$status $(query 'len(r), r[1]["time"] - r[0]["time"] > 2.9, len(r[1]["spans"])')" "1 (2, True, 5)" \
	"a Retry-After past the end of --otlp-retry is kept to, too" || diag "$err"
like "$err" '5 of 10 spans dropped: 5 unreachable' "and what could not wait is counted"
receiver_end

# --- a certificate that expires -----------------------------------------------------------

: >"$TMP/err"
certificate short 4
certificate renewed
export CERT="$TMP/short.pem"
receiver 200
first=$log
"$G" --otlp "https://localhost:$port" --otlp-ca "$TMP/ca.crt" --batch-delay 50 --flush-timeout 60000 \
	<"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
spans 10 >&3
wait_for '[ -s "$first" ] || grep -q expired "$TMP/err"' 30
wait_for '! openssl x509 -checkend 0 -noout -in "$TMP/short.crt" >"$TMP/openssl.err"' 30
receiver_end # the connection is gone, and the next one meets an old certificate
PORT=$port receiver 200
spans 10 11 >&3
wait_for 'grep -q "certificate has expired" "$TMP/err"' 30
ok $? "a certificate expires while it is in use: said" || diag "$(cat "$TMP/err")"
receiver_end
CERT=$TMP/renewed.pem
PORT=$port receiver 200
unset CERT
exec 3>&-
wait $pid
status=$?
cat "$first" >>"$log"
is "$status $(query 'sorted(set(ids()))')" "0 $(all_of 20)" "and with a new one everything arrives" || diag "$(cat "$TMP/err")"
is "$(grep -c 'certificate has expired' "$TMP/err") $(grep -c 'back after' "$TMP/err")" "1 1" "both said once" ||
	diag "$(cat "$TMP/err")"
receiver_end

# --- names ----------------------------------------------------------------------------------

# A namespace of our own, where /etc/hosts is ours, and nothing else is asked.
unshared="unshare --mount"
[ "$(id -u)" -eq 0 ] || unshared="unshare --mount --map-root-user"
$unshared true 2>"$TMP/err" || { ok 0 "names # SKIP no namespaces here" && done_testing && exit; }
printf '127.0.0.1 localhost\n' >"$TMP/hosts"
echo 'hosts: files' >"$TMP/nsswitch"
cat >"$TMP/named" <<'END'
mount --bind "$TMP/hosts" /etc/hosts && mount --bind "$TMP/nsswitch" /etc/nsswitch.conf && exec "$@"
END
export TMP
: >"$TMP/err"
receiver 200
first=$log
$unshared sh "$TMP/named" "$G" --otlp "http://collector.test:$port" --batch-delay 50 --flush-timeout 60000 \
	<"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
pid=$!
on_exit "kill $pid"
exec 3>"$TMP/fifo"
spans 10 >&3
wait_for 'grep -q "trying again" "$TMP/err"' 30
like "$(cat "$TMP/err")" 'Could not resolve host: collector.test' "a name that is not found: said"
echo '127.0.0.1 collector.test' >>"$TMP/hosts"
wait_for '[ -s "$first" ]' 60
is "$(query 'len(set(ids()))')" 10 "found later: all arrives" || diag "$(cat "$TMP/err")"
# The receiver moves: the same port of another address.
receiver_end
ADDRESS=127.0.0.2
export ADDRESS
PORT=$port receiver 200
unset ADDRESS
sed 's/^127.0.0.1 collector/127.0.0.2 collector/' "$TMP/hosts" >"$TMP/hosts2"
cat "$TMP/hosts2" >"$TMP/hosts" # the same file, which is mounted
spans 10 11 >&3
exec 3>&-
wait $pid
is "$? $(query 'len(set(ids()))')" "0 10" "a name that moves to another address: all arrives there" || diag "$(cat "$TMP/err")"
receiver_end

# A resolver that never answers holds up neither the other receiver nor the end.
cat >"$TMP/silent.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.53", 53))
open(sys.argv[1], "w").close()
while True:
    s.recv(4096)
END
cat >"$TMP/silent" <<'END'
ip link set lo up
mount --bind "$TMP/resolv" /etc/resolv.conf && mount --bind "$TMP/nsswitch" /etc/nsswitch.conf || exit 99
python3 "$TMP/silent.py" "$TMP/bound" &
i=0
until [ -e "$TMP/bound" ] || [ $i -gt 200 ]; do i=$((i + 1)); sleep .1; done
"$@"
status=$?
kill $!
exit $status
END
printf 'nameserver 127.0.0.53\noptions timeout:30 attempts:5\n' >"$TMP/resolv"
echo 'hosts: files dns' >"$TMP/nsswitch"
spans 10 >"$TMP/in"
# shellcheck disable=SC2086 # words
timeout 100 $unshared --net sh "$TMP/silent" "$G" --otlp "http://collector.example:4318" --file "$TMP/file" --flush-timeout 500 \
	<"$TMP/in" 2>"$TMP/err"
is "$? $(grep -o '"spanId"' "$TMP/file" | wc -l)" "1 10" "a resolver that never answers: the end does not wait" || diag "$(cat "$TMP/err")"
like "$(cat "$TMP/err")" '10 of 10 spans dropped: 10 shutdown' "and all is counted"
done_testing
