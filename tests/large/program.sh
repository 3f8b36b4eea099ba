# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# check_program NAME: every function of the large program tests/targets/NAME, with
# symbols and without, against what go tool nm and go tool objdump say of it (kept
# beside the binary). Building one takes minutes, so that without GOTAP_LARGE only
# those are looked at that other tests need too.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
export GOTOOLCHAIN=local

# kept FILE COMMAND…: its output in FILE, unless it is newer than $plain and the command.
kept() {
	_file=$1
	shift
	exec 9>"$_file.lock"
	flock 9
	[ -s "$_file" ] &&
		[ -z "$(find "$plain" "$TOP/tests/matrix/truth.py" -newer "$_file" -type f)" ] &&
		return
	"$@" >"$_file.new" && mv "$_file.new" "$_file"
}

# agrees FLAVOUR OPTION…: goresolve and the truth do.
agrees() {
	_flavour=$1
	shift
	_file=$(sh "$TOP/tests/build-target.sh" "$name" "$_flavour")
	ok $? "$name, $_flavour: built" || return
	nice python3 "$TOP/tests/matrix/compare.py" "$@" "$BIN/goresolve" "$_file" \
		"$plain.truth" >"$TMP/said" 2>&1
	ok $? "$name, $_flavour, $(du -m "$_file" | cut -f 1) MB: $(head -n 1 "$TMP/said")" ||
		diag "$(cat "$TMP/said")"
	_size=$(du -m "$_file" | cut -f 1)
	bounded "$_file" $((_size > 100 ? _size : 100))
	bounded "$_file" 256 --no-recipes --func '*'
}

# bounded FILE MB OPTION…: goresolve plans something, and takes no more memory.
bounded() {
	python3 - "$2" "$BIN/goresolve" "$1" "$@" >"$TMP/said" 2>&1 <<-'END'
		import resource, subprocess, sys
		most, program, file, options = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[6:]
		done = subprocess.run([program, *options, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
		print("%.1f MB resident, %d records" % (rss, done.stdout.count(b"\n")))
		sys.exit(done.returncode or rss > most or b'"type":"probe"' not in done.stdout)
	END
	ok $? "goresolve $(shift 2 && echo "$@" "$name"): $(cat "$TMP/said"), at most $2 allowed"
}

check_program() {
	name=$1
	require_go
	require_command python3 objdump
	[ -n "${GOTAP_LARGE:-}" ] || [ "$name" = otelcol ] ||
		skip_all "make check-large builds it and looks at it"
	plain=$(sh "$TOP/tests/build-target.sh" "$name" plain)
	ok $? "$name: built" || done_testing
	kept "$plain.truth" nice python3 "$TOP/tests/matrix/truth.py" \
		"$(sh "$TOP/tests/build-target.sh" --go newest)" "$plain"
	ok $? "$name: $(grep -c '^function' "$plain.truth") functions by go tool nm"
	agrees plain
	agrees stripped --stripped
	done_testing
}
