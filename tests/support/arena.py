"""Builders: an installation with house bots, tournaments that run, and batches played without a broker."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from store import accounts, batches, blocks, tournaments
from store.database import Database
from store.models.accounts import Account, Role
from store.models.bots import Bot, BotKind, Version, VersionState
from store.models.tournaments import Tournament
from store.plans import EventPlan, Plan
from store.settings import Settings
from workers import advance, batch, services
from workers.services import Services

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TOKEN = "a-token-for-the-organiser-of-tests"
NO_BROKER = "redis://127.0.0.1:1/0"  # nothing listens there: every message is lost
SECRET = bytes(range(32))
HOUSE = ("house/random", "house/greedy", "house/first")


def install(database: Database, **settings: str) -> Services:
    """Return services on this database with an organiser and house bots, and no broker."""
    env = {"FUDABA_DATABASE_URL": database.url, "REDIS_URL": NO_BROKER, **settings}
    made = replace(Services.of(Settings.from_env(env)), database=database)
    services.install(made)
    with database.transaction() as tx:
        accounts.ensure_organiser(tx, TOKEN, NOW)
        accounts.ensure_house_bots(tx, NOW)
    return made


def crowd(database: Database, owners: int) -> list[str]:
    """Make so many owners with a bot each that plays as house/greedy does; return the names of the bots."""
    with database.transaction() as tx:
        for number in range(owners):
            account = Account(name=f"owner{number}", role=Role.PARTICIPANT, created_at=NOW)
            version = Version(
                number=1, state=VersionState.QUALIFIED, sha256="0" * 64, games=[], created_at=NOW
            )
            bot = Bot(owner=account, name="greedy", kind=BotKind.HOUSE, active_number=1, created_at=NOW)
            bot.versions = [version]
            tx.add(bot)
    return [f"owner{number}/greedy" for number in range(owners)]


def organiser_id(database: Database) -> UUID:
    """Return the id of the organiser that `install` made."""
    with database.transaction() as tx:
        account = accounts.authenticate(tx, TOKEN)
        assert account is not None
        return account.id


def draft(database: Database, *events: Mapping[str, Any], **plan: Any) -> Tournament:
    """Store a draft; by default two deals of one short round of hana_awase between three house bots."""
    short = ({"game": "hana_awase", "options": {"rounds": 1}, "deals": 2},)
    given = {"name": "cup", "entrants": HOUSE, "secret_seed": SECRET, **plan}
    made = Plan(events=tuple(EventPlan(**event) for event in events or short), **given)
    owner = organiser_id(database)
    with database.transaction() as tx:
        return tournaments.create(tx, made, organiser_id=owner, now=NOW)


def move_on(made: Services, tournament: Tournament) -> None:
    """Do what a worker does that is told of a tournament."""
    advance.tournament(made, tournament.id)


def finished(made: Services, *events: Mapping[str, Any], **plan: Any) -> Tournament:
    """Store, start and play a tournament."""
    tournament = started(made.database, *events, **plan)
    play_all(made)
    return again(made.database, tournament)


def started(database: Database, *events: Mapping[str, Any], **plan: Any) -> Tournament:
    """Store and start a tournament, with the first batches of every event open."""
    tournament = draft(database, *events, **plan)
    with database.transaction() as tx:
        tournaments.start(tx, tournament.id, NOW)
    for event in tournament.events:
        with database.transaction() as tx:
            blocks.advance(tx, event.id, NOW)
    return again(database, tournament)


def again(database: Database, tournament: Tournament) -> Tournament:
    """Return a tournament as it is in the database."""
    with database.transaction() as tx:
        return tournaments.get(tx, tournament.id)


def play_all(made: Services, most: int = 10_000, *, backwards: bool = False) -> int:
    """Play open batches of all running tournaments until there are none; return how many.

    The oldest first, or with `backwards` the newest.
    """
    for played in range(most):
        with made.database.transaction() as tx:
            lost = batches.lost(tx, made.clock(), -1, lease_seconds=30)
        if not lost:
            return played
        batch.play(made, lost[-1 if backwards else 0])
    return most
