# SPDX-License-Identifier: Apache-2.0
"""no_bpf.py COMMAND…: runs it under a seccomp filter that refuses bpf(2) with EPERM."""
import ctypes
import os
import platform
import struct
import sys

# include/uapi: linux/filter.h, linux/seccomp.h, asm/unistd.h
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO_EPERM = 0x7FFF0000, 0x00050001
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]

code = [
    (LOAD_WORD, 0, 0, 0),
    (JUMP_EQUAL, 0, 1, BPF),
    (RETURN, 0, 0, ERRNO_EPERM),
    (RETURN, 0, 0, ALLOW),
]
insns = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in code))
prog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(insns)))
libc = ctypes.CDLL(None, use_errno=True)
if os.geteuid() and libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
    sys.exit("no_bpf: no_new_privs")
if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, prog, 0, 0):
    sys.exit("no_bpf: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
