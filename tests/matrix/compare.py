# SPDX-License-Identifier: Apache-2.0
"""compare.py GORESOLVE BINARY TRUTH [--stripped] [--plan] LAYOUT…

Compares what goresolve says of a Go binary with TRUTH (truth.py's) and with
LAYOUTs ("field TYPE FIELD OFFSET", "offsetof …", "size TYPE BYTES" lines, of the
program itself or of another reader of debugging information). With --stripped,
TRUTH and LAYOUTs are of a binary from the same source with its symbols: text may
have moved as a whole, ends of functions take in the padding behind them, and types
that nothing at run time needs are gone. With --plan the fields that the plan names
are looked up too. Prints what was compared, then each fault; status 1 if there is one.
"""
import argparse
import collections
import json
import re
import subprocess

# Functions whose returns are not to be had, and why.
GIVEN_UP = {
    "amd64": {  # 29 bytes of data that are jumped over
        "crypto/internal/boring/sig.BoringCrypto": "undecodable",
        "crypto/internal/boring/sig.FIPSOnly": "undecodable",
        "crypto/internal/boring/sig.StandardCrypto": "undecodable",
    },
    "arm64": {  # goes where the debugger said
        "runtime.debugCallV2": "tail-jump",
    },
}
# Of these the compiler marks both bodies as wrappers (funcID), so that none is told from
# the other: stubs in assembly call them, and stack traces leave them out.
BOTH_WRAPPERS = {"reflect.callMethod", "reflect.callReflect"}


# Marks of the linker, in arm64's symbol table with a size.
MARKS = {"go:textfipsstart", "go:textfipsend"}


def same_name(symbol, ours):
    """Whether the runtime calls it so; up to Go 1.20 without the type arguments."""
    symbol = symbol.replace("\u00b7", ".").removesuffix(".abi0")
    ours = ours.replace("\u00b7", ".")
    if re.fullmatch(r"type[:.]\.[A-Za-z0-9+/]{8}", symbol):  # of a plugin: a hash
        return ours.startswith(symbol[:6])
    return ours in (symbol, re.sub(r"\[.*\]", "[...]", symbol))


def type_name(name):
    name = re.sub(r"%([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), name)
    return name.replace(" ", "")


class Faults(list):
    def check(self, good, text, *args):
        if not good:
            self.append(text % args)
        return good


def goresolve(program, *args):
    """Its records; what it says on standard error and its status."""
    done = subprocess.run([program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr, done.returncode


class Truth:
    def __init__(self, path):
        self.functions, self.names = {}, collections.defaultdict(list)
        self.rets, self.calls, self.wrappers, self.other = set(), set(), set(), set()
        sets = {"ret": self.rets, "call": self.calls, "wrapper": self.wrappers, "other": self.other}
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, addr, *rest = line.rstrip("\n").split(" ", 3)
                if kind == "function":
                    self.functions[int(addr, 16)] = int(rest[0]), rest[1]
                else:
                    sets[kind].add(int(addr, 16))

    def move(self, by):
        for where in (self.rets, self.calls, self.wrappers):
            moved = {a + by for a in where}
            where.clear()
            where.update(moved)
        self.functions = {a + by: f for a, f in self.functions.items()}


def check_functions(records, truth, stripped, faults):
    """Names, addresses, sizes; which of two bodies is the wrapper; all sites."""
    ours = {int(r["addr"], 16): r for r in records if "addr" in r}
    if stripped and ours and truth.functions:
        truth.move(min(ours) - min(truth.functions))
    for addr in sorted(truth.functions.keys() - ours.keys()):
        faults.append("no function at %#x: %s" % (addr, truth.functions[addr][1]))
    for addr in sorted(ours.keys() - truth.functions.keys()):
        faults.append("a function at %#x that is none: %s" % (addr, ours[addr]["symbol"]))
    rets, calls, count = set(), set(), 0
    for addr, r in ours.items():
        if addr not in truth.functions:
            continue
        size, name = truth.functions[addr]
        faults.check(same_name(name, r["symbol"]), "%#x is %s, not %s", addr, name, r["symbol"])
        faults.check(size == r["size"] or (stripped and 0 <= r["size"] - size < 64),
                     "%s has %d bytes, not %d", name, size, r["size"])
        if r["symbol"] not in BOTH_WRAPPERS:
            faults.check((addr in truth.wrappers) == r.get("wrapper", False), "%s: a wrapper?", name)
        if not stripped:
            faults.check(name.endswith(".abi0") == r.get("assembly", False), "%s: its ABI", name)
        if name in MARKS:
            continue
        reason = r.get("reason", "no-return")  # a return that is missed is found below
        expected = GIVEN_UP[r["arch"]].get(r["symbol"], "no-return")
        faults.check(reason == expected, "%s: %s: %s", name, reason, r.get("detail"))
        if reason != "no-return":
            truth.rets -= {a for a in truth.rets if addr <= a < addr + size}
        if reason == "undecodable":
            truth.calls -= {a for a in truth.calls if addr <= a < addr + size}
        for site in r["sites"]:
            count += 1
            at = int(site["addr"], 16)
            faults.check(addr <= at < addr + size, "%s: site %#x is outside", name, at)
            faults.check(isinstance(site.get("emulated"), bool), "%s: %#x: emulated?", name, at)
            if site["at"] == "ret":
                rets.add(at)
            elif site["at"] == "call":
                calls.add(at)
    for kind, want, got in ("return", truth.rets, rets), ("call", truth.calls, calls):
        for at in sorted(want - got):
            faults.append("no %s at %#x" % (kind, at))
        for at in sorted(got - want):
            faults.append("a %s at %#x that is none" % (kind, at))
    return "%d functions, %d returns, %d calls, %d sites" % (len(ours), len(rets), len(calls), count)


def read_layouts(paths):
    """{type: {field: {offsets}}}; "" is the size. Types of functions may share a name."""
    layouts = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, *words = line.rstrip("\n").split(" ")
                if kind in ("field", "offsetof"):
                    layouts[type_name(words[0])][words[1]].add(int(words[2]))
                elif kind == "size":
                    layouts[type_name(words[0])][""].add(int(words[1]))
    return layouts


def check_types(records, layouts, must, faults):
    """Every field that both know; types that are in @must have to be there."""
    ours = collections.defaultdict(lambda: collections.defaultdict(set))
    for r in records:
        t = ours[type_name(r["name"])]
        t[""].add(r["size"])
        for field in r["fields"]:
            t[field["field"]].add(field["offset"])
    count = 0
    listed = collections.Counter(r["name"] for r in records)
    for name in sorted(n for n in listed if listed[n] > 1):
        faults.append("struct %s is listed %d times" % (name, listed[name]))
    for name in sorted(must):
        faults.check(name in ours, "no struct %s", name)
    for name in sorted(ours.keys() & layouts.keys()):
        for field, offsets in layouts[name].items():
            got = ours[name].get(field, set())
            count += 1
            faults.check(got and got <= offsets, "%s.%s is at %s, not %s", name, field,
                         sorted(offsets), sorted(got))
    return "%d fields" % count


def check_plan(records, layouts, faults):
    """The fields of the plan; what it leaves out."""
    fields = {(f["field"], f["offset"]) for r in records for f in r.get("fields", [])}
    for name, offset in sorted(fields):
        # "runtime.g.stack.hi" is a field of a field.
        parts, at = name.rsplit(".", 1), None
        if parts[0] == "runtime.g.stack":
            at = {a + b for a in layouts["runtime.g"]["stack"] for b in layouts["runtime.stack"][parts[1]]}
        else:
            at = layouts[type_name(parts[0])][parts[1]]
        faults.check(at == {offset}, "the plan has %s at %d, not %s", name, offset, sorted(at))
    for r in records:
        faults.check(r["type"] != "skip", "the plan leaves out %s: %s", r.get("span"), r.get("detail"))
    faults.check(any(r["type"] == "probe" for r in records), "an empty plan")
    return "%d fields of the plan" % len(fields)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("goresolve")
    parser.add_argument("binary")
    parser.add_argument("truth")
    parser.add_argument("layouts", nargs="*")
    parser.add_argument("--stripped", action="store_true")
    parser.add_argument("--plan", action="store_true")
    args = parser.parse_args()
    truth, faults, said = Truth(args.truth), Faults(), []
    layouts = read_layouts(args.layouts)
    # What the program says of itself exists at run time, so it has descriptors.
    must = read_layouts([p for p in args.layouts if not p.endswith(".dwarf")])

    def ask(*options):
        records, err, status = goresolve(args.goresolve, *options, args.binary)
        faults.check(status == 0 and not err, "goresolve %s: status %d: %s", options, status, err.strip())
        return records

    said.append(check_functions(ask("--list", "*", "--json"), truth, args.stripped, faults))
    said.append(check_types(ask("--types", "*", "--json"), layouts, must, faults))
    if args.plan:
        said.append(check_plan(ask(), layouts, faults))
    if truth.other:
        said.append("%d functions by GNU objdump" % len(truth.other))
    print(", ".join(said))
    print("\n".join(faults), end="\n" if faults else "")
    raise SystemExit(1 if faults else 0)


main()
