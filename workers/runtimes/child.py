"""Inside the sandbox: imports one bot and answers requests for it, one by one and in order.

Standard library only, nothing of ours can be imported here. Everything that this process writes is
untrusted on the other side: the bot runs in the same process and can forge it, which spoils nothing but
its own answers.

Messages in: kind, number, match, length, then JSON (an open match, an observation). Messages out: number,
status, CPU microseconds, length, then text. `workers.wire` describes them from the other side.
"""

import errno
import importlib.machinery
import importlib.util
import io
import json
import linecache
import os
import struct
import sys
import time
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any

REQUEST = struct.Struct("<BIII")
REPLY = struct.Struct("<IBII")
OPEN, ACT, CLOSE = 1, 2, 3
READY, TEXT, INDEX, WRONG, EXCEPTION, MEMORY = 1, 2, 3, 4, 5, 6
READY_NUMBER = 0
MOST_TEXT_BYTES = 4096
_CHUNK_BYTES = 1 << 16
_INDEX_LIMIT = 1 << 63

Act = Callable[[Any], object]


class PackageFinder:
    """Finds the packages that a bot may import beside the standard library, each in its own folder.

    No subclass of importlib.abc.MetaPathFinder: importing that module costs as much as all else here.
    """

    def __init__(self, folders: dict[str, str]) -> None:
        self._folders = folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of an allowed package."""
        if path is not None or fullname not in self._folders:
            return None
        folder = self._folders[fullname]
        return importlib.util.spec_from_file_location(
            fullname, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
        )


class Server:
    """Answers for one bot."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies
        self._bot: Any = None
        self._acts: dict[int, Act] = {}
        # Bound once, so that a bot that patches these modules hurts only itself, and little. The clock of the
        # process would be coarse here: under a limit of CPU time the kernel brings it up to date now and
        # then only.
        self._clock = time.thread_time_ns
        self._write = os.write
        self._loads = json.loads
        self._pack = REPLY.pack

    def load(self, source: str, file: str) -> None:
        """Import the bot and say so; a bot that cannot be imported ends the process."""
        bot = types.ModuleType("bot")
        bot.__file__ = file
        sys.modules["bot"] = self._bot = bot
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        started = self._clock()
        status, payload = self._guarded(lambda: self._import(bot, source, file))
        self._reply(READY_NUMBER, status, started, payload)
        if status != READY:
            os._exit(0)

    def serve(self) -> None:
        """Answer requests until the other side is gone."""
        buffer = b""
        while chunk := os.read(self._requests, _CHUNK_BYTES):
            buffer += chunk
            at = 0
            while len(buffer) - at >= REQUEST.size:
                kind, number, match, length = REQUEST.unpack_from(buffer, at)
                end = at + REQUEST.size + length
                if len(buffer) < end:
                    break
                self._answer(kind, number, match, buffer[end - length : end])
                at = end
            buffer = buffer[at:]

    def _import(self, bot: types.ModuleType, source: str, file: str) -> tuple[int, bytes]:
        """Run the bot's source; return the way in which it is written."""
        exec(compile(source, file, "exec", dont_inherit=True), bot.__dict__)
        for name in ("Bot", "act"):
            if callable(getattr(bot, name, None)):
                return READY, name.encode()
        raise TypeError("bot.py defines neither a function act(observation) nor a class Bot")

    def _answer(self, kind: int, number: int, match: int, payload: bytes) -> None:
        """Answer one request; the time of decoding is not the bot's."""
        if kind == CLOSE:
            self._acts.pop(match, None)
            return
        given = self._loads(payload)
        started = self._clock()
        if kind == OPEN:
            status, reply = self._guarded(lambda: self._open(match, given))
        else:
            status, reply = self._guarded(lambda: self._decide(match, given))
        self._reply(number, status, started, reply)

    def _open(self, match: int, given: dict[str, Any]) -> tuple[int, bytes]:
        """Make the bot's object for a match."""
        bot = self._bot.Bot(given["game"], given["seat"], given["seats"], given["options"])
        self._acts[match] = bot.act
        return READY, b""

    def _decide(self, match: int, observation: dict[str, Any]) -> tuple[int, bytes]:
        """Return the bot's decision."""
        act: Act = self._acts.get(match) or self._bot.act
        return _encoded(act(observation))

    def _guarded(self, work: Callable[[], tuple[int, bytes]]) -> tuple[int, bytes]:
        """Do work of the bot; whatever it raises becomes a reply."""
        try:
            return work()
        except MemoryError:
            return MEMORY, b""
        except BaseException as error:
            if isinstance(error, OSError) and error.errno == errno.ENOMEM:
                return MEMORY, b""
            return EXCEPTION, _described(error)

    def _reply(self, number: int, status: int, started: int, payload: bytes) -> None:
        """Write one reply; small ones go out in one piece."""
        used_us = min((self._clock() - started) // 1000, 0xFFFFFFFF)
        data = self._pack(number, status, used_us, len(payload)) + payload
        while data:
            data = data[self._write(self._replies, data) :]


def _encoded(answer: object) -> tuple[int, bytes]:
    """Return an answer of exactly type str or int as bytes; anything else is described."""
    if type(answer) is str:
        text = answer.encode("utf-8", "surrogatepass")
        if len(text) <= MOST_TEXT_BYTES:
            return TEXT, text
        return WRONG, f"a text of {len(text)} bytes".encode()
    if type(answer) is int:
        if -_INDEX_LIMIT <= answer < _INDEX_LIMIT:
            return INDEX, answer.to_bytes(8, "little", signed=True)
        return WRONG, f"a number of {answer.bit_length()} bits".encode()
    kind = type(answer)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return WRONG, f"a value of type {name}".encode("utf-8", "replace")[:MOST_TEXT_BYTES]


def _described(error: BaseException) -> bytes:
    """Return the traceback from the bot's first frame on, the middle left out when it is long."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    try:
        lines = traceback.format_exception(type(error), error, trace, limit=-20)
        text = "".join(lines).encode("utf-8", "replace")
    except BaseException as other:
        text = f"{type(error).__name__} (its traceback cannot be written: {type(other).__name__})".encode()
    if len(text) <= MOST_TEXT_BYTES:
        return text
    half = MOST_TEXT_BYTES // 2 - 10
    return text[:half] + b"\n  ...\n" + text[-half:]


def run(setup: dict[str, Any], requests: int, replies: int) -> None:
    """Serve one bot until the other side is gone."""
    sys.argv[:] = ["bot.py"]
    # What is printed has to be out when the process is killed.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="replace")
    sys.meta_path.append(PackageFinder(setup["packages"]))
    if setup["folder"]:
        sys.path.insert(0, setup["folder"])
    server = Server(requests, replies)
    server.load(setup["source"], setup["file"])
    server.serve()
