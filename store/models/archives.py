"""Archives: finished tournaments whose actions and times lie in files instead of their rows."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from store.columns import UtcTime
from store.models.base import Base


class Archive(Base):
    """The files of a tournament that is archived: hashes of them, and the edition that its record ends with.

    `done_at` is None as long as rows may still hold what the files hold.
    """

    __tablename__ = "archives"

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    edition: Mapped[int]
    record_sha256: Mapped[str] = mapped_column(String(64))
    times_sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    done_at: Mapped[datetime | None] = mapped_column(UtcTime)


class ArchivePage(Base):
    """Where the matches of an event (by its index) from number `first` on stand in both files, in bytes."""

    __tablename__ = "archive_pages"

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("archives.tournament_id"), primary_key=True)
    event: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    first: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    record_at: Mapped[int] = mapped_column(BigInteger)
    record_size: Mapped[int]
    times_at: Mapped[int] = mapped_column(BigInteger)
    times_size: Mapped[int]
