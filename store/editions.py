"""Editions: the final standings of a tournament, frozen with its last match; an old one is never changed."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from engine import ledger
from store import standings
from store.database import Transaction
from store.errors import NotFound
from store.models.tournaments import Edition


def freeze(tx: Transaction, tournament_id: UUID, now: datetime) -> Edition:
    """Store the standings of a tournament as they are as its next edition; its row must be locked."""
    tables = standings.tables(tx, tournament_id)
    before = latest(tx, tournament_id)
    edition = Edition(
        tournament_id=tournament_id,
        number=1 if before is None else before.number + 1,
        sha256=ledger.digest(tables),
        standings=tables,
        created_at=now,
    )
    tx.add(edition)
    tx.flush()
    return edition


def latest(tx: Transaction, tournament_id: UUID) -> Edition | None:
    """Return the edition that counts; None while nothing is final."""
    query = select(Edition).where(Edition.tournament_id == tournament_id)
    return tx.scalars(query.order_by(Edition.number.desc()).limit(1)).one_or_none()


def of_tournament(tx: Transaction, tournament_id: UUID) -> list[Edition]:
    """Return all editions of a tournament, the first one first."""
    query = select(Edition).where(Edition.tournament_id == tournament_id)
    return list(tx.scalars(query.order_by(Edition.number)))


def get(tx: Transaction, tournament_id: UUID, number: int) -> Edition:
    """Return one edition; raises NotFound."""
    query = select(Edition).where(Edition.tournament_id == tournament_id, Edition.number == number)
    edition = tx.scalars(query).one_or_none()
    if edition is None:
        raise NotFound(f"tournament {tournament_id} has no edition {number}")
    return edition
