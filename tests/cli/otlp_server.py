# SPDX-License-Identifier: Apache-2.0
"""An OTLP/HTTP receiver that answers as it is told, for tests/cli/goexport.t.

otlp_server.py PORTFILE LOG ANSWER...

Writes its port, $PORT or a free one, to PORTFILE. It listens at $ADDRESS, or 127.0.0.1; with
$CERT, a file of certificate and key, it speaks TLS; with $IDLE it closes connections that
are idle for so many seconds. The first request gets the first ANSWER,
and so on; the last one is for all that follow. Each request becomes one JSON line in LOG.

    200           success, with an empty body
    200:empty     with a partial_success that says nothing, as the Collector does
    200:partial=N with N spans rejected and a message
    200:html      a page of something that is no OTLP receiver
    200:huge      with an answer of 8 MiB
    STATUS        with a text body; STATUS:after=N with Retry-After: N as well,
                  STATUS:date=N with the time that it will be then
    STATUS:status with a google.rpc.Status of the message "told so"
    close         closes the connection without an answer
    slow=SECONDS  answers 200 after a while
    most=N        200 if there are no more than N spans, else 413
    garbage       bytes that are no HTTP
    half          a 200 that breaks off
    hang          no answer, for a minute

A request for another host, as a proxy gets it, is answered like any other; CONNECT
is answered with 502. Compressed and JSON bodies are read like plain ones.
"""
import email.utils
import gzip
import http.server
import json
import os
import ssl
import sys
import threading
import time

portfile, logname = sys.argv[1:3]
answers = sys.argv[3:]
lock = threading.Lock()


def varint(b, i):
    n = shift = 0
    while True:
        n |= (b[i] & 0x7F) << shift
        shift += 7
        i += 1
        if b[i - 1] < 0x80:
            return n, i


def fields(b):
    """The (number, value) pairs of a message."""
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        kind = key & 7
        if kind == 0:
            v, i = varint(b, i)
        elif kind == 1:
            v, i = int.from_bytes(b[i:i + 8], "little"), i + 8
        elif kind == 5:
            v, i = int.from_bytes(b[i:i + 4], "little"), i + 4
        elif kind == 2:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
        else:
            raise ValueError("wire type %d" % kind)
        if i > len(b):
            raise ValueError("cut short")
        yield key >> 3, v


def all_of(b, number):
    return [v for n, v in fields(b) if n == number]


def text(b):
    return b.decode("utf-8")  # raises where it is none


def value(b):
    (number, v), = fields(b)
    if number == 1:
        return text(v)
    if number == 2:
        return bool(v)
    if number == 3:
        return v - (1 << 64) if v >> 63 else v
    if number == 4:
        import struct
        return struct.unpack("<d", v.to_bytes(8, "little"))[0]
    return [value(x) for x in all_of(v, 1)]


def attributes(b, number):
    return {text(all_of(kv, 1)[0]): value(all_of(kv, 2)[0]) for kv in all_of(b, number)}


def metrics(body):
    """The names of the metrics, and how many points each has."""
    out = {}
    for rm in all_of(body, 1):
        for sm in all_of(rm, 2):
            for m in all_of(sm, 2):
                d = dict(fields(m))
                data = [d[n] for n in (5, 7, 9, 10) if n in d][0]
                name = text(d[1])
                out[name] = out.get(name, 0) + len(all_of(data, 1))
    return out


def json_request(body):
    d = json.loads(body)
    if "resourceMetrics" in d:
        names = [m["name"] for rm in d["resourceMetrics"] for sm in rm["scopeMetrics"]
                 for m in sm["metrics"]]
        return [], {n: names.count(n) for n in names}
    return [{"span_id": sp["spanId"], "name": sp["name"]} for rs in d["resourceSpans"]
            for ss in rs["scopeSpans"] for sp in ss["spans"]], None


def request(body):
    out = []
    for rs in all_of(body, 1):
        resource = attributes(all_of(rs, 1)[0], 1)
        schema = text(all_of(rs, 3)[0])
        for ss in all_of(rs, 2):
            scope = [text(x) for s in all_of(ss, 1) for x in all_of(s, 1)]
            for sp in all_of(ss, 2):
                d = dict(fields(sp))
                status = dict(fields(d.get(15, b"")))
                out.append({
                    "resource": resource, "schema": schema, "scope": scope,
                    "trace_id": d[1].hex(), "span_id": d[2].hex(),
                    "trace_state": text(d.get(3, b"")),
                    "parent": d.get(4, b"").hex(), "name": text(d.get(5, b"")),
                    "kind": d.get(6, 0), "start": d[7], "end": d[8],
                    "attributes": attributes(sp, 9), "dropped": d.get(10, 0),
                    "links": [[text_hex(v) for _, v in fields(x)] for x in all_of(sp, 13)],
                    "status": [status.get(3, 0), text(status.get(2, b""))],
                    "flags": d.get(16, 0),
                })
    return out


def text_hex(v):
    return v.hex()


def message(number, payload):
    return bytes([number << 3 | 2]) + bytes([len(payload)]) + payload


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = float(os.environ.get("IDLE", 60))

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", kind="application/x-protobuf", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, v in headers.items():
            self.send_header(name.replace("_", "-"), v)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        points = None
        with lock:
            what = answers.pop(0) if len(answers) > 1 else answers[0]
            with open(logname, "a") as log:
                try:
                    plain = body
                    if self.headers.get("Content-Encoding") == "gzip":
                        plain = gzip.decompress(body)
                    if self.headers["Content-Type"] == "application/json":
                        spans, points = json_request(plain)
                    elif self.path.endswith("/metrics"):
                        spans, points = [], metrics(plain)
                    else:
                        spans = request(plain)
                except Exception as e:  # seen by the test as a span that is none
                    spans = ["undecodable: %s" % e]
                log.write(json.dumps({
                    "time": time.time(), "path": self.path, "answer": what,
                    "headers": {k.lower(): v for k, v in self.headers.items()},
                    "bytes": len(body), "spans": spans, "points": points}) + "\n")
        if what.startswith("most="):
            what = "200" if len(spans) <= int(what[5:]) else "413"
        self.give(what)

    def do_CONNECT(self):
        with lock, open(logname, "a") as log:
            log.write(json.dumps({"path": self.path, "answer": "connect", "spans": [],
                                  "headers": {k.lower(): v for k, v in self.headers.items()}}) + "\n")
        self.answer(502)

    def give(self, what):
        status, _, more = what.partition(":")
        if what == "close":
            self.close_connection = True
        elif what == "garbage":
            self.wfile.write(b"\x00\xff\x16\x03nonsense\r\n\r\n")
            self.close_connection = True
        elif what == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
        elif what == "hang":
            time.sleep(60)
        elif what.startswith("slow="):
            time.sleep(float(what[5:]))
            self.answer(200)
        elif more == "empty":
            self.answer(200, message(1, b""))
        elif more.startswith("partial="):
            n = int(more[8:])
            self.answer(200, message(1, bytes([8, n]) + message(2, b"too old")))
        elif more == "html":
            self.answer(200, b"<html>hello</html>", "text/html")
        elif more == "huge":
            self.answer(200, message(2, b"x" * 100) * 82000)
        elif more == "status":
            self.answer(int(status), bytes([8, 3]) + message(2, b"told so"))
        elif more.startswith("after="):
            self.answer(int(status), b"busy\nreally", "text/plain", Retry_After=more[6:])
        elif more.startswith("date="):
            when = email.utils.formatdate(time.time() + int(more[5:]), usegmt=True)
            self.answer(int(status), b"busy", "text/plain", Retry_After=when)
        elif status == "200":
            self.answer(200)
        else:
            self.answer(int(status), b"no\nmore", "text/plain")


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        if not isinstance(sys.exc_info()[1], OSError):  # a connection that is cut is no news
            super().handle_error(*args)


server = Server(
    (os.environ.get("ADDRESS", "127.0.0.1"), int(os.environ.get("PORT", 0))), Handler)
if "CERT" in os.environ:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["CERT"])
    # The handshake is the thread's of the connection, not the listener's.
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
with open(portfile + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(portfile + ".new", portfile)
server.serve_forever()
