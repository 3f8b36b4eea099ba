# SPDX-License-Identifier: Apache-2.0
"""Requests with good and bad trace contexts, and what is to come of each.

    tracecontext.py send ADDRESS    sends them, one connection each
    tracecontext.py check < spans   TAP: the span of each continues the trace, or does not

The cases are those of the W3C's own test suite for Trace Context, level 2, and some that
only a program that reads Go's maps can get wrong.
"""
import json
import socket
import sys

TRACE, SPAN = "12345678901234567890123456789012", "7234567890123456"
GOOD = f"00-{TRACE}-{SPAN}-01"
NEW, SAME = False, True
CASES = []


def case(name, headers, same, state=None, flags=1):
    CASES.append((f"{len(CASES)}-{name}", headers, same, state, flags))


def parent(name, value, same, flags=1):
    case(name, [("traceparent", value)], same, flags=flags)


def state(name, values, want):
    case(name, [("traceparent", GOOD)] + [("tracestate", v) for v in values], SAME, want)


case("nothing", [], NEW)
parent("good", GOOD, SAME)
parent("not-sampled", GOOD[:-1] + "0", SAME)
parent("random", GOOD[:-1] + "3", SAME, 3)
parent("random-not-sampled", GOOD[:-1] + "2", SAME, 3)
parent("unknown-flags", GOOD[:-2] + "ff", SAME, 3)
for name in "TraceParent", "TrAcEpArEnT", "TRACEPARENT":
    case("name-" + name, [(name, GOOD)], SAME)
for name in "trace-parent", "trace.parent", "trace_parent":
    case("name-" + name, [(name, GOOD)], NEW)
case("twice", [("traceparent", GOOD), ("traceparent", GOOD)], NEW)
case("two", [("traceparent", GOOD), ("traceparent", GOOD.replace("6-01", "7-01"))], NEW)
case("in-two-ways", [("traceparent", GOOD), ("Traceparent", "x")], NEW)
parent("empty", "", NEW)
parent("00-dot", GOOD + ".", NEW)
parent("00-more", GOOD + "-what-the-future-will-be-like", NEW)
parent("cc", "cc" + GOOD[2:], SAME)
parent("cc-more", "cc" + GOOD[2:] + "-what-the-future-will-be-like", SAME)
parent("cc-long", "cc" + GOOD[2:] + "-" + "x" * 2000, SAME)
parent("cc-dash", "cc" + GOOD[2:] + "-", SAME)
parent("cc-dot", "cc" + GOOD[2:] + ".what-the-future-will-be-like", NEW)
parent("ff", "ff" + GOOD[2:], NEW)
for version in ".0", "0.", "000", "0000", "0", "", "0x", "FF", "CC":
    parent("version-" + version, version + GOOD[2:], NEW)
for what, at in ("trace", TRACE), ("span", SPAN):
    parent(what + "-zero", GOOD.replace(at, "0" * len(at), 1), NEW)
    parent(what + "-dot-first", GOOD.replace(at, "." + at[1:], 1), NEW)
    parent(what + "-dot-last", GOOD.replace(at, at[:-1] + ".", 1), NEW)
    parent(what + "-upper", GOOD.replace(at, "A" + at[1:], 1), NEW)
    parent(what + "-long", GOOD.replace(at, at + "3", 1), NEW)
    parent(what + "-short", GOOD.replace(at, at[:-1], 1), NEW)
    parent(what + "-absent", GOOD.replace(at, "", 1), NEW)
for flags in ".0", "0.", "001", "1", "", "0A":
    parent("flags-" + flags, GOOD[:-2] + flags, NEW)
for at in 2, 35, 52:
    parent(f"no-dash-{at}", GOOD[:at] + "_" + GOOD[at + 1:], NEW)
for before in " ", "\t", " \t ", " " * 300:
    for after in "", " ", "\t", "\t  ":
        parent("white-" + str(len(CASES)), before + GOOD + after, SAME)
parent("white-within", GOOD[:35] + " " + GOOD[35:], NEW)
parent("nul", GOOD[:54] + "\0", NEW)
parent("binary", "\xff" * 55, NEW)
parent("huge", "0" * 100000, NEW)

case("state-alone", [("tracestate", "foo=1,bar=2")], NEW)
case("state-with-bad", [("traceparent", GOOD + "."), ("tracestate", "foo=1,bar=2")], NEW)
state("state", ["foo=1,bar=2"], "foo=1,bar=2")
for name in "trace-state", "trace.state":
    case("state-name-" + name, [("traceparent", GOOD), (name, "foo=1")], SAME)
for name in "TraceState", "TrAcEsTaTe", "TRACESTATE":
    case("state-name-" + name, [("traceparent", GOOD), (name, "foo=1")], SAME, "foo=1")
state("state-empty", [""], None)
state("state-and-empty", ["foo=1", ""], "foo=1,")
state("state-empty-and", ["", "foo=1"], ",foo=1")
state("state-two", ["foo=1,bar=2", "baz=3"], "foo=1,bar=2,baz=3")
state("state-three", ["foo=1", "bar=2", "baz=3"], "foo=1,bar=2,baz=3")
state("state-twelve", [f"k{i}={i}" for i in range(12)], ",".join(f"k{i}={i}" for i in range(12)))
state("state-doubled", ["foo=1,foo=1"], "foo=1,foo=1")
state("state-doubled-2", ["foo=1", "foo=2"], "foo=1,foo=2")
chars = "".join(map(chr, range(0x20, 0x7F))).translate({ord(","): None, ord("="): None})
key = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
state("state-all-characters", [f"{key}={chars.lstrip()}"], f"{key}={chars.lstrip()}")
for white in " \t ", "\t \t", " ", "\t":
    state("state-white-" + str(len(CASES)), [f"foo=1{white},{white}bar=2,baz=3"], f"foo=1{white},{white}bar=2,baz=3")
state("state-white-around", ["  foo=1\t"], "foo=1")
for bad in ("foo =1", "FOO=1", "foo.bar=1", "=1", "foo", "foo=", "foo=,bar=3", "foo=bar=baz", "fo\xf6=1",
            "foo=\xf6", ".=1", "_a=1"):
    state("state-bad-" + str(len(CASES)), [bad], None)
    state("state-bad-" + str(len(CASES)), ["good=1," + bad], None)
# Level 2 takes any number of @ behind the first character, which level 1 did not.
state("state-at", ["foo@bar=1,f@=2,a@b@c=3"], "foo@bar=1,f@=2,a@b@c=3")
state("state-at-first", ["@foo=1"], None)
many = ",".join(f"bar{i:02}={i:02}" for i in range(1, 33))
state("state-32", [many], many)
state("state-33", [many + ",bar33=33"], None)
state("state-33-in-two", [many, "bar33=33"], None)
state("state-key-256", ["z" * 256 + "=1"], "z" * 256 + "=1")
state("state-key-257", ["z" * 257 + "=1"], None)
state("state-value-256", ["z=" + "v" * 256], "z=" + "v" * 256)
state("state-value-257", ["z=" + "v" * 257], None)
state("state-513", [many[:-9] + ",z=" + "v" * 232], many[:-9] + ",z=" + "v" * 232)
# More than is kept: whole members are left out, from the right.
long = [f"m{i:02}=" + chr(97 + i) * 150 for i in range(20)]
state("state-cut", [",".join(long)], ",".join(long[:6]))
state("state-cut-in-many", long, ",".join(long[:6]))

# Wherever it is among however many: from one group of a map to many tables.
for n in 1, 7, 8, 9, 15, 16, 17, 100, 400, 1000, 20000:
    others = [(f"x{i}", "y") for i in range(n)]
    for at in 0, n // 2, n:
        case(f"among-{n}-at-{at}", others[:at] + [("traceparent", GOOD), ("tracestate", "foo=1")] + others[at:],
             SAME, "foo=1")
    case(f"not-among-{n}", others, NEW)
# In fresh memory, of which nobody has touched all pages.
for n in list(range(7, 18)) * 10:
    case(f"fresh-{n}", [(f"x{i}", "y") for i in range(n)] + [("traceparent", GOOD), ("tracestate", "foo=1")], SAME,
         "foo=1")
case("many-values", [("x", "y")] * 500 + [("traceparent", GOOD)], SAME)


def send(address):
    host, port = address.rsplit(":", 1)
    for name, headers, _, _, _ in CASES:
        with socket.create_connection((host, int(port))) as s:
            lines = [f"GET /any/{name} HTTP/1.1", "Host: h", "Connection: close"] + [f"{k}: {v}" for k, v in headers]
            s.sendall("\r\n".join(lines + ["", ""]).encode("latin-1"))
            answer = b""
            while got := s.recv(65536):
                answer += got
            print(name, answer.split(b" ")[1].decode())


def why(span, same, want, flags):
    """What is wrong with a span, None if nothing is."""
    if span is None:
        return "no span"
    if not same:
        if span["trace_id"] == TRACE or "parent_id" in span or span["parent_from"] != "none":
            return "continues the trace"
        if span["flags"] != 1:
            return f"flags {span['flags']}"
        return f"tracestate {span['trace_state']}" if "trace_state" in span else None
    if (span["trace_id"], span.get("parent_id"), span["parent_from"]) != (TRACE, SPAN, "remote"):
        return f"does not continue the trace: {span['trace_id']} {span.get('parent_id')} {span['parent_from']}"
    if span["span_id"] == SPAN:
        return "has its parent's id"
    if span["flags"] != flags:
        return f"flags {span['flags']}, not {flags}"
    return None if span.get("trace_state") == want else f"tracestate {span.get('trace_state')}, not {want}"


def check(lines, answers):
    spans = {}
    for line in lines:
        r = json.loads(line)
        if r["type"] == "span":
            spans[r["attributes"].get("url.path", "").removeprefix("/any/")] = r
    status = dict(a.split() for a in open(answers))
    bad = 0
    for n, (name, headers, same, want, flags) in enumerate(CASES, 1):
        # What net/http does not take gets no handler: NUL, and in newer versions very many fields.
        refused = (name.endswith("-nul") and "400") or (len(headers) > 500 and "431")
        if status.get(name) == refused:
            wrong = "a span" if name in spans else None
        elif status.get(name) != "200":
            wrong = f"answer {status.get(name)}"
        else:
            wrong = why(spans.get(name), same, want, flags)
        bad += wrong is not None
        print("not ok" if wrong else "ok", n, "-", name)
        if wrong:
            print("#", wrong)
    print(f"1..{len(CASES)}")
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2])
    else:
        sys.exit(1 if check(sys.stdin, sys.argv[2]) else 0)
