"""Whom a ladder pairs: the uncertain and the close first, yet everybody plays soon and meets everybody.

A round is a set of tables at which nobody sits twice. Its first tables are led by bots whose turn it is to
meet those whom they have met least: everybody leads the first table once in as many rounds as there are bots,
so nobody waits longer, and everybody meets everybody in the long run. The next are led by those who have
waited longest, the others by the most uncertain; they are joined by whom a match tells most about.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from engine.online import MU, Skill
from engine.rng import Stream

MOST_TABLES = 32  # of a round
COVER_TABLES = 4  # one table in so many is led by whose turn it is
WAITING_TABLES = 2  # one table in so many at least is led by the turn or by who has waited longest
_BETA = MU / 6  # the standard deviation of play itself, as the model has it
_LUCK = 1 << 20

Table = tuple[int, ...]
Meetings = Mapping[int, Mapping[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A bot that can be paired: its number, whose it is, how strong, and for how many rounds it has waited.

    Bots of one `party` (an owner) are seated together only when there is no other party at all.
    """

    entrant: int
    party: str
    skill: Skill
    waiting: int


def table_count(candidates: int, sides: int) -> int:
    """Return how many tables a round of so many candidates has."""
    if candidates < 2:
        return 0
    return max(1, min(candidates // sides, MOST_TABLES))


def turns(candidates: Sequence[Candidate], sides: int, number: int) -> list[int]:
    """Return whose turn it is, in round `number`, to meet those whom they have met least."""
    entrants = sorted(one.entrant for one in candidates)
    count = -(-table_count(len(entrants), sides) // COVER_TABLES)
    return [entrants[(number * count + place) % len(entrants)] for place in range(count)]


def pair(
    candidates: Sequence[Candidate], sides: int, number: int, met: Meetings, stream: Stream
) -> list[Table]:
    """Return the tables of round `number`: two entrants or more, by side, `sides` unless parties are few.

    `met` is for those whose turn it is (`turns`) how often they have met each other entrant. The same
    arguments and stream give the same tables.
    """
    count = table_count(len(candidates), sides)
    parties = len({one.party for one in candidates})
    size = min(sides, parties if parties > 1 else len(candidates))
    free = {one.entrant: one for one in sorted(candidates, key=lambda one: one.entrant)}
    tables: list[Table] = []
    for leader, is_turn in _leaders(candidates, sides, number, tables, stream):
        if len(tables) == count:
            break
        if leader not in free:
            continue
        worth = _least_met(met.get(leader, {})) if is_turn else _telling(free[leader])
        table = _seated(_ranked(free, leader, worth, stream), size, is_mixed=parties == 1)
        if len(table) == size:
            tables.append(table)
            for entrant in table:
                del free[entrant]
    return tables


def is_rated(parties: Sequence[str]) -> bool:
    """Return whether a match counts: nobody at the table plays against a bot of the same party."""
    return len(set(parties)) == len(parties)


_Worth = Callable[[Candidate, float], float]  # of another, given luck from 0 to 1


def _leaders(
    candidates: Sequence[Candidate], sides: int, number: int, tables: Sequence[Table], stream: Stream
) -> Iterator[tuple[int, bool]]:
    """Yield who leads the next table, and whether it is by turn, for as long as there is anybody."""
    for entrant in turns(candidates, sides, number):
        yield entrant, True
    luck = {one.entrant: stream.below(_LUCK) for one in candidates}
    by_waiting = sorted(candidates, key=lambda one: (-one.waiting, luck[one.entrant], one.entrant))
    half = -(-table_count(len(candidates), sides) // WAITING_TABLES)
    for one in by_waiting:
        if len(tables) >= half:
            break
        yield one.entrant, False
    for one in sorted(candidates, key=lambda one: (-one.skill.sigma, luck[one.entrant], one.entrant)):
        yield one.entrant, False


def _ranked(free: Mapping[int, Candidate], leader: int, worth: _Worth, stream: Stream) -> list[Candidate]:
    """Return the leader, then the others, the most worth meeting first."""
    others = [one for one in free.values() if one.entrant != leader]
    worths = {one.entrant: worth(one, stream.below(_LUCK) / _LUCK) for one in others}
    return [free[leader], *sorted(others, key=lambda one: -worths[one.entrant])]


def _seated(ranked: Sequence[Candidate], size: int, *, is_mixed: bool) -> Table:
    """Return the first of these, at most `size`; of each party one, unless they are to be mixed."""
    table: list[int] = []
    parties: set[str] = set()
    for one in ranked:
        if len(table) < size and (is_mixed or one.party not in parties):
            table.append(one.entrant)
            parties.add(one.party)
    return tuple(table)


def _least_met(met: Mapping[int, int]) -> _Worth:
    """Return how much a meeting is worth to one who has met others so often: the rarer, the more."""
    return lambda other, luck: luck / 2 - met.get(other.entrant, 0)


def _telling(leader: Candidate) -> _Worth:
    """Return how much a match with `leader` tells: most when the other is uncertain and the outcome open."""

    def worth(other: Candidate, luck: float) -> float:
        spread = sqrt(2 * _BETA**2 + leader.skill.sigma**2 + other.skill.sigma**2)
        gap = min(abs(leader.skill.mu - other.skill.mu) / spread, 100.0)
        chance = 1 / (1 + exp(gap))
        return other.skill.sigma * chance * (1 - chance) * (1 + luck)

    return worth
