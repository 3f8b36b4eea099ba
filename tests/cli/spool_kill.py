# SPDX-License-Identifier: Apache-2.0
"""Kills goexport at random moments while it fills its spool, and while it empties it.

spool_kill.py GOEXPORT DIR KILLS

After every kill the database must be whole, and hold what it held before, but for
what has arrived; at the end every span that was ever in it must have arrived. Says
what it saw, and ends with 1 if anything was wrong.
"""
import http.server
import os
import random
import socketserver
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
goexport, directory, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = int.from_bytes(os.urandom(4), "little")
random.seed(seed)
accept = threading.Event()
arrived = set()
order = []


def names(body):
    """The names of the spans in a request: "n" and a number each."""
    out, at = [], 0
    while (at := body.find(b"*\x07n", at)) >= 0:  # field 5, 7 bytes
        out.append(int(body[at + 3:at + 9]))
        at += 9
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        got = names(self.rfile.read(int(self.headers["Content-Length"])))
        if accept.is_set():
            arrived.update(got)
            order.append(got[0])
        self.send_response(200 if accept.is_set() else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *args):
        pass  # the other side was killed


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d" % server.server_address[1]


def start(extra=()):
    return subprocess.Popen([goexport, "-q", "--otlp", url, "--spool", directory, "--batch", "20",
                             "--batch-delay", "5", *extra],
                            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def kept():
    """What is in the spool; it must be whole."""
    out = []
    for name in os.listdir(directory):
        if not name.endswith(".db"):
            if ".bad-" in name:
                fail("the file was put aside as unreadable: %s" % name)
            continue
        db = sqlite3.connect(os.path.join(directory, name))
        check = db.execute("PRAGMA integrity_check").fetchall()
        if check != [("ok",)]:
            fail("not whole: %s" % check)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'request'").fetchall():
            continue  # killed before it had made the table
        for items, body in db.execute("SELECT items, body FROM request ORDER BY seq"):
            got = names(body)
            if len(got) != items:
                fail("a request of %d spans holds %d" % (items, len(got)))
            out += got
        db.close()
    return out


def fail(why):
    print("seed %d: %s" % (seed, why))
    sys.exit(1)


def written():
    """Whether something has got to the disk."""
    return any(os.path.getsize(os.path.join(directory, name)) > 30000
               for name in os.listdir(directory) if name.endswith("-wal"))


def feed(p, number, seconds):
    """Spans in small pieces, until it is killed, after a while or when something is on
    disk (None); the next number."""
    start = time.monotonic()
    while time.monotonic() - start < (seconds if seconds else 60) and (seconds or not written()):
        lines = b"".join(
            b'{"type":"span","v":1,"trace_id":"%032x","span_id":"%016x","name":"n%06d",'
            b'"start":"1","end":"2"}\n' % (number + i, number + i, number + i) for i in range(20))
        number += 20
        try:
            p.stdin.write(lines)
            p.stdin.flush()
        except BrokenPipeError:
            break
        time.sleep(random.uniform(0, 0.004))
    p.kill()
    p.wait()
    return number


number, before, ever = 1, [], set()
began = time.monotonic()
for i in range(kills):
    # Every fourth time the receiver takes what it is sent: the spool empties, and is filled
    # by what comes meanwhile.
    accept.set() if i % 4 == 3 else accept.clear()
    number = feed(start(), number, random.uniform(0.02, longest) if i else None)
    if not i:  # how fast this machine is, just now
        longest = 0.1 + 2 * (time.monotonic() - began)
    now = kept()
    if now != sorted(now):
        fail("the spool is not in order")
    lost = set(before) - set(now) - arrived
    if lost:
        fail("kill %d lost %d spans that were in the spool" % (i, len(lost)))
    before = now
    ever.update(now)
accept.set()
p = start(("--flush-timeout", "60000"))
p.stdin.close()
if p.wait() != 0:
    fail("the last run ended with %d" % p.returncode)
if kept():
    fail("something is still in the spool")
if ever - arrived:
    fail("%d spans that were in the spool never arrived" % len(ever - arrived))
if not ever:
    fail("nothing was ever in the spool")
print("seed %d: %d kills, %d spans in, %d were in the spool, all of them arrived" %
      (seed, kills, number - 1, len(ever)))
