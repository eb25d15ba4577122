"""Where bots play in this process: its event loop, its runtimes, and the sandbox that was found to hold."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

import structlog

from store.settings import Settings
from workers import drain, loops, presence
from workers.runtimes.addresses import AddressRules
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import SandboxError, back_ends
from workers.runtimes.selftest import Choice, Verdict, choose, fenced
from workers.services import Services
from workers.slots import SharedSlots

T = TypeVar("T")
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Stage:
    """The one event loop of this process, in its main thread and made after the fork, with its runtimes."""

    loop: asyncio.AbstractEventLoop
    runtimes: Runtimes
    drain_seconds: float
    slots: dict[UUID, SharedSlots] = field(default_factory=dict)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work`; raises AskedToStop when the worker stops and that takes too long to be waited for."""
        return self.loop.run_until_complete(drain.finish_or_stop(work, self.drain_seconds))

    def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Run short `work` to its end, whether the worker is asked to stop or not."""
        return self.loop.run_until_complete(work)

    def slots_of(self, services: Services, version_id: UUID, count: int) -> SharedSlots:
        """Return the slots of an endpoint; the same ones for everybody in this process."""
        if version_id not in self.slots:
            self.slots[version_id] = SharedSlots(services.redis, version_id, count)
        return self.slots[version_id]


_chosen: list[Choice] = []
_stages: list[Stage] = []


def choose_sandbox(settings: Settings) -> Choice:
    """Attack the sandboxes that are allowed; keep the first that holds, for this process and its forks."""
    if not _chosen:
        _chosen.append(loops.run(_choose(settings)))
        choice = _chosen[0]
        _log.info(
            "sandbox_chosen",
            sandbox=choice.sandbox and choice.sandbox.name,
            reason=choice.reason,
            fence=choice.fence,
        )
    name = _chosen[0].sandbox.name if _chosen[0].sandbox else "none"
    presence.describe({"sandbox": name, "reason": _chosen[0].reason, "fence": _chosen[0].fence})
    return _chosen[0]


async def _choose(settings: Settings) -> Choice:
    try:
        return await fenced(await choose(back_ends(settings.sandbox, allow_unsafe=settings.unsafe_sandbox)))
    except SandboxError as error:
        _log.error("sandbox_refused", error=str(error))
        return Choice(sandbox=None, verdicts=(Verdict(name=settings.sandbox, failure=str(error)),))


def current(services: Services) -> Stage:
    """Return the stage of this process, made when first needed."""
    if not _stages:
        loop = loops.new_loop()
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_open(services.settings, loop))
    return _stages[0]


async def _open(settings: Settings, loop: asyncio.AbstractEventLoop) -> None:
    choice = _chosen[0] if _chosen else Choice(sandbox=None, verdicts=())
    runtimes = Runtimes(
        sandbox=choice.sandbox,
        no_sandbox=choice.reason,
        rules=AddressRules(allow_private=settings.allow_private_endpoints),
        scratch=str(settings.home / "scratch"),
    )
    runtimes.start()
    _stages.append(Stage(loop, runtimes, settings.drain_seconds))


def close() -> None:
    """Close this process's connections and its loop."""
    for stage in _stages:
        stage.finish(stage.runtimes.close())
        stage.loop.close()
    _stages.clear()
