# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# pipeline.sh, and the edges of traces: between the spans of the target "family" there
# must be just those that it says there are.

# shellcheck source=tests/pipeline.sh
. "$(dirname "$0")/../pipeline.sh"

# edges_of KINDS: from the target's log, a line "CHILD PARENT" for each call whose kind
# (c client, f function) is traced; the parent is the nearest one that is.
edges_of() {
	awk -v kinds="$1s-" 'index(kinds, substr($1, 1, 1)) {
		for (i = 2; i <= NF && !index(kinds, substr($i, 1, 1)); i++)
			;
		print $1, $i
	}' | sort
}

# edges_traced: the same from the spans on stdin, "?" where a parent is not among them.
# Functions whose number is 0 are not in the log.
edges_traced() {
	jq -r 'select(.type == "span") | [.span_id, .parent_id // "-", .parent_from,
		(if .span == "http.server" then .attributes["url.query"] // "" | sub("^(.*&)?id="; "s")
		elif .span == "http.client" then .attributes["url.full"] |
			sub("^[^/]*//[^/]*/[a-z]*/"; "c") | sub("/.*"; "")
		else "f\(.attributes["arg.id"])" end)] | @tsv' | awk -F '\t' '
		{ name[$1] = $4; parent[$1] = $2 }
		END {
			for (s in name) {
				p = parent[s] == "-" ? "-" : parent[s] in name ? name[parent[s]] : "?"
				if (name[s] !~ /^s|^f0$/ && name[s] != "")
					print name[s], p
			}
		}' | sort
}

# compare KINDS NAME: ends the pipeline, and compares.
compare() {
	curl -sf "http://$TARGET_ADDR/log" >"$TMP/truth"
	stop_pipeline
	stop "$TARGET_PID" KILL
	edges_of "$1" <"$TMP/truth" >"$TMP/want"
	edges_traced <"$TMP/spans" >"$TMP/got"
	is "$(lost)" 0 "$2: nothing is lost"
	is "$(spans .incomplete)" 0 "$2: every span has its end"
	diff "$TMP/want" "$TMP/got" >"$TMP/diff"
	ok $? "$2: the $(wc -l <"$TMP/want") edges are the program's own" ||
		diag "$(grep -c '^>' "$TMP/diff") wrong; < is right: $(head -n 12 "$TMP/diff")"
}

# family VERSION FLAVOUR REQUESTS KINDS OPTION…: traces the target under load and
# compares. The options are goresolve's.
family() {
	_what="Go $1 $2, $3 requests"
	_n=$3 _kinds=$4
	_program=$(build_target family "$2" "$1") || bail "no target"
	shift 4
	start_target "$_program"
	RESOLVE_ARGS=$*
	start_pipeline --pid "$TARGET_PID"
	is "$("$_program" -load "$TARGET_ADDR" -n "$_n" -c 64 2>"$TMP/load.err")" "$_n" \
		"$_what: all are answered" || diag "$(cat "$TMP/load.err")"
	compare "$_kinds" "$_what"
	ok "$([ "$(wc -l <"$TMP/want")" -gt "$_n" ]; echo $?)" "$_what: there are more calls than requests"
}
