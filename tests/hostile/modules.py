"""Hostile policy modules: what each tries, and the faults that it must get. `...` repeats the last one."""

from dataclasses import dataclass, field

THREE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """A hostile module and the fault codes of its match; none when the attack is held and it plays on."""

    source: str
    codes: list[str] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)


def held(attack: str, imports: str = "") -> Hostile:
    """A module that raises an error of its own when the attack succeeds, and plays on when it is refused."""
    body = "\n".join("        " + line for line in attack.strip().splitlines())
    source = f"""
import ctypes, os, socket, sys
{imports}
class Escaped(BaseException): pass
def act(observation):
    try:
{body}
    except (OSError, ValueError):
        return 0
    raise Escaped
"""
    return Hostile(source=source)


def call(numbers: str) -> Hostile:
    """A module that makes raw system calls (numbers for x86-64 and aarch64), all of which must be refused."""
    return Hostile(
        source=f"""
import ctypes, os
NUMBERS = dict(x86_64=0, aarch64=1)
CALLS = {numbers}
def act(observation):
    libc = ctypes.CDLL(None, use_errno=True)
    for name, pair in CALLS.items():
        ctypes.set_errno(0)
        result = libc.syscall(pair[NUMBERS[os.uname().machine]], 0, 0, 0, 0, 0, 0)
        if result != -1 or ctypes.get_errno() not in (1, 38):
            raise BaseException(f"{{name}} got {{result}}, errno {{ctypes.get_errno()}}")
    return 0
"""
    )


def acts(body: str, *codes: str, imports: str = "", **limits: int) -> Hostile:
    """A module with this body of `act`; one code means the same fault until it forfeits."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    given = list(codes) * limits.get("max_faults", THREE) if len(codes) == 1 else list(codes)
    return Hostile(source=f"{imports}\ndef act(observation):\n{lines}\n", codes=given, limits=limits)


def imported(source: str, code: str, **limits: int) -> Hostile:
    """A module that fails before it is asked anything."""
    return Hostile(source=source + "\ndef act(o): return 0\n", codes=[code] * THREE, limits=limits)


def _bot(construction: str) -> str:
    """The source of a class with this as its construction."""
    return f"""
import os
class Bot:
    def __init__(self, *arguments):
        {construction}
    def act(self, observation):
        return 0
"""


RESOURCES = {
    "fork_bomb": held("while True: os.fork()"),
    "vfork_and_exec": held("os.posix_spawn('/bin/sh', ['sh'], {})"),
    "fork_of_a_terminal": held("os.forkpty()"),
    "double_fork": held("os.fork() or os.fork()"),
    "subprocess": held("subprocess.run([sys.executable, '-c', ''])", "import subprocess"),
    "multiprocessing": held(
        "multiprocessing.get_context('fork').Process(target=int).start()", "import multiprocessing"
    ),
    "threads_without_end": acts(
        "while True: threading.Thread(target=time.sleep, args=(1000,)).start()",
        "exception",
        imports="import threading, time",
    ),
    "memory_at_once": acts("return len(bytearray(1 << 40))", "memory"),
    "memory_creeping": acts(
        "pile = []\nwhile True: pile.append(bytes(1 << 20))", "memory", memory_mb=128, decision_ms=2000
    ),
    "memory_in_small_pieces": acts(
        "pile = []\nwhile True: pile.append([None] * 1000)",
        "memory",
        max_faults=1,
        memory_mb=96,
        decision_ms=5000,
        module_wall_ms=10_000,
    ),
    "memory_mapped": acts("mmap.mmap(-1, 3 << 30)", "memory", imports="import mmap"),
    "loop": acts("while True: pass", "timeout"),
    "loop_in_c": acts("return 9 ** 9 ** 9 % 3", "timeout", max_faults=1),
    "loop_in_a_pattern": acts("re.match('(a*)*b', 'a' * 64)", "timeout", max_faults=1, imports="import re"),
    "sleep": acts("time.sleep(1000)", "timeout", max_faults=1, imports="import time"),
    "ignores_every_signal": acts(
        "for number in range(1, 32):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass",
        "timeout",
        imports="import signal",
    ),
    "waits_on_a_lock": acts(
        "lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "timeout",
        max_faults=1,
        imports="import threading",
    ),
    "floods_stdout": acts("print('x' * (1 << 20)); return 0", "log_flood"),
    "floods_stderr": acts("while True: os.write(2, b'x' * 65536)", "log_flood", imports="import os"),
    "floods_line_by_line": acts(
        "while True: print('hello')", "log_flood", decision_ms=5000, module_wall_ms=9000
    ),
    "floods_at_import": imported("while True: print('x' * 10000)", "log_flood"),
    "recursion": acts("return act(observation)", "exception"),
    "recursion_in_c": acts("pile = []\nfor _ in range(10**5): pile = [pile]\nreturn repr(pile)", "exception"),
    "segmentation_fault": acts("ctypes.string_at(0)", "crash", imports="import ctypes"),
    "abort": acts("os.abort()", "crash", imports="import os"),
    "exit": acts("os._exit(0)", "crash", imports="import os"),
    "system_exit": acts("sys.exit(0)", "exception", imports="import sys"),
    "keyboard_interrupt": acts("raise KeyboardInterrupt", "exception"),
    "exit_after_the_answer": acts(
        "turns.append(0)\n"
        "if len(turns) > 1: time.sleep(0.5)\n"
        "threading.Thread(target=leave).start()\n"
        "return 0",
        "crash",
        imports="import os, threading, time\nturns = []\ndef leave(): time.sleep(0.1); os._exit(1)",
    ),
    "sleep_at_import": imported("import time; time.sleep(1000)", "start_timeout", start_ms=700),
    "loop_at_import": imported("while True: pass", "start_timeout", start_ms=700),
    "exit_at_import": imported("import os; os._exit(0)", "crash"),
    "system_exit_at_import": imported("raise SystemExit", "exception"),
    "memory_at_import": imported("x = bytearray(1 << 40)", "memory"),
    "import_of_nothing": imported("import there_is_no_such_module", "exception"),
    "import_of_ours": imported("import workers", "exception"),
    "import_of_a_package_of_ours": imported("import msgspec", "exception"),
    "segmentation_fault_at_import": imported("import ctypes; ctypes.string_at(0)", "crash"),
    "construction_fails": Hostile(
        source=_bot("raise KeyError(1)"),
        codes=["exception"] * THREE,
    ),
    "construction_never_ends": Hostile(
        source=_bot("while True: pass"),
        codes=["start_timeout"],
        limits={"start_ms": 700, "max_faults": 1},
    ),
    "construction_exits": Hostile(
        source=_bot("os._exit(3)"),
        codes=["crash"] * THREE,
    ),
    "exception_without_end": acts(
        "class Endless(Exception):\n    def __str__(self):\n        while True: pass\nraise Endless",
        "timeout",
        max_faults=1,
    ),
    "exception_that_cannot_be_written": acts(
        "class Broken(Exception):\n    def __str__(self): raise self\nraise Broken", "exception"
    ),
    "exception_of_a_megabyte": acts("raise ValueError('x' * (1 << 20))", "exception"),
    "reads_its_input": acts("return input()", "exception"),
}

ESCAPES = {
    "reads_passwords": held("open('/etc/passwd')"),
    "reads_the_worker": held("open('/proc/%d/environ' % os.getppid(), 'rb').read()"),
    "reads_itself": held("open('/proc/self/maps').read()"),
    "lists_processes": held("os.listdir('/proc')"),
    "lists_the_root": held("os.listdir('/home') + os.listdir('/tmp') + os.listdir('/var/tmp')"),
    "writes_here": held("open('left_behind', 'w')"),
    "writes_to_tmp": held("open('/tmp/left_behind', 'w')"),
    "writes_to_shared_memory": held("open('/dev/shm/left_behind', 'w')"),
    "overwrites_the_standard_library": held("open(os.__file__, 'w')"),
    "makes_a_folder": held("os.mkdir('/tmp/left_behind')"),
    "removes_a_file": held("os.unlink(os.__file__)"),
    "makes_a_link": held("os.symlink('/etc/passwd', '/tmp/left_behind')"),
    "makes_a_pipe": held("os.mkfifo('/tmp/left_behind')"),
    "temporary_file": held("tempfile.TemporaryFile()", "import tempfile"),
    "tcp": held("socket.socket(socket.AF_INET, socket.SOCK_STREAM)"),
    "tcp_6": held("socket.socket(socket.AF_INET6, socket.SOCK_STREAM)"),
    "udp": held("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    "unix_socket": held("socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)"),
    "unix_pair": held("socket.socketpair()"),
    "virtual_machine_socket": held("socket.socket(40, socket.SOCK_STREAM)"),
    "netlink_socket": held("socket.socket(16, socket.SOCK_RAW)"),
    "raw_socket": held("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    "name_look_up": held("socket.getaddrinfo('localhost', 80); socket.create_connection(('localhost', 80))"),
    "kills_its_parent": held("os.kill(os.getppid(), 9)"),
    "kills_everybody": held("os.kill(-1, 9)"),
    "kills_itself": held("os.kill(os.getpid(), 9)"),
    "opens_a_process": held("os.pidfd_open(os.getppid())"),
    "takes_more_files": held("resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))", "import resource"),
    "takes_more_memory": held("resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "import resource"),
    "becomes_root": held("os.setresuid(0, 0, 0)"),
    "changes_its_root": held("os.chroot('/')"),
    "sets_the_clock": held("time.clock_settime(time.CLOCK_REALTIME, 0)", "import time"),
    "signals_by_a_file": held("fcntl.fcntl(2, fcntl.F_SETOWN, os.getppid())", "import fcntl"),
    "types_into_the_terminal": held("fcntl.ioctl(0, 0x5412, b'x')", "import fcntl"),
    "anonymous_file": held("os.memfd_create('x')"),
    "trace_and_memory_of_others": call(
        "dict(ptrace=(101, 117), process_vm_readv=(310, 270), process_vm_writev=(311, 271), kcmp=(312, 272))"
    ),
    "namespaces_and_mounts": call(
        "dict(unshare=(272, 97), setns=(308, 268), mount=(165, 40), pivot_root=(155, 41), fsopen=(430, 430))"
    ),
    "kernel_interfaces": call(
        "dict(bpf=(321, 280), io_uring_setup=(425, 425), userfaultfd=(323, 282), keyctl=(250, 219),"
        " perf_event_open=(298, 241), add_key=(248, 217), init_module=(175, 105), kexec_load=(246, 104))"
    ),
    "shared_memory": call("dict(shmget=(29, 194), semget=(64, 190), msgget=(68, 186), mq_open=(240, 180))"),
    "timers": call("dict(timer_create=(222, 107), setitimer=(38, 103), timerfd_create=(283, 85))"),
    "confinement": call("dict(seccomp=(317, 277), prctl=(157, 167), landlock=(444, 444), capset=(126, 91))"),
}

PROTOCOL = {
    "answers_twice": acts(
        "global number\nnumber += 1\n"
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', number, 3, 0, 8) + bytes(8))\n"
        "    except OSError: pass\n"
        "return 0",
        "bad_reply",
        imports="import os, struct\nnumber = 0",
    ),
    "answers_for_others": acts(
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', 999, 3, 0, 8) + bytes(8))\n"
        "    except OSError: pass\n"
        "return 0",
        "bad_reply",
        imports="import os, struct",
    ),
    "answers_before_it_is_asked": Hostile(
        source="import os, struct\n"
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', 1, 3, 0, 8) + bytes(8))\n"
        "    except OSError: pass\n"
        "def act(o): return 0\n",
        codes=["bad_reply"] * THREE,
    ),
    "says_that_it_is_ready_twice": Hostile(
        source="import os, struct\n"
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', 0, 1, 0, 3) + b'act')\n"
        "    except OSError: pass\n"
        "def act(o): return 0\n",
        codes=["bad_reply"] * THREE,
    ),
    "writes_garbage_everywhere": acts(
        "for file in range(3, 1024):\n"
        "    try: os.write(file, b'garbage ' * 1000)\n"
        "    except OSError: pass\n"
        "return 0",
        "bad_reply",
        imports="import os",
    ),
    "reply_of_four_gigabytes": acts(
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', 1, 2, 0, 0xFFFFFFFF))\n"
        "    except OSError: pass\n"
        "return 0",
        "bad_reply",
        imports="import os, struct",
    ),
    "unknown_status": acts(
        "for file in range(3, 1024):\n"
        "    try: os.write(file, struct.pack('<IBII', 1, 77, 0, 0))\n"
        "    except OSError: pass\n"
        "os._exit(0)",
        "bad_reply",
        "crash",
        "bad_reply",
        imports="import os, struct",
    ),
    "half_a_reply": acts(
        "for file in range(3, 1024):\n    try: os.write(file, b'x')\n    except OSError: pass\nos._exit(0)",
        "crash",
        imports="import os",
    ),
    "closes_everything": acts(
        "for file in range(1024):\n    try: os.close(file)\n    except OSError: pass\nwhile True: pass",
        "crash",
        max_faults=1,
        imports="import os",
    ),
    "steals_the_next_request": acts(
        "for file in range(3, 1024):\n    try: os.read(file, 100)\n    except OSError: pass",
        "timeout",
        max_faults=1,
        imports="import os",
    ),
    "patches_the_decoder": acts(
        "json.loads = json.dumps = os.write = None; return 0", imports="import json, os"
    ),
    "patches_the_built_ins": acts(
        "builtins.len = builtins.min = None; return 0", "crash", imports="import builtins"
    ),
    "patches_the_runner": acts(
        "frame = sys._getframe()\n"
        "while frame is not None:\n"
        "    frame.f_globals['_encoded'] = lambda answer: (2, b'take:3' * 2)\n"
        "    frame = frame.f_back\n"
        "return 0",
        "illegal",
        imports="import sys",
    ),
    "clears_all_modules": acts("sys.modules.clear(); return 0", imports="import sys"),
    "lies_about_its_time": acts(
        "time.thread_time_ns = lambda: 0\nwhile True: pass", "timeout", max_faults=1, imports="import time"
    ),
}

_EVIL = """
class Text(str): pass
class Number(int): pass
class Liar:
    __class__ = str
    def __repr__(self): raise MemoryError
def nest():
    pile = []
    for _ in range(100000): pile = [pile]
    return pile
"""
WRONG_ANSWERS = {
    "true": ("return True", "bad_reply"),
    "false": ("return False", "bad_reply"),
    "nothing": ("return None", "bad_reply"),
    "no_return": ("pass", "bad_reply"),
    "float": ("return 0.0", "bad_reply"),
    "not_a_number": ("return float('nan')", "bad_reply"),
    "list": ("return ['take:1']", "bad_reply"),
    "dict": ("return {'action': 'take:1'}", "bad_reply"),
    "bytes": ("return b'take:1'", "bad_reply"),
    "subclass_of_text": ("return Text('take:1')", "bad_reply"),
    "subclass_of_number": ("return Number(0)", "bad_reply"),
    "liar": ("return Liar()", "bad_reply"),
    "nest": ("return nest()", "bad_reply"),
    "huge_number": ("return 1 << 4000", "bad_reply"),
    "megabyte": ("return 'x' * (1 << 20)", "bad_reply"),
    "lone_surrogate": ("return chr(0xD800)", "bad_reply"),
    "generator": ("yield 0", "bad_reply"),
    "numpy_index": ("import numpy; return numpy.argmax([1, 2])", "bad_reply"),
    "negative_index": ("return -1", "illegal"),
    "index_too_large": ("return 3", "illegal"),
    "largest_index": ("return (1 << 63) - 1", "illegal"),
    "unknown_text": ("return 'take:4'", "illegal"),
    "empty_text": ("return ''", "illegal"),
    "text_with_a_space": ("return 'take:1 '", "illegal"),
    "text_with_a_nul": ("return 'take:1' + chr(0)", "illegal"),
}
ANSWERS = {name: acts(body, code, imports=_EVIL) for name, (body, code) in WRONG_ANSWERS.items()}
