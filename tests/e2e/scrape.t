#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Prometheus scrapes goexport by TLS with a password, and by its protobuf
# format: it finds exemplars and native histograms. promtool and Python's OpenMetrics
# parser take what they are given, also while many ask at once.
. "$(dirname "$0")/../pipeline.sh"
. "$(dirname "$0")/../cli/otlp.sh"
PATH=$PATH:$TOP/build/prometheus/usr/bin
require_command jq curl openssl perl prometheus promtool

port=$(free_port) native=$(free_port) web=$(free_port)
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMP/key" -out "$TMP/crt" -days 2 \
	-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>"$TMP/openssl.err" || bail "no certificate"
hash=$(perl -e 'print crypt("open sesame", q($2y$04$abcdefghijklmnopqrstuu))')
cat >"$TMP/web.yml" <<END
# as Prometheus' own programs take it
tls_server_config:
  cert_file: crt
  key_file: "$TMP/key"
basic_auth_users:
  alice: $hash   # open sesame
END
mkfifo "$TMP/one" "$TMP/two"
"$G" --prometheus "localhost:$port" --prometheus-web-config "$TMP/web.yml" <"$TMP/one" 2>"$TMP/one.err" &
one=$!
"$G" --prometheus ":$native" --exponential <"$TMP/two" 2>"$TMP/two.err" &
two=$!
on_exit "kill $one $two"
exec 3>"$TMP/one" 4>"$TMP/two"
wait_port "$port" || bail "goexport does not listen"
wait_port "$native" || bail "goexport does not listen"
# 300 requests of 1, 30 and 300 ms, sampled, that end now: exemplars are to be fresh.
now=$(date +%s)
spans 300 | sed "s/1764510000000000000/${now}000000000/" | awk -v now="$now" '
	/"span"/ { n++; ms = n % 3 == 0 ? 1 : n % 3 == 1 ? 30 : 300
		sub(/"end":"[0-9]*"/, sprintf("\"end\":\"%s%03d000000\",\"flags\":1", now, ms)) } { print }' >"$TMP/in"
cat "$TMP/in" >&3
cat "$TMP/in" >&4
cat >"$TMP/prometheus.yml" <<END
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: tls
    honor_labels: true
    scheme: https
    tls_config: {ca_file: $TMP/crt}
    basic_auth: {username: alice, password: open sesame}
    static_configs: [{targets: ['localhost:$port'], labels: {way: tls}}]
  - job_name: native
    honor_labels: true
    static_configs: [{targets: ['127.0.0.1:$native'], labels: {way: native}}]
END
prometheus --config.file="$TMP/prometheus.yml" --storage.tsdb.path="$TMP/tsdb" \
	--enable-feature=exemplar-storage,native-histograms \
	--web.listen-address="127.0.0.1:$web" >"$TMP/prometheus.err" 2>&1 3>&- 4>&- &
prometheus=$!
on_exit "stop $prometheus KILL"
wait_port "$web" || bail "Prometheus does not listen"
ask() { # PATH OPTION OF CURL...
	_path=$1
	shift
	curl -sG "$@" "http://127.0.0.1:$web/api/v1/$_path"
}
value() {
	ask query --data-urlencode "query=$1" |
		jq -r '.data.result | if length == 1 then .[0].value[1] else "\(length) series" end'
}
name=http_server_request_duration_seconds
wait_for "[ \"\$(value 'sum(${name}_count{way=\"tls\"})')\" = 300 ]" 30
is "$(value "sum(${name}_count{way=\"tls\"})")" 300 "by TLS, with a password"
is "$(value "sum(${name}_bucket{way=\"tls\",le=\"0.05\"})")" 200 "bounds are where they were"
wait_for "[ \"\$(value 'histogram_count(sum($name{way=\"native\"}))')\" = 300 ]" 30
is "$(value "histogram_count(sum($name{way=\"native\"}))")" 300 "a native histogram"
is "$(value "round(histogram_quantile(0.5, $name{way=\"native\"}), 0.01)")" 0.03 "whose median is where it was"
ask query_exemplars --data-urlencode "query=${name}_bucket{way=\"tls\"}" --data-urlencode "start=$((now - 60))" \
	--data-urlencode "end=$((now + 60))" >"$TMP/exemplars"
is "$(jq -c '[.data[].exemplars[].value | tonumber] | unique' "$TMP/exemplars")" "[0.001,0.03,0.3]" \
	"Prometheus has an exemplar of each bucket" || diag "$(cat "$TMP/exemplars")"
is "$(jq -r '[.data[].exemplars[].labels | (.trace_id | length), (.span_id | length)] | unique | tostring' "$TMP/exemplars")" \
	"[16,32]" "with trace and span"
is "$(value 'sum by (stage) (gotap_process_resident_memory_bytes{way="native"}) > bool 1e6')" "1" "memory of the pipeline" ||
	ask query --data-urlencode 'query=gotap_process_resident_memory_bytes'
is "$(value 'count(up == 1)')" 2 "both are up"

# --- who may look -----------------------------------------------------------------------

code() {
	curl -s -o "$TMP/body" -w '%{http_code}' --cacert "$TMP/crt" "$@" "https://localhost:$port/metrics"
}
is "$(code) $(code -u alice:wrong) $(code -u 'bob:open sesame') $(code -u 'alice:open sesame') $(code -u alice:wrong)" \
	"401 401 401 200 401" "only who knows the password"
is "$(curl -s -o /dev/null -w '%{http_code}' "http://localhost:$port/metrics")" 000 "and not in clear text"
promtool check metrics <"$TMP/body" >"$TMP/promtool" 2>&1
code -u 'alice:open sesame' >/dev/null
out=$(promtool check metrics <"$TMP/body" 2>&1)
is "$? $out" "0 " "promtool check metrics"
code -u 'alice:open sesame' --compressed -H 'Accept: application/openmetrics-text' >/dev/null
like "$(tail -n 1 "$TMP/body")" '^# EOF$' "OpenMetrics, gzipped, to its end"
for py in python3 /usr/bin/python3 none; do
	! $py -c 'import prometheus_client' 2>/dev/null || break
done
if [ "$py" = none ]; then
	diag "no prometheus_client for Python here"
else
	out=$($py -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
for f in text_string_to_metric_families(sys.stdin.read()):
    if f.name == "http_server_request_duration_seconds":
        print(f.type, f.unit, sorted({s.exemplar.value for s in f.samples if s.exemplar}))' <"$TMP/body" 2>&1)
	is "$out" "histogram seconds [0.001, 0.03, 0.3]" "Python's OpenMetrics parser"
fi

# --- many at once, slow ones, no end of them ------------------------------------------------

slow=
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	curl -s --limit-rate 10k "http://127.0.0.1:$native/metrics" >"$TMP/slow.$i" &
	slow="$slow $!"
done
out=$(curl -s --max-time 10 "http://127.0.0.1:$native/metrics" | grep -c "^${name}_count")
is "$out" 1 "an answer while twelve read slowly"
# shellcheck disable=SC2086 # words
wait $slow
is "$(cat "$TMP"/slow.* | grep -c "^${name}_count")" 12 "and they get theirs"
exec 3>&- 4>&-
wait $one
s1=$?
wait $two
is "$s1 $?" "0 0" "both end with status 0"

# --- what is refused ----------------------------------------------------------------------

for bad in 'tls_server_config: {cert_file: x}' 'basic_auth_users:
  a: clear' 'http_server_config:
  http2: true' 'tls_server_config:
  cert_file: crt' 'tls_server_config:
  cert_file: crt
  key_file: nowhere' 'tls_server_config:
  cert_file: web.yml
  key_file: web.yml' 'tls_server_config:
  cert_file: crt
  key_file: key
  min_version: TLS13' 'nonsense'; do
	printf '%s\n' "$bad" >"$TMP/bad.yml"
	run --prometheus :0 --prometheus-web-config "$TMP/bad.yml"
	[ "$status" -ne 2 ] || status=1
	is "$status $(wc -l <"$TMP/err")" "1 1" \
		"a web config of $(echo "$bad" | tr '\n' ' ')" || diag "$err"
done
done_testing
