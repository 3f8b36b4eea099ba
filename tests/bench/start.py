# SPDX-License-Identifier: Apache-2.0
"""start.py BIN TARGET ROUNDS: how long from the exec of TARGET until gofind has
reported it, and until goattach has attached to it: its file new to goresolve, and
known to it. For tests/bench/start.sh. The clock starts just before fork and exec:
when these have returned, the report may have been there for a while."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BIN, TARGET, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
PATIENCE = 30  # seconds for anything


def late(*_):
    raise SystemExit(f"start.py: nothing for {PATIENCE} s")


class Stages:
    """gofind --watch for one file, and the named stages behind it."""

    def __init__(self, exe, *behind):
        self.found = subprocess.Popen([BIN + "/gofind", "--exe", exe, "--watch"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.all = [self.found]
        for name in behind:
            self.all.append(subprocess.Popen([BIN + "/" + name, "-q"],
                                             stdin=self.all[-1].stdout, stdout=subprocess.PIPE))
            self.all[-2].stdout.close()
        self.how = self.found.stderr.readline().decode().strip()  # said when it watches
        time.sleep(1)  # goattach loads its programs meanwhile

    def wait(self, kind, pid):
        """The time when the record of this type and process has come."""
        for line in self.all[-1].stdout:
            now = time.monotonic()
            record = json.loads(line)
            if record["type"] == kind and record["pid"] == pid:
                return now
        raise SystemExit("start.py: a stage has ended")

    def end(self):
        for p in self.all:
            p.terminate()
        self.all[-1].stdout.read()
        for p in self.all:
            p.wait()


def run(stages, exe, kind):
    """Runs the target once; milliseconds until the record has come."""
    signal.alarm(PATIENCE)
    began = time.monotonic()
    target = subprocess.Popen([exe], stdout=subprocess.DEVNULL)
    took = (stages.wait(kind, target.pid) - began) * 1e3
    if kind == "attach":
        # Gone for goattach too, so that the next one shares nothing with it.
        target.kill()
        stages.wait("exit", target.pid)
    target.kill()
    target.wait()
    return took


def show(what, times):
    print(f"{what:<42} {min(times):9.1f} {statistics.median(times):9.1f} {max(times):9.1f}")


signal.signal(signal.SIGALRM, late)
with tempfile.TemporaryDirectory() as tmp:
    exe = os.path.join(tmp, "target")
    shutil.copy(TARGET, exe)
    reported, new, known = [], [], []
    stages = Stages(exe)
    how = stages.how
    for _ in range(ROUNDS):
        reported.append(run(stages, exe, "process"))
    stages.end()
    for _ in range(ROUNDS):
        stages = Stages(exe, "goresolve", "goattach")
        new.append(run(stages, exe, "attach"))
        known.append(run(stages, exe, "attach"))
        stages.end()
print(f"{how}; {ROUNDS} rounds, a file of {os.path.getsize(TARGET) >> 20} MB")
print(f"{'milliseconds':<42} {'min':>9} {'median':>9} {'max':>9}")
show("exec to reported (gofind)", reported)
show("exec to attached, file new to goresolve", new)
show("exec to attached, file known to it", known)
