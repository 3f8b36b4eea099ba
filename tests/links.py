# SPDX-License-Identifier: Apache-2.0
"""links.py PROGRAM_ID…: prints each BPF link of these programs, from the kernel's own list.

One line a link: id, type, and for probes "probes", how many, and "returns" if they are
return probes. Works by the system call, as Debian 12's bpftool does not know all links.
"""
import ctypes
import os
import platform
import struct
import sys

# include/uapi/linux/bpf.h
LINK_GET_FD_BY_ID, LINK_GET_NEXT_ID, OBJ_GET_INFO_BY_FD = 30, 31, 15
TYPES = {7: "perf_event", 12: "uprobe_multi"}
UPROBE_RETURN = 2  # of enum bpf_perf_event_type: 1 uprobe, 2 uretprobe
BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    ret = libc.syscall(BPF, command, attr, len(attr))
    return ret if ret >= 0 else -ctypes.get_errno()


def info(link):
    fd = bpf(LINK_GET_FD_BY_ID, ctypes.create_string_buffer(struct.pack("III", link, 0, 0), 128))
    if fd < 0:
        return None  # it has gone meanwhile
    out = ctypes.create_string_buffer(256)
    attr = ctypes.create_string_buffer(struct.pack("IIQ", fd, 256, ctypes.addressof(out)), 128)
    ret = bpf(OBJ_GET_INFO_BY_FD, attr)
    os.close(fd)
    return out.raw if ret >= 0 else None


def describe(raw):
    kind, link, program = struct.unpack_from("III", raw)
    name = TYPES.get(kind, str(kind))
    returns, count = False, 1
    if name == "uprobe_multi":
        _path_size, count, flags, _pid = struct.unpack_from("IIII", raw, 16 + 32)
        returns = bool(flags & 1)
    elif name == "perf_event":
        returns = struct.unpack_from("I", raw, 16)[0] == UPROBE_RETURN
    return program, f"{link} {name} {'returns' if returns else 'probes'} {count}"


wanted = {int(arg) for arg in sys.argv[1:]}
at = 0
while True:
    attr = ctypes.create_string_buffer(struct.pack("II", at, 0), 128)
    if bpf(LINK_GET_NEXT_ID, attr) < 0:
        break
    at = struct.unpack_from("I", attr, 4)[0]
    raw = info(at)
    if raw:
        program, text = describe(raw)
        if program in wanted:
            print(text)
