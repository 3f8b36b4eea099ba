# SPDX-License-Identifier: Apache-2.0
"""table.py RESULTS < VERSIONS

Prints the table of a file of versions and ways from the files that run.sh left in
RESULTS, one for each cell, what is wrong or missing in it, and sums. Status 1 if something is wrong.
"""
import collections
import os
import re
import sys

HEADS = {"stripped": "-s -w", "nosyms": "-s", "nodwarf": "-w", "dwarf": "raw DWARF", "pie": "PIE",
         "cgo": "cgo ext.", "web": "net/http", "cshared": "c-shared", "relr": "RELR",
         "tramp": "far calls", "noopt": "-N -l", "v4": "GOAMD64=v4"}
WORDS = {"ok": "ok", "wrong": "WRONG", "none": "none"}


def split(flavour):
    """Its architecture, and what stands over its column."""
    words = flavour.split("-")
    arch = words.pop(0) if words[0] == "arm64" else "amd64"
    return arch, " ".join(HEADS.get(w, w) for w in words) or "plain"


def read(results, version, name):
    """("ok", text, faults), None if the cell was left out."""
    try:
        with open(os.path.join(results, version + " " + name), encoding="utf-8") as file:
            first, *rest = file.read().splitlines() or ["wrong no answer"]
    except FileNotFoundError:
        return None
    verdict, _, text = first.partition(" ")
    return (verdict if verdict in WORDS else "wrong"), text, rest


def main():
    results, lines = sys.argv[1], sys.stdin.read().splitlines()
    ways = next(line.split()[1:] for line in lines if line.startswith("#ways "))
    versions = [line.split()[0] for line in lines if not line.startswith("#")]
    columns = [split(way) for way in ways]
    first = sum(arch == "amd64" for arch, _ in columns)  # they come first
    counts, sums, notes = collections.Counter(), collections.Counter(), []
    absent, skipped = collections.defaultdict(list), []

    def row(start, cells):
        cells = [("| " if i == first else "") + "%-*s" % (len(columns[i][1]) + 2, cell)
                 for i, cell in enumerate(cells)]
        print("%-9s%s" % (start, "".join(cells).rstrip()))

    row("", [arch if i in (0, first) else "" for i, (arch, _) in enumerate(columns)])
    row("Go", [head for _, head in columns])
    for version in versions:
        cells = []
        for way, (arch, head) in zip(ways, columns):
            cell = read(results, version, way)
            verdict = cell[0] if cell else "left out"
            counts[verdict] += 1
            cells.append(WORDS.get(verdict, "."))
            if verdict == "ok":
                for number, what in re.findall(r"(\d+) ([^,]+)", cell[1]):
                    sums[what] += int(number)
            elif verdict == "wrong":
                notes.append("WRONG %s %s %s: %s" % (version, arch, head, cell[1]))
                notes += ["    " + line[:300] for line in cell[2][:8]]
                if len(cell[2]) > 8:
                    notes.append("    … %d more" % (len(cell[2]) - 8))
            elif verdict == "none":
                absent[cell[1]].append("%s %s %s" % (version, arch, head))
        if all(cell == "." for cell in cells):
            skipped.append(version)
        else:
            row(version, cells)
    print("\n".join(notes), end="\n" if notes else "")
    for why, where in absent.items():
        print("none: %s: %s" % ("; ".join(where), why))
    if skipped:
        print("left out as a whole: " + " ".join(skipped))
    print("%d right, %d wrong, %d not built, %d left out" % tuple(
        counts[verdict] for verdict in ("ok", "wrong", "none", "left out")))
    print("compared: " + ", ".join("%d %s" % (n, what) for what, n in sums.items()))
    raise SystemExit(1 if counts["wrong"] else 0)


main()
