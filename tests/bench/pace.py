# SPDX-License-Identifier: Apache-2.0
"""Writes the lines of a file to a command at a steady rate, and says what it took.

pace.py FILE LINES_A_SECOND COMMAND [ARGUMENT...]: prints microseconds of CPU a line,
the most memory in MB, and the exit status. A rate of 0 is as fast as it goes.
"""
import resource
import subprocess
import sys
import time

lines = open(sys.argv[1], "rb").readlines()
rate = int(sys.argv[2])
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
start = time.monotonic()
at = 0
while at < len(lines):
    want = len(lines)
    if rate:
        want = min(want, int((time.monotonic() - start) * rate))
    if want > at:
        p.stdin.write(b"".join(lines[at:want]))
        p.stdin.flush()
        at = want
    else:
        time.sleep(0.01)
# Not of rusage: that has what this process had when it forked.
peak = [int(line.split()[1]) for line in open("/proc/%d/status" % p.pid) if line.startswith("VmHWM")]
p.stdin.close()
p.wait()
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.2f %.1f %d" % ((u.ru_utime + u.ru_stime) / len(lines) * 1e6, peak[0] / 1024, p.returncode))
