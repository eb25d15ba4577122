"""Contestants: the bot versions of a batch, loaded once, and opened as bots for a group."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from engine.contract import Seat
from engine.policies import house_stream
from store import blobs, uploads
from store.database import Transaction
from store.models.bots import BotKind, Version
from store.models.tournaments import Entrant
from store.uploads import Upload
from workers import stage
from workers.runtimes.base import Bot, Setting
from workers.runtimes.line import Endpoint
from workers.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A bot version as it plays: a house bot by name, a module by its content, an endpoint by its URL."""

    version_id: UUID
    kind: BotKind
    name: str
    content: bytes = b""
    filename: str = "bot.py"
    url: str = ""
    secret: str = ""
    max_batch: int = 1
    max_in_flight: int = 16

    def candidate(self) -> Upload | Endpoint:
        """Return a module or endpoint as the runtimes open it."""
        if self.kind is BotKind.MODULE:
            return uploads.inspect(self.content, self.filename)
        return Endpoint(
            url=self.url,
            secret=self.secret,
            max_batch=self.max_batch,
            max_in_flight=self.max_in_flight,
        )


def load(tx: Transaction, tournament_id: UUID, numbers: Iterable[int]) -> dict[int, Contestant]:
    """Return the contestants of a tournament with these entrant numbers."""
    query = (
        select(Entrant)
        .where(Entrant.tournament_id == tournament_id, Entrant.number.in_(set(numbers)))
        .options(selectinload(Entrant.version).selectinload(Version.bot))
    )
    return {entrant.number: of_version(tx, entrant.version) for entrant in tx.scalars(query)}


def of_version(tx: Transaction, version: Version) -> Contestant:
    """Return a bot version as it plays (its bot must be loaded)."""
    is_module = version.bot.kind is BotKind.MODULE
    return Contestant(
        version_id=version.id,
        kind=version.bot.kind,
        name=version.bot.name,
        content=blobs.get(tx, version.sha256) if is_module else b"",
        filename=version.filename or "bot.py",
        url=version.url or "",
        secret=version.secret or "",
        max_batch=version.max_batch,
        max_in_flight=version.max_in_flight,
    )


def match_name(contestant: Contestant, secret: bytes, event_index: int, number: int, seat: Seat) -> str:
    """Return the name under which a seat meets a match: opaque, but for house bots, which get its number."""
    if contestant.kind is BotKind.HOUSE:
        return str(number)
    return hmac.new(secret, f"match/{event_index}/{number}/{seat}".encode(), sha256).hexdigest()[:24]


def open_bot(services: Services, contestant: Contestant, setting: Setting, event_index: int) -> Bot:
    """Return a bot for one seat of one group; nothing is started yet."""
    if contestant.kind is BotKind.HOUSE:
        return stage.current(services).runtimes.house(
            contestant.name, setting, lambda name, seat: house_stream(event_index, int(name), seat)
        )
    place, candidate = stage.current(services), contestant.candidate()
    if isinstance(candidate, Upload):
        return place.runtimes.module(candidate, setting)
    slots = place.slots_of(services, contestant.version_id, contestant.max_in_flight)
    return place.runtimes.endpoint(candidate, setting, slots)
