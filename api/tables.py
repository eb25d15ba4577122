"""The standings of a tournament as one object, from which JSON and CSV are made alike."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any
from uuid import UUID

import marshmallow as ma

from api.schemas.standings import OverallRowSchema, RowSchema
from engine import ledger
from engine.standings import OverallRow, Row
from store import crosstable as meetings
from store import editions, entries, standings, tournaments
from store.database import Transaction
from store.errors import NotFound
from store.models.tournaments import Edition, Event, EventState, Tournament, TournamentState

Line = Mapping[str, Any]  # what RowSchema or OverallRowSchema shows


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTable:
    """The standings of one event."""

    event_id: UUID
    index: int
    game: str
    seats: int
    options: Mapping[str, Any]
    state: EventState
    matches: int
    played: int
    rows: list[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsView:
    """The standings of a tournament.

    `overall` is None when one event was asked for, `edition` before the end.
    """

    tournament_id: UUID
    state: TournamentState
    edition: Edition | None
    overall: list[Line] | None
    events: list[EventTable]


def build(tx: Transaction, tournament_id: UUID, event_index: int | None) -> StandingsView:
    """Return the standings of a tournament, or of the event with this index alone; raises NotFound.

    Those of a finished tournament are the frozen ones.
    """
    tournament = tournaments.get(tx, tournament_id)
    names = {entrant.number: entrant.name for entrant in tournament.entrants}
    events = [event for event in tournament.events if event_index in (None, event.index)]
    if event_index is not None and not events:
        raise NotFound(f"the tournament has no event {event_index}", field="event")
    is_final = tournament.state is TournamentState.FINISHED  # it is not while matches are played again
    edition = editions.latest(tx, tournament_id) if is_final else None
    rows, overall = _rows(tx, tournament, event_index, edition)
    return StandingsView(
        tournament_id=tournament_id,
        state=tournament.state,
        edition=edition,
        overall=None if overall is None else [_line(row, names) for row in overall],
        events=[_table(event, tournament, rows[event.index]) for event in events],
    )


def _rows(
    tx: Transaction, tournament: Tournament, event_index: int | None, edition: Edition | None
) -> tuple[Mapping[int, list[Row]], list[OverallRow] | None]:
    """Return the rows of the events that are shown, by index, and those over all events if they are."""
    if edition is not None:
        rows = {event.index: ledger.event_rows(edition.standings, event.index) for event in tournament.events}
        return rows, ledger.overall_rows(edition.standings) if event_index is None else None
    if event_index is None:
        return standings.of_tournament(tx, tournament.id)
    shown = [event for event in tournament.events if event.index == event_index]
    return {event.index: standings.of_event(tx, event.id) for event in shown}, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """How one entrant did against one other: `share` of the wins, ties as half, 0 to 1."""

    entrant: int
    opponent: int
    matches: int
    share: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstableView:
    """Who did how well against whom in one event; rows in the order of its standings."""

    tournament_id: UUID
    event: int
    game: str
    state: EventState
    rows: list[Line]
    meetings: list[Meeting]


def crosstable(tx: Transaction, tournament_id: UUID, event_index: int) -> CrosstableView:
    """Return the cross-table of one event; raises NotFound."""
    (table,) = build(tx, tournament_id, event_index).events
    found = meetings.of_event(tx, table.event_id, [row["entrant"] for row in table.rows])
    return CrosstableView(
        tournament_id=tournament_id,
        event=event_index,
        game=table.game,
        state=table.state,
        rows=table.rows,
        meetings=[
            Meeting(entrant=entrant, opponent=opponent, matches=matches, share=share)
            for (entrant, opponent), (matches, share) in sorted(found.items())
        ],
    )


def to_csv(view: StandingsView) -> str:
    """Return one table as CSV with a header line: over all events, or the only event that the view holds."""
    if view.overall is not None:
        return _csv(OverallRowSchema(exclude=["places"]), view.overall)
    return _csv(RowSchema(), view.events[0].rows)


def _table(event: Event, tournament: Tournament, rows: list[Row]) -> EventTable:
    names = {entrant.number: entrant.name for entrant in tournament.entrants}
    marked = tournaments.has_endpoint(tournament) if entries.is_in_teams(event) else set()
    return EventTable(
        event_id=event.id,
        index=event.index,
        game=event.game,
        seats=event.seats,
        options=event.options,
        state=event.state,
        matches=event.matches,
        played=event.played,
        rows=[{**_line(row, names), "is_endpoint_team": row.entrant in marked} for row in rows],
    )


def _line(row: Row | OverallRow, names: Mapping[int, str]) -> dict[str, Any]:
    """Return a row with the name of its entrant; its numbers are shared with it, not copied."""
    return {**{field.name: getattr(row, field.name) for field in fields(row)}, "name": names[row.entrant]}


def _csv(schema: ma.Schema, rows: list[Line]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(schema.dump_fields))
    writer.writeheader()
    writer.writerows(schema.dump(rows, many=True))
    return text.getvalue()
