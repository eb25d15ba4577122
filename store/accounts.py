"""Accounts: who owns bots and who organises, their tokens, and the house with its bots."""

import hashlib
import re
import secrets
from datetime import datetime
from uuid import UUID, uuid4, uuid5

from sqlalchemy import and_, or_, select, update
from sqlalchemy.orm import joinedload

from engine.policies import HOUSE_NAMES
from store.database import Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account, Role, Token
from store.models.bots import Bot, BotKind, Version, VersionState
from store.upserts import insert_missing

TOKEN_PREFIX = "fdb_"
TOKEN_BYTES = 32
HOUSE_NAME = "house"
ORGANISER_NAME = "organiser"
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}", re.ASCII)
_PRINTABLE = re.compile(r"[\x21-\x7e]+", re.ASCII)


def check_name(name: str, *, field: str = "name") -> str:
    """Return `name`, or raise BadRequest: letters, digits and `-_.`, 1 to 40 characters."""
    if not NAME.fullmatch(name):
        raise BadRequest(
            f"{field} is {name[:80]!r}; expected 1 to 40 letters, digits, '-', '_' or '.'", field=field
        )
    return name


def create(tx: Transaction, name: str, role: Role, now: datetime) -> Account:
    """Return a new account; raises BadRequest for a bad name or role, Conflict for a taken name."""
    check_name(name)
    if role is Role.HOUSE:
        raise BadRequest("role is 'house'; expected organiser or participant", field="role")
    account_id = uuid4()
    taken = Conflict(f"the name {name!r} is taken")
    if name == HOUSE_NAME:
        raise taken
    insert_missing(tx, Account, [{"id": account_id, "name": name, "role": role, "created_at": now}])
    account = tx.get(Account, account_id)
    if account is None:
        raise taken
    return account


def get(tx: Transaction, account_id: UUID) -> Account:
    """Return an account; raises NotFound."""
    account = tx.get(Account, account_id)
    if account is None:
        raise NotFound(f"there is no account {account_id}")
    return account


def issue_token(tx: Transaction, account_id: UUID, now: datetime) -> tuple[Token, str]:
    """Return a new token of an account and its text, which is not kept; raises NotFound, Forbidden."""
    if get(tx, account_id).role is Role.HOUSE:
        raise Forbidden("the house does not sign in")
    text = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    token = Token(account_id=account_id, sha256=_sha256(text), created_at=now)
    tx.add(token)
    tx.flush()
    return token, text


def authenticate(tx: Transaction, token: str) -> Account | None:
    """Return the account that `token` belongs to; None when it is unknown or revoked."""
    found = tx.scalar(
        select(Token)
        .options(joinedload(Token.account))
        .where(Token.sha256 == _sha256(token), Token.revoked_at.is_(None))
    )
    if found is None or found.account.role is Role.HOUSE:
        return None
    return found.account


def tokens(
    tx: Transaction, account_id: UUID, *, limit: int, after: tuple[datetime, UUID] | None = None
) -> list[Token]:
    """Return at most `limit` tokens of an account, the newest first, those after the place `after`."""
    query = select(Token).where(Token.account_id == account_id)
    if after is not None:
        moment, token_id = after
        same = and_(Token.created_at == moment, Token.id < token_id)
        query = query.where(or_(Token.created_at < moment, same))
    return list(tx.scalars(query.order_by(Token.created_at.desc(), Token.id.desc()).limit(limit)))


def rotate(tx: Transaction, token_id: UUID, *, by: Account, now: datetime) -> tuple[Token, str]:
    """End a token and return another one of its account, with its text; raises NotFound, Conflict."""
    token = _known(tx, token_id, by)
    ended = tx.change(
        update(Token).where(Token.id == token_id, Token.revoked_at.is_(None)).values(revoked_at=now)
    )
    if not ended:
        raise Conflict(f"token {token_id} is revoked already")
    return issue_token(tx, token.account_id, now)


def revoke(tx: Transaction, token_id: UUID, *, by: Account, now: datetime) -> None:
    """End a token; a second time changes nothing. Raises NotFound, also when `by` may not know of it."""
    _known(tx, token_id, by)
    tx.execute(update(Token).where(Token.id == token_id, Token.revoked_at.is_(None)).values(revoked_at=now))


def ensure_organiser(tx: Transaction, token: str, now: datetime) -> Account:
    """Return the account `organiser`, for which `token` is valid from here on.

    It is the token of the settings: another one given later takes its place, and the one before ends. Tokens
    that were issued otherwise stay as they are. Raises BadRequest for a token that no header can carry,
    Conflict for one that belongs to somebody else.
    """
    if not _PRINTABLE.fullmatch(token):
        raise BadRequest("the organiser's token is empty or holds blanks or other than ASCII characters")
    insert_missing(
        tx,
        Account,
        [{"id": uuid4(), "name": ORGANISER_NAME, "role": Role.ORGANISER, "created_at": now}],
    )
    account = tx.scalars(select(Account).where(Account.name == ORGANISER_NAME)).one()
    if account.role is not Role.ORGANISER:
        raise Conflict(f"the account {ORGANISER_NAME!r} is not an organiser's")
    other = tx.scalar(select(Token).where(Token.sha256 == _sha256(token)))
    from_settings = uuid5(account.id, "settings")
    if other is not None and other.account_id != account.id:
        raise Conflict("the organiser's token belongs to another account")
    if other is not None and other.id != from_settings:
        other.revoked_at = None
        tx.execute(update(Token).where(Token.id == from_settings).values(revoked_at=now))
        return account
    tx.merge(
        Token(
            id=from_settings,
            account_id=account.id,
            sha256=_sha256(token),
            created_at=other.created_at if other is not None else now,
            revoked_at=None,
        )
    )
    tx.flush()
    return account


def ensure_house_bots(tx: Transaction, now: datetime) -> Account:
    """Return the account of the house, which owns an active bot for every house policy."""
    insert_missing(tx, Account, [{"id": uuid4(), "name": HOUSE_NAME, "role": Role.HOUSE, "created_at": now}])
    house = tx.scalars(select(Account).where(Account.name == HOUSE_NAME)).one()
    bots = [
        {
            "id": uuid4(),
            "owner_id": house.id,
            "name": name,
            "kind": BotKind.HOUSE,
            "active_number": 1,
            "created_at": now,
        }
        for name in HOUSE_NAMES
    ]
    insert_missing(tx, Bot, bots)
    versions = [
        {
            "id": uuid4(),
            "bot_id": bot.id,
            "number": 1,
            "state": VersionState.QUALIFIED,
            "sha256": _sha256(bot.name),
            "games": [],
            "created_at": now,
        }
        for bot in tx.scalars(select(Bot).where(Bot.owner_id == house.id))
    ]
    insert_missing(tx, Version, versions)
    return house


def _known(tx: Transaction, token_id: UUID, by: Account) -> Token:
    token = tx.get(Token, token_id)
    if token is None or (token.account_id != by.id and by.role is not Role.ORGANISER):
        raise NotFound(f"there is no token {token_id}")
    return token


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
