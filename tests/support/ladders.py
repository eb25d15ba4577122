"""Builders: ladders with members, and rounds played without a broker, in any order of the batches."""

from collections.abc import Callable, Sequence, Set
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena
from support.arena import NOW, SECRET

from engine.policies import Answer, Ask, Fault, FaultCode, FirstPolicy, house_stream
from engine.rng import Stream
from store import accounts, blocks, ladders, members, seasons
from store.database import Database
from store.ladders import NewLadder
from store.models.accounts import Account
from store.models.bots import BotKind
from store.models.ladders import Ladder, Season, SeasonPhase
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event
from store.plans import EventPlan
from workers import advance, batch, contestants, ladder
from workers.contestants import Contestant
from workers.runtimes.base import Setting
from workers.runtimes.house import HouseBot, HousePlayer
from workers.services import Services

SHORT = EventPlan(game="hana_awase", options={"rounds": 1})
TWO = EventPlan(game="sakura", seats=2, options={"rounds": 1})
Order = Callable[[list[int]], int]


def organiser(database: Database) -> Account:
    """Return the organiser that `arena.install` made."""
    with database.transaction() as tx:
        account = accounts.authenticate(tx, arena.TOKEN)
        assert account is not None
        return account


def made(
    database: Database, bots: Sequence[str] = (), *, events: tuple[EventPlan, ...] = (SHORT,), **new: Any
) -> Ladder:
    """Store a ladder without pauses and let bots join it."""
    by = organiser(database)
    given = {"name": "rung", "deals": 1, "round_seconds": 0, "closing_deals": 2, "secret_seed": SECRET, **new}
    with database.transaction() as tx:
        ladder_id = ladders.create(tx, NewLadder(events=events, **given), organiser_id=by.id, now=NOW).id
        members.join(tx, ladders.locked(tx, ladder_id), bots, by, NOW)
    return again(database, ladder_id)


def again(database: Database, ladder_id: UUID) -> Ladder:
    """Return a ladder as it is in the database."""
    with database.transaction() as tx:
        return ladders.get(tx, ladder_id)


def last(database: Database, ladder_id: UUID) -> Season:
    """Return the present season of a ladder."""
    return ladders.season(again(database, ladder_id))


def play_rounds(services: Services, ladder_id: UUID, rounds: int, order: Order = min) -> None:
    """Play until so many rounds of the present season are in the ratings; `order` picks the next batch."""
    while (season := last(services.database, ladder_id)).applied < rounds:
        ladder.advance(services, season.tournament_id)
        if not play_open(services, {season.tournament_id}, order):
            return


def end_season(services: Services, ladder_id: UUID, order: Order = min) -> Season:
    """End the present season and play until its standings are frozen; return it."""
    with services.database.transaction() as tx:
        number = ladders.season(ladders.end_season(tx, ladder_id)).number
    return play_season(services, ladder_id, number, order)


def play_season(services: Services, ladder_id: UUID, number: int, order: Order = min) -> Season:
    """Play a season until its standings are frozen, and nothing else; return it."""
    while True:
        season = ladders.season(again(services.database, ladder_id), number)
        if season.phase is SeasonPhase.OVER:
            return season
        ladder.advance(services, season.tournament_id)
        if not play_open(services, {season.tournament_id, season.closing_id}, order):
            settle(services)


def settle(services: Services) -> None:
    """Do what the sweep does beside sending batches again: open those of tournaments, freeze seasons."""
    with services.database.transaction() as tx:
        running = blocks.running(tx)
        for tournament_id in seasons.unsettled(tx):
            seasons.settle(tx, tournament_id, NOW)
    for tournament_id in running:
        advance.tournament(services, tournament_id)


def play_open(services: Services, tournament_ids: Set[UUID | None], order: Order = min) -> int:
    """Play the batches of these tournaments that are open, and return how many; what they open is left."""
    with services.database.transaction() as tx:
        query = select(Batch.id).join(Event, Event.id == Batch.event_id)
        wanted = query.where(Batch.state == BatchState.OPEN, Event.tournament_id.in_(tournament_ids))
        waiting = list(tx.scalars(wanted.order_by(Batch.id)))
    count = len(waiting)
    while waiting:
        chosen = order(waiting)
        waiting.remove(chosen)
        batch.play(services, chosen)
    return count


def play_as_house(monkeypatch: pytest.MonkeyPatch, failing: Set[UUID] = frozenset()) -> None:
    """Let modules play as house/greedy does, without a sandbox; the versions in `failing` always fault."""

    def open_bot(services: Services, contestant: Contestant, setting: Setting, event_index: int) -> HouseBot:
        name = contestant.name if contestant.kind is BotKind.HOUSE else "greedy"
        kind = Failing if contestant.version_id in failing else HouseBot
        return kind(name, setting.game, lambda _, seat: house_stream(event_index, 0, seat))

    monkeypatch.setattr(contestants, "open_bot", open_bot)


class Failing(HouseBot):
    """A bot that faults at every decision."""

    def player(self, name: str, seat: int) -> HousePlayer:
        return FailingPlayer(FirstPolicy(self._game, Stream("unused")))


class FailingPlayer(HousePlayer):
    """A player that faults at every decision."""

    async def act(self, ask: Ask) -> Answer:
        return Fault(code=FaultCode.EXCEPTION, detail="it raised", evidence={})
