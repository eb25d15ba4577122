"""Bots: submitting, versions, qualification, what plays, and what owners see."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select
from support.callers import NOBODY

from engine import games
from store import accounts, blobs, bots, evidence, uploads
from store.bots import Endpoint
from store.database import Database, Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.accounts import Account, Role
from store.models.bots import Blob, BotLog, Version, VersionState

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=60)
CODE = b"def act(observation):\n    return 0\n"
OTHER = b"def act(observation):\n    return observation['legal'][0]\n"
URL = "https://bots.example/play"


@pytest.fixture
def owner(database: Database) -> Account:
    with database.transaction() as tx:
        return accounts.create(tx, "ann", Role.PARTICIPANT, NOW)


def module(
    tx: Transaction, owner: Account, content: bytes = CODE, name: str = "b", games: tuple[str, ...] = ()
) -> Version:
    upload = uploads.inspect(content, "bot.py")
    return bots.submit_module(tx, owner, name, upload, content, games, NOW)


def qualified(tx: Transaction, version: Version, *, ok: bool = True) -> None:
    attempt = bots.claim_qualification(tx, version.id, lease_seconds=30, now=NOW)
    assert attempt is not None
    assert bots.record_qualification(tx, version.id, attempt, {"ok": ok}, ok)


def test_versions_are_numbered_and_keep_their_content(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        first, second = module(tx, owner), module(tx, owner, OTHER)
    assert (first.number, second.number) == (1, 2)
    assert first.bot_id == second.bot_id
    with database.transaction() as tx:
        found = bots.version(tx, first.bot_id, 1)
        assert blobs.get(tx, found.sha256) == CODE
        assert (found.filename, found.size, found.state) == ("b.py", len(CODE), VersionState.QUALIFYING)


def test_the_same_content_is_the_same_version(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        ids = {module(tx, owner).id for _ in range(2)}
        module(tx, owner, OTHER)
        ids.add(module(tx, owner).id)
    assert len(ids) == 1


def test_a_submission_sent_many_times_at_once_is_one_version(database: Database, owner: Account) -> None:
    def submit(_: int) -> tuple[str, int]:
        with database.transaction() as tx:
            version = module(tx, owner)
            return str(version.id), version.number

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(submit, range(8)))) == 1


def test_the_same_content_for_other_games_is_another_version(database: Database, owner: Account) -> None:
    one, two = (game.id for game in games.all_games()[:2])
    with database.transaction() as tx:
        first = module(tx, owner, games=(one,))
        assert module(tx, owner, games=(two,)).number == 2
        assert module(tx, owner, games=(one, one)).id == first.id
        assert tx.scalar(select(func.count()).select_from(Blob)) == 1


def test_games_are_kept_in_the_order_of_the_registry(database: Database, owner: Account) -> None:
    known = [game.id for game in games.all_games()]
    with database.transaction() as tx:
        assert module(tx, owner, games=tuple(reversed(known))).games == known


def test_an_unknown_game_is_refused_naming_the_field(database: Database, owner: Account) -> None:
    with database.transaction() as tx, pytest.raises(BadRequest, match="'go' is unknown") as caught:
        module(tx, owner, games=("go",))
    assert caught.value.field == "games"


def test_two_owners_may_use_the_same_name(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        other = accounts.create(tx, "bea", Role.PARTICIPANT, NOW)
        assert module(tx, owner).bot_id != module(tx, other).bot_id


def test_a_bot_does_not_change_its_kind(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        module(tx, owner)
        with pytest.raises(Conflict, match="b is a module bot"):
            bots.submit_endpoint(tx, owner, "b", Endpoint(url=URL), (), NOW)


def test_the_secret_of_an_endpoint_is_told_once_and_shared_by_its_versions(
    database: Database, owner: Account
) -> None:
    with database.transaction() as tx:
        first, secret = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL), (), NOW)
        again, none = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL), (), NOW)
        second, nothing = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL, max_batch=2), (), NOW)
    assert secret is not None
    assert len(bytes.fromhex(secret)) == 32
    assert (none, nothing) == (None, None)
    assert again.id == first.id
    assert second.number == 2
    assert first.secret == second.secret == secret


def test_a_refused_endpoint_may_try_again(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        first, _ = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL), (), NOW)
        qualified(tx, first, ok=False)
    with database.transaction() as tx:
        second, secret = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL), (), NOW)
    assert (second.number, second.state, secret) == (2, VersionState.QUALIFYING, None)


def test_another_secret_holds_for_all_versions(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        version, before = bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL), (), NOW)
        bots.submit_endpoint(tx, owner, "e", Endpoint(url=URL + "2"), (), NOW)
        after = bots.rotate_secret(tx, version.bot)
        assert after != before
    with database.transaction() as tx:
        assert set(tx.scalars(select(Version.secret))) == {after}


def test_a_module_has_no_secret(database: Database, owner: Account) -> None:
    with database.transaction() as tx, pytest.raises(Conflict, match="only endpoints"):
        bots.rotate_secret(tx, module(tx, owner).bot)


@pytest.mark.parametrize(
    ("endpoint", "field"),
    [
        (Endpoint(url=""), "url"),
        (Endpoint(url="https://x.example/" + "a" * 2_000), "url"),
        (Endpoint(url=URL, max_batch=0), "max_batch"),
        (Endpoint(url=URL, max_batch=65), "max_batch"),
        (Endpoint(url=URL, max_in_flight=0), "max_in_flight"),
        (Endpoint(url=URL, max_in_flight=65), "max_in_flight"),
    ],
)
def test_numbers_of_an_endpoint_have_limits(
    database: Database, owner: Account, endpoint: Endpoint, field: str
) -> None:
    with database.transaction() as tx, pytest.raises(BadRequest) as caught:
        bots.submit_endpoint(tx, owner, "e", endpoint, (), NOW)
    assert caught.value.field == field


def test_a_bot_is_found_by_id_and_by_owner_and_name(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        bot_id = module(tx, owner).bot_id
        for reference in (str(bot_id), bot_id.hex, "ann/b"):
            assert bots.by_reference(tx, reference).id == bot_id
            assert bots.by_reference(tx, reference).owner.name == "ann"


@pytest.mark.parametrize("reference", ["", "/", "ann/", "/b", "ann/c", "bea/b", "x", NOBODY, "a\x00/b"])
def test_an_unknown_reference_is_not_found(database: Database, owner: Account, reference: str) -> None:
    with database.transaction() as tx:
        module(tx, owner)
        with pytest.raises(NotFound):
            bots.by_reference(tx, reference)


def test_versions_of_a_bot_are_listed_the_newest_first(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        (bot_id,) = {module(tx, owner, CODE + b"#" * number).bot_id for number in range(4)}
    with database.transaction() as tx:
        assert [row.number for row in bots.versions(tx, bot_id, limit=3)] == [4, 3, 2]
        assert [row.number for row in bots.versions(tx, bot_id, limit=3, before=2)] == [1]


def test_a_qualified_version_plays_from_then_on(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        version = module(tx, owner)
        assert bots.active_version(tx, version.bot) is None
        qualified(tx, version)
    with database.transaction() as tx:
        active = bots.active_version(tx, bots.get(tx, version.bot_id))
        assert active is not None
        assert (active.number, active.report) == (1, {"ok": True})


def test_an_older_version_does_not_take_the_place_of_a_newer_one(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        first, second = module(tx, owner), module(tx, owner, OTHER)
        qualified(tx, second)
        qualified(tx, first)
    with database.transaction() as tx:
        assert bots.get(tx, first.bot_id).active_number == 2
        bots.activate(tx, first.bot_id, 1)
    with database.transaction() as tx:
        assert bots.get(tx, first.bot_id).active_number == 1


def test_a_refused_version_never_plays(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        version = module(tx, owner)
        qualified(tx, version, ok=False)
    with database.transaction() as tx:
        assert bots.get(tx, version.bot_id).active_number is None
        assert bots.version(tx, version.bot_id, 1).state is VersionState.REFUSED
        with pytest.raises(Conflict, match="version 1 is refused"):
            bots.activate(tx, version.bot_id, 1)


def test_a_qualification_is_claimed_once_until_its_lease_ends(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        version_id = module(tx, owner).id
    claims: list[Callable[[Transaction], int | None]] = [
        lambda tx: bots.claim_qualification(tx, version_id, lease_seconds=30, now=NOW),
        lambda tx: bots.claim_qualification(tx, version_id, lease_seconds=30, now=NOW),
        lambda tx: bots.claim_qualification(tx, version_id, lease_seconds=30, now=LATER),
    ]
    found = []
    for claim in claims:
        with database.transaction() as tx:
            found.append(claim(tx))
    assert found == [1, None, 2]


def test_an_attempt_that_lost_its_lease_cannot_decide(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        version = module(tx, owner)
        first = bots.claim_qualification(tx, version.id, lease_seconds=30, now=NOW)
        second = bots.claim_qualification(tx, version.id, lease_seconds=30, now=LATER)
        assert first is not None
        assert second is not None
        assert not bots.renew_qualification(tx, version.id, first, LATER)
        assert bots.renew_qualification(tx, version.id, second, LATER)
        assert not bots.record_qualification(tx, version.id, first, {"by": 1}, False)
        assert bots.record_qualification(tx, version.id, second, {"by": 2}, True)
        assert not bots.record_qualification(tx, version.id, second, {"by": 3}, False)
    with database.transaction() as tx:
        found = bots.version(tx, version.bot_id, 1)
        assert (found.state, found.report) == (VersionState.QUALIFIED, {"by": 2})
        assert bots.claim_qualification(tx, version.id, lease_seconds=30, now=LATER) is None


def test_what_waits_for_qualification_is_found_the_oldest_first(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        ids = [module(tx, owner, CODE + b"#" * number).id for number in range(4)]
        for number, version_id in enumerate(ids):
            bots.version_by_id(tx, version_id).created_at = NOW + timedelta(seconds=number)
        bots.claim_qualification(tx, ids[0], lease_seconds=30, now=NOW)
        bots.mark_sent(tx, [ids[1]], NOW)
    with database.transaction() as tx:
        early = NOW - timedelta(seconds=5)
        waiting = bots.waiting_qualifications(tx, now=NOW, sent_before=early, limit=9)
        assert waiting == ids[2:]
        assert bots.waiting_qualifications(tx, now=LATER, sent_before=NOW, limit=3) == ids[:3]
        assert [bots.waiting_before(tx, bots.version_by_id(tx, one)) for one in ids] == [0, 1, 2, 3]


def test_logs_of_all_versions_are_listed_the_newest_first(database: Database, owner: Account) -> None:
    with database.transaction() as tx:
        versions = [module(tx, owner), module(tx, owner, OTHER)]
        module(tx, owner, name="another")
        for number in range(5):
            tx.add(
                BotLog(
                    version_id=versions[number % 2].id,
                    first_number=number,
                    seat=0,
                    text=f"line {number}",
                    created_at=NOW,
                )
            )
            tx.flush()
    with database.transaction() as tx:
        rows = evidence.logs(tx, versions[0].bot_id, limit=3)
        rest = evidence.logs(tx, versions[0].bot_id, limit=3, before=rows[-1].id)
    assert [row.text for row in [*rows, *rest]] == [f"line {number}" for number in (4, 3, 2, 1, 0)]
    assert [row.version for row in rows] == [1, 2, 1]
