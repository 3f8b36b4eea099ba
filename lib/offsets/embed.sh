#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints C source that holds the tables named as operands; offsets.h has the meaning.
set -eu
awk -F '\t' '
BEGIN {
	print "/* Made by lib/offsets/embed.sh; not to be edited. */"
	print "#include \"offsets.h\""
	print "const struct offsets_row offsets_table[] = {"
}
function version(s, n) {
	split(s, n, ".")
	return sprintf("{ { %d, %d, %d }, false }", n[1], n[2], n[3])
}
/^#/ || NF == 0 { next }
NF != 8 { print FILENAME ":" FNR ": not 8 columns" > "/dev/stderr"; exit 1 }
{
	arch = $4 == "amd64" ? "GOBIN_AMD64" : $4 == "arm64" ? "GOBIN_ARM64" : "-1"
	printf "\t{ \"%s\", \"%s\", \"%s\", %s, %s, %s, %s, \"%s\" },\n", $1, $2, $3, arch,
		version($5), version($6), $7 == "-" ? "OFFSETS_ABSENT" : $7,
		$8 == "-" ? "" : $8
}
END {
	print "\t{ 0 }\n};"
	print "const size_t offsets_table_len = sizeof(offsets_table) / sizeof(offsets_table[0]) - 1;"
}' "$@"
