"""Which system calls a bot's process may make: allow-lists as classic BPF programs, without any library.

What is not named is answered with EPERM, an exception in Python rather than a dead process; calls by
another ABI (32 bit, x32) kill. Numbers are from arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h.
"""

import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass

# Calls of the interpreter and numpy once everything is confined: no exec, fork, socket, kill or ptrace.
_INNER = """
 read write readv writev pread64 lseek close dup open openat stat lstat fstat newfstatat statx access
 faccessat faccessat2 readlink readlinkat getdents64 getcwd poll ppoll select pselect6 mmap munmap mremap
 mprotect madvise brk mbind get_mempolicy set_mempolicy futex sched_yield sched_getaffinity set_robust_list
 set_tid_address rseq gettid getpid getppid getuid geteuid getgid getegid getrlimit getrusage sysinfo times
 time gettimeofday clock_gettime clock_getres nanosleep clock_nanosleep pause restart_syscall rt_sigaction
 rt_sigprocmask rt_sigreturn sigaltstack uname getrandom arch_prctl exit exit_group
"""
# What the trusted start-up needs beyond it: to exec the interpreter and to confine itself.
_OUTER = """
 execve wait4 prctl seccomp prlimit64 setrlimit landlock_create_ruleset landlock_add_rule
 landlock_restrict_self setresuid setresgid setgroups capget capset umask chdir dup2 dup3 pipe pipe2
 close_range
"""
# And what the process needs from which bots are forked, to be asked and to answer.
_FORKING = "recvmsg sendmsg pidfd_open unshare"
_X86_64 = """
 read=0 write=1 open=2 close=3 stat=4 fstat=5 lstat=6 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12
 rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 pread64=17 readv=19 writev=20 access=21 pipe=22
 select=23 sched_yield=24 mremap=25 madvise=28 dup=32 dup2=33 pause=34 nanosleep=35 getpid=39 sendmsg=46
 recvmsg=47 clone=56 execve=59 exit=60 wait4=61 uname=63 fcntl=72 getcwd=79 chdir=80 readlink=89 umask=95
 gettimeofday=96 getrlimit=97 getrusage=98 sysinfo=99 times=100 getuid=102 getgid=104 geteuid=107
 getegid=108 getppid=110 setgroups=116 setresuid=117 setresgid=119 capget=125 capset=126 sigaltstack=131
 prctl=157 arch_prctl=158 setrlimit=160 gettid=186 time=201 futex=202 sched_getaffinity=204 getdents64=217
 set_tid_address=218 restart_syscall=219 clock_gettime=228 clock_getres=229 clock_nanosleep=230
 exit_group=231 mbind=237 set_mempolicy=238 get_mempolicy=239 openat=257 newfstatat=262 readlinkat=267
 faccessat=269 pselect6=270 ppoll=271 set_robust_list=273 dup3=292 pipe2=293 prlimit64=302 seccomp=317
 getrandom=318 statx=332 rseq=334 unshare=272 pidfd_open=434 clone3=435 close_range=436 faccessat2=439
 landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446
"""
_AARCH64 = """
 getcwd=17 dup=23 dup3=24 fcntl=25 ioctl=29 faccessat=48 chdir=49 openat=56 close=57 pipe2=59 getdents64=61
 lseek=62 read=63 write=64 readv=65 writev=66 pread64=67 pselect6=72 ppoll=73 readlinkat=78 newfstatat=79
 fstat=80 capget=90 capset=91 exit=93 exit_group=94 set_tid_address=96 futex=98 set_robust_list=99
 nanosleep=101 clock_gettime=113 clock_getres=114 clock_nanosleep=115 sched_getaffinity=123 sched_yield=124
 restart_syscall=128 sigaltstack=132 rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139 setresuid=147
 setresgid=149 times=153 setgroups=159 uname=160 getrlimit=163 setrlimit=164 getrusage=165 umask=166
 prctl=167 gettimeofday=169 getpid=172 getppid=173 getuid=174 geteuid=175 getgid=176 getegid=177 gettid=178
 sysinfo=179 sendmsg=211 recvmsg=212 brk=214 munmap=215 mremap=216 clone=220 execve=221 mmap=222
 mprotect=226 madvise=233 mbind=235 get_mempolicy=236 set_mempolicy=237 wait4=260 prlimit64=261 seccomp=277
 getrandom=278 statx=291 rseq=293 unshare=97 pidfd_open=434 clone3=435 close_range=436 faccessat2=439
 landlock_create_ruleset=444 landlock_add_rule=445 landlock_restrict_self=446
"""

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOTTY, _ENOSYS = 1, 25, 38
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Offsets in struct seccomp_data; arguments are 64 bits wide and little-endian on both machines.
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_X32_BIT = 0x40000000
# Without CLONE_THREAD it is fork or vfork, whose flags hold at least the signal of the end.
_CLONE_THREAD, _ANY_FLAGS, _CLONE_NEW = 0x00010000, 0xFFFFFFFF, 0x7E020000
# Requests of ioctl that ask whether a file is a terminal, and set close-on-exec; nothing that feeds a
# terminal.
_IOCTL = (0x5401, 0x5451, 0x541B)
# fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC; no F_SETOWN, F_SETSIG or F_NOTIFY,
# which signal other processes.
_FCNTL = (0, 1, 2, 3, 4, 1030)


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor architecture: its number for the kernel's audit and the numbers of its calls."""

    audit_arch: int
    numbers: dict[str, int]
    has_x32: bool


def _table(text: str) -> dict[str, int]:
    """Return the numbers of calls by name."""
    pairs = (entry.split("=") for entry in text.split())
    return {name: int(number) for name, number in pairs}


MACHINES = {
    "x86_64": Machine(0xC000003E, _table(_X86_64), has_x32=True),
    "aarch64": Machine(0xC00000B7, _table(_AARCH64), has_x32=False),
}


def machine() -> Machine | None:
    """Return this computer's architecture, or None when there is no table for it."""
    return MACHINES.get(platform.machine())


def startup_program(machine: Machine) -> bytes:
    """Return the filter for the trusted start-up: a bot's calls, exec, and what confinement needs."""
    return _program(machine, (_INNER + _OUTER).split())


def zygote_program(machine: Machine) -> bytes:
    """Return the filter for the trusted process from which bots are forked."""
    return _program(machine, (_INNER + _OUTER + _FORKING).split(), may_fork=True)


def bot_program(machine: Machine) -> bytes:
    """Return the filter for the bot's code."""
    return _program(machine, _INNER.split())


def _program(machine: Machine, names: Iterable[str], *, may_fork: bool = False) -> bytes:
    """Return a program that allows `names` and the harmless forms of ioctl, fcntl and clone."""
    numbers = machine.numbers
    code = [
        _op(_LOAD, _ARCH),
        _op(_EQUAL, machine.audit_arch, 1, 0),
        _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
    ]
    if machine.has_x32:
        code += [_op(_AT_LEAST, _X32_BIT, 0, 1), _op(_RETURN, _KILL)]
    for name in names:
        if name in numbers:
            code += [_op(_EQUAL, numbers[name], 0, 1), _op(_RETURN, _ALLOW)]
    # Without clone3 glibc falls back to clone, whose flags a filter can see.
    code += [_op(_EQUAL, numbers["clone3"], 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]
    code += _only_with(numbers["ioctl"], _IOCTL, _ENOTTY)
    code += _only_with(numbers["fcntl"], _FCNTL, _EPERM)
    code += _without_namespaces(numbers["clone"], _ANY_FLAGS if may_fork else _CLONE_THREAD)
    code += [_op(_RETURN, _ERRNO | _EPERM)]
    return b"".join(code)


def _only_with(number: int, seconds: tuple[int, ...], error: int) -> list[bytes]:
    """Return code that allows a call when its second argument is one of `seconds`."""
    count = len(seconds)
    tests = [_op(_EQUAL, value, count - index, 0) for index, value in enumerate(seconds)]
    return [
        _op(_EQUAL, number, 0, count + 3),
        _op(_LOAD, _SECOND_ARGUMENT),
        *tests,
        _op(_RETURN, _ERRNO | error),
        _op(_RETURN, _ALLOW),
    ]


def _without_namespaces(number: int, wanted: int) -> list[bytes]:
    """Return code that allows clone in the same namespaces, with any of the flags in `wanted`."""
    return [
        _op(_EQUAL, number, 0, 5),
        _op(_LOAD, _FIRST_ARGUMENT),
        _op(_ANY_BIT, _CLONE_NEW, 2, 0),
        _op(_ANY_BIT, wanted, 0, 1),
        _op(_RETURN, _ALLOW),
        _op(_RETURN, _ERRNO | _EPERM),
    ]


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction, a struct sock_filter."""
    return struct.pack("<HBBI", code, if_true, if_false, value)
