# SPDX-License-Identifier: Apache-2.0
"""knock.py SERVICE PORT CLIENTS REQUESTS: clients that ask a service before it is there.
Each tries to connect until somebody listens, and then makes its requests. The service is
started while they try; as one that has things to do first it serves not before 50 ms
have passed: it is stopped as soon as it has been executed. Prints its process id, and how
many were answered of those for /any/first, the first of each client, and for /any/later."""

import collections
import http.client
import signal
import subprocess
import sys
import threading
import time

PROGRAM, PORT, CLIENTS, REQUESTS = sys.argv[1], *map(int, sys.argv[2:])
answers = collections.Counter()
lock = threading.Lock()
trying = threading.Barrier(CLIENTS + 1)


def knock():
    """A connection to the service. The first refusal is told."""
    deadline = time.monotonic() + 20
    tried = 0
    while time.monotonic() < deadline:
        try:
            c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
            c.connect()
            return c
        except ConnectionRefusedError:
            if not tried:
                trying.wait()
            tried += 1
            time.sleep(0.001)
    raise SystemExit("nobody listens")


def client():
    c = knock()
    for i in range(REQUESTS):
        path = "/any/later" if i else "/any/first"
        c.request("GET", path)
        r = c.getresponse()
        r.read()
        with lock:
            answers[path] += r.status == 200


threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
for t in threads:
    t.start()
trying.wait()
# Popen returns when the program has been executed.
service = subprocess.Popen([PROGRAM, "-for", "60s", "-addr", f"127.0.0.1:{PORT}"],
                           stdout=subprocess.DEVNULL)
try:
    service.send_signal(signal.SIGSTOP)
    time.sleep(0.05)
    service.send_signal(signal.SIGCONT)
    for t in threads:
        t.join()
finally:
    service.kill()
    service.wait()
print(service.pid, answers["/any/first"], answers["/any/later"])
