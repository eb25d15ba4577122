"""What a re-run would do, worked out without doing it: what is played, who stands where meanwhile."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TypeVar

from engine import standings
from engine.standings import Duel, Duels, OverallRow, Row, Totals
from engine.tallies import Tally
from store import sums, totals, tournaments
from store.database import Transaction
from store.models.tournaments import Event, Tournament, TournamentState
from store.selections import Run, Selected

Line = TypeVar("Line", Row, OverallRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Where an entrant stands, and where it would stand without the results that would go."""

    entrant: int
    name: str
    place: int
    points: Fraction
    matches: int
    place_without: int
    points_without: Fraction
    matches_without: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPreview:
    """What would be played again of one event, and the `rows` that would change."""

    event: Event
    ranges: tuple[Run, ...]
    matches: int
    results: int
    set_aside: int
    unfinished: int
    rows: tuple[Moved, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a re-run would do; `overall` are the rows over all events that would change."""

    matches: int
    results: int
    set_aside: int
    unfinished: int
    events: tuple[EventPreview, ...]
    overall: tuple[Moved, ...]
    notes: tuple[str, ...]


def of(tx: Transaction, tournament: Tournament, selected: Sequence[Selected]) -> Preview:
    """Return what playing these matches again would do."""
    names = {entrant.number: entrant.name for entrant in tournament.entrants}
    by_index = {one.event.index: one for one in selected}
    now, without = _Tables({}, {}), _Tables({}, {})
    for event in tournament.events:
        ranked = sums.ranked(tx, event)
        found, duels = sums.totals(tx, event, ranked), sums.duels(tx, event, ranked)
        now.add(event, found, duels)
        if event.index in by_index:
            going = totals.tally(tx, event, by_index[event.index].ranges, without=sums.dropped(tx, event))
            found, duels = _less(found, duels, going)
        without.add(event, found, duels)
    return Preview(
        matches=sum(one.matches for one in selected),
        results=sum(one.results for one in selected),
        set_aside=sum(one.set_aside for one in selected),
        unfinished=sum(one.unfinished for one in selected),
        events=tuple(
            EventPreview(
                event=one.event,
                ranges=tuple(Run(first=part.start, count=len(part)) for part in one.ranges),
                matches=one.matches,
                results=one.results,
                set_aside=one.set_aside,
                unfinished=one.unfinished,
                rows=_moved(now.rows[index], without.rows[index], names),
            )
            for index, one in by_index.items()
        ),
        overall=_moved(now.overall(), without.overall(), names),
        notes=tuple(_notes(tournament, selected)),
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """Standings of every event, by its index."""

    rows: dict[int, list[Row]]
    duels: dict[int, Duels]

    def add(self, event: Event, found: Mapping[int, Totals], duels: Duels) -> None:
        self.rows[event.index] = standings.event_rows(found, duels, event.sides)
        self.duels[event.index] = duels

    def overall(self) -> list[OverallRow]:
        return standings.overall_rows(self.rows, self.duels)


def _less(
    found: Mapping[int, Totals], duels: Duels, going: Tally
) -> tuple[dict[int, Totals], dict[tuple[int, int], Duel]]:
    """Return totals without those of the matches that go."""
    less, met = going.totals(), going.duels()
    return (
        {entrant: Totals(**_difference(of, less.get(entrant, Totals()))) for entrant, of in found.items()},
        {
            pair: Duel(**_difference(of, met.get(pair, Duel(matches=0, points=0))))
            for pair, of in duels.items()
        },
    )


def _difference(of: Totals | Duel, less: Totals | Duel) -> dict[str, int]:
    other = asdict(less)
    return {name: value - other[name] for name, value in asdict(of).items()}


def _moved(now: Iterable[Line], without: Iterable[Line], names: Mapping[int, str]) -> tuple[Moved, ...]:
    """Return the rows that are not the same in both, in order of those of now."""
    after = {row.entrant: row for row in without}
    return tuple(
        Moved(
            entrant=row.entrant,
            name=names[row.entrant],
            place=row.place,
            points=row.points,
            matches=row.matches,
            place_without=after[row.entrant].place,
            points_without=after[row.entrant].points,
            matches_without=after[row.entrant].matches,
        )
        for row in now
        if (row.place, row.points, row.matches)
        != (after[row.entrant].place, after[row.entrant].points, after[row.entrant].matches)
    )


def _notes(tournament: Tournament, selected: Sequence[Selected]) -> Iterable[str]:
    """Yield what an organiser should know before."""
    yield (
        "Matches are played again in whole groups (a table in one rotation of a block), on the same deals:"
        " bots may remember the matches of their group."
    )
    yield "Benching is decided again at the end of each block: if it comes out otherwise, more is played."
    if tournament.stop is not None:
        yield "The rule that ends events early is asked again: an event may end at another block."
    if tournament.state is TournamentState.FINISHED:
        yield "The secret was revealed at the end: everybody can know the deals that are played again."
    endpoints = tournaments.has_endpoint(tournament)
    if any(not endpoints.isdisjoint(one.event.field) for one in selected):
        yield "Endpoints may remember deals that they have seen."
    if any(one.unfinished for one in selected):
        yield "Matches of groups that are still being played are left out."
