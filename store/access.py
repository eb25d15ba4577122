"""Who may see, enter, change and delete which bot."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select, true
from sqlalchemy.orm import joinedload

from store import bots, entries
from store.database import Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account, Role
from store.models.bots import Bot, Version, Visibility
from store.models.tournaments import Entrant, Tournament, TournamentState

_UNDER_WAY = (TournamentState.RUNNING, TournamentState.PAUSED)


def seen(tx: Transaction, bot_id: UUID, by: Account) -> Bot:
    """Return a bot that `by` may know of; raises NotFound."""
    bot = bots.get(tx, bot_id)
    if not _may_know(bot, by):
        raise NotFound(f"there is no bot {bot_id}")
    return bot


def private(tx: Transaction, bot_id: UUID, by: Account) -> Bot:
    """Return a bot whose inside `by` may see: its owner or an organiser; raises NotFound, Forbidden."""
    bot = seen(tx, bot_id, by)
    if bot.owner_id != by.id and by.role is not Role.ORGANISER:
        raise Forbidden("only the owner of a bot and organisers may do this")
    return bot


def owned(tx: Transaction, bot_id: UUID, by: Account) -> Bot:
    """Return a bot of `by`; raises NotFound, Forbidden for a bot of somebody else."""
    bot = seen(tx, bot_id, by)
    if bot.owner_id != by.id:
        raise Forbidden("only the owner of a bot may do this")
    return bot


def locked(tx: Transaction, bot_id: UUID, by: Account) -> Bot:
    """Return a bot of `by` that nobody else changes meanwhile; raises NotFound, Forbidden."""
    owned(tx, bot_id, by)
    tx.get_one(Bot, bot_id, with_for_update=True, populate_existing=True)
    return owned(tx, bot_id, by)


def require_enterable(tx: Transaction, references: Sequence[str], by: Account) -> None:
    """Refuse bots that `by` may not enter into a tournament: others' bots, unless an organiser does it.

    Raises Forbidden, BadRequest for a bot that there is not.
    """
    if by.role is Role.ORGANISER:
        return
    for position, reference in enumerate(references):
        field = f"bots.{position}"
        try:
            bot = bots.by_reference(tx, reference)
        except NotFound as error:
            raise BadRequest(str(error), field=field) from error
        if not _may_know(bot, by):
            raise BadRequest(f"there is no bot {reference[:100]!r}", field=field)
        if bot.owner_id != by.id:
            raise Forbidden(f"bot {reference} is somebody else's")


def page(
    tx: Transaction,
    by: Account,
    *,
    limit: int,
    after: tuple[datetime, UUID] | None = None,
    owner: str | None = None,
) -> list[Bot]:
    """Return at most `limit` bots that `by` may know of, the newest first, those after the place `after`."""
    query = select(Bot).options(joinedload(Bot.owner)).where(Bot.deleted_at.is_(None), _known_to(by))
    if owner is not None:
        query = query.join(Bot.owner).where(Account.name == owner)
    if after is not None:
        moment, bot_id = after
        query = query.where(or_(Bot.created_at < moment, and_(Bot.created_at == moment, Bot.id < bot_id)))
    return list(tx.scalars(query.order_by(Bot.created_at.desc(), Bot.id.desc()).limit(limit)))


def change(tx: Transaction, bot: Bot, *, visibility: Visibility | None, is_off: bool | None) -> Bot:
    """Change what is not None; tournaments that a bot is in already go on with it."""
    if visibility is not None:
        bot.visibility = visibility
    if is_off is not None:
        bot.is_off = is_off
    tx.flush()
    return bot


def delete(tx: Transaction, bot: Bot, now: datetime) -> None:
    """Delete a bot for good: it leaves all drafts, and what it has played stays under its name.

    Raises Conflict while it plays in a tournament; it leaves ladders with the next round. The bot must be
    locked.
    """
    query = (
        select(Tournament, Entrant.number)
        .join(Entrant, Entrant.tournament_id == Tournament.id)
        .join(Version, Version.id == Entrant.version_id)
        .where(Version.bot_id == bot.id, Tournament.state.in_((*_UNDER_WAY, TournamentState.DRAFT)))
        .where(Tournament.is_season.is_(False))
        .order_by(Tournament.id)
        .with_for_update(of=Tournament)
    )
    found = tx.execute(query).all()
    for tournament, _ in found:
        if tournament.state in _UNDER_WAY:
            raise Conflict(f"the bot plays in {tournament.name!r}, which is {tournament.state.value}")
    for tournament, number in found:
        entries.remove(tx, tournament.id, number)
    bot.deleted_at = now
    bot.is_off = True
    tx.flush()


def _may_know(bot: Bot, by: Account) -> bool:
    return bot.visibility is Visibility.PUBLIC or bot.owner_id == by.id or by.role is Role.ORGANISER


def _known_to(by: Account) -> ColumnElement[bool]:
    if by.role is Role.ORGANISER:
        return true()
    return or_(Bot.visibility == Visibility.PUBLIC, Bot.owner_id == by.id)
