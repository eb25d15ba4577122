"""Bots and their versions: submitting, qualifying, activating."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import joinedload

from engine import games as registry
from engine.errors import UnknownGame
from store import accounts, blobs, moments
from store.database import Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.accounts import Account
from store.models.bots import Bot, BotKind, Version, VersionState
from store.uploads import Upload
from store.upserts import insert_missing

MOST_AHEAD = timedelta(minutes=10)  # longer than any lease on a version
MAX_BATCH = 64
MAX_IN_FLIGHT = 64
DEFAULT_MAX_BATCH = 1
DEFAULT_MAX_IN_FLIGHT = 16
MAX_URL = 2_000
SECRET_BYTES = 32
PLATFORM = "platform"  # true in the report on a version that was refused by no fault of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where an endpoint lives, the requests that an exchange may hold, the exchanges that may run at once."""

    url: str
    max_batch: int = DEFAULT_MAX_BATCH
    max_in_flight: int = DEFAULT_MAX_IN_FLIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An uploaded file."""

    filename: str
    content: bytes


def submit_module(
    tx: Transaction,
    owner: Account,
    name: str,
    upload: Upload,
    content: bytes,
    games: Sequence[str],
    now: datetime,
) -> Version:
    """Return the version with this content, of the owner's bot `name`; what is not there yet is made.

    The same content for the same games is the same version, which is qualified again when only the platform
    had failed. Raises BadRequest for a bad name or game, Conflict for a name that is an endpoint's.
    """
    claimed = _check_games(games)
    bot = _locked(tx, owner, name, BotKind.MODULE, now)
    for version in _same_content(tx, bot, upload.sha256):
        if version.games == claimed:
            _give_another_chance(version)
            return version
    blobs.put(tx, content)
    version = Version(
        bot=bot,
        number=_next_number(tx, bot),
        state=VersionState.QUALIFYING,
        sha256=upload.sha256,
        filename=f"{name}.{upload.kind.value}",
        size=len(content),
        games=claimed,
        created_at=now,
    )
    tx.add(version)
    tx.flush()
    return version


def submit_endpoint(
    tx: Transaction,
    owner: Account,
    name: str,
    endpoint: Endpoint,
    games: Sequence[str],
    now: datetime,
) -> tuple[Version, str | None]:
    """Return the version of the owner's bot `name` at this URL, and the bot's secret if it was made just now.

    The same endpoint again is the same version, unless that one was refused. All versions of a bot share its
    secret. Raises BadRequest for a bad name, URL, number or game, Conflict for a name that is a module's.
    """
    _check_endpoint(endpoint)
    claimed = _check_games(games)
    bot = _locked(tx, owner, name, BotKind.ENDPOINT, now)
    sha256 = hashlib.sha256(endpoint.url.encode()).hexdigest()
    declared = (claimed, endpoint.max_batch, endpoint.max_in_flight)
    for version in _same_content(tx, bot, sha256):
        same = (version.games, version.max_batch, version.max_in_flight) == declared
        if same and version.state is not VersionState.REFUSED:
            return version, None
    known = tx.scalar(select(Version.secret).where(Version.bot_id == bot.id).limit(1))
    secret = known or secrets.token_hex(SECRET_BYTES)
    version = Version(
        bot=bot,
        number=_next_number(tx, bot),
        state=VersionState.QUALIFYING,
        sha256=sha256,
        url=endpoint.url,
        secret=secret,
        max_batch=endpoint.max_batch,
        max_in_flight=endpoint.max_in_flight,
        games=claimed,
        created_at=now,
    )
    tx.add(version)
    tx.flush()
    return version, None if known else secret


def claim(tx: Transaction, bot: Bot, games: Sequence[str], now: datetime) -> Version | None:
    """Let a bot play these games: return the version that has to qualify for it, None when none has to.

    It is made of the version that plays, or else the newest one; a version that has qualified with just these
    games plays at once. Raises BadRequest for a bad game, Conflict for a bot without a version of its own.
    """
    claimed = _check_games(games)
    base = active_version(tx, bot) or next(iter(versions(tx, bot.id, limit=1)), None)
    if base is None or bot.kind is BotKind.HOUSE:
        raise Conflict(f"{bot.name} has no version whose games could be changed")
    if base.games == claimed:
        return None
    declared = (claimed, base.max_batch, base.max_in_flight)
    for version in _same_content(tx, bot, base.sha256):
        if (version.games, version.max_batch, version.max_in_flight) != declared:
            continue
        if version.state is VersionState.QUALIFIED:
            bot.active_number = version.number
            return None
        if version.state is VersionState.QUALIFYING:
            return version
    version = Version(
        bot=bot,
        number=_next_number(tx, bot),
        state=VersionState.QUALIFYING,
        sha256=base.sha256,
        filename=base.filename,
        size=base.size,
        url=base.url,
        secret=base.secret,
        max_batch=base.max_batch,
        max_in_flight=base.max_in_flight,
        games=claimed,
        created_at=now,
    )
    tx.add(version)
    tx.flush()
    return version


def rotate_secret(tx: Transaction, bot: Bot) -> str:
    """Give an endpoint another secret, for all its versions, and return it; Conflict for other bots."""
    if bot.kind is not BotKind.ENDPOINT:
        raise Conflict(f"{bot.name} is a {bot.kind.value} bot; only endpoints have a secret")
    secret = secrets.token_hex(SECRET_BYTES)
    tx.execute(update(Version).where(Version.bot_id == bot.id).values(secret=secret))
    return secret


def get(tx: Transaction, bot_id: UUID) -> Bot:
    """Return a bot with its owner; raises NotFound, also for one that was deleted."""
    bot = tx.scalar(select(Bot).options(joinedload(Bot.owner)).where(Bot.id == bot_id))
    if bot is None or bot.deleted_at is not None:
        raise NotFound(f"there is no bot {bot_id}")
    return bot


def by_reference(tx: Transaction, reference: str) -> Bot:
    """Return the bot, with its owner, that an id or "owner/name" refers to; raises NotFound."""
    owner, slash, name = reference.partition("/")
    if not slash:
        try:
            return get(tx, UUID(reference))
        except ValueError as error:
            raise NotFound(f"there is no bot {reference[:100]!r}; expected an id or owner/name") from error
    bot = None
    if accounts.NAME.fullmatch(owner) and accounts.NAME.fullmatch(name):
        wanted = select(Bot).join(Bot.owner).where(Account.name == owner, Bot.name == name)
        bot = tx.scalar(wanted.options(joinedload(Bot.owner)))
    if bot is None or bot.deleted_at is not None:
        raise NotFound(f"there is no bot {reference[:100]!r}")
    return bot


def versions(tx: Transaction, bot_id: UUID, *, limit: int, before: int | None = None) -> list[Version]:
    """Return at most `limit` versions of a bot, the newest first, those with a number below `before`."""
    query = select(Version).options(joinedload(Version.bot)).where(Version.bot_id == bot_id)
    if before is not None:
        query = query.where(Version.number < before)
    return list(tx.scalars(query.order_by(Version.number.desc()).limit(limit)))


def version(tx: Transaction, bot_id: UUID, number: int) -> Version:
    """Return one version of a bot, with the bot; raises NotFound."""
    found = tx.scalar(
        select(Version)
        .options(joinedload(Version.bot))
        .where(Version.bot_id == bot_id, Version.number == number)
    )
    if found is None:
        raise NotFound(f"the bot has no version {number}")
    return found


def version_by_id(tx: Transaction, version_id: UUID) -> Version:
    """Return one version, with its bot and the bot's owner; raises NotFound."""
    loads = joinedload(Version.bot).joinedload(Bot.owner)
    found = tx.scalar(select(Version).options(loads).where(Version.id == version_id))
    if found is None:
        raise NotFound(f"there is no version {version_id}")
    return found


def active_version(tx: Transaction, bot: Bot) -> Version | None:
    """Return the version of a bot that plays; None while none has qualified."""
    if bot.active_number is None:
        return None
    return version(tx, bot.id, bot.active_number)


def source(tx: Transaction, bot_id: UUID, number: int) -> Source:
    """Return what a version was made from; raises NotFound, Conflict for a bot that was not uploaded."""
    wanted = version(tx, bot_id, number)
    if wanted.bot.kind is not BotKind.MODULE:
        raise Conflict(f"{wanted.bot.name} is a {wanted.bot.kind.value} bot; only modules have a source")
    return Source(filename=wanted.filename or "bot", content=blobs.get(tx, wanted.sha256))


def activate(tx: Transaction, bot_id: UUID, number: int) -> Version:
    """Make a version the one that plays; raises NotFound, Conflict unless it is qualified."""
    chosen = version(tx, bot_id, number)
    if chosen.state is not VersionState.QUALIFIED:
        raise Conflict(f"version {number} is {chosen.state.value}; only a qualified one can be active")
    chosen.bot.active_number = number
    tx.flush()
    return chosen


def waiting_before(tx: Transaction, waiting: Version) -> int | None:
    """Return how many versions are to be qualified before this one; None once it is decided."""
    if waiting.state is not VersionState.QUALIFYING:
        return None
    earlier = or_(
        Version.created_at < waiting.created_at,
        and_(Version.created_at == waiting.created_at, Version.id < waiting.id),
    )
    query = select(func.count()).select_from(Version)
    return tx.scalar(query.where(Version.state == VersionState.QUALIFYING, earlier)) or 0


def claim_qualification(
    tx: Transaction, version_id: UUID, *, lease_seconds: int, now: datetime
) -> int | None:
    """Return the number of a new attempt to qualify a version; None when decided or another is at it."""
    return tx.scalar(
        update(Version)
        .where(
            Version.id == version_id,
            Version.state == VersionState.QUALIFYING,
            moments.over(Version.lease_until, now, MOST_AHEAD),
        )
        .values(attempt=Version.attempt + 1, lease_until=now + timedelta(seconds=lease_seconds))
        .returning(Version.attempt)
    )


def renew_qualification(
    tx: Transaction, version_id: UUID, attempt: int, until: datetime, report: dict[str, Any] | None = None
) -> bool:
    """Leave a version undecided until then, with what was found so far; false when another holds it."""
    renewed = tx.scalar(
        update(Version)
        .where(Version.id == version_id, Version.attempt == attempt, Version.state == VersionState.QUALIFYING)
        .values(lease_until=until, report=report)
        .returning(Version.id)
    )
    return renewed is not None


def record_qualification(
    tx: Transaction, version_id: UUID, attempt: int, report: dict[str, Any], ok: bool
) -> bool:
    """Record what an attempt found; a qualified version becomes active when it is newer than the active one.

    False, and nothing is changed, when the attempt no longer holds the version.
    """
    decided = tx.execute(
        update(Version)
        .where(Version.id == version_id, Version.attempt == attempt, Version.state == VersionState.QUALIFYING)
        .values(state=VersionState.QUALIFIED if ok else VersionState.REFUSED, report=report, lease_until=None)
        .returning(Version.bot_id, Version.number)
    ).one_or_none()
    if decided is None:
        return False
    if ok:
        newer = or_(Bot.active_number.is_(None), Bot.active_number < decided.number)
        tx.execute(update(Bot).where(Bot.id == decided.bot_id, newer).values(active_number=decided.number))
    return True


def waiting_qualifications(
    tx: Transaction, *, now: datetime, sent_before: datetime, limit: int
) -> list[UUID]:
    """Return the versions, the oldest first, that nobody qualifies and that were not sent of late."""
    return list(
        tx.scalars(
            select(Version.id)
            .where(
                Version.state == VersionState.QUALIFYING,
                moments.over(Version.lease_until, now, MOST_AHEAD),
                moments.is_before(Version.sent_at, sent_before, now),
            )
            .order_by(Version.created_at, Version.id)
            .limit(limit)
        )
    )


def mark_sent(tx: Transaction, version_ids: Sequence[UUID], now: datetime) -> None:
    """Note that the qualification of these versions was put into the queue."""
    tx.execute(update(Version).where(Version.id.in_(version_ids)).values(sent_at=now))


def _locked(tx: Transaction, owner: Account, name: str, kind: BotKind, now: datetime) -> Bot:
    """Return the owner's bot of this name, made when missing; nobody else can submit to it meanwhile."""
    accounts.check_name(name)
    row = {"id": uuid4(), "owner_id": owner.id, "name": name, "kind": kind, "created_at": now}
    insert_missing(tx, Bot, [row])
    bot = tx.scalars(
        select(Bot)
        .options(joinedload(Bot.owner))
        .where(Bot.owner_id == owner.id, Bot.name == name)
        .with_for_update(of=Bot)
    ).one()
    if bot.deleted_at is not None:
        raise Conflict(f"{name} was deleted; its name stays taken, since its matches bear it")
    if bot.kind is not kind:
        raise Conflict(f"{name} is a {bot.kind.value} bot; submit a {kind.value} under another name")
    return bot


def _same_content(tx: Transaction, bot: Bot, sha256: str) -> list[Version]:
    """Return the versions of a bot with this hash, the newest first."""
    same = (
        select(Version)
        .options(joinedload(Version.bot))
        .where(Version.bot_id == bot.id, Version.sha256 == sha256)
    )
    return list(tx.scalars(same.order_by(Version.number.desc())))


def _give_another_chance(version: Version) -> None:
    """Let a version be qualified again that was refused by no fault of its own."""
    if version.state is VersionState.REFUSED and (version.report or {}).get(PLATFORM):
        version.state, version.report, version.sent_at = VersionState.QUALIFYING, None, None


def _next_number(tx: Transaction, bot: Bot) -> int:
    last = tx.scalar(select(func.max(Version.number)).where(Version.bot_id == bot.id))
    return (last or 0) + 1


def _check_games(games: Sequence[str]) -> list[str]:
    """Return the games in the order of the registry, each once; raises BadRequest."""
    try:
        claimed = {registry.get(game).id for game in games}
    except UnknownGame as error:
        raise BadRequest(str(error), field="games") from error
    return [game.id for game in registry.all_games() if game.id in claimed]


def _check_endpoint(endpoint: Endpoint) -> None:
    if not 1 <= len(endpoint.url) <= MAX_URL:
        raise BadRequest(f"url has {len(endpoint.url)} characters; allowed: 1 to {MAX_URL}", field="url")
    for field, value, most in (
        ("max_batch", endpoint.max_batch, MAX_BATCH),
        ("max_in_flight", endpoint.max_in_flight, MAX_IN_FLIGHT),
    ):
        if type(value) is not int or not 1 <= value <= most:
            raise BadRequest(f"{field} is {value!r}; allowed: a whole number from 1 to {most}", field=field)
