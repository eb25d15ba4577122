"""Who plays in a local round robin: house bots by name, module files, endpoints; and how each is opened."""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.errors import FudabaError
from engine.limits import Limits
from engine.policies import HOUSE_NAMES
from store import uploads
from workers import loops
from workers.local import Entrant, Open, open_house
from workers.runtimes.addresses import AddressRules
from workers.runtimes.handshake import HandshakeReport, handshake
from workers.runtimes.line import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import Sandbox
from workers.runtimes.selftest import choose

FILLER = "greedy"
_HOUSE = "house/"
_MODULES = (".py", ".zip")
_URLS = ("http://", "https://")
_RULES = AddressRules(allow_private=True)


class BadBot(FudabaError):
    """A text that names no bot that can play; says what was expected."""

    code = "bad_bot"


class NoSandbox(FudabaError):
    """No sandbox works on this machine; says why and what to do."""

    code = "no_sandbox"


class Workshop:
    """Makes entrants of the texts that name bots, and keeps what their runtimes share until it is left.

    The first of `sandboxes` that holds runs the modules; `secret` signs the requests to endpoints.
    """

    def __init__(self, *, secret: str, sandboxes: Sequence[Sandbox]) -> None:
        self._secret = secret
        self._sandboxes = sandboxes
        self._scratch = tempfile.TemporaryDirectory(prefix="fudaba-play-")
        Path(self._scratch.name).chmod(0o711)  # The sandbox may run a bot as somebody else.
        self._runtimes = Runtimes(sandbox=None, rules=_RULES, scratch=self._scratch.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.cleanup()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Return a context inside which the entrants' bots can be opened, in the running event loop."""
        self._runtimes.start()
        try:
            yield
        finally:
            await self._runtimes.close()

    @property
    def sandbox(self) -> str | None:
        """The name of the sandbox that modules run in; None when there is no module."""
        sandbox = self._runtimes.sandbox
        return None if sandbox is None else sandbox.name

    def entrants(self, texts: Sequence[str], sides: int) -> tuple[Entrant, ...]:
        """Return an entrant for each text, and fillers when there are fewer than sides.

        Raises BadBot, BadUpload or NoSandbox. Of entrants with one name the second is called name#2.
        """
        found = [(*self._named(text), False) for text in texts]
        found += [(_HOUSE + FILLER, open_house(FILLER, self._runtimes.house), True)] * (sides - len(texts))
        seen: Counter[str] = Counter()
        result = []
        for name, opener, is_filler in found:
            seen[name] += 1
            unique = name if seen[name] == 1 else f"{name}#{seen[name]}"
            result.append(Entrant(name=unique, open=opener, is_filler=is_filler))
        return tuple(result)

    def _named(self, text: str) -> tuple[str, Open]:
        """Return the name of a bot and how to open it."""
        house = text.removeprefix(_HOUSE)
        if house in HOUSE_NAMES:
            return house, open_house(house, self._runtimes.house)
        if text.lower().startswith(_URLS):
            return text, self._endpoint(text)
        if text.lower().endswith(_MODULES):
            return Path(text).name, self._module(Path(text))
        names = ", ".join(HOUSE_NAMES)
        raise BadBot(f"bot {text!r} is unknown; allowed: {names}, a .py or .zip file, or an http(s) URL")

    def _module(self, path: Path) -> Open:
        try:
            if path.stat().st_size > uploads.MAX_UPLOAD_BYTES:
                raise BadBot(f"bot {str(path)!r} is larger than {uploads.MAX_UPLOAD_BYTES} bytes")
            upload = uploads.inspect(path.read_bytes(), path.name)
        except OSError as error:
            raise BadBot(f"bot {str(path)!r} cannot be read: {error.strerror}") from error
        except uploads.BadUpload as error:
            raise BadBot(f"bot {str(path)!r} cannot play: {error}") from error
        if self._runtimes.sandbox is None:
            self._runtimes.sandbox = _first_that_holds(self._sandboxes)
        return lambda setting: self._runtimes.module(upload, setting)

    def _endpoint(self, url: str) -> Open:
        """Return how to open an endpoint, which says now how it wants to be asked; raises BadBot."""
        report = loops.run(self._handshake(url))
        if report.said is None:
            raise BadBot(f"bot {url!r} cannot play: {report.problem}; {report.mend}")
        endpoint = Endpoint(url=url, secret=self._secret, max_batch=report.said.max_batch)
        slots = LocalSlots(endpoint.max_in_flight)
        return lambda setting: self._runtimes.endpoint(endpoint, setting, slots)

    async def _handshake(self, url: str) -> HandshakeReport:
        async with self.opened():
            return await handshake(
                url,
                self._secret,
                client=self._runtimes.client,
                rules=_RULES,
                deadline_seconds=Limits().start_ms / 1000,
            )


def _first_that_holds(sandboxes: Sequence[Sandbox]) -> Sandbox:
    choice = loops.run(choose(sandboxes))
    if choice.sandbox is None:
        raise NoSandbox(
            f"{choice.reason}; or run your own file unconfined with --unsafe (never a file of somebody else)"
        )
    return choice.sandbox
