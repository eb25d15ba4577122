"""Qualification: one short match of each game in the real runtime under the real limits, and its outcome."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine import games
from engine.contract import Game
from engine.limits import Limits
from engine.match import MatchResult, PlatformFault, play
from engine.options import Number, OneOf, Options
from engine.policies import Answer, Ask, Fault, FaultCode
from engine.rng import Stream
from store.uploads import Upload
from workers.driving import drive
from workers.runtimes.base import Bot, Player, Setting
from workers.runtimes.handshake import HandshakeReport, handshake
from workers.runtimes.line import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes

Candidate = Upload | Endpoint

MOST_TRIES = 3  # of one qualification, each after a fault of the platform
_SEED = b"qualification"
_OPPONENT = "random"
_MOST_LOG_BYTES = 4096
_STRANGER = {401, 403}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReport:
    """What came of the match of one game; `asked` and `legal` count the candidate's decisions."""

    game: str
    asked: int
    legal: int
    faults: tuple[dict[str, Any], ...]
    has_forfeited: bool
    scores: tuple[int, ...]
    places: tuple[int, ...]
    mean_ms: float
    most_ms: float
    seconds: float
    log: str

    @property
    def failure(self) -> str | None:
        """Return why the candidate does not qualify in this game, None when it does."""
        if self.has_forfeited:
            return f"{self.game}: forfeited by {len(self.faults)} faults; the first: {self._first_fault}"
        if self.asked and not self.legal:
            return f"{self.game}: no legal decision; the first fault: {self._first_fault}"
        return None

    @property
    def _first_fault(self) -> str:
        fault = self.faults[0]
        return f"{fault['code']} at step {fault['step']}: {fault['detail']}"

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON-ready object."""
        return {
            "game": self.game,
            "passed": self.failure is None,
            "asked": self.asked,
            "legal": self.legal,
            "faults": list(self.faults),
            "forfeited": self.has_forfeited,
            "scores": list(self.scores),
            "places": list(self.places),
            "mean_ms": self.mean_ms,
            "most_ms": self.most_ms,
            "seconds": self.seconds,
            "log": self.log,
        }


@dataclass(slots=True, kw_only=True)
class Report:
    """The outcome of a qualification: accepted when there is no `reason` against it."""

    kind: str
    limits: Limits
    games: tuple[str, ...]
    sandbox: str | None = None
    ignored: tuple[str, ...] = ()
    reason: str | None = None
    start_seconds: float | None = None
    start_fault: dict[str, Any] | None = None
    handshake: HandshakeReport | None = None
    matches: list[GameReport] = field(default_factory=list)

    @property
    def is_locked_out(self) -> bool:
        """Return whether the endpoint took the arena for a stranger: most likely it lacks its secret."""
        statuses = [fault["evidence"].get("status") for fault in self._first_faults()]
        if self.handshake is not None:
            statuses.append(self.handshake.status)
        return self.reason is not None and not _STRANGER.isdisjoint(statuses)

    def _first_faults(self) -> list[dict[str, Any]]:
        start = [] if self.start_fault is None else [self.start_fault]
        return [*start, *(match.faults[0] for match in self.matches if match.faults)]

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON-ready object."""
        return {
            "accepted": self.reason is None,
            "reason": self.reason,
            "kind": self.kind,
            "sandbox": self.sandbox,
            "ignored_files": list(self.ignored),
            "games": list(self.games),
            "limits": self.limits.to_json(),
            "start": {"seconds": self.start_seconds, "fault": self.start_fault},
            "handshake": None if self.handshake is None else self.handshake.to_json(),
            "matches": [match.to_json() for match in self.matches],
        }


async def qualify(
    candidate: Candidate, runtimes: Runtimes, limits: Limits, game_ids: Sequence[str] = ()
) -> Report:
    """Try a candidate out in `game_ids`, or in all games that it claims; return the report.

    Raises UnknownGame, SandboxError where no sandbox holds, and PlatformFault when the platform failed.
    """
    report = Report(
        kind="module" if isinstance(candidate, Upload) else "endpoint",
        limits=limits,
        games=tuple(games.get(name).id for name in game_ids) or _all_games(),
    )
    if isinstance(candidate, Upload):
        report.sandbox = None if runtimes.sandbox is None else runtimes.sandbox.name
        report.ignored = candidate.ignored
    elif not await _shakes_hands(candidate, runtimes, report, is_choosing_games=not game_ids):
        return report
    if not await _starts(candidate, runtimes, report):
        return report
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(_try(candidate, runtimes, limits, name)) for name in report.games]
    except* PlatformFault as faults:
        raise faults.exceptions[0] from None
    report.matches = [task.result() for task in running]
    failures = [match.failure for match in report.matches if match.failure is not None]
    report.reason = failures[0] if failures else None
    return report


def shortest(game: Game) -> tuple[int, Options]:
    """Return the seats and options of the shortest match of a game: the fewest rounds, all else by
    default."""
    given: dict[str, int] = {}
    for option in game.options:
        if option.name == "rounds" and isinstance(option, Number):
            given["rounds"] = max(1, option.least)
        elif option.name == "rounds" and isinstance(option, OneOf):
            given["rounds"] = min(value for value in option.values if value > 0)
    return game.settle(None, given)


def _all_games() -> tuple[str, ...]:
    """Return the ids of all games."""
    return tuple(game.id for game in games.all_games())


async def _shakes_hands(
    candidate: Endpoint, runtimes: Runtimes, report: Report, *, is_choosing_games: bool
) -> bool:
    """Do the handshake; return whether it went well. What it claims are the games, unless some were named."""
    report.handshake = found = await handshake(
        candidate.url,
        candidate.secret,
        client=runtimes.client,
        rules=runtimes.rules,
        deadline_seconds=report.limits.start_ms / 1000,
    )
    if found.said is None:
        report.reason = f"handshake: {found.code}: {found.problem}; {found.mend}"
        return False
    if is_choosing_games:
        report.games = tuple(found.said.games)
    return True


async def _starts(candidate: Candidate, runtimes: Runtimes, report: Report) -> bool:
    """Start the candidate once, apart from any match; return whether it went well."""
    began = time.monotonic()
    bot = _open(candidate, runtimes, report.limits, games.get(report.games[0]))
    try:
        fault = await bot.start()
        report.start_seconds = round(time.monotonic() - began, 3)
        if fault is None:
            return True
        if fault.code is FaultCode.PLATFORM:
            raise PlatformFault(fault)
        report.start_fault = {**_fault_json(fault), "log": _tail(bot.log)}
        report.reason = f"start: {fault.code}: {fault.detail}"
        return False
    finally:
        await bot.close()


async def _try(candidate: Candidate, runtimes: Runtimes, limits: Limits, game_id: str) -> GameReport:
    """Play the match of one game, the candidate in the first seat."""
    game = games.get(game_id)
    seats, options = shortest(game)
    setting = Setting(game=game, seats=seats, options=options, limits=limits)
    house = runtimes.house(_OPPONENT, setting, lambda name, seat: Stream(f"{name}/{seat}"))
    bot = _open(candidate, runtimes, limits, game)
    counted = _Counted(bot.player(f"qualification-{game_id}", 0))
    players: list[Player] = [counted, *(house.player(game_id, seat) for seat in range(1, seats))]
    began = time.monotonic()
    try:
        match = play(game, seats=seats, options=dict(options), seed=_SEED, max_faults=limits.max_faults)
        result = await drive(match, players)
    finally:
        await bot.close()
    return _game_report(game_id, result, counted.asked, bot, round(time.monotonic() - began, 3))


def _game_report(game_id: str, result: MatchResult, asked: int, bot: Bot, seconds: float) -> GameReport:
    """Return the report of a match that is over."""
    faults = [
        {"step": recorded.step, "seat": recorded.seat, **_fault_json(recorded.fault)}
        for recorded in result.faults
    ]
    latencies = bot.latencies
    return GameReport(
        game=game_id,
        asked=asked,
        legal=asked - len(faults),
        faults=tuple(faults),
        has_forfeited=0 in result.forfeits,
        scores=result.scores,
        places=result.places,
        mean_ms=round(latencies.total_us / max(1, latencies.count) / 1000, 3),
        most_ms=round(latencies.most_us / 1000, 3),
        seconds=seconds,
        log=_tail(bot.log),
    )


def _open(candidate: Candidate, runtimes: Runtimes, limits: Limits, game: Game) -> Bot:
    """Open the candidate for a game."""
    seats, options = shortest(game)
    setting = Setting(game=game, seats=seats, options=options, limits=limits)
    if isinstance(candidate, Upload):
        return runtimes.module(candidate, setting)
    return runtimes.endpoint(candidate, setting, LocalSlots(candidate.max_in_flight))


class _Counted:
    """A player whose decisions are counted."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.asked = 0

    @property
    def spent_us(self) -> Mapping[int, int]:
        """What the player says."""
        return self._player.spent_us

    async def act(self, ask: Ask) -> Answer:
        """Return the player's answer."""
        self.asked += 1
        return await self._player.act(ask)

    async def close(self) -> None:
        """Close the player."""
        await self._player.close()


def _fault_json(fault: Fault) -> dict[str, Any]:
    """Return a fault as a JSON-ready object."""
    return {"code": fault.code.value, "detail": fault.detail, "evidence": dict(fault.evidence)}


def _tail(log: bytes) -> str:
    """Return the end of a log as text."""
    return log[-_MOST_LOG_BYTES:].decode("utf-8", "replace")
