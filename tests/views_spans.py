#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams of spans for the tests of what people look at.

  shop N [RATE [FROM]]  N traces of a shop of four services, a hundred a second in their
                  time, or RATE a second as they happen; from that of number FROM on
  big N           one trace of N spans
  odd             three traces: one over two hosts of which one's clock is three hours
                  behind, one with forty idle seconds, one of wide and combining characters
  hostile         markup, control characters and bad times everywhere
"""
import json
import random
import sys
import time

T0 = 1764510000_000000000
MS = 1000000


def put(record, **more):
    record.update(more)
    sys.stdout.write(json.dumps(record, separators=(",", ":")) + "\n")


def process(pid, service, host=None):
    record = {"type": "process", "v": 1, "pid": pid, "start": str(pid), "service": service,
              "exe": "/srv/" + service, "go": "go1.24.4", "arch": "amd64"}
    if host:
        record["resource"] = {"host.name": host}
    put(record)


class Trace:
    def __init__(self, number, start):
        self.id = "%032x" % (0xC0FFEE << 96 | number)
        self.number, self.start, self.n = number, start, 0

    def span(self, pid, name, kind, at, took, parent=None, how="stack", status="unset",
             message=None, goid=None, **attributes):
        self.n += 1
        span = "%016x" % (self.number << 24 | self.n)
        record = {"type": "span", "v": 1, "pid": pid, "goid": str(goid or 100 + pid % 10),
                  "trace_id": self.id, "span_id": span, "parent_from": how if parent else "none",
                  "flags": 1, "name": name, "kind": kind, "scope": "net/http",
                  "start": str(int(self.start + at * MS)),
                  "end": str(int(self.start + (at + took) * MS)), "status": status,
                  "attributes": {k.replace("__", "."): v for k, v in attributes.items()}}
        if parent:
            record["parent_id"] = parent
        if message:
            record["status_message"] = message
        put(record)
        return span


def http(method, path, code, **more):
    return dict(http__request__method=method, url__path=path, url__scheme="http",
                http__response__status_code=code, **more)


def shop_trace(i, start, rnd):
    t = Trace(i + 1, start) if i is not None else None
    slow = rnd.expovariate(1 / 4)
    failed = rnd.random() < 0.04
    kind = rnd.random()
    if not t:
        return
    if kind < 0.5:
        root = t.span(101, "GET /products/{id}", "server", 0, 3 + slow, goid=100 + i % 50,
                      **http("GET", "/products/%d" % (i % 90), 200, http__route="/products/{id}"))
        t.span(101, "SELECT products", "client", 0.6, 1.2 + slow / 2, root, goid=100 + i % 50,
               db__system__name="postgresql", db__query__text="SELECT * FROM products WHERE id = ?",
               server__address="db.local")
    elif kind < 0.8:
        code = 500 if failed else 200
        root = t.span(101, "POST /checkout", "server", 0, 14 + slow,
                      status="error" if failed else "unset", goid=100 + i % 50,
                      **http("POST", "/checkout", code, http__route="/checkout",
                             **({"error__type": "500"} if failed else {})))
        call = t.span(101, "POST", "client", 1, 6, root, how="goroutine", goid=400 + i % 50,
                      http__request__method="POST", url__full="http://cart/reserve",
                      http__response__status_code=200)
        cart = t.span(102, "POST /reserve", "server", 1.5, 5, call, how="remote",
                      **http("POST", "/reserve", 200, http__route="/reserve"))
        t.span(102, "SET", "client", 2.5, 0.7, cart, how="context", db__system__name="redis",
               server__address="cache.local")
        call = t.span(101, "POST", "client", 8, 5 + slow / 2, root, goid=100 + i % 50,
                      status="error" if failed else "unset", http__request__method="POST",
                      url__full="http://pay/charge", http__response__status_code=code)
        t.span(103, "POST /charge", "server", 8.4, 4 + slow / 2, call, how="remote",
               status="error" if failed else "unset",
               message="card declined by the bank" if failed else None,
               **http("POST", "/charge", code, http__route="/charge",
                      **({"error__type": "*pay.DeclinedError"} if failed else {})))
    else:
        root = t.span(104, "GET /search", "server", 0, 8 + 3 * slow, goid=7,
                      **http("GET", "/search", 200, http__route="/search", url__query="q=tea"))
        for j in range(3):
            t.span(104, "search.shard", "internal", 0.5 + j / 3, 5 + slow + j, root,
                   how="goroutine", goid=20 + j, shard=j)


def shop(n, rate, skip):
    rnd = random.Random(7)
    for pid, service in ((101, "shop"), (102, "cart"), (103, "payments"), (104, "search")):
        process(pid, service)
    began = time.time()
    put({"type": "lost", "v": 1, "where": "ring", "reason": "full", "count": 12})
    put({"type": "stats", "v": 1, "from": "goattach", "counters": {"events": 4711, "dropped": 0}})
    for i in range(skip):
        shop_trace(None, 0, rnd)
    for i in range(skip, skip + n):
        if rate:
            sys.stdout.flush() if i % max(1, rate // 20) == 0 else None
            ahead = began + (i - skip) / rate - time.time()
            if ahead > 0.001:
                sys.stdout.flush()
                time.sleep(ahead)
            shop_trace(i, time.time_ns() - 30 * MS, rnd)
        else:
            shop_trace(i, T0 + i * 10 * MS, rnd)


def big(n):
    rnd = random.Random(3)
    process(101, "shop")
    process(102, "cart")
    t = Trace(0xB16, T0)
    ids = [t.span(101, "GET /report", "server", 0, n / 10 + 10,
                  **http("GET", "/report", 200, http__route="/report"))]
    for i in range(1, n):
        parent = ids[max(0, i - 1 - int(rnd.expovariate(0.2)))] if i % 7 else ids[0]
        ids.append(t.span(101 + i % 2, "step %d" % (i % 40), "internal", i / 10, rnd.random() * 3 + 0.01,
                          parent, status="error" if i % 997 == 0 else "unset", step=i))


WIDE = ("\u65e5\u672c\u8a9e\u30b5\u30fc\u30d3\u30b9", "cafe\u0301", "\u0e01\u0e33\u0e25\u0e31\u0e07", "\uff46\uff55\uff4c\uff4c",
        "\U0001f469\u200d\U0001f4bb", "plain")


def odd():
    process(101, "shop", host="alpha")
    process(102, "cart", host="beta")
    t = Trace(0x0DD1, T0)
    root = t.span(101, "GET /order", "server", 0, 50, **http("GET", "/order", 200, http__route="/order"))
    call = t.span(101, "GET", "client", 5, 40, root, url__full="http://cart/items")
    far = t.span(102, "GET /items", "server", 10 - 3 * 3600 * 1000, 30, call, how="remote",
                 **http("GET", "/items", 200, http__route="/items"))
    t.span(102, "SELECT", "client", 15 - 3 * 3600 * 1000, 10, far, db__system__name="sqlite")
    t = Trace(0x0DD2, T0 + 1000 * MS)
    root = t.span(101, "POST /jobs", "server", 0, 20, **http("POST", "/jobs", 202, http__route="/jobs"))
    job = t.span(101, "job", "internal", 40000, 30, root, how="goroutine", goid=77, status="error",
                 message="no such file")
    t.span(101, "step", "internal", 40005, 5, job, goid=77)
    t = Trace(0x0DD3, T0 + 60000 * MS)
    for i, name in enumerate(WIDE):
        process(200 + i, name)
        t.span(200 + i, "@" + name * 12, "server", i, 10, "%016x" % (0xABCD00 + i), how="remote")


NASTY = ('<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">'
         '"\'`&amp;\x1b[31m\x07\x00\u202e\u200b\r\n\t%s${7*7}')


def hostile():
    process(101, NASTY, host=NASTY)
    process(102, "cart")
    t = Trace(0x666, T0)
    root = t.span(101, NASTY, "server", 0, 5, status="error", message=NASTY, how=NASTY,
                  **http(NASTY, NASTY, 200, http__route=NASTY, **{NASTY: NASTY, "url__full": "javascript:alert(1)"}))
    t.span(102, NASTY * 200, "client", 1, 2, root, how=NASTY, server__address=NASTY)
    t.span(102, "x" * 100000, "internal", 1, 2, root, value="y" * 100000)
    ring = Trace(0x667, T0)
    ids = ["%016x" % (ring.number << 24 | n) for n in (1, 2, 3)]
    for i in range(3):
        ring.span(102, "ring %d" % i, "internal", i, 1, ids[(i + 1) % 3])
    ring.span(102, "itself", "internal", 0, 1, "%016x" % (ring.number << 24 | 4))
    orphan = Trace(0x668, T0)
    orphan.span(102, "orphan", "internal", 0, 1, "00000000deadbeef")
    for n, (start, end) in enumerate(((0, 0), (0, 9223372036854775807),
                                      (9223372036854775806, 9223372036854775807),
                                      (0, 18446744073709551615))):
        old = Trace(0x669 + n, 0)
        put({"type": "span", "v": 1, "pid": 102, "trace_id": old.id, "span_id": "%016x" % (n + 1),
             "name": "time %d" % n, "kind": "server", "start": str(start), "end": str(end)})
    put({"type": "lost", "v": 1, "where": NASTY, "reason": NASTY, "count": 3})
    put({"type": "stats", "v": 1, "from": NASTY, "counters": {NASTY: 1}})


what = sys.argv[1]
try:
    if what == "shop":
        shop(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0,
             int(sys.argv[4]) if len(sys.argv) > 4 else 0)
    elif what == "big":
        big(int(sys.argv[2]))
    elif what == "odd":
        odd()
    else:
        hostile()
    sys.stdout.flush()
except BrokenPipeError:
    pass
