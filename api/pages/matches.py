"""Matches: who played, how it ended, and every step of it on a drawn table once its event is over."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flask import Blueprint, render_template, request

from api.pages import boards, form_values, frame
from api.pages.boards import Position
from engine.record import Record
from store import ladders, matches, names
from store.database import Transaction
from store.errors import BadRequest, Conflict
from store.matches import MatchView
from store.models.matches import FaultRow
from store.models.tournaments import Event, Tournament
from workers import services

blueprint = Blueprint("matches", __name__)

_KEPT_MATCHES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The replay of a match at one step: `last` is the step after the last decision."""

    board: boards.Board
    step: int
    last: int
    seat: int | None
    seats: int
    rounds: tuple[int, ...]
    faults: list[FaultRow]
    fault: FaultRow | None
    spent_us: Mapping[int, int]

    @property
    def used_us(self) -> int | None:
        """What the decision at this step took; None where nobody counted it."""
        return self.spent_us.get(self.step)

    @property
    def most_us(self) -> int:
        """What the longest decision of the match took."""
        return max(self.spent_us.values(), default=0)


@blueprint.get("/matches/<match_id>")
def show(match_id: str) -> str:
    """Show a match; `step` and `seat` choose what is seen of it."""
    with services.current().database.reading() as tx:
        view = matches.get(tx, match_id)
        tournament = tx.get_one(Tournament, view.tournament_id)
        event = tx.get_one(Event, view.event_id)
        named = names.of_entrants(tx, view.tournament_id, set(view.table))
        replay = _replay(tx, view, event)
        season = ladders.season_of(tx, tournament.id) if tournament.is_season else None
    if request.args.get("part") == "board":
        if replay is None:
            raise Conflict("the event is still running: its cards are hidden until it ends")
        return frame.part("match_parts.html", "board", _shown(view, replay, named))
    shown = None if replay is None else _shown(view, replay, named)
    return render_template(
        "match.html",
        match=view,
        tournament=tournament,
        season=season,
        event=event,
        named=named,
        shown=shown,
    )


def _shown(view: MatchView, replay: Replay, named: Any) -> dict[str, Any]:
    players = [named[number] for number in view.entrants]
    return {"match": view, "replay": replay, "board": replay.board, "players": players}


def _replay(tx: Transaction, view: MatchView, event: Event) -> Replay | None:
    """Return the replay at the step that is asked for; None while the cards are hidden."""
    try:
        record = matches.record(tx, view.id)
    except Conflict:
        return None
    last = len(record.actions)
    step = _chosen("step", last, 0)
    seat = None if request.args.get("seat", "all") == "all" else _chosen("seat", event.seats - 1, 0)
    faults = matches.faults(tx, view.id)
    return Replay(
        board=boards.draw(_position(record, step), seat),
        step=step,
        last=last,
        seat=seat,
        seats=event.seats,
        rounds=_round_starts(record.to_bytes()),
        faults=faults,
        fault=next((fault for fault in faults if fault.step == step), None),
        spent_us=matches.spent_us(tx, view.id),
    )


def _chosen(name: str, most: int, default: int) -> int:
    """Return a whole number of the query from 0 to `most`, `default` without one; raises BadRequest."""
    found = form_values.number_of_query(name)
    if found is None:
        return default
    if found > most:
        raise BadRequest(f"{name} is {found}; expected a whole number from 0 to {most}", field=name)
    return found


def _position(record: Record, step: int) -> Position:
    """Return the position before the decision number `step`."""
    for number, (state, action) in enumerate(record.states()):
        if number == step:
            legal = [] if state.to_move is None else [state.action_text(a) for a in state.legal_actions()]
            views = [state.observation(seat) for seat in range(record.seats)]
            return Position(observations=views, to_move=state.to_move, legal=legal, chosen=action)
    raise AssertionError("a record has as many states as actions, and one more")


@lru_cache(maxsize=_KEPT_MATCHES)
def _round_starts(record: bytes) -> tuple[int, ...]:
    """Return the first step of every round; records never change."""
    starts: list[int] = []
    for step, (state, _) in enumerate(Record.from_bytes(record).states()):
        if state.observation(0)["round"] >= len(starts):
            starts.append(step)
    return tuple(starts)
