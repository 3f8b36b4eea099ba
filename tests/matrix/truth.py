# SPDX-License-Identifier: Apache-2.0
"""truth.py GO BINARY

Writes what go tool nm and go tool objdump say of the Go functions of a binary that
is not stripped, one fact a line, addresses in hex:

  function ADDR SIZE NAME   as the symbol table has it
  ret ADDR, call ADDR       a return; a direct call
  wrapper ADDR              of two bodies with one name, the one that calls the other;
                            names of generic methods count without their types
  other ADDR                a function that GNU objdump was asked about, because go
                            tool objdump knows not all of its instructions (VEX and
                            EVEX ones) and loses count of the bytes
"""
import bisect
import re
import subprocess
import sys

def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def functions(go, binary):
    """(address, size, name) in order of addresses. C code is outside of Go's text."""
    found, bounds = {}, {}
    for line in run(go, "tool", "nm", "-size", binary):
        words = line.split(None, 3)
        if len(words) < 4 or words[2] not in "Tt":
            continue
        if int(words[1]) > 0:
            # A plugin has its functions under a second name too, for its own calls.
            found[int(words[0], 16)] = int(words[1]), words[3].removeprefix("local.")
        elif words[3] in ("runtime.text", "runtime.etext"):
            bounds[words[3]] = int(words[0], 16)
    return [(addr, *found[addr]) for addr in sorted(found)
            if bounds["runtime.text"] <= addr < bounds["runtime.etext"]]


class Code:
    """Returns, direct calls and where they go, and and what go tool objdump is not good at, by address."""

    def __init__(self, arch):
        self.arm64 = arch == "arm64"
        self.rets, self.calls, self.bad, self.refers = set(), set(), set(), []

    def read_go(self, go, binary):
        for line in run(go, "tool", "objdump", binary):
            if not line.startswith("  "):
                continue
            words = line.split(None, 4)
            if len(words) < 4:
                continue
            addr, code, op = int(words[1], 16), words[2], words[3]
            if op == "RET":
                self.rets.add(addr)
            elif op == "?" or code.startswith(("c4", "c5", "62")):
                self.bad.add(addr)
            elif op in ("CALL", "JMP"):
                if op == "CALL" and (int(code, 16) >> 26 == 0x25 if self.arm64 else code[:2] == "e8"):
                    self.calls.add(addr)
                if len(words) > 4:
                    self.refers.append((addr, words[4].strip().removesuffix("(SB)")
                                        .removeprefix("local.")))

    def read_gnu(self, binary, start, stop):
        for line in run("objdump", "-d", "--no-show-raw-insn", "--start-address=%#x" % start,
                        "--stop-address=%#x" % stop, binary):
            match = re.match(r" +([0-9a-f]+):\s+(?:(?:bnd|notrack|repz?) )*(\S+)\s*(\S*)", line)
            if not match:
                continue
            addr, op = int(match[1], 16), match[2]
            if op in ("ret", "retq"):
                self.rets.add(addr)
            elif op in ("call", "callq") and not match[3].startswith("*"):
                self.calls.add(addr)

    def forget(self, start, stop):
        self.rets -= {a for a in self.rets if start <= a < stop}
        self.calls -= {a for a in self.calls if start <= a < stop}


def wraps(name, target):
    """Whether a function that calls @target is just another ABI's way to it, or one that
    adds the dictionary for the types of a generic method."""
    if target in (name + ".abi0", name.removesuffix(".abi0")):
        return target != name
    return ("go.shape." in target and "go.shape." not in name and
            re.sub(r"\[.*\]", "", target) == re.sub(r"\[.*\]", "", name))


def machine(binary):
    with open(binary, "rb") as file:
        return {62: "amd64", 183: "arm64"}[int.from_bytes(file.read(20)[18:], "little")]


def main():
    go, binary = sys.argv[1:]
    arch = machine(binary)
    funcs = functions(go, binary)
    code = Code(arch)
    code.read_go(go, binary)
    starts = [f[0] for f in funcs]

    def owner(addr):
        i = bisect.bisect_right(starts, addr) - 1
        return funcs[i] if i >= 0 and addr < funcs[i][0] + funcs[i][1] else None

    # Instructions of arm64 are all of one length: nothing is lost by one.
    doubtful = set() if arch == "arm64" else {f for f in map(owner, code.bad) if f}
    for addr, size, _ in sorted(doubtful):
        code.forget(addr, addr + size)
        code.read_gnu(binary, addr, addr + size)
        print("other %x" % addr)
    for addr, size, name in funcs:
        print("function %x %d %s" % (addr, size, name))
        if re.search(r"[+-][0-9a-f]+-tramp\d+$", name):  # the linker's, for calls that go far
            print("wrapper %x" % addr)
    for kind, where in ("ret", code.rets), ("call", code.calls):
        for addr in sorted(where):
            if owner(addr):
                print("%s %x" % (kind, addr))
    for addr, target in sorted(code.refers):
        f = owner(addr)
        if f and wraps(f[2], target):
            print("wrapper %x" % f[0])


main()
