# SPDX-License-Identifier: Apache-2.0
"""sdk_edges.py LOG SPANS: the edges of traces whose spans come from two sides: from the
SDK in the target "spans" (its log) and from gospan. One line for each span, sorted:

    SPAN < PARENT

A span is "sdk:KIND:NAME" or "gotap:KIND:PATH"; a parent that is in neither is "-" for a
root, "remote" if it is the caller's that the test made up (its last eight bytes are c0de),
and "?" if nobody has it, or it is in another trace.
"""
import json
import sys

REMOTE = "00000000c0dec0de"


def sdk(path):
    for line in open(path):
        if line.startswith("sdk "):
            _, trace, span, parent, kind, name = line.rstrip("\n").split(" ", 5)
            parent = "" if parent == "-" else parent
            yield span, (trace, parent, f"sdk:{kind}:{name.strip(chr(34))}")


def gotap(path):
    for line in open(path):
        r = json.loads(line)
        if r["type"] != "span":
            continue
        a = r.get("attributes", {})
        what = a.get("url.path") or "/" + a.get("url.full", "").partition("//")[2].partition("/")[2]
        if r["span"] not in ("http.server", "http.client"):
            what = r["name"]
        yield r["span_id"], (r["trace_id"], r.get("parent_id", ""), f"gotap:{r['kind']}:{what}")


spans = dict(sdk(sys.argv[1]))
for span, s in gotap(sys.argv[2]):
    if span in spans:
        print("twice:", s[2])
    spans[span] = s
for trace, parent, name in sorted(spans.values(), key=lambda s: s[2]):
    up = spans.get(parent)
    if not parent:
        of = "-"
    elif parent == REMOTE:
        of = "remote"
    else:
        of = up[2] if up and up[0] == trace else "?"
    print(name, "<", of)
