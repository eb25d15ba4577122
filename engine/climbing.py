"""What the meetings of a ladder make of ratings: online, match by match, and over a whole season."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from engine import online
from engine.online import Skill
from engine.ratings import Meetings, Rating, rate_meetings
from engine.schedule import Meeting
from engine.tallies import Tally

Sums = Sequence[Sequence[int]]  # of a meeting: [entrant, opponent, matches, half-wins of the first]


def steps(
    plan: Meeting,
    sides: Sequence[int],
    before: Mapping[int, Skill],
    played: Iterable[tuple[int, Sequence[int], Sequence[int]]],
    *,
    is_rated: bool,
) -> Iterator[Mapping[int, Skill]]:
    """Yield the ratings of a meeting's entrants: as they came, then after each of these matches.

    A match is (number, places by seat, seats that forfeited). One that does not count, or that all sides
    forfeited, moves nobody.
    """
    now = before
    yield now
    for number, places, forfeits in played:
        if is_rated and len(forfeits) < len(sides):
            of_side = dict(zip(sides, places, strict=True))
            table = plan.slot(number).entrants
            now = online.after_match(now, table, [of_side[side] for side in range(len(table))])
        yield now


def sums_of(tally: Tally, rated: Collection[int], *, is_rated: bool) -> list[list[int]]:
    """Return what counts of a meeting for the ratings of a season: its pairs without fillers."""
    return [
        [*pair, duel.matches, duel.points]
        for pair, duel in tally.duels().items()
        if is_rated and set(pair) <= set(rated)
    ]


def rate(meetings: Iterable[Sums]) -> dict[int, Rating]:
    """Return the rating of every entrant in meetings that count, each of which is a cluster.

    All settings of a ladder count alike, and every version is somebody of its own.
    """
    pairs: list[list[int]] = []
    weights: list[float] = []
    for cluster, sums in enumerate(meetings):
        sides = len({entrant for pair in sums for entrant in pair[:2]})
        pairs += [[cluster, *pair] for pair in sums]
        weights += [2 / sides] * len(sums)
    if not pairs:
        return {}
    columns = np.array(pairs, dtype=np.int64).T
    entrants, places = np.unique(columns[1:3], return_inverse=True)
    first, second = places.reshape(2, -1)
    found = Meetings(
        cluster=columns[0],
        first=first,
        second=second,
        matches=columns[3].astype(np.float64),
        points=columns[4].astype(np.float64),
        weight=np.array(weights),
    )
    rated = rate_meetings(found, len(entrants))
    return {int(entrant): rated[place] for place, entrant in enumerate(entrants)}
