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

# locked_memory: with 64 KiB of it, and no right to raise that, BPF maps find no room
# before Linux 5.11, which is said; later it does not matter.
locked_memory() {
	memlock=-
	[ -n "$(said memlock.status)" ] || return 0
	file memlock.table
	file memlock.err
	row=$(grep ^locked_memory "$TMP/memlock.table")
	memlock=no
	if [ "$(series "$name")" -lt 5011 ]; then
		is "$(said memlock.check) $(said memlock.status)" "4 4" "$kernel: too little locked memory: status 4"
		like "$row" '^locked_memory +no +64 KiB; BPF maps count' "$kernel: too little locked memory: in the table"
		like "$(cat "$TMP/memlock.err")" 'locked memory is limited to 64 KiB, and before Linux 5.11' \
			"$kernel: too little locked memory: said" && memlock=said
	else
		is "$(said memlock.check) $(said memlock.status)" "0 0" "$kernel: little locked memory: it traces"
		like "$row" '^locked_memory +yes +64 KiB; BPF maps do not count' "$kernel: little locked memory: in the table" &&
			memlock=traces
	fi
}

# lockdown: with integrity it traces, with confidentiality it says why not.
lockdown() {
	for level in integrity confidentiality; do
		file $level.table
		file $level.err
		file $level.events
	done
	locked_down=no
	is "$(said integrity.check) $(said integrity.status)" "0 0" "$kernel: lockdown=integrity: it traces"
	is "$(how "$TMP/integrity.events")" "$wanted" "$kernel: lockdown=integrity: attached as ever"
	like "$(grep ^lockdown "$TMP/integrity.table")" 'integrity; kernel memory can be read' \
		"$kernel: lockdown=integrity: in the table"
	is "$(said confidentiality.check) $(said confidentiality.status)" "4 4" \
		"$kernel: lockdown=confidentiality: status 4"
	like "$(grep ^lockdown "$TMP/confidentiality.table")" '^lockdown +no +confidentiality; kernel memory cannot' \
		"$kernel: lockdown=confidentiality: in the table"
	like "$(cat "$TMP/confidentiality.err")" 'kernel lockdown is set to confidentiality' \
		"$kernel: lockdown=confidentiality: said" && locked_down=said
}

# seconds WAY: what attaching took by goattach's own account, and detaching.
seconds() {
	echo "$(said "$1.attach_ms") $(said "$1.detach_cs")" | awk '{ printf "%.2f/%.2f", $1 / 1000, $2 / 100 }'
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

sums='' wanted='' machines=$(grep -c ' amd64 ' "$VM/boot")
line='%-26s %-8s %-7s %-7s %-7s %-15s %-8s %-9s %-13s %-8s %-9s %-13s %-13s %s\n'
# shellcheck disable=SC2059  # one format for all lines
printf "$line" kernel way traced fields detach 'SIGKILL (way)' PIE+exec untouched 'own BTF gone' memlock lockdown \
	'60 sites: s' 'by perf: s' s >"$VM/table"
while read -r name arch _; do
	log=$VM/$name-$arch.log kernel="Linux $name $arch"
	is "$(said kernel | sed "s/-cloud-.*//")" "$name" "$kernel: boots" || diag "$(tail -n 5 "$log" | tr -d '\r')"
	counted=0 fields=no
	traced own 201
	attached own
	way=$(how "$TMP/own.events") wanted=multi other=perf reach=process
	[ "$(series "$name")" -ge 6006 ] || wanted=event
	[ "$(series "$name")" -ge 5015 ] || wanted=address other=address
	# Links for one process miss its other threads then.
	[ "$(series "$name")" -lt 6006 ] || [ "$(series "$name")" -ge 6010 ] || reach='file'
	is "$way" $wanted "$kernel: attached by $wanted"
	is "$(jq -r 'select(.type == "attach") | .reach' "$TMP/own.events" 2>/dev/null | sort -u)" $reach \
		"$kernel: breakpoints in the $reach"
	other_changed=$(said own.other)
	if [ $reach = process ]; then
		is "$other_changed" 0 "$kernel: another process of the file has none"
	else
		like "$other_changed" '^[1-9]' "$kernel: another process of the file has them too"
	fi
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
	like "$(cat "$TMP/pie.err")" 'has called exec' "$kernel: after it has executed itself"
	for way_timed in auto perf; do
		ok "$([ "$(said $way_timed.detach_cs)" -ge 0 ]; echo $?)" "$kernel: many sites, $way_timed"
	done
	locked_memory
	lockdown
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
		if [ "$arch" != amd64 ] || [ "$machines" -gt 1 ]; then
			file wrong.err
			is "$(said wrong.status)" 4 "$kernel: the BTF of another kernel is refused"
			like "$(cat "$TMP/wrong.err")" 'not of the running kernel' "$kernel: and goattach says why"
			is "$(said wrong.left)" 0 "$kernel: nothing was attached with it"
		fi
	fi
	sed -n 's/^.*@@ field //p' "$log" | tr -d '\r' | sort >"$TMP/fields.$name-$arch"
	# shellcheck disable=SC2059
	printf "$line" "$name $arch" "${way:--}" \
		"${main% *}" "${main#* }" "$([ "$(said own.left)" = 0 ] && echo yes || echo no)" \
		"$([ "$(said killed.left)" = 0 ] && echo yes || echo no) (${killed:--})" "$pie" \
		"$([ "$other_changed" = 0 ] && echo yes || echo no)" "$btf" "$memlock" "$locked_down" \
		"$(seconds auto)" "$(seconds perf)" "$(said finished)" >>"$VM/table"
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
