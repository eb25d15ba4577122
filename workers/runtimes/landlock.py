"""Landlock: a process gives up all files but the ones named, and TCP and signals where the kernel can.

Standard library only: this file also runs inside the sandbox, where nothing of ours can be imported. The
calls are described in the kernel's Documentation/userspace-api/landlock.rst; the numbers are the same on
every architecture.
"""

import ctypes
import os
import struct
from collections.abc import Sequence

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
# By ABI: how many rights to files it knows (each new one has to be named to be refused).
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_FILE_RIGHTS = 16

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """Return the version of Landlock in this kernel, 0 when there is none or it is switched off."""
    return max(0, int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def readable_only(paths: Sequence[str]) -> int:
    """Return the descriptor of a ruleset that leaves `paths` readable (folders whole) and nothing else."""
    version = abi()
    handled_files = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
    handled_net = _TCP_BIND_AND_CONNECT if version >= 4 else 0
    scoped = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("<QQQ", handled_files, handled_net, scoped)[:size]
    ruleset = _checked(_libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0), "create a ruleset")
    for path in paths:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rights = _READ_FILE | _READ_FOLDER if os.path.isdir(path) else _READ_FILE
        rule = struct.pack("<Qi", rights, file)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0), f"allow {path}")
        os.close(file)
    return ruleset


def restrict(ruleset: int) -> None:
    """Put this process under a ruleset for good; needs no_new_privs."""
    _checked(_libc.syscall(_RESTRICT, ruleset, 0), "restrict")
    os.close(ruleset)


def _checked(result: int, what: str) -> int:
    """Return the result of a call, or raise OSError."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock cannot {what}: {os.strerror(error)}")
    return result
