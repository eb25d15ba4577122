"""Owners with bots that have qualified, without a worker."""

from uuid import UUID

from support.arena import NOW

from store import accounts, bots, uploads
from store.database import Database, Transaction
from store.models.accounts import Account, Role
from store.models.bots import Version

CODE = b"def act(observation):\n    return observation['legal'][0]\n"


def owner(database: Database, name: str, role: Role = Role.PARTICIPANT) -> Account:
    """Make an account."""
    with database.transaction() as tx:
        return accounts.create(tx, name, role, NOW)


def qualified_bot(database: Database, account: Account, name: str = "b", code: bytes = CODE) -> Version:
    """Submit a module and let it qualify."""
    with database.transaction() as tx:
        version = bots.submit_module(tx, account, name, uploads.inspect(code, "bot.py"), code, (), NOW)
        qualify(tx, version.id)
    return version


def qualify(tx: Transaction, version_id: UUID, *, ok: bool = True) -> None:
    """Decide the qualification of a version."""
    attempt = bots.claim_qualification(tx, version_id, lease_seconds=30, now=NOW)
    assert attempt is not None
    assert bots.record_qualification(tx, version_id, attempt, {"ok": ok, "games": []}, ok)
