"""Who may see, change and delete which bot, and what becomes of a deleted bot's entries."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from support import arena
from support.arena import NOW
from support.owners import owner, qualified_bot

from store import access, bots, entries, tournaments
from store.database import Database, Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account, Role
from store.models.bots import Bot, Visibility
from store.models.tournaments import Tournament

Asked = Callable[[Transaction, UUID, Account], Bot]


def hide(database: Database, bot_id: UUID, by: Account) -> None:
    with database.transaction() as tx:
        access.change(tx, access.locked(tx, bot_id, by), visibility=Visibility.PRIVATE, is_off=None)


def delete(database: Database, bot_id: UUID, by: Account) -> None:
    with database.transaction() as tx:
        access.delete(tx, access.locked(tx, bot_id, by), NOW)


def names(tournament: Tournament) -> list[tuple[int, str]]:
    return [(entrant.number, entrant.name) for entrant in tournament.entrants]


def test_pages_of_bots_show_each_once_the_newest_first(database: Database) -> None:
    ann = owner(database, "ann")
    made = {qualified_bot(database, ann, f"b{number}").bot_id for number in range(7)}  # all at one time
    seen: list[UUID] = []
    after = None
    while True:
        with database.transaction() as tx:
            rows = access.page(tx, ann, limit=3, after=after, owner="ann")
        later = qualified_bot(database, ann, f"new{len(seen)}")
        with database.transaction() as tx:
            bots.get(tx, later.bot_id).created_at = NOW + timedelta(seconds=1)
        if not rows:
            break
        seen += [bot.id for bot in rows]
        after = (rows[-1].created_at, rows[-1].id)
    assert len(seen) == len(set(seen)) == 7
    assert set(seen) == made
    assert seen == sorted(seen, reverse=True)


def test_the_inside_of_a_bot_is_its_owners_and_organisers_alone(database: Database) -> None:
    ann, bea = owner(database, "ann"), owner(database, "bea")
    organiser = owner(database, "org", Role.ORGANISER)
    bot_id = qualified_bot(database, ann).bot_id
    with database.transaction() as tx:
        for account in (ann, organiser):
            assert access.private(tx, bot_id, account).id == bot_id
        with pytest.raises(Forbidden):
            access.private(tx, bot_id, bea)
        for account in (bea, organiser):
            with pytest.raises(Forbidden):
                access.owned(tx, bot_id, account)
        with pytest.raises(NotFound):
            access.private(tx, uuid4(), ann)


@pytest.mark.parametrize("ask", [access.seen, access.private, access.owned, access.locked])
def test_a_private_bot_is_not_there_for_others(database: Database, ask: Asked) -> None:
    ann, bea = owner(database, "ann"), owner(database, "bea")
    organiser = owner(database, "org", Role.ORGANISER)
    bot_id = qualified_bot(database, ann).bot_id
    hide(database, bot_id, ann)
    with database.transaction() as tx:
        assert ask(tx, bot_id, ann).id == bot_id
        with pytest.raises(NotFound):
            ask(tx, bot_id, bea)
        listed = {
            account.name: [bot.id for bot in access.page(tx, account, limit=9, owner="ann")]
            for account in (ann, bea, organiser)
        }
        assert listed == {"ann": [bot_id], "bea": [], "org": [bot_id]}
        with pytest.raises(BadRequest, match="there is no bot"):
            access.require_enterable(tx, ["ann/b"], bea)


def test_a_bot_that_is_off_enters_nothing(database: Database) -> None:
    arena.install(database)
    ann = owner(database, "ann")
    bot_id = qualified_bot(database, ann).bot_id
    for is_off in (True, False):
        with database.transaction() as tx:
            access.change(tx, access.locked(tx, bot_id, ann), visibility=None, is_off=is_off)
        if is_off:
            with pytest.raises(BadRequest, match="switched off") as refused:
                arena.draft(database, entrants=("house/first", "ann/b"))
            assert refused.value.field == "entrants.1"
    assert names(arena.draft(database, entrants=("ann/b",))) == [(0, "ann/b")]


def test_a_deleted_bot_leaves_drafts_and_the_others_move_up(database: Database) -> None:
    arena.install(database)
    ann = owner(database, "ann")
    bot_id = qualified_bot(database, ann).bot_id
    draft = arena.draft(database, entrants=("house/first", "ann/b", "house/random", "house/greedy"))
    delete(database, bot_id, ann)
    left = [(0, "house/first"), (1, "house/random"), (2, "house/greedy")]
    assert names(arena.again(database, draft)) == left
    with database.transaction() as tx:
        assert len(tournaments.start(tx, draft.id, NOW).entrants) == 3


def test_a_bot_that_plays_is_not_deleted(database: Database) -> None:
    made = arena.install(database)
    ann = owner(database, "ann")
    version = qualified_bot(database, ann)
    running = arena.started(database, entrants=("house/first", "ann/b", "house/random"))
    with pytest.raises(Conflict, match="plays in 'cup', which is running"):
        delete(database, version.bot_id, ann)
    with made.database.transaction() as tx:
        tournaments.cancel(tx, running.id, NOW)
    delete(database, version.bot_id, ann)
    assert names(arena.again(database, running))[1] == (1, "ann/b")


def test_a_deleted_bot_is_gone_but_keeps_its_name(database: Database) -> None:
    ann = owner(database, "ann")
    bot_id = qualified_bot(database, ann).bot_id
    delete(database, bot_id, ann)
    with database.transaction() as tx:
        for reference in ("ann/b", str(bot_id)):
            with pytest.raises(NotFound):
                bots.by_reference(tx, reference)
            with pytest.raises(BadRequest):
                entries.playable(tx, [reference])
        assert access.page(tx, ann, limit=9) == []
        assert bots.version_by_id(tx, bots.version(tx, bot_id, 1).id).bot.name == "b"
    with pytest.raises(Conflict, match="its name stays taken"):
        qualified_bot(database, ann)
