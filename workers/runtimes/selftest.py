"""Which sandbox holds on this machine: each back end is attacked before it is trusted with a bot."""

import asyncio
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import msgspec

from engine.limits import Limits
from engine.policies import Answer, Fault
from workers.runtimes import cgroups
from workers.runtimes.base import Latencies, LogTail
from workers.runtimes.canary import ATTACKS
from workers.runtimes.cgroups import Fenced, NoFence
from workers.runtimes.clock import Heartbeat, MatchClock
from workers.runtimes.jail import Job
from workers.runtimes.process import BotProcess
from workers.runtimes.requests import Decision, Preparation
from workers.runtimes.sandbox import Sandbox, UnsafeSandbox

_LIMITS = Limits(start_ms=20_000, decision_ms=10_000, module_wall_ms=20_000, bank_base_ms=60_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a back end was found to be: `failure` is None when it holds."""

    name: str
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The tightest back end that holds, None when none does, and the verdicts that led to it."""

    sandbox: Sandbox | None
    verdicts: tuple[Verdict, ...]
    fence: str = "none"

    @property
    def reason(self) -> str:
        """Return why there is no sandbox, or which one there is, for people."""
        found = "; ".join(f"{verdict.name}: {verdict.failure or 'holds'}" for verdict in self.verdicts)
        if self.sandbox is not None:
            return f"sandbox {self.sandbox.name} ({found})"
        return f"no safe sandbox on this machine ({found}); install bubblewrap or use Linux 5.13 or newer"


async def choose(candidates: Iterable[Sandbox]) -> Choice:
    """Return the first of `candidates` that holds; the one that is none at all is taken as it is."""
    verdicts = []
    for sandbox in candidates:
        is_trusted = isinstance(sandbox, UnsafeSandbox)
        failure = None if is_trusted else sandbox.probe() or await attack(sandbox)
        verdicts.append(Verdict(name=sandbox.name, failure=failure))
        if failure is None:
            return Choice(sandbox=sandbox, verdicts=tuple(verdicts))
    return Choice(sandbox=None, verdicts=tuple(verdicts))


async def fenced(choice: Choice) -> Choice:
    """Return the choice with control groups around its processes where they can be made and it holds."""
    if choice.sandbox is None or isinstance(choice.sandbox, UnsafeSandbox):
        return choice
    try:
        fences = cgroups.detect()
    except NoFence as error:
        return replace(choice, fence=f"none: {error}")
    sandbox = Fenced(choice.sandbox, fences)
    failure = await attack(sandbox)
    if failure is not None:
        return replace(choice, fence=f"none: {fences.name} fails the self-test: {failure}")
    return replace(choice, sandbox=sandbox, fence=fences.name)


async def attack(sandbox: Sandbox) -> str | None:
    """Return what a hostile bot got, or why an honest one cannot play; None when the sandbox holds."""
    heartbeat = Heartbeat()
    heartbeat.start()
    try:
        with tempfile.TemporaryDirectory(prefix="canary-") as folder:
            os.chmod(folder, 0o755)
            return await _attacked(sandbox, folder, heartbeat)
    except OSError as error:
        return f"it does not start: {error}"
    finally:
        heartbeat.stop()
        sandbox.close()


async def _attacked(sandbox: Sandbox, folder: str, heartbeat: Heartbeat) -> str | None:
    """Return what attacks got; the file to be read lies in `folder`, where those of other bots would."""
    victim = Path(folder, "victim")
    victim.write_text("secret")
    source = resources.files("workers.runtimes").joinpath("canary.py").read_text()
    ready = Preparation(phase="the import of the canary", limit_us=_LIMITS.start_ms * 1000)
    process = await BotProcess.start(
        sandbox,
        Job(source=source, folder=None, scratch=folder, memory_mb=_LIMITS.memory_mb),
        limits=_LIMITS,
        log=LogTail(1 << 16),
        allowed_log_bytes=1 << 16,
        heartbeat=heartbeat,
        first=ready,
    )
    try:
        if isinstance(ready.answer, Fault):
            return f"an honest bot cannot be imported: {ready.answer.detail}"
        return await _attack_with(process, victim)
    finally:
        await process.close()


async def _attack_with(process: BotProcess, victim: Path) -> str | None:
    """Return what the attacks of a started canary got."""
    for name in ATTACKS:
        answer = await _ask(process, {"attack": name, "victim": str(victim), "worker": os.getpid()})
        if isinstance(answer, Fault):
            return f"{name}: {answer.detail}"
        if answer != "":
            return f"{name}: got {answer}"
    return None


async def _ask(process: BotProcess, observation: dict[str, str | int]) -> Answer:
    """Return the canary's answer."""
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    decision = Decision(
        match=0,
        clock=MatchClock(_LIMITS, _LIMITS.decision_ms),
        latencies=Latencies(),
        observation=msgspec.json.encode(observation),
        wall_us=_LIMITS.module_wall_ms * 1000,
        answer=answer,
    )
    await process.exchange([decision], b"")
    if process.failure is not None:
        return process.failure
    return await answer
