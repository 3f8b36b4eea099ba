#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile ELF files: a Go binary cut at every header, and with every field of its
# headers all ones. goresolve never crashes, and always says why it did nothing.
. "$(dirname "$0")/../lib.sh"
require_go
require_command python3

file=$("$TOP/tests/build-target.sh" funcs stripped 2>/dev/null) || missing go "cannot build"

# Runs goresolve on each variant; prints a line for each that ends badly.
cat >"$TMP/hostile.py" <<'END'
import struct, subprocess, sys
resolve, path, work = sys.argv[1:4]
data = open(path, "rb").read()
phoff, shoff = struct.unpack_from("<QQ", data, 32)
phnum, shnum = struct.unpack_from("<H", data, 56)[0], struct.unpack_from("<H", data, 60)[0]
runs = bad = 0

def run(name, content):
    global runs, bad
    runs += 1
    with open(work, "wb") as f:
        f.write(content)
    try:
        p = subprocess.run([resolve, "--func", "main.Leaf", work], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        print(name, "takes too long")
        bad += 1
        return
    said = p.stderr.strip() or b'"type":"skip"' in p.stdout or b'"type":"probe"' in p.stdout
    if p.returncode not in (0, 1, 3) or not said or b"Sanitizer" in p.stderr or b"runtime error" in p.stderr:
        print(name, "status", p.returncode, p.stderr.decode(errors="replace")[-300:])
        bad += 1

cuts = {0, 1, 4, 15, 16, 63, 64, len(data) - 1, phoff, shoff}
for i in range(phnum):
    cuts |= {phoff + i * 56, phoff + i * 56 + 20}
    offset, size = struct.unpack_from("<Q16xQ", data, phoff + i * 56 + 8)
    cuts |= {offset, offset + size - 1}
for i in range(shnum):
    cuts |= {shoff + i * 64, shoff + i * 64 + 20}
    offset, size = struct.unpack_from("<QQ", data, shoff + i * 64 + 24)
    cuts |= {offset, offset + size // 2, offset + 8}
for cut in sorted(c for c in cuts if 0 <= c < len(data)):
    run("cut at %d" % cut, data[:cut])

def ones(name, offset, size):
    run(name, data[:offset] + b"\xff" * size + data[offset + size:])

for offset, size in ((4, 1), (5, 1), (16, 2), (18, 2), (24, 8), (32, 8), (40, 8), (52, 2), (54, 2),
                     (56, 2), (58, 2), (60, 2), (62, 2)):
    ones("ELF header +%d" % offset, offset, size)
for i in range(phnum):
    for offset, size in ((0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)):
        ones("program header %d +%d" % (i, offset), phoff + i * 56 + offset, size)
for i in range(shnum):
    for offset, size in ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (56, 8)):
        ones("section header %d +%d" % (i, offset), shoff + i * 64 + offset, size)
# The contents that counts and offsets are read from: build info, pclntab, types.
for i in range(shnum):
    offset, size = struct.unpack_from("<QQ", data, shoff + i * 64 + 24)
    for at in range(0, min(size, 80), 8):
        if offset + at + 8 <= len(data):
            ones("section %d content +%d" % (i, at), offset + at, 8)
print("# %d variants" % runs)
sys.exit(bad != 0)
END
out=$(python3 "$TMP/hostile.py" "$BIN/goresolve" "$file" "$TMP/variant")
ok $? "every variant of a Go binary ends well"
diag "$out"

resolve() {
	out=$("$BIN/goresolve" "$@" 2>"$TMP/err" </dev/null)
	status=$?
	err=$(cat "$TMP/err")
}
for f in /bin/true "$TOP/README.md" /dev/null "$TMP" /no/such/file; do
	resolve "$f"
	case $f in
	"$TMP" | /no/*) want=1 ;; # cannot be read
	*) want=3 ;;             # is not what goresolve reads
	esac
	is "$status" $want "$f is no Go binary: status $want"
	ok "$(printf '%s\n' "$out$err" | grep -q .; echo $?)" "$f: says so"
	unlike "$out" '"type":"probe"' "$f: no probe"
done
resolve /bin/true "$file" /no/such/file
like "$out" '"type":"probe"' "a good file among bad ones is resolved"
done_testing
