"""Totals of an event: what its matches add up to, added match by match, and taken out again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, fields
from itertools import chain, islice
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from engine.intervals import unit_of
from engine.standings import Duel, Totals
from engine.tallies import Tally
from store import seating
from store.database import Transaction
from store.models.matches import FaultRow, Result
from store.models.tournaments import EntrantTotals, Event, PairTotals, UnitTotals

Sums = Mapping[tuple[int, ...], tuple[int, ...]]


def add(tx: Transaction, event: Event, tally: Tally, *, sign: int = 1) -> None:
    """Add a tally to the totals of entrants, of pairs and of units of deals; with `sign` -1 take it out."""
    totals, duels, units = (
        {key: _signed(values, sign) for key, values in sums.items()} for sums in sums_of(tally)
    )
    _upsert(tx, EntrantTotals.__table__, event.id, ("entrant",), TOTALS, totals)
    _upsert(tx, PairTotals.__table__, event.id, ("entrant", "opponent"), DUEL, duels)
    _upsert(tx, UnitTotals.__table__, event.id, ("unit", "entrant"), UNIT, units)


def sums_of(tally: Tally) -> tuple[Sums, Sums, Sums]:
    """Return a tally by the keys under which it is stored: of entrants, of pairs, of units of deals."""
    return (
        {(entrant,): astuple(of) for entrant, of in tally.totals().items()},
        {pair: astuple(duel) for pair, duel in tally.duels().items()},
        {(one.unit, one.entrant): (one.matches, one.points) for one in tally.units()},
    )


def take_out(tx: Transaction, event: Event, entrant: int, gone: Set[int]) -> None:
    """Take every match at a table with `entrant` out of the totals, but those out already with `gone`."""
    subtract(tx, event, tally(tx, event, [range(event.next_number)], entrant=entrant, without=gone))


def subtract(tx: Transaction, event: Event, tally: Tally) -> None:
    """Take a tally out of the totals, and those out that have no match any more; a revision of the event."""
    event.revision += 1
    add(tx, event, tally, sign=-1)
    for table in (EntrantTotals, PairTotals, UnitTotals):
        tx.change(delete(table).where(table.event_id == event.id, table.matches == 0))


def tally(
    tx: Transaction,
    event: Event,
    ranges: Iterable[range],
    *,
    entrant: int | None = None,
    without: Set[int] = frozenset(),
) -> Tally:
    """Add up the results of these match numbers, read in pages.

    Only tables with `entrant` when one is given, and none with anybody of `without`.
    """
    found = Tally(seating.sides_of(event))
    for numbers in pages(ranges):
        page = _results(tx, event, numbers)
        slots = seating.slots(tx, event, [row.number for row in page])
        tables = {number: set(seating.table_of(event, slot)) for number, slot in slots.items()}
        counted = [
            n for n, table in tables.items() if entrant in (None, *table) and without.isdisjoint(table)
        ]
        faults = _fault_seats(tx, event, counted)
        for row in page:
            if row.number in faults:
                found.add(
                    seating.seats_of(event, slots[row.number]),
                    unit=unit_of(slots[row.number].deal),
                    scores=row.scores,
                    places=row.places,
                    forfeits=row.forfeits,
                    fault_seats=faults[row.number],
                )
    return found


def pages(ranges: Iterable[range]) -> Iterator[list[int]]:
    """Yield the numbers of these ranges, a page at a time, however many ranges there are."""
    numbers = chain.from_iterable(ranges)
    while page := list(islice(numbers, _PAGE)):
        yield page


def _results(
    tx: Transaction, event: Event, numbers: Sequence[int]
) -> Sequence[Row[int, list[int], list[int], list[int]]]:
    """Return the results of these matches, in order."""
    columns = (Result.number, Result.scores, Result.places, Result.forfeits)
    query = select(*columns).where(Result.event_id == event.id, Result.number.in_(numbers))
    return tx.execute(query.order_by(Result.number)).all()


def _fault_seats(tx: Transaction, event: Event, numbers: Sequence[int]) -> dict[int, list[int]]:
    """Return for each of these matches the seats that faulted in it, each as often as it did."""
    query = select(FaultRow.number, FaultRow.seat).where(
        FaultRow.event_id == event.id, FaultRow.number.in_(numbers)
    )
    seats: dict[int, list[int]] = {number: [] for number in numbers}
    for number, seat in tx.execute(query):
        seats[number].append(seat)
    return seats


def _signed(values: tuple[int, ...], sign: int) -> tuple[int, ...]:
    return tuple(sign * value for value in values)


_PAGE = 500
TOTALS = tuple(field.name for field in fields(Totals))
DUEL = tuple(field.name for field in fields(Duel))
UNIT = ("matches", "points")


def _upsert(
    tx: Transaction,
    table: Any,
    event_id: UUID,
    keys: tuple[str, ...],
    columns: tuple[str, ...],
    sums: Sums,
) -> None:
    """Add `sums` (by key) to the rows of a totals table, making those that are not there, in order of key."""
    if not sums:
        return
    dialect = sqlite if tx.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table)
    added = {name: table.c[name] + statement.excluded[name] for name in columns}
    statement = statement.on_conflict_do_update(index_elements=["event_id", *keys], set_=added)
    rows = [
        {"event_id": event_id, **dict(zip(keys, key, strict=True)), **dict(zip(columns, values, strict=True))}
        for key, values in sorted(sums.items())
    ]
    tx.execute(statement, rows)
