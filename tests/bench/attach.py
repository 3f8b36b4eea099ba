# SPDX-License-Identifier: Apache-2.0
"""attach.py GOATTACH PLAN PID FILE ROUNDS: how long the plan's sites take to get their
breakpoints in process PID, which runs FILE (not PIE), and to lose them again, with
goattach's ways and with bpftrace. For tests/bench/attach.sh."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

GOATTACH, PLAN, PID, FILE, ROUNDS = sys.argv[1:6]
PATIENCE = 300  # seconds for anything


def sites():
    """Address: original bytes, of every site of the plan."""
    found = {}
    for line in open(PLAN, encoding="utf-8"):
        record = json.loads(line)
        for site in record.get("sites", []) if record["type"] == "probe" else []:
            found[int(site["addr"], 16)] = bytes.fromhex(site["bytes"])
    return found


SITES = sites()
MEMORY = os.open(f"/proc/{PID}/mem", os.O_RDONLY)


def changed():
    """How many sites are not as the file has them."""
    return sum(os.pread(MEMORY, len(b), at) != b for at, b in SITES.items())


def until(condition):
    """The time when it has become true."""
    deadline = time.monotonic() + PATIENCE
    while not condition(changed()):
        if time.monotonic() > deadline:
            raise SystemExit("attach.py: nothing happens")
        time.sleep(0.001)  # who looks all the time is in the way
    return time.monotonic()


def said_ms(output):
    """What goattach says that the attaching took, or None."""
    for line in output.splitlines():
        if line.startswith(b'{"type":"attach"'):
            return json.loads(line)["ms"]
    return float("nan")


def run(command, stdin):
    """Milliseconds from the start to the last breakpoint, what of this goattach says was
    the attaching itself, and from the signal until no breakpoint is left."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out,
                              stderr=subprocess.DEVNULL) as p:
            p.stdin.write(stdin)
            p.stdin.flush()
            last = until(lambda n: n == len(SITES) or p.poll() is not None)
            if p.poll() is not None:
                raise SystemExit(f"attach.py: {command[0]} has ended")
            p.send_signal(signal.SIGINT)
            signalled = time.monotonic()
            gone = until(lambda n: n == 0)
            p.stdin.close()
            p.wait()
        out.seek(0)
        return (last - began) * 1e3, said_ms(out.read()), (gone - signalled) * 1e3


def median_of(command, stdin=b""):
    """Of ROUNDS runs, each of the three."""
    times = [run(command, stdin) for _ in range(int(ROUNDS))]
    return [statistics.median(t) for t in zip(*times)]


print(f"{len(SITES)} sites of {os.path.getsize(FILE) >> 20} MB; ms, and how many times the first line's")
print(f"{'':<28} {'to attached':>18} {'of that attaching':>18} {'to detached':>18}")
with open(PLAN, "rb") as plan:
    records = plan.read()
ways = [(f"goattach --attach={how}", [GOATTACH, "-q", f"--attach={how}"], records)
        for how in os.environ.get("WAYS", "multi event perf address").split()]
if shutil.which("bpftrace"):
    program = ",".join(f"uprobe:{FILE}:{at:#x}" for at in SITES) + " { @hits = count(); }"
    ways.append(("bpftrace", ["bpftrace", "--unsafe", "-e", program], b""))
else:
    print("bpftrace is not installed")
os.environ["BPFTRACE_MAX_PROBES"] = "100000"
base = None
for name, command, stdin in ways:
    times = median_of(command, stdin)
    base = base or times
    columns = [f"{t:10.1f} {t / b:7.1f}" if t == t else f"{'':>18}" for t, b in zip(times, base)]
    print(f"{name:<28} {' '.join(columns)}")
