# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Who is whose parent, as the target "family" says in its log and as its spans say.

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
