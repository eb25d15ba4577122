"""The process that searches for the house bot `search`, so that the event loop is free meanwhile.

Both ends of the pipe are ours: a worker, and this file as a program. Messages are pickles with the length
before them: number, game id, state, seat and random stream one way; number, action and stream the other.
"""

import asyncio
import pickle
import struct
import sys
from typing import BinaryIO

from engine import games, search
from engine.contract import Action, Game, Seat, State
from engine.rng import Stream

# The same modules as here, wherever they were found.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from workers.runtimes import searcher; searcher.main()"
_ENDED = "the searching process ended"
_LENGTH = struct.Struct("<I")
Request = tuple[int, str, State, Seat, Stream]
Reply = tuple[int, Action, Stream]


class SearcherEnded(Exception):
    """The process ended in the middle of its work."""


class Searcher:
    """One process that takes the searches of a worker in turn; it starts at the first, and after a death."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[tuple[Action, Stream]]] = {}
        self._number = 0
        self._starting = asyncio.Lock()

    async def choose(self, game: Game, state: State, seat: Seat, stream: Stream) -> tuple[Action, Stream]:
        """Return the action that `engine.search` chooses, and the stream after it; raises SearcherEnded."""
        async with self._starting:
            process, reading = await self._running()
        if reading.done():
            raise SearcherEnded(_ENDED)
        self._number += 1
        request: Request = (self._number, game.id, state, seat, stream)
        answer: asyncio.Future[tuple[Action, Stream]] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = answer
        assert process.stdin is not None
        process.stdin.write(_packed(request))
        return await answer

    async def close(self) -> None:
        """End the process. Closing twice changes nothing."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()
        if self._reading is not None:
            await asyncio.wait([self._reading])

    async def _running(self) -> tuple[asyncio.subprocess.Process, asyncio.Task[None]]:
        """Return the process and the task that reads from it, started when there are none."""
        if self._process is None or self._reading is None or self._reading.done():
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _PROGRAM.format(path=sys.path),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            self._reading = asyncio.create_task(self._read(self._process))
        return self._process, self._reading

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand out the replies of a process until it ends; then nobody is left waiting."""
        assert process.stdout is not None
        try:
            while True:
                (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
                number, action, stream = _reply(await process.stdout.readexactly(length))
                answer = self._waiting.pop(number)
                if not answer.done():
                    answer.set_result((action, stream))
        except (asyncio.IncompleteReadError, OSError):
            await process.wait()
            # No await from here to the end of this task: whoever comes later finds it done.
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(SearcherEnded(_ENDED))
            self._waiting.clear()


def _packed(message: Request | Reply) -> bytes:
    """Return a message with its length before it."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def _reply(data: bytes) -> Reply:
    """Return the reply in a pickle of our own process."""
    reply: Reply = pickle.loads(data)  # noqa: S301 - the other end is this file
    return reply


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while head := requests.read(_LENGTH.size):
        request: Request = pickle.loads(requests.read(*_LENGTH.unpack(head)))  # noqa: S301 - from our worker
        number, game_id, state, seat, stream = request
        action = search.choose(games.get(game_id), state, seat, stream)
        replies.write(_packed((number, action, stream)))
        replies.flush()


def main() -> None:
    """Serve on the standard streams."""
    serve(sys.stdin.buffer, sys.stdout.buffer)
