#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that a binary has are bytes from who knows where: in no view for people do they
# move the cursor, colour the terminal or turn the text around.
. "$(dirname "$0")/../lib.sh"
require_go
require_command python3

file=$("$TOP/tests/build-target.sh" args dwarf 2>/dev/null) || missing go "cannot build"

# Each name with a control (7 bits and 8), a mark of direction, and bytes that are no UTF-8.
python3 - "$file" "$TMP/hostile" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
for old, new in ((b"main.Numbers", b"main.\x1b[31m\xc2\x9b"), (b"main.record", b"main.\xe2\x80\xae\xc2\x9b\x1b"),
                 (b"Score", b"\x1b\xc2\x9b\xff\x07"), (b"\x05many\0", b"\x05\x1b\xc2\x9b\x07\0"),
                 (b"many\0", b"\x1b\xc2\x9b\x07\0")):
    assert len(old) == len(new), old
    data = data.replace(old, new)
open(sys.argv[2], "wb").write(data)
END
ok $? "a binary with names that are escape sequences"

numbers=$(printf 'main.\033[31m\302\233')
views() { # what is shown for people, one view after the other
	for view in "--list main.*" "--types main.*" "--dry-run --no-recipes --func main.*" \
		"--report --no-recipes --func main.*"; do
		# shellcheck disable=SC2086  # options
		"$BIN/goresolve" $view "$TMP/hostile" 2>&1
	done
	"$BIN/goresolve" --explain "$numbers" "$TMP/hostile" 2>&1
}
views >"$TMP/out"
count() { # of what is in no place
	LC_ALL=C grep -acE "$1" "$TMP/out"
}
is "$(count "$(printf '[\001-\010\013-\037\177]')")" 0 "no control characters of 7 bits"
is "$(count "$(printf '\302[\200-\237]')")" 0 "none of 8 bits"
is "$(count "$(printf '\342\200[\252-\256]')")" 0 "no marks that turn the text around"
python3 -c 'import sys; open(sys.argv[1], encoding="utf-8").read()' "$TMP/out" 2>/dev/null
ok $? "and all of it is UTF-8"
like "$(cat "$TMP/out")" 'main\.\?\[31m\?' "a function is shown with its name masked"
like "$(cat "$TMP/out")" '^main\.\?\?\? ' "so is a type"
like "$(cat "$TMP/out")" 'main\.Texts \?\?\?: ' "and a parameter"
done_testing
