# SPDX-License-Identifier: Apache-2.0
"""traceparents.py ADDRESS COUNT WORD…: so many requests with a traceparent of a random trace
id, the parent being sampled (remote1) or not (remote0) in turn; prints "TRACE-ID WORD"."""
import os
import socket
import sys

AT_ONCE = 200

host, port = sys.argv[1].rsplit(":", 1)
count, words = int(sys.argv[2]), sys.argv[3:]
with socket.create_connection((host, int(port))) as s:
    f = s.makefile("rb")
    for start in range(0, count, AT_ONCE):
        lines = []
        for i in range(start, min(start + AT_ONCE, count)):
            word = words[i % len(words)]
            trace = os.urandom(16).hex()
            print(trace, word)
            lines.append(f"GET /empty HTTP/1.1\r\nHost: h\r\n"
                         f"traceparent: 00-{trace}-00f067aa0ba902b7-0{word[-1]}\r\n\r\n")
        s.sendall("".join(lines).encode())
        for _ in lines:
            status = f.readline()
            assert status.startswith(b"HTTP/1.1 200"), status
            while f.readline() not in (b"\r\n", b""):
                pass
