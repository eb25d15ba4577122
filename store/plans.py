"""Plans of tournaments: what an organiser asks for, checked and completed before anything is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import factorial
from typing import Any

from engine import games
from engine.errors import BadOptions, FudabaError
from engine.limits import Limits
from engine.match import play, run
from engine.options import OptionValue
from engine.policies import RandomPolicy
from engine.rng import Stream
from engine.schedule import Format, Schedule
from engine.stopping import StopRule
from store.errors import BadRequest

MOST_DEALS = 1_000_000
BLOCK_DEALS = 12
DECISION_SECONDS = 0.00015  # of a sandboxed module, all included; only the size of batches depends on it
SCHEDULES = tuple(map(str, Format))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlan:
    """One event as asked for; what is None gets its default."""

    game: str
    seats: int | None = None
    options: Mapping[str, OptionValue] | None = None
    deals: int | None = None
    schedule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as asked for: `events` None means all games; entrants are bot ids or names "owner/bot"."""

    name: str
    events: tuple[EventPlan, ...] | None = None
    entrants: tuple[str, ...] = ()
    limits: Mapping[str, Any] | None = None
    stop: Mapping[str, Any] | None = None
    endpoint_teams: bool = True
    endpoint_duplicates: bool = False
    owners_apart: bool = False
    secret_seed: bytes | None = None
    entries_close_at: datetime | None = None
    entries_per_owner: int = 1
    weight: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledEvent:
    """An event with nothing left open; `match_seconds` is the estimated play time of one match."""

    game: str
    seats: int
    options: dict[str, OptionValue]
    schedule: str
    sides: int
    deals: int
    block_deals: int
    match_seconds: float

    def fillers(self, entrants: int, apart: Sequence[int] = ()) -> int:
        """Return how many fillers make a table full; `apart` is that of engine.schedule."""
        return max(0, self.sides - (len(set(apart)) if apart else entrants))

    def for_field(self, entrants: int, apart: Sequence[int] = ()) -> Schedule:
        """Return the schedule for so many entrants, filled up until a table is full."""
        whole = entrants + self.fillers(entrants, apart)
        return Schedule(
            entrants=whole,
            sides=self.sides,
            deals=self.deals,
            block_deals=self.block_deals,
            format=Format(self.schedule),
            apart=self.filled(entrants, apart),
        )

    def filled(self, entrants: int, apart: Sequence[int]) -> tuple[int, ...]:
        """Return `apart` with the fillers, each of whom is alone."""
        fillers = range(entrants, entrants + self.fillers(entrants, apart))
        return (*apart, *fillers) if apart else ()


def settle_events(plan: Plan) -> list[SettledEvent]:
    """Return the events of a plan, all defaults filled in; BadRequest names the field that cannot be used."""
    events = plan.events
    if events is None:
        events = tuple(EventPlan(game=game.id) for game in games.all_games())
    if not events:
        raise BadRequest("events is empty; leave it out for all games", field="events")
    return [_settle(event, f"events.{index}") for index, event in enumerate(events)]


def settle_limits(given: Mapping[str, Any] | None) -> Limits:
    """Return the limits of a plan; BadRequest when one cannot be used."""
    try:
        return Limits.from_json(given)
    except FudabaError as error:
        raise BadRequest(str(error), field="limits") from error


def settle_stop(given: Mapping[str, Any] | None) -> StopRule | None:
    """Return the rule that ends events early, None without one; BadRequest when it cannot be used."""
    if given is None:
        return None
    try:
        return StopRule.from_json(given)
    except BadOptions as error:
        raise BadRequest(str(error), field="stop") from error


def _settle(event: EventPlan, field: str) -> SettledEvent:
    try:
        game = games.get(event.game)
    except FudabaError as error:
        raise BadRequest(str(error), field=f"{field}.game") from error
    try:
        seats, options = game.settle(event.seats, event.options)
    except BadOptions as error:
        wrong = "options" if event.seats in (None, *game.seats) else "seats"
        raise BadRequest(str(error), field=f"{field}.{wrong}") from error
    schedule = event.schedule or SCHEDULES[0]
    if schedule not in SCHEDULES:
        allowed = ", ".join(SCHEDULES)
        raise BadRequest(f"schedule is {schedule!r}; allowed: {allowed}", field=f"{field}.schedule")
    sides = len(set(game.sides(seats, options)))
    deals = _default_deals(sides) if event.deals is None else event.deals
    if type(deals) is not int or not 1 <= deals <= MOST_DEALS:
        raise BadRequest(
            f"deals is {deals!r}; allowed: a whole number from 1 to {MOST_DEALS}", field=f"{field}.deals"
        )
    return SettledEvent(
        game=game.id,
        seats=seats,
        options=options,
        schedule=schedule,
        sides=sides,
        deals=deals,
        block_deals=min(deals, BLOCK_DEALS),
        match_seconds=_typical_decisions(game.id, seats, options) * DECISION_SECONDS,
    )


def _default_deals(sides: int) -> int:
    """Return at least 12 deals; every relative seating occurs equally often where that is cheap."""
    orders = factorial(sides - 1)
    return orders * -(-BLOCK_DEALS // orders) if orders <= 2 * BLOCK_DEALS else BLOCK_DEALS


def _typical_decisions(game_id: str, seats: int, options: dict[str, OptionValue]) -> int:
    """Return the number of decisions of one match between random players."""
    game = games.get(game_id)
    policy = RandomPolicy(game, Stream("typical"))
    result = run(play(game, seats=seats, options=options, seed=bytes(32)), policy.act)
    return len(result.record.actions)


def batch_groups(event: SettledEvent, schedule: Schedule, batch_seconds: int) -> int:
    """Return how many groups a batch holds: about `batch_seconds` of play, never all of a block in one."""
    group_seconds = event.match_seconds * event.block_deals
    groups = schedule.tables * schedule.sides
    return max(1, min(round(batch_seconds / group_seconds), -(-groups // 4)))


def counts(
    events: Sequence[SettledEvent], fields: Sequence[int], aparts: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """Return what a tournament would play, per event and in all, for so many entrants in each event.

    `aparts` is what `apart` of its schedule will be, empty where all may meet.
    """
    rows: list[dict[str, Any]] = []
    matches, seconds = 0, 0.0
    for event, entrants, apart in zip(events, fields, aparts, strict=True):
        schedule = event.for_field(entrants, apart)
        matches += schedule.matches
        seconds += schedule.matches * event.match_seconds
        rows.append(
            {
                "game": event.game,
                "seats": event.seats,
                "options": event.options,
                "entrants": entrants,
                "fillers": schedule.entrants - entrants,
                "tables": schedule.tables,
                "deals": event.deals,
                "matches": schedule.matches,
                "seconds": round(schedule.matches * event.match_seconds, 1),
            }
        )
    return {
        "events": rows,
        "matches": matches,
        "seconds": round(seconds, 1),
    }
