"""The standings of a tournament as one object, from which JSON and CSV are made alike."""

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

import marshmallow as ma

from api.schemas.standings import OverallRowSchema, RowSchema
from engine import ledger
from store import crosstable as meetings
from store import editions, entries, standings, tournaments
from store.database import Transaction
from store.errors import NotFound
from store.models.tournaments import Edition, Event, EventState, Tournament, TournamentState

Line = Mapping[str, Any]  # what RowSchema or OverallRowSchema shows


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTable:
    """The standings of one event."""

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
    overall: list[Line] | None = None
    if event_index is None:
        if edition is None:
            rows = standings.overall(tx, tournament_id)
        else:
            rows = ledger.overall_rows(edition.standings)
        overall = [{**asdict(row), "name": names[row.entrant]} for row in rows]
    return StandingsView(
        tournament_id=tournament_id,
        state=tournament.state,
        edition=edition,
        overall=overall,
        events=[_table(tx, event, tournament, edition) for event in events],
    )


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
    (event,) = [one for one in tournaments.get(tx, tournament_id).events if one.index == event_index]
    found = meetings.of_event(tx, event.id, [row["entrant"] for row in table.rows])
    return CrosstableView(
        tournament_id=tournament_id,
        event=event_index,
        game=event.game,
        state=event.state,
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


def _table(tx: Transaction, event: Event, tournament: Tournament, edition: Edition | None) -> EventTable:
    names = {entrant.number: entrant.name for entrant in tournament.entrants}
    marked = tournaments.has_endpoint(tournament) if entries.is_in_teams(event) else set()
    if edition is None:
        rows = standings.of_event(tx, event.id)
    else:
        rows = ledger.event_rows(edition.standings, event.index)
    return EventTable(
        index=event.index,
        game=event.game,
        seats=event.seats,
        options=event.options,
        state=event.state,
        matches=event.matches,
        played=event.played,
        rows=[
            {**asdict(row), "name": names[row.entrant], "is_endpoint_team": row.entrant in marked}
            for row in rows
        ],
    )


def _csv(schema: ma.Schema, rows: list[Line]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(schema.dump_fields))
    writer.writeheader()
    writer.writerows(schema.dump(rows, many=True))
    return text.getvalue()
