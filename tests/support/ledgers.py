"""A tournament's record written by hand, with nothing but the engine's games, and forgeries of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Any

from engine import estimates, games, seeds
from engine.intervals import UnitSum, UnitSums
from engine.limits import Limits
from engine.match import MatchResult, play, points, run
from engine.policies import Answer, Ask, Fault, FaultCode, Policy, house_policy
from engine.ratings import EventSums
from engine.rng import Stream
from engine.schedule import Schedule, Slot
from engine.standings import Duel, Row, Totals, event_rows, overall_rows

Data = dict[str, Any]

SECRET = bytes(range(32))
BROKEN, REMOTE, SET_ASIDE = 1, 3, 5  # an entrant that always faults, an endpoint, a match of event 0

# Owner, bot, kind, games, filler; the first plays at random.
_ENTRANTS: tuple[tuple[str, str, str, list[str], bool], ...] = (
    ("ann", "wild", "module", [], False),
    ("ben", "broken", "module", ["hana_awase"], False),
    ("house", "greedy", "house", [], False),
    ("cho", "remote", "endpoint", ["hachinin_meri"], False),
    ("house", "greedy", "house", [], True),
    ("house", "greedy", "house", [], True),
)
# Game, seats, options, deals, who plays.
_EVENTS: tuple[tuple[str, int, Data, int, list[int]], ...] = (
    ("hana_awase", 3, {"rounds": 1, "combinations": "none"}, 24, [0, BROKEN, 2]),
    ("hachinin_meri", 8, {"rounds": 4}, 1, [0, 2, REMOTE]),
    ("seiten", 4, {}, 2, [0, 2, 4, 5]),
)
_BLOCK = 12


@dataclass(slots=True)
class _Sums:
    """What one event adds up to, the slow way: one list entry for each match."""

    points: dict[int, list[int]] = field(default_factory=dict)
    scores: dict[int, list[int]] = field(default_factory=dict)
    wins: dict[int, int] = field(default_factory=dict)
    faults: dict[int, int] = field(default_factory=dict)
    forfeits: dict[int, int] = field(default_factory=dict)
    duels: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    units: list[UnitSum] = field(default_factory=list)

    def add(self, by_seat: Sequence[int], sides: Sequence[int], deal: int, result: MatchResult) -> None:
        """Add a match, once for each entrant."""
        half_wins = points(result.places, sides, result.forfeits)
        of_entrant = {entrant: seat for seat, entrant in reversed(list(enumerate(by_seat)))}
        for entrant, seat in of_entrant.items():
            self.points.setdefault(entrant, []).append(half_wins[seat])
            self.units.append(UnitSum(unit=deal % 64, entrant=entrant, matches=1, points=half_wins[seat]))
            self.scores.setdefault(entrant, []).append(result.scores[seat])
            alone = half_wins[seat] == 2 * (len(of_entrant) - 1)
            self.wins[entrant] = self.wins.get(entrant, 0) + alone
            faults = sum(by_seat[one.seat] == entrant for one in result.faults)
            self.faults[entrant] = self.faults.get(entrant, 0) + faults
            self.forfeits[entrant] = self.forfeits.get(entrant, 0) + (seat in result.forfeits)
        for one, other in combinations(sorted(of_entrant), 2):
            mine, theirs = result.places[of_entrant[one]], result.places[of_entrant[other]]
            self.duels.setdefault((one, other), []).append(1 + (mine < theirs) - (mine > theirs))

    def all_duels(self) -> dict[tuple[int, int], Duel]:
        """Return how all pairs did, fillers included."""
        return {pair: Duel(matches=len(won), points=sum(won)) for pair, won in self.duels.items()}

    def totals(self, entrant: int) -> Totals:
        """Return the totals of one entrant."""
        return Totals(
            matches=len(self.points[entrant]),
            wins=self.wins[entrant],
            points=sum(self.points[entrant]),
            score=sum(self.scores[entrant]),
            faults=self.faults[entrant],
            forfeits=self.forfeits[entrant],
        )


def chained(lines: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Return lines as bytes, each with the hash of the one before, whatever `prev` they had."""
    written: list[bytes] = []
    prev = "0" * 64
    for line in lines:
        data = json.dumps(
            {**line, "prev": prev}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()
        prev = sha256(data).hexdigest()
        written.append(data + b"\n")
    return written


def a_record() -> list[bytes]:
    """Return the lines of a record that is right.

    Event 0 has a benched entrant and a match that was set aside, event 1 teams and an endpoint with deals of
    its own, event 2 fillers.
    """
    return chained(lines())


def lines() -> list[Data]:
    """Return the lines of `a_record` as objects without `prev`; a copy that may be changed."""
    copy: list[Data] = json.loads(_written())
    return copy


def forged(change: Callable[[list[Data]], object]) -> list[bytes]:
    """Return the record with its lines changed, and then all hashes made to fit."""
    changed = lines()
    change(changed)
    return chained(changed)


def place(of: Sequence[Mapping[str, Any]], kind: str, **having: Any) -> int:
    """Return the place, from 0, of the first line of this kind with these values."""
    return next(
        position
        for position, line in enumerate(of)
        if line["kind"] == kind and all(line[name] == value for name, value in having.items())
    )


@cache
def _written() -> str:
    frozen = [_entrant(number) for number in range(len(_ENTRANTS))]
    bound = [{name: one[name] for name in ("number", "owner", "bot", "version", "sha256")} for one in frozen]
    entrants_sha256 = seeds.entrants_hash(bound)
    events = [_event(*event) for event in _EVENTS]
    played: list[Data] = []
    rows: dict[int, list[Row]] = {}
    duels, event_sums = {}, []
    for index, event in enumerate(events):
        sums = _Sums()
        played += _played(index, event, entrants_sha256, sums)
        ranked = [number for number in event["field"] if not frozen[number]["filler"]]
        duels[index] = {pair: duel for pair, duel in sums.all_duels().items() if set(pair) <= set(ranked)}
        sides = len(set(games.get(event["game"]).sides(event["seats"], event["options"])))
        event_sums.append(EventSums(duels=sums.all_duels(), units=UnitSums.of(sums.units, sides)))
        placed = event_rows({number: sums.totals(number) for number in ranked}, duels[index], sides)
        rows[index] = estimates.attached(placed, estimates.of_event(event_sums[index], ranked))
    overall = overall_rows(rows, duels)
    sure = estimates.overall(event_sums, [row.entrant for row in overall])
    tables = _tables({**rows, "overall": estimates.attached(overall, sure)})
    header = {
        "kind": "header",
        "format": 1,
        "engine": "0.1.0",
        "tournament": "5b0a9f1c-0000-4000-8000-000000000000",
        "name": "札場 cup",
        "commitment": sha256(SECRET).hexdigest(),
        "secret_seed": SECRET.hex(),
        "entrants_sha256": entrants_sha256,
        "endpoint_teams": True,
        "endpoint_duplicates": False,
        "owners_apart": False,
        "limits": Limits().to_json(),
        "stop": None,
        "events": events,
        "reruns": [],
        "edition": {"number": 1, "sha256": _digest(tables)},
    }
    whole = [header, *frozen, *played, *({"kind": "standings", **table} for table in tables)]
    return json.dumps([*whole, {"kind": "end", "lines": len(whole) + 1}])


def _digest(tables: list[Data]) -> str:
    return sha256(json.dumps(tables, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _entrant(number: int) -> Data:
    owner, bot, kind, claims, filler = _ENTRANTS[number]
    return {
        "kind": "entrant",
        "number": number,
        "owner": owner,
        "bot": bot,
        "version": 1,
        "sha256": sha256(f"{owner}/{bot}".encode()).hexdigest(),
        "bot_kind": kind,
        "filler": filler,
        "games": claims,
    }


def _event(game_id: str, seats: int, options: Data, deals: int, plays: list[int]) -> Data:
    game = games.get(game_id)
    _, complete = game.settle(seats, options)
    event = {
        "game": game_id,
        "seats": seats,
        "options": complete,
        "schedule": "full",
        "deals": deals,
        "block_deals": min(deals, _BLOCK),
        "field": plays,
        "apart": [],
        "stopped_after_block": None,
        "dropped": [],
    }
    return {**event, "matches": _schedule(event).matches}


def _schedule(event: Data) -> Schedule:
    sides = len(set(games.get(event["game"]).sides(event["seats"], event["options"])))
    return Schedule(
        entrants=len(event["field"]), sides=sides, deals=event["deals"], block_deals=event["block_deals"]
    )


def _played(index: int, event: Data, entrants_sha256: str, sums: _Sums) -> list[Data]:
    """Play an event; the entrant that always faults is benched after the first block."""
    schedule = _schedule(event)
    bench = {"entrant": BROKEN, "from_block": 1, "forfeits": 35, "matches": 36}
    written: list[Data] = []
    for number in range(schedule.matches):
        slot = schedule.slot(number)
        if slot.block and number == schedule.block_range(slot.block).start:
            written.append({"kind": "bench", "event": index, **bench})
        if (index, number) == (0, SET_ASIDE):
            written.append({"kind": "set_aside", "event": index, "number": number})
        else:
            written.append(_match_line(index, event, slot, entrants_sha256, sums))
    return written


def _match_line(index: int, event: Data, slot: Slot, entrants_sha256: str, sums: _Sums) -> Data:
    sides = games.get(event["game"]).sides(event["seats"], event["options"])
    by_seat = [event["field"][slot.entrants[side]] for side in sides]
    seed = seeds.deal_seed(SECRET, entrants_sha256, index, slot.deal_name(own=REMOTE in by_seat))
    benched = [seat for seat, entrant in enumerate(by_seat) if entrant == BROKEN and slot.block]
    result = _match(event, slot.number, by_seat, seed, benched)
    sums.add(by_seat, sides, slot.deal, result)
    half_wins = points(result.places, sides, result.forfeits)
    return {
        "kind": "match",
        "event": index,
        "number": slot.number,
        "table": slot.table,
        "deal": slot.deal,
        "rotation": slot.rotation,
        "entrants": by_seat,
        "seed": seed.hex(),
        "actions": list(result.record.actions),
        "faults": [[one.step, one.seat, one.fault.code.value] for one in result.faults],
        "forfeits": list(result.forfeits),
        "scores": list(result.scores),
        "places": list(result.places),
        "points": [str(Fraction(won, 2 * (len(set(sides)) - 1))) for won in half_wins],
    }


def _match(
    event: Data, number: int, by_seat: Sequence[int], seed: bytes, benched: Sequence[int]
) -> MatchResult:
    game = games.get(event["game"])
    players: list[Policy] = [
        house_policy("random" if entrant == 0 else "greedy", game, Stream(f"{number}/{seat}"))
        for seat, entrant in enumerate(by_seat)
    ]

    def answer(ask: Ask) -> Answer:
        if by_seat[ask.seat] == BROKEN:
            return Fault(code=FaultCode.EXCEPTION, detail="it raised")
        return players[ask.seat].act(ask)

    match = play(game, seats=event["seats"], options=event["options"], seed=seed, absent=benched)
    return run(match, answer)


def _tables(rows: Mapping[Any, Sequence[Any]]) -> list[Data]:
    return [{"event": event, "rows": [_row(row) for row in of]} for event, of in rows.items()]


def _row(row: Any) -> Data:
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: str(value) if isinstance(value, Fraction) else value for name, value in values.items()} | (
        {"places": {str(index): of for index, of in row.places.items()}} if "places" in values else {}
    )
