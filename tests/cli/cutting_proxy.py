# SPDX-License-Identifier: Apache-2.0
"""A proxy for HTTP that cuts connections in the middle, for tests/cli/otlp_faults.t.

cutting_proxy.py PORTFILE LOG RULE...

The first connection gets the first RULE, and so on; the last one is for all that follow.

    up=N    cut when N bytes have gone to the receiver
    down=N  cut when N bytes have come back from it
    pass    not cut

Whatever host is asked for, the receiver is the one on this machine with its port. Each
connection becomes a line in LOG: the rule, how it was asked, and "cut" or "whole".
"""
import os
import select
import socket
import sys
import threading
import urllib.parse

portfile, logname = sys.argv[1:3]
rules = sys.argv[3:]
lock = threading.Lock()


def say(rule, how, end):
    with lock, open(logname, "a") as log:
        log.write("%s %s %s\n" % (rule, how, end))


def head_of(c):
    data = b""
    while b"\r\n\r\n" not in data:
        more = c.recv(4096)
        if not more:
            return None
        data += more
    return data


def pump(client, server, rule, sent):
    """Passes bytes on until one side ends; whether the connection was cut before."""
    what, _, most = rule.partition("=")
    left = {"up": float("inf"), "down": float("inf")}
    if most:
        left[what] = int(most) - (sent if what == "up" else 0)
    while True:
        for s in select.select([client, server], [], [], 60)[0]:
            way, to = ("up", server) if s is client else ("down", client)
            data = s.recv(4096)
            if not data:
                return False
            to.sendall(data[:max(0, min(len(data), left[way]))])
            left[way] -= len(data)
            if left[way] < 0:
                return True


def serve(client, rule):
    how, cut = "-", False
    server = None
    try:
        head = head_of(client)
        if head:
            how, target = head.split(b" ")[:2]
            how = how.decode()
            host = target if how == "CONNECT" else urllib.parse.urlparse(target).netloc
            server = socket.create_connection(("127.0.0.1", int(host.rpartition(b":")[2])))
            if how == "CONNECT":
                client.sendall(b"HTTP/1.1 200 go on\r\n\r\n")
                cut = pump(client, server, rule, 0)
            else:
                most = int(rule[3:]) if rule.startswith("up=") else len(head)
                server.sendall(head[:most])
                cut = most < len(head) or pump(client, server, rule, len(head))
    except OSError:
        cut = False
    say(rule, how, "cut" if cut else "whole")
    for s in (client, server):
        if s and cut:  # at once, not after what is still to be sent
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        if s:
            s.close()


listener = socket.create_server(("127.0.0.1", 0))
with open(portfile + ".new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(portfile + ".new", portfile)
while True:
    c = listener.accept()[0]
    threading.Thread(target=serve, args=(c, rules.pop(0) if len(rules) > 1 else rules[0])).start()
