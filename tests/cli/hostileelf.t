#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile ELF files and function tables, as valid as can be but made to cost time or
# memory: goresolve says what is wrong, ends soon, and never takes more than 256 MB.
. "$(dirname "$0")/../lib.sh"
require_command python3

case $BIN in */san/*) skip_all "sanitizers take time and memory themselves" ;; esac
limit=256
seconds=10 # of CPU, of a machine that may be slow: what hangs is to be found

cat >"$TMP/hostile.py" <<'EOF'
"""hostile.py GORESOLVE DIR MB SECONDS: tries each kind, prints what ends badly."""
import array, os, resource, struct, subprocess, sys

goresolve, work, limit, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
MB, GB = 1 << 20, 1 << 30
TEXT, RO, RW = 0x400000, 0x10000000, 0xc0000000
NAMES = 72  # offset behind the header of the pclntab
path = work + "/hostile"


def pad(data, n):
    return data + b"\0" * (-len(data) % n)


def uleb(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def pclntab(n, names=b"main.f\0", pctab=b"\0" * 16, inlined=False):
    """@n functions of a byte each, all of them described by one struct _func."""
    names, pctab = names + b"\0" * n, pad(pctab, 8)
    cu = NAMES + len(names)
    table = cu + len(pctab)
    gap = -table % 8
    at = n * 8 + 8
    rows = array.array("I", [0]) * (2 * n + 2)
    rows[0:2 * n:2] = array.array("I", range(n))
    rows[1:2 * n:2] = array.array("I", [at]) * n
    rows[2 * n] = n
    head = struct.pack("<IBBBB8Q", 0xfffffff1, 0, 0, 1, 8, n, 1, TEXT, NAMES, cu, cu, cu, table + gap)
    func = struct.pack("<10I4B", 0, 0, 0, 0, 0, 0, 0, 3 if inlined else 0, 0, 0, 0, 0, 0, 4 if inlined else 0)
    func += struct.pack("<7I", 0, 0, 1, 2**32 - 1, 2**32 - 1, 2**32 - 1, 0)
    return head + names + pctab + b"\0" * gap + rows.tobytes() + func


def write(table, tail=b"", n=16, sections=None, more=(), grow=0, blob=True, size=0):
    """A program of @n bytes of code, @table and @tail behind it, and what goresolve needs."""
    ro = pad(table, 4096) + tail
    rw = b"\xff Go %sinf:" % (b"build" if blob else b"guild") + bytes([8, 2]) + b"\0" * 16 + b"\x08go1.22.0\0"
    words = [0] * 60
    words[0:4] = RO, RO + NAMES, 64, 64
    words[22], words[23], words[40] = TEXT, TEXT + n, RO + len(ro) - len(tail)
    rw = pad(rw, 64) + struct.pack("<60Q", *words)
    segments = [(5, TEXT, b"\xc3" * n), (4, RO, ro), (6, RW, rw)]
    count = len(segments) + len(more)
    at, headers, parts = 4096, b"", []
    for flags, addr, data in segments:
        length = len(data) + (grow if flags == 6 else 0)
        headers += struct.pack("<IIQQQQQQ", 1, flags, at, addr, addr, length, length, 4096)
        parts.append((at, data))
        at += len(data) + -len(data) % 4096
    for header in more:
        headers += struct.pack("<IIQQQQQQ", *header)
    shoff, shnum = (at, sections[0]) if sections else (0, 0)
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, TEXT, 64, shoff, 0,
                                                      64, 56, count, 64, shnum, 0)
    with open(path, "wb") as f:
        f.write(head + headers)
        for offset, data in parts:
            f.seek(offset)
            f.write(data)
        if sections:
            f.seek(at)
            f.write(sections[1])
        f.truncate(max(size, f.tell()))


def run(name, status, says, *options):
    pid = os.fork()
    if not pid:
        out = os.open(work + "/out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        said = os.open(work + "/said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(said, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.execv(goresolve, [goresolve, *options, path])
    _, got, used = os.wait4(pid, 0)
    got, rss = os.waitstatus_to_exitcode(got), used.ru_maxrss >> 10
    said = open(work + "/said").read()
    print("%s %s: status %d, %d MB, %.2f s" % (name, options, got, rss, used.ru_utime + used.ru_stime),
          file=sys.stderr)
    if got != status or rss > limit or says not in said:
        print("%s %s: status %d, %d MB: %s" % (name, options, got, rss, said[-300:]))


write(pclntab(1))
run("a sound one", 0, "", "--list", "main.f")
write(pclntab(600000), b"", 600000)
run("very many functions of one name", 0, "600000 functions match", "--explain", "main.f")
if b"599984 more of this name" not in subprocess.run([goresolve, "--explain", "main.f", path], stdout=-1).stdout:
    print("--explain: the others are not counted")
write(pclntab(20000, pctab=b"\0" + uleb(2 * (1 << 20) - 2) + b"\1\0", inlined=True), b"\0" * (16 * MB + 64), 20000)
run("inlined calls with high numbers", 1, "inlined is not known", "--list", "x")
node = struct.pack("<IIII", 0, 7, 2**32 - 1, 0)
write(pclntab(20000, b"main.f\0" + b"A" * (24 * MB), b"\0" + uleb(2) + b"\1\0", True), node * 4, 20000)
run("a long name of inlined calls", 1, "inlined is not known", "--list", "x")
n = 60000
note = struct.pack("<IIQQQQIIQQ", 0, 7, 0, 0, 1 << 14, 4 * MB, 0, 0, 4, 0)
write(pclntab(1), b"\0" * (4 * MB), sections=(n, note * n))
run("sections of notes over the file", 0, "", "--list", "main.f")
copies = [(1, 6, 0, (i + 2) << 32, 0, 16 * MB, 16 * MB, 4096) for i in range(61)]
write(pclntab(1), b"\0" * (16 * MB), more=copies)
run("segments of the same bytes", 3, "segment 4: 0x", "--list", "main.f")
write(pclntab(1), more=[(1, 6, 4096, RW + 64, 0, 64, 64, 4096)])
run("segments at the same address", 3, "segment 3: its address 0x", "--list", "main.f")
write(pclntab(1), sections=(0, struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 100 << 20, 0, 0, 0, 0)), size=10 * GB)
run("a hundred million section headers", 0, "section headers at offset 0x", "--list", "main.f")
write(pclntab(1), grow=9 * GB, size=10 * GB)
run("a segment of 9 GB", 3, "bytes to load", "--list", "main.f")
write(pclntab(1), grow=GB, size=10 * GB, blob=False)
run("a segment of 1 GB without build information", 3, "no Go build information", "--list", "main.f")
names = b"\0.symtab\0.shstrtab\0"
symtab = struct.pack("<IIQQQQIIQQ", 1, 2, 0, 0, 0, 9 * GB, 2, 0, 8, 24)
strtab = struct.pack("<IIQQQQIIQQ", 9, 3, 0, 0, 0, len(names), 0, 0, 1, 0)
write(pclntab(1), sections=(3, b"\0" * 64 + symtab + strtab + names), size=10 * GB)
with open(path, "r+b") as f:  # where the names are is known now
    f.seek(40)
    shoff, = struct.unpack("<Q", f.read(8))
    f.seek(62)
    f.write(struct.pack("<H", 2))
    f.seek(shoff + 2 * 64 + 24)
    f.write(struct.pack("<Q", shoff + 3 * 64))
    f.seek(shoff + 64 + 24)
    f.write(struct.pack("<Q", shoff + 4096))
run("a symbol table of 9 GB", 0, "", "--list", "main.f")
EOF
python3 "$TMP/hostile.py" "$BIN/goresolve" "$TMP" $limit $seconds >"$TMP/bad" 2>"$TMP/err"
ok $? "$(wc -l <"$TMP/err") runs"
sort -t , -k 3nr "$TMP/err" | head -n 3 | sed 's/^/# /'
is "$(cat "$TMP/bad")" "" "none fails, hangs or takes more than $limit MB"
done_testing
