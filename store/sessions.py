"""Sessions of the web pages: they hold on to the token that was signed in with, and end with it."""

import hashlib
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import joinedload

from store.database import Transaction
from store.models.accounts import Account, Role, Token


def begin(tx: Transaction, text: str) -> UUID | None:
    """Return the id of the token with this text; None when it is unknown, revoked or of the house."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return _id_of(tx.scalar(_valid().where(Token.sha256 == sha256)))


def account(tx: Transaction, token_id: UUID) -> Account | None:
    """Return the account that the token belongs to; None once it is revoked."""
    token = tx.scalar(_valid().where(Token.id == token_id))
    return None if _id_of(token) is None or token is None else token.account


def _valid() -> Select[Token]:
    return select(Token).options(joinedload(Token.account)).where(Token.revoked_at.is_(None))


def _id_of(token: Token | None) -> UUID | None:
    return None if token is None or token.account.role is Role.HOUSE else token.id
