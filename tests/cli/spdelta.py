# SPDX-License-Identifier: Apache-2.0
"""spdelta.py BINARY < FUNCTIONS

FUNCTIONS is what goresolve --list '*' --json BINARY wrote. Prints how many
entries, returns and tail jumps of compiled code there are, and on stderr each at
which the stack pointer is not what the function was entered with, by the
runtime's own table of that (_func.pcsp; src/runtime/symtab.go, pcvalue). Go 1.18
and later, not stripped.
"""
import json
import struct
import subprocess
import sys


def section(path, name):
    for line in subprocess.check_output(["readelf", "-SW", path], text=True).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == name:
            return int(words[4], 16), int(words[5], 16)
    sys.exit("no section " + name)


def text_start(path):
    for line in subprocess.check_output(["nm", path], text=True).splitlines():
        if line.endswith(" runtime.text"):
            return int(line.split()[0], 16)
    sys.exit("no symbol runtime.text")


class Table:
    def __init__(self, path):
        offset, size = section(path, ".gopclntab")
        with open(path, "rb") as f:
            f.seek(offset)
            self.data = f.read(size)
        magic, _, self.quantum = struct.unpack_from("<IHB", self.data)
        count, _, _, _, _, _, self.pctab, funcs = struct.unpack_from("<8Q", self.data, 8)
        text = text_start(path)
        flag_at = 41 if magic == 0xFFFFFFF1 else 37
        self.funcs = {}
        for i in range(count):
            entry, at = struct.unpack_from("<II", self.data, funcs + 8 * i)
            at += funcs
            (pcsp,) = struct.unpack_from("<I", self.data, at + 16)
            self.funcs[text + entry] = pcsp, bool(self.data[at + flag_at] & 4)

    def uvarint(self, at):
        value = shift = 0
        while True:
            byte = self.data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    def runs(self, at):
        """(first byte of a function, SP delta from there on), in order."""
        at, pc, value, out = at + self.pctab, 0, -1, []
        while True:
            delta, at = self.uvarint(at)
            if not delta and out:
                return out
            value += -(delta >> 1) - 1 if delta & 1 else delta >> 1
            step, at = self.uvarint(at)
            out.append((pc, value))
            pc += step * self.quantum


def main():
    table, count = Table(sys.argv[1]), 0
    for line in sys.stdin:
        function = json.loads(line)
        entry = int(function.get("addr", "0"), 16)
        pcsp, assembly = table.funcs.get(entry, (0, True))
        if assembly or not pcsp:
            continue
        runs = table.runs(pcsp)
        for site in function["sites"]:
            if site["at"] not in ("entry", "ret", "tail"):
                continue
            count += 1
            at = int(site["addr"], 16) - entry
            delta = [value for start, value in runs if start <= at][-1]
            if delta:
                print(function["symbol"], site["at"], site["addr"], delta, file=sys.stderr)
    print(count)


main()
