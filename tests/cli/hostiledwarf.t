#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile debugging information, as valid as can be but made to cost time or memory:
# goresolve ends soon, and never takes more than 256 MB.
. "$(dirname "$0")/../lib.sh"
require_go
require_command python3
require_command objcopy

case $BIN in */san/*) skip_all "sanitizers take time and memory themselves" ;; esac
limit=256
seconds=20 # of CPU, of a machine that may be slow: what hangs is to be found
plain=$(sh "$TOP/tests/build-target.sh" args plain) || exit 1
objcopy --strip-debug "$plain" "$TMP/bare"
entry=$(readelf -sW "$plain" | awk '$8 == "main.Many" { print $2; exit }')

cat >"$TMP/hostile.py" <<'EOF'
"""hostile.py GORESOLVE FILE ENTRY MB SECONDS: tries each kind, prints what ends badly."""
import os, resource, struct, subprocess, sys, zlib

goresolve, path, entry = sys.argv[1], sys.argv[2], int(sys.argv[3], 16)
limit, seconds = int(sys.argv[4]), int(sys.argv[5])
work = os.path.dirname(path)
LANG, NAME, TYPE, LOW, LOC, SIZE = 0x13, 0x03, 0x49, 0x11, 0x02, 0x0b
STRING, STRP, IMPLICIT, ADDR, REF4, SEC, PRESENT = 0x08, 0x0e, 0x21, 0x01, 0x13, 0x17, 0x19
UNIT, STRUCT, MEMBER, FUNC, PARAM, TYPEDEF = 0x11, 0x13, 0x0d, 0x2e, 0x05, 0x16
MB = 1 << 20
GO = 22


def uleb(n):
    out = b""
    while True:
        n, low = n >> 7, n & 127
        out += bytes([low | (128 if n else 0)])
        if not n:
            return out


def sleb(n):
    return uleb(n) if n & 0x40 == 0 else uleb(n | 0x80)[:-1] + b"\0" if n < 128 else uleb(n)


def abbrev(code, tag, children, *attrs):
    out = bytearray(uleb(code) + uleb(tag) + bytes([children]))
    for at, form, *value in attrs:
        out += uleb(at) + uleb(form) + (sleb(value[0]) if value else b"")
    return bytes(out + b"\0\0")


def unit(body, version=5, abbrevs=0):
    head = struct.pack("<H", version)
    head += struct.pack("<BBI", 1, 8, abbrevs) if version == 5 else struct.pack("<IB", abbrevs, 8)
    return struct.pack("<I", len(head) + len(body)) + head + body


def compressed(data):
    z = zlib.compressobj(1)
    return struct.pack("<IIQQ", 1, 0, len(data), 1) + z.compress(data) + z.flush()


def add_sections(image, sections):
    """The file with more sections at its end, compressed, and their headers."""
    shoff, = struct.unpack_from("<Q", image, 40)
    shnum, shstr = struct.unpack_from("<HH", image, 60)
    headers = [list(struct.unpack_from("<IIQQQQIIQQ", image, shoff + 64 * i)) for i in range(shnum)]
    names = bytearray(image[headers[shstr][4]:headers[shstr][4] + headers[shstr][5]])
    out = bytearray(image)
    for name, data in sections.items():
        data = compressed(data)
        headers.append([len(names), 1, 0x800, 0, len(out), len(data), 0, 0, 8, 0])
        names += b"." + name.encode() + b"\0"
        out += data
    headers[shstr][4:6] = [len(out), len(names)]
    out += names
    out += b"\0" * (-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<H", out, 60, len(headers))
    for h in headers:
        out += struct.pack("<IIQQQQIIQQ", *h)
    return bytes(out)


unit_go = abbrev(1, UNIT, 1, (NAME, STRING), (LANG, IMPLICIT, GO))
unit_bare = abbrev(1, UNIT, 1, (LANG, IMPLICIT, GO))
struct_x = abbrev(2, STRUCT, 1, (NAME, STRING), (0x2900, IMPLICIT, 25))
KINDS = {}


def kind(f):
    KINDS[f.__name__.replace("_", " ")] = f
    return f


@kind
def entries_of_many_attributes():
    many = [(0x2000, IMPLICIT, 0)] * 900000
    return {"debug_abbrev": unit_go + abbrev(2, TYPEDEF, 0, *many) + b"\0",
            "debug_info": unit(b"\1runtime\0" + b"\2" * 100000)}


@kind
def entries_of_one_byte():
    return {"debug_abbrev": unit_go + abbrev(2, TYPEDEF, 0) + b"\0",
            "debug_info": unit(b"\1runtime\0" + b"\2" * (143 * MB))}


@kind
def entries_of_one_byte_in_another_unit():
    return {"debug_abbrev": unit_go + abbrev(2, FUNC, 0) + b"\0",
            "debug_info": unit(b"\1other\0" + b"\2" * (143 * MB))}


@kind
def units_of_one_entry():
    return {"debug_abbrev": unit_bare + b"\0", "debug_info": unit(b"\1") * (140 * MB // 13)}


@kind
def units_with_a_type():
    return {"debug_abbrev": unit_bare + struct_x + b"\0",
            "debug_info": unit(b"\1\2a\0\0") * (140 * MB // 17)}


@kind
def types_in_each_other():
    return {"debug_abbrev": unit_go + struct_x + b"\0",
            "debug_info": unit(b"\1runtime\0" + b"\2a\0" * (40 * MB) + b"\0")}


@kind
def long_names():
    member = abbrev(3, MEMBER, 0, (NAME, STRP), (TYPE, REF4), (0x38, IMPLICIT, 0))
    field = b"\3" + struct.pack("<II", 0, 12)
    return {"debug_abbrev": unit_go + struct_x + member + b"\0", "debug_str": b"n" * (31 * MB) + b"\0",
            "debug_info": unit(b"\1runtime\0" + b"".join(
                b"\2main.t%d\0" % i + field * 1000 + b"\0" for i in range(200)))}


@kind
def functions_without_end():
    func = abbrev(2, FUNC, 0, (LOW, IMPLICIT, 0)) + abbrev(3, FUNC, 0, (LOW, ADDR)) + struct_x.replace(b"\2", b"\4", 1)
    return {"debug_abbrev": unit_go + func + b"\0",
            "debug_info": unit(b"\1runtime\0\4main.T\0\0" + b"\3" + struct.pack("<Q", entry) + b"\2" * (143 * MB))}


@kind
def long_location_lists():
    func = abbrev(2, FUNC, 1, (LOW, ADDR)) + abbrev(3, PARAM, 0, (NAME, STRP), (TYPE, REF4), (LOC, SEC)) + \
        abbrev(4, STRUCT, 1, (NAME, STRING), (0x2900, IMPLICIT, 25))
    param = b"\3" + struct.pack("<III", 0, 20, 0)
    return {"debug_abbrev": unit_go + func + b"\0", "debug_str": b"n" * (31 * MB) + b"\0",
            "debug_loclists": b"\1" + b"\4\0\0\0" * (15 * MB),
            "debug_info": unit(b"\1runtime\0\4main.T\0\0" + b"".join(
                b"\2" + struct.pack("<Q", entry + i) + param * 255 + b"\0" for i in range(200)))}


@kind
def all_sections_large():
    big = b"\0" * (60 * MB)
    return {"debug_abbrev": unit_go + abbrev(2, FUNC, 0, (LOW, ADDR)) + struct_x.replace(b"\2", b"\4", 1) + b"\0" + bytes(15 * MB),
            "debug_str": b"s" * (31 * MB) + b"\0", "debug_line_str": b"s" * (31 * MB) + b"\0",
            "debug_addr": big, "debug_loc": big, "debug_loclists": big,
            "debug_info": unit(b"\1runtime\0\4main.T\0\0\2" + struct.pack("<Q", entry) + bytes(140 * MB))}


bare = open(path, "rb").read()
bad = 0
for name, make in KINDS.items():
    sections = make()
    with open(work + "/hostile", "wb") as file:
        file.write(add_sections(bare, sections))
    del sections
    for options in ["--no-recipes", "--func", "main.Many"], ["--types", "*"]:
        pid = os.fork()
        if pid == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(os.open(work + "/said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            os.execv(goresolve, [goresolve, *options, work + "/hostile"])
        _, status, used = os.wait4(pid, 0)
        status = os.waitstatus_to_exitcode(status)
        rss = used.ru_maxrss >> 10
        print("%s %s: status %d, %d MB, %.2f s" % (name, options, status, rss, used.ru_utime + used.ru_stime),
              file=sys.stderr)
        if status not in (0, 1) or rss > limit:
            print("%s %s: status %d, %d MB: %s" % (name, options, status, rss, open(work + "/said").read()[-200:]))
EOF
python3 "$TMP/hostile.py" "$BIN/goresolve" "$TMP/bare" "$entry" $limit $seconds >"$TMP/out" 2>"$TMP/err"
ok $? "$(wc -l <"$TMP/err") runs"
sort -t , -k 3nr "$TMP/err" | head -n 3 | sed 's/^/# /'
is "$(cat "$TMP/out")" "" "none fails, hangs or takes more than $limit MB"
done_testing
