#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the machines that run.sh booted have said: on each kernel every request is traced,
# its fields are right, and nothing is left behind. Writes the table.
. "$(dirname "$0")/../lib.sh"
require_command jq
VM=${VM:-${BUILD:-$TOP/build}/vm}
[ -s "$VM/boot" ] || skip_all "no machine was booted (make check-kernels)"

# said KEY: what the machine said of it.
said() {
	sed -n "s/^.*@@ $1 //p" "$log" | tr -d '\r' | head -n 1
}
# file NAME: a file that the machine gave, into $TMP/NAME.
file() {
	tr -d '\r' <"$log" | sed -n "/^@@< $1\$/,/^@@> $1\$/p" | grep -v '^@@' | base64 -d 2>/dev/null |
		gzip -dc >"$TMP/$1" 2>/dev/null || :
}
# count FILTER FILE
count() {
	jq -c "select($1)" "$2" 2>/dev/null | wc -l
}
# how FILE: the ways that were used.
how() {
	jq -r 'select(.type == "attach") | .how' "$1" 2>/dev/null | sort -u | paste -sd, -
}

# traced NAME REQUESTS FIELDS: one run of goattach, of so many requests and one with a
# traceparent.
traced() {
	file "$1.events"
	file "$1.err"
	events=$TMP/$1.events n=$(($2 + 1))
	is "$(said "$1.load" | jq .good)" "$2" "$kernel, $1: the target answers" || diag "$(tail -n 5 "$TMP/$1.err")"
	is "$(count '.event == "begin"' "$events") $(count '.event == "end" or .event == "unwind"' "$events")" \
		"$n $n" "$kernel, $1: each request is traced once" && counted=$n
	is "$(jq -r 'select(.type == "stats") | .counters | [.lost, .unpaired, .unknown, .no_goroutine] | join(" ")' \
		"$events" 2>/dev/null | tail -n 1)" "0 0 0 0" "$kernel, $1: nothing lost, nothing odd"
	third=$(($2 / 3))
	is "$(jq -r 'select(.event == "begin") | .values | [.["http.request.method"], .["url.path"],
		.["url.query"]] | join(" ")' "$events" 2>/dev/null | sort | uniq -c | sed 's/^ *//')" \
		"$third GET /any/a b=c
$third GET /hello 
1 GET /hello parent
$third GET /panic " "$kernel, $1: method, path and query" && fields=yes
	is "$(jq -r 'select(.event == "end") | .values["http.response.status_code"]' "$events" 2>/dev/null |
		sort | uniq -c | sed 's/^ *//')" "$((2 * third + 1)) 200" "$kernel, $1: status" || fields=no
	is "$(jq -r 'select(.event == "begin" and .parent_from == "remote") |
		[.trace_id, .parent_id, .values["url.query"]] | join(" ")' "$events" 2>/dev/null)" \
		"0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 parent" \
		"$kernel, $1: the traceparent header, from a Go map" || fields=no
	is "$(said "$1.status")" 0 "$kernel, $1: goattach ends with status 0"
	is "$(said "$1.after" | jq .good)" 20 "$kernel, $1: and the target answers as before"
}

# attached NAME: there were probes, and then there was none.
attached() {
	like "$(said "$1.changed")" '^[1-9]' "$kernel, $1: there are probes in the target"
	is "$(said "$1.left")" 0 "$kernel, $1: none is left"
}

# series: as a number, to compare.
series() {
	echo "$1" | awk -F. '{ print $1 * 1000 + $2 + 0 }'
}

sums=
printf '%-26s %-8s %-7s %-7s %-7s %-15s %-5s %-12s %s\n' kernel way traced fields detach 'SIGKILL (way)' PIE 'own BTF gone' s \
	>"$VM/table"
while read -r name arch _; do
	log=$VM/$name-$arch.log kernel="Linux $name $arch"
	is "$(said kernel | sed "s/-cloud-.*//")" "$name" "$kernel: boots" || diag "$(tail -n 5 "$log" | tr -d '\r')"
	counted=0 fields=no
	traced own 201
	attached own
	way=$(how "$TMP/own.events") wanted=multi other=perf
	[ "$(series "$name")" -ge 6006 ] || wanted=perf
	[ "$(series "$name")" -ge 5015 ] || wanted=address other=address
	is "$way" $wanted "$kernel: attached by $wanted"
	main="$counted $fields"
	file check
	is "$(said check.status) $(sed -n 's/.*to be attached as: //p' "$TMP/check")" "0 $wanted" \
		"$kernel: goattach --check says the same" || diag "$(cat "$TMP/check")"
	file killed.events
	attached killed
	killed=$(how "$TMP/killed.events")
	is "$killed" $other "$kernel: with --attach=perf by $other"
	counted=0 fields=no
	traced pie 30
	pie=$fields
	if [ "$arch" = amd64 ]; then
		[ -n "$sums" ] || sums=$(said sha256)
		is "$(said sha256)" "$sums" "$kernel: the same goattach, and BPF object, byte for byte"
	fi
	btf=-
	if grep -q '@@ none.status' "$log"; then
		file none.err
		is "$(said none.status)" 4 "$kernel: without BTF goattach ends with status 4"
		like "$(cat "$TMP/none.err")" '--btf' "$kernel: and says what to do"
		counted=0 fields=no
		traced external 30
		attached external
		btf=$fields
		file wrong.err
		is "$(said wrong.status)" 4 "$kernel: the BTF of another kernel is refused"
		like "$(cat "$TMP/wrong.err")" 'not of the running kernel' "$kernel: and goattach says why"
		is "$(said wrong.left)" 0 "$kernel: nothing was attached with it"
	fi
	sed -n 's/^.*@@ field //p' "$log" | tr -d '\r' | sort >"$TMP/fields.$name-$arch"
	printf '%-26s %-8s %-7s %-7s %-7s %-15s %-5s %-12s %s\n' "$name $arch" "${way:--}" \
		"${main% *}" "${main#* }" "$([ "$(said own.left)" = 0 ] && echo yes || echo no)" \
		"$([ "$(said killed.left)" = 0 ] && echo yes || echo no) (${killed:--})" "$pie" "$btf" \
		"$(said finished)" >>"$VM/table"
done <"$VM/boot"

# The program as the kernel has it: each field is read from where that kernel's own BTF says,
# which is elsewhere on another kernel.
set -- "$TMP"/fields.*-amd64
for field in task_struct.start_boottime task_struct.group_leader task_struct.mm mm_struct.start_code; do
	grep -h "^$field " "$@" | cut -d' ' -f2 | sort -u >"$TMP/places"
	[ $# -lt 2 ] || [ "$field" = mm_struct.start_code ] ||
		ok "$([ "$(wc -l <"$TMP/places")" -gt 1 ]; echo $?)" "$field is not in the same place on all kernels"
	is "$(grep -h "^$field " "$@" | awk '$3 >= 1' | wc -l)" $# \
		"$field: the loaded program reads it there"
	{
		printf '%s, instructions that read it:' "$field"
		for f; do
			awk -v f="$field" -v k="$(basename "$f" -amd64 | sed 's/^fields\.//; s/[-+].*//')" \
				'$1 == f { printf " %s at %d: %d;", k, $2, $3 }' "$f"
		done
		echo
	} >>"$VM/table"
done
done_testing
