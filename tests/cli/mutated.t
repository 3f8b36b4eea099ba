#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real Go binaries with wrong bytes in what goresolve reads of them: headers, function
# table, types, DWARF, also compressed. Whatever is wrong, it ends in time and in 256 MB,
# with a documented status, and says what was wrong unless it could do without.
. "$(dirname "$0")/../lib.sh"
require_go
require_command python3 jq

build() {
	"$TOP/tests/build-target.sh" "$@" 2>/dev/null || missing go "cannot build $*"
}
plain=$(build funcs dwarf) || exit 1
compressed=$(build funcs plain) || exit 1
stripped=$(build funcs stripped) || exit 1
pie=$(build funcs pie-stripped) || exit 1
old=$(build funcs dwarf oldest) || exit 1

cat >"$TMP/mutate.py" <<'END_PY'
import os, random, resource, signal, struct, subprocess, sys, time, zlib
resolve, work, plain, compressed, stripped, pie, old = sys.argv[1:8]
san = "san" in resolve.split("/")
NOTHING = b"goresolve: nothing to trace"
LIMIT = 256 << 20
SECONDS = 5
rnd = random.Random(2)
runs = bad = 0
most_memory = most_time = 0

def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (60 if san else SECONDS, 90))
    if not san: # a sanitizer maps terabytes; what is mapped of the file counts here
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

def run(name, content, *args):
    global runs, bad, most_memory, most_time
    runs += 1
    with open(work, "wb") as f:
        f.write(content)
    args = args or ("--func", "main.Leaf", "--func", "main.R*")
    with open(work + ".out", "wb") as out, open(work + ".err", "wb") as err:
        p = subprocess.Popen([resolve, *args, work], stdin=subprocess.DEVNULL, stdout=out,
                             stderr=err, preexec_fn=limits)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    out, err = open(work + ".out", "rb").read(), open(work + ".err", "rb").read()
    most_memory = max(most_memory, usage.ru_maxrss)
    most_time = max(most_time, usage.ru_utime + usage.ru_stime)
    why = None
    if p.returncode not in (0, 1, 3):
        why = "status %d" % p.returncode
    elif b"anitizer" in err or b"runtime error" in err:
        why = "a sanitizer"
    elif b"out of memory" in err or b"Cannot allocate" in err:
        why = "more than 256 MB"
    elif not out and not err.strip():
        why = "nothing is said"
    elif len([l for l in err.splitlines() if b"warning: " not in l and l != NOTHING]) > 1:
        why = "not one message"
    if why:
        bad += 1
        print("%s: %s: %s" % (name, why, err.decode(errors="replace")[:300].strip()))

class Binary:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.name = os.path.basename(path).split("-", 2)[2]
        shoff, = struct.unpack_from("<Q", self.data, 40)
        n, stri = struct.unpack_from("<HH", self.data, 60)
        self.shoff, self.shnum = shoff, n
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + 64 * i) for i in range(n)]
        strs = self.headers[stri][4]
        self.sections = {}
        for i, h in enumerate(self.headers):
            at = strs + h[0]
            s = self.data[at:self.data.index(b"\0", at)].decode()
            self.sections[s] = (h[4], 0 if h[1] == 8 else h[5], i)

    def put(self, *patches):
        d = bytearray(self.data)
        for at, b in patches:
            d[at:at + len(b)] = b
        return bytes(d)

    def header(self, section, **fields):
        """Patches that set fields of a section header."""
        where = {"name": (0, "<I"), "type": (4, "<I"), "flags": (8, "<Q"), "offset": (24, "<Q"),
                 "size": (32, "<Q"), "link": (40, "<I")}
        i = self.sections[section][2]
        return [(self.shoff + 64 * i + where[f][0], struct.pack(where[f][1], v)) for f, v in fields.items()]

bins = [Binary(p) for p in (plain, compressed, stripped, pie, old)]

# Numbers that counts, sizes and offsets might be read from.
evil = [b"\xff" * 8, b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0" * 8, b"\1\0\0\0\1\0\0\0",
        b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"\xff" * 2, b"\x80" * 12]
parts = (".gopclntab", ".debug_info", ".debug_abbrev", ".debug_loclists", ".debug_loc", ".debug_addr",
         ".zdebug_info", ".symtab", ".rodata", ".data.rel.ro", ".go.module", ".go.buildinfo", ".noptrdata",
         ".rela", ".rela.dyn", ".dynamic")
for b in bins:
    for part in parts:
        if part not in b.sections:
            continue
        at, size, _ = b.sections[part]
        if not size:
            continue
        # The start, where headers are, word by word; then anywhere.
        places = list(range(0, min(size, 72), 8)) + [rnd.randrange(size) for _ in range(8)]
        for i, off in enumerate(places):
            e = evil[(i + len(part)) % len(evil)]
            run("%s %s+0x%x %s" % (b.name, part, off, e.hex()), b.put((at + off, e[:size - off])))
        for k in range(3): # many at once
            run("%s %s sprinkled %d" % (b.name, part, k),
                b.put(*[(at + rnd.randrange(size), bytes([rnd.randrange(256)])) for _ in range(1 << (4 * k))]))

# Sections that inflate to much, or say so.
def bomb(size):
    return zlib.compress(b"\0" * size, 9)

b = bins[1]
infos = [s for s in (".debug_info", ".debug_abbrev", ".debug_loclists", ".debug_addr", ".debug_str", ".debug_line_str")
         if s in b.sections]
for size in (1 << 20, 100 << 20, 190 << 20, 300 << 20):
    z = bomb(size)
    for said in (size, size - 1, size + 1, 2**64 - 1, 2**63, 0):
        for all_of_them in (False, True):
            d, patches = b.data, []
            for s in infos if all_of_them else infos[:1]:
                body = struct.pack("<IIQQ", 1, 0, said, 1) + z
                patches += b.header(s, offset=len(d), size=len(body), flags=0x800)
                d += body
            whole = bytearray(d)
            for at, p in patches:
                whole[at:at + len(p)] = p
            run("a bomb of %d bytes that says %d%s" % (size, said, ", everywhere" if all_of_them else ""),
                bytes(whole))
for kind in (0, 2, 3, 0xffffffff): # zstd is 2
    at = b.sections[".debug_info"][0]
    run("compression %d" % kind, b.put((at, struct.pack("<I", kind))))

# Sections that are one another, or all of the file.
for b in bins:
    for s in (".debug_info", ".debug_abbrev", ".symtab", ".gopclntab", ".note.go.buildid"):
        if s in b.sections:
            run("%s %s is all of the file" % (b.name, s),
                b.put(*b.header(s, offset=0, size=len(b.data), flags=0)))
    for x, y in ((".debug_info", ".debug_abbrev"), (".symtab", ".strtab")):
        if x in b.sections and y in b.sections:
            i, j = b.shoff + 64 * b.sections[x][2] + 24, b.shoff + 64 * b.sections[y][2] + 24
            run("%s %s and %s exchanged" % (b.name, x, y), b.put((i, b.data[j:j + 16]), (j, b.data[i:i + 16])))

# Everything that goresolve can be asked for, of files with noise all over.
for args in (("--list", "*"), ("--types", "*"), ("--report",), ("--explain", "main.Leaf"), ("--dry-run",)):
    for b in bins:
        at, size, _ = b.sections[".gopclntab"] if ".gopclntab" in b.sections else b.sections[".data.rel.ro"]
        noise = [(rnd.randrange(64, len(b.data)), bytes([rnd.randrange(256)])) for _ in range(200)]
        run("%s %s with noise" % (b.name, args[0]), b.put(*noise), *args)
        run("%s %s with noise in its functions" % (b.name, args[0]),
            b.put(*[(at + rnd.randrange(size), b"\xff") for _ in range(400)]), *args)
print("# %d files, at most %d MB and %.1f s" % (runs, most_memory >> 10, most_time))
sys.exit(bad != 0)
END_PY
out=$(python3 "$TMP/mutate.py" "$BIN/goresolve" "$TMP/variant" "$plain" "$compressed" "$stripped" "$pie" "$old")
ok $? "every file ends in time, in little memory, with a message"
diag "$out"

# A file that somebody writes to all the time: sooner or later while it is read.
cp "$plain" "$TMP/growing"
while :; do touch "$TMP/growing"; done &
writer=$!
on_exit "kill $writer"
# shellcheck disable=SC2317  # called by wait_for
changed() {
	"$BIN/goresolve" --func 'main.*' "$TMP/growing" >"$TMP/out" 2>"$TMP/err"
	status=$?
	grep -q 'changed while it was read' "$TMP/err"
}
wait_for changed 60
ok $? "a file that is written to while it is read is noticed"
is "$status" 1 "status 1"
is "$(wc -l <"$TMP/err")" 1 "one message"
is "$(jq -r 'select(.reason == "unreadable") | .type' "$TMP/out")" skip "and a skip record"
done_testing
