"""Accounts, tokens, the organiser of the settings, and the house."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from engine.policies import HOUSE_NAMES
from store import accounts, bots
from store.database import Database, Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account, Role, Token
from store.models.bots import Bot, Version, VersionState

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def created(tx: Transaction, name: str = "ann", role: Role = Role.PARTICIPANT) -> Account:
    return accounts.create(tx, name, role, NOW)


def test_an_issued_token_signs_its_account_in(database: Database) -> None:
    with database.transaction() as tx:
        account = created(tx)
        _, text = accounts.issue_token(tx, account.id, NOW)
    with database.transaction() as tx:
        found = accounts.authenticate(tx, text)
        assert found is not None
        assert (found.id, found.name, found.role) == (account.id, "ann", Role.PARTICIPANT)


def test_a_token_is_kept_as_its_hash_alone(database: Database) -> None:
    with database.transaction() as tx:
        _, text = accounts.issue_token(tx, created(tx).id, NOW)
        stored = tx.scalars(select(Token)).one()
    assert text.startswith("fdb_")
    assert len(text) >= 40
    assert text not in str(vars(stored))


@pytest.mark.parametrize("text", ["", "fdb_", "no such token", "\x00", "é"])
def test_an_unknown_token_signs_nobody_in(database: Database, text: str) -> None:
    with database.transaction() as tx:
        created(tx)
        assert accounts.authenticate(tx, text) is None


@pytest.mark.parametrize("name", ["a", "A-b_c.9", "x" * 40])
def test_names_of_letters_digits_and_a_few_signs_are_taken(database: Database, name: str) -> None:
    with database.transaction() as tx:
        assert created(tx, name).name == name


@pytest.mark.parametrize("name", ["", "x" * 41, "a b", "a/b", "é", "a\n", "\x00", "札場"])
def test_other_names_are_refused_naming_the_field(database: Database, name: str) -> None:
    with database.transaction() as tx, pytest.raises(BadRequest, match="expected 1 to 40") as caught:
        created(tx, name)
    assert caught.value.field == "name"


def test_a_name_is_taken_once(database: Database) -> None:
    with database.transaction() as tx:
        created(tx)
    with database.transaction() as tx, pytest.raises(Conflict, match="'ann' is taken"):
        created(tx)


def test_nobody_becomes_the_house(database: Database) -> None:
    with database.transaction() as tx:
        with pytest.raises(BadRequest, match="role"):
            created(tx, "home", Role.HOUSE)
        with pytest.raises(Conflict, match="taken"):
            created(tx, "house")


def test_the_house_does_not_sign_in(database: Database) -> None:
    with database.transaction() as tx:
        house = accounts.ensure_house_bots(tx, NOW)
        with pytest.raises(Forbidden):
            accounts.issue_token(tx, house.id, NOW)


def test_a_token_of_nobody_is_not_issued(database: Database) -> None:
    with database.transaction() as tx, pytest.raises(NotFound):
        accounts.issue_token(tx, uuid4(), NOW)


def test_a_revoked_token_is_dead_and_revoking_again_changes_nothing(database: Database) -> None:
    with database.transaction() as tx:
        account = created(tx)
        token, text = accounts.issue_token(tx, account.id, NOW)
        _, other = accounts.issue_token(tx, account.id, NOW)
    for _ in range(2):
        with database.transaction() as tx:
            accounts.revoke(tx, token.id, by=account, now=NOW)
    with database.transaction() as tx:
        assert accounts.authenticate(tx, text) is None
        assert accounts.authenticate(tx, other) is not None


def test_a_token_is_revoked_by_its_owner_and_by_organisers_alone(database: Database) -> None:
    with database.transaction() as tx:
        token, text = accounts.issue_token(tx, created(tx).id, NOW)
        stranger, organiser = created(tx, "bea"), created(tx, "org", Role.ORGANISER)
        with pytest.raises(NotFound):
            accounts.revoke(tx, token.id, by=stranger, now=NOW)
        accounts.revoke(tx, token.id, by=organiser, now=NOW)
        assert accounts.authenticate(tx, text) is None


def test_the_organiser_of_the_settings_is_made_once(database: Database) -> None:
    for _ in range(2):
        with database.transaction() as tx:
            accounts.ensure_organiser(tx, "one-token", NOW)
    with database.transaction() as tx:
        assert tx.scalar(select(func.count()).select_from(Account)) == 1
        found = accounts.authenticate(tx, "one-token")
        assert found is not None
        assert found.role is Role.ORGANISER


def test_another_token_of_the_settings_takes_the_place_of_the_one_before(database: Database) -> None:
    with database.transaction() as tx:
        organiser = accounts.ensure_organiser(tx, "old", NOW)
        _, issued = accounts.issue_token(tx, organiser.id, NOW)
    with database.transaction() as tx:
        accounts.ensure_organiser(tx, "new", NOW)
    with database.transaction() as tx:
        assert accounts.authenticate(tx, "old") is None
        assert accounts.authenticate(tx, "new") is not None
        assert accounts.authenticate(tx, issued) is not None


def test_an_issued_token_can_become_that_of_the_settings(database: Database) -> None:
    with database.transaction() as tx:
        organiser = accounts.ensure_organiser(tx, "old", NOW)
        token, issued = accounts.issue_token(tx, organiser.id, NOW)
        accounts.revoke(tx, token.id, by=organiser, now=NOW)
    with database.transaction() as tx:
        accounts.ensure_organiser(tx, issued, NOW)
    with database.transaction() as tx:
        assert accounts.authenticate(tx, issued) is not None
        assert accounts.authenticate(tx, "old") is None


@pytest.mark.parametrize("token", ["", "two words", "é", "a\n"])
def test_a_token_that_no_header_carries_is_refused(database: Database, token: str) -> None:
    with database.transaction() as tx, pytest.raises(BadRequest, match="organiser's token"):
        accounts.ensure_organiser(tx, token, NOW)


def test_the_token_of_somebody_else_is_not_the_organisers(database: Database) -> None:
    with database.transaction() as tx:
        _, text = accounts.issue_token(tx, created(tx).id, NOW)
        with pytest.raises(Conflict, match="another account"):
            accounts.ensure_organiser(tx, text, NOW)


def test_the_house_has_an_active_bot_for_every_policy(database: Database) -> None:
    for _ in range(2):
        with database.transaction() as tx:
            accounts.ensure_house_bots(tx, NOW)
    with database.transaction() as tx:
        assert set(tx.scalars(select(Bot.name))) == set(HOUSE_NAMES)
        assert tx.scalar(select(func.count()).select_from(Version)) == len(HOUSE_NAMES)
        for name in HOUSE_NAMES:
            version = bots.active_version(tx, bots.by_reference(tx, f"house/{name}"))
            assert version is not None
            assert (version.number, version.state) == (1, VersionState.QUALIFIED)
