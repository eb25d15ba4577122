"""Bots of one owner that are kept apart: who meets, who fills up, and what the record says of it."""

import json
from itertools import combinations

import pytest
from sqlalchemy import select, update
from support import arena
from support.ledgers import chained

from engine import verify
from engine.ledger import WrongLine
from store import records, seating, tournaments
from store.database import Database
from store.models.accounts import Account
from store.models.bots import Bot, BotKind
from store.models.tournaments import Event, Tournament
from store.plans import EventPlan, Plan
from workers.services import Services

HOUSE = ("greedy", "first", "random")  # whom they play as
EVENT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 1}


@pytest.fixture
def services(database: Database) -> Services:
    """Services on each database."""
    return arena.install(database)


def submitted(database: Database, owners: list[int]) -> list[str]:
    """Make bots of these owners that count as uploaded ones; return their names."""
    arena.crowd(database, len(owners))
    set_kind(database, BotKind.MODULE)
    names = [HOUSE[owners[:number].count(owner)] for number, owner in enumerate(owners)]
    with database.transaction() as tx:
        accounts = {account.name: account.id for account in tx.scalars(select(Account))}
        made = [
            tx.scalars(select(Bot.id).where(Bot.owner_id == accounts[f"owner{number}"])).one()
            for number in range(len(owners))
        ]
        for bot_id, owner, name in zip(made, owners, names, strict=True):
            given = {"name": name, "owner_id": accounts[f"owner{owner}"]}
            tx.change(update(Bot).where(Bot.id == bot_id).values(**given))
    return [f"owner{owner}/{name}" for owner, name in zip(owners, names, strict=True)]


def set_kind(database: Database, kind: BotKind) -> None:
    with database.transaction() as tx:
        owned = Bot.owner.has(Account.name.startswith("owner"))
        tx.change(update(Bot).where(owned).values(kind=kind))


def tables(event: Event) -> set[tuple[int, ...]]:
    schedule = seating.schedule_of(event)
    slots = (schedule.slot(number) for number in range(schedule.matches))
    return {tuple(sorted(seating.table_of(event, slot))) for slot in slots}


def cup(database: Database, owners: list[int], **plan: object) -> Tournament:
    return arena.started(
        database, EVENT, entrants=tuple(submitted(database, owners)), owners_apart=True, **plan
    )


@pytest.mark.parametrize(
    ("owners", "fillers"), [([0, 0, 1, 2, 3], 0), ([0, 0, 1], 1), ([0, 0, 0], 2), ([0, 1, 2, 2, 1, 0], 0)]
)
def test_all_tables_without_siblings_are_played(services: Services, owners: list[int], fillers: int) -> None:
    tournament = cup(services.database, owners)
    (event,) = tournament.events
    everybody = range(len(owners) + fillers)
    assert len(tournament.entrants) == len(everybody)
    owner_of = {number: owner for number, owner in enumerate(owners)}
    expected = {
        table
        for table in combinations(everybody, 3)
        if len({owner_of.get(number, -number) for number in table}) == 3
    }
    assert tables(event) == expected
    with services.database.transaction() as tx:
        names = tuple(entrant.name for entrant in tournament.entrants if not entrant.filler)
        plan = Plan(name="cup", events=(EventPlan(**EVENT),), entrants=names, owners_apart=True)
        planned = tournaments.dry_run(tx, plan)["events"][0]
    assert (planned["tables"], planned["fillers"]) == (len(expected), fillers)
    assert planned["matches"] == event.matches


def test_house_bots_meet_each_other(services: Services) -> None:
    tournament = arena.started(services.database, EVENT, owners_apart=True)
    assert tables(tournament.events[0]) == {(0, 1, 2)}


def test_the_record_says_who_was_kept_apart_and_a_forged_one_is_refused(services: Services) -> None:
    tournament = cup(services.database, [0, 0, 1, 2])
    set_kind(services.database, BotKind.HOUSE)  # so that they play as house/greedy does
    arena.play_all(services)
    set_kind(services.database, BotKind.MODULE)
    pages = b"".join(records.stream(services.database, tournament.id))
    lines = pages.splitlines(keepends=True)
    assert verify.check(iter(lines)).matches == tournament.events[0].matches
    parsed = [json.loads(line) for line in lines]
    assert (parsed[0]["owners_apart"], parsed[0]["events"][0]["apart"]) == (True, [0, 0, 2, 3])
    parsed[0]["owners_apart"] = False
    with pytest.raises(
        WrongLine, match=r"line 1: apart of event 0 is \[0, 0, 2, 3\]; by its entrants it is \[\]"
    ):
        verify.check(chained(parsed))
