# SPDX-License-Identifier: Apache-2.0
"""table.py RESULTS WAYS < VERSIONS

Prints the table of the matrix from the files that run.sh left in RESULTS, one for each
cell, what is wrong or missing in it, and sums. Status 1 if something is wrong.
"""
import collections
import os
import re
import sys

HEADS = {"plain": "plain", "stripped": "-s -w", "pie": "PIE", "pie-stripped": "PIE -s -w",
         "cgo": "cgo ext.", "web": "net/http", "web-stripped": "http -s -w"}
WORDS = {"ok": "ok", "wrong": "WRONG", "none": "none"}


def flavour(arch, way):
    return way if arch == "amd64" else "arm64" if way == "plain" else "arm64-" + way


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
    results, ways = sys.argv[1], sys.argv[2].split()
    versions = [line.split()[0] for line in sys.stdin if not line.startswith("#")]
    columns = [(arch, way) for arch in ("amd64", "arm64") for way in ways]
    counts, sums, notes = collections.Counter(), collections.Counter(), []
    absent = collections.defaultdict(list)
    print("%-9s" % "" + " | ".join("%-*s" % (10 * len(ways), a) for a in ("amd64", "arm64")).rstrip())
    print("%-9s" % "Go" + "".join("%s%-10s" % ("| " if i == len(ways) else "", HEADS[w])
                                  for i, (_, w) in enumerate(columns)).rstrip())
    for version in versions:
        row = []
        for i, (arch, way) in enumerate(columns):
            cell = read(results, version, flavour(arch, way))
            verdict = cell[0] if cell else "left out"
            counts[verdict] += 1
            row.append("%s%-10s" % ("| " if i == len(ways) else "", WORDS.get(verdict, ".")))
            if verdict == "ok":
                for number, what in re.findall(r"(\d+) ([^,]+)", cell[1]):
                    sums[what] += int(number)
            elif verdict == "wrong":
                notes.append("WRONG %s %s %s: %s" % (version, arch, HEADS[way], cell[1]))
                notes += ["    " + line[:300] for line in cell[2][:8]]
                if len(cell[2]) > 8:
                    notes.append("    … %d more" % (len(cell[2]) - 8))
            elif verdict == "none":
                absent[cell[1]].append("%s %s %s" % (version, arch, HEADS[way]))
        print("%-9s" % version + "".join(row).rstrip())
    print("\n".join(notes), end="\n" if notes else "")
    for why, where in absent.items():
        print("none: %s: %s" % ("; ".join(where), why))
    print("%d right, %d wrong, %d not built, %d left out" % tuple(
        counts[verdict] for verdict in ("ok", "wrong", "none", "left out")))
    print("compared: " + ", ".join("%d %s" % (n, what) for what, n in sums.items()))
    raise SystemExit(1 if counts["wrong"] else 0)


main()
