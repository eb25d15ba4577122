"""Entries: bots frozen into a tournament at their active version, and taken out of a draft again."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select, update

from engine.schedule import of_owners
from store import bots
from store.database import Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.accounts import Account, Role
from store.models.bots import Bot, BotKind, Version
from store.models.tournaments import Entrant, Event, Tournament
from store.plans import SettledEvent

FILLER = "house/greedy"
MOST_ENTRANTS = 2_000

Seated = Event | SettledEvent


def playable(tx: Transaction, references: Sequence[str]) -> list[Version]:
    """Return the active version of each bot, which cannot be deleted meanwhile; raises BadRequest.

    The references are ids or names "owner/bot", each bot at most once.
    """
    versions = [_playable(tx, ref, f"entrants.{place}") for place, ref in enumerate(references)]
    seen: set[UUID] = set()
    for position, version in enumerate(versions):
        if version.bot_id in seen:
            raise _twice(references[position], position)
        seen.add(version.bot_id)
    return versions


def add(
    tx: Transaction, tournament: Tournament, references: Sequence[str], versions: Sequence[Version]
) -> None:
    """Enter playable versions (with the references that named them) into a draft; raises BadRequest."""
    if len(tournament.entrants) + len(versions) > MOST_ENTRANTS:
        raise BadRequest(f"more than {MOST_ENTRANTS} entrants", field="entrants")
    if not tournament.endpoint_teams:
        require_no_endpoint_team(tournament.events, references, versions)
    entered = {entrant.version.bot_id for entrant in tournament.entrants}
    for position, version in enumerate(versions):
        if version.bot_id in entered:
            raise _twice(references[position], position)
        _add(tx, tournament, len(tournament.entrants) + position, version, filler=False)


def require_no_endpoint_team(
    events: Sequence[Seated], references: Sequence[str], versions: Sequence[Version]
) -> None:
    """Raise BadRequest for an endpoint that would fill a team: what its seats see, it can put together."""
    for position, version in enumerate(versions):
        for event in events:
            is_endpoint = version.bot.kind is BotKind.ENDPOINT
            if is_endpoint and is_in_teams(event) and claims(version, event.game):
                raise BadRequest(
                    f"bot {references[position]} is an endpoint and would fill a team of {event.game};"
                    " expected no such bot, as endpoint_teams is false",
                    field=f"entrants.{position}",
                )


def is_in_teams(event: Seated) -> bool:
    """Return whether an entrant fills several seats of an event."""
    return event.seats > event.sides


def require_open(tournament: Tournament, count: int, by: Account, now: datetime) -> None:
    """Refuse so many entries by a participant when it is too late for them, or they are too many."""
    if by.role is Role.ORGANISER:
        return
    closed = tournament.entries_close_at
    if closed is not None and closed <= now:
        raise Conflict(f"entries closed at {closed:%Y-%m-%d %H:%M:%S} UTC")
    own = sum(entrant.version.bot.owner_id == by.id for entrant in tournament.entrants)
    if own + count > tournament.entries_per_owner:
        raise Conflict(
            f"{own + count} bots of one owner; allowed in this tournament: {tournament.entries_per_owner}"
        )


def fill_up(tx: Transaction, tournament: Tournament, missing: int) -> None:
    """Enter so many fillers after all other entrants."""
    for number in range(len(tournament.entrants), len(tournament.entrants) + missing):
        _add(tx, tournament, number, _playable(tx, FILLER, "entrants"), filler=True)


def remove(tx: Transaction, tournament_id: UUID, number: int) -> None:
    """Take an entrant out of a draft; those after it move up. The tournament must be locked."""
    of_it = Entrant.tournament_id == tournament_id
    tx.change(delete(Entrant).where(of_it, Entrant.number == number))
    later = select(Entrant.number).where(of_it, Entrant.number > number).order_by(Entrant.number)
    for other in tx.scalars(later).all():  # one by one, each into the place that has just become free
        tx.change(update(Entrant).where(of_it, Entrant.number == other).values(number=other - 1))


def apart(versions: Sequence[Version], owners_apart: bool) -> tuple[int, ...]:
    """Return `apart` of the schedule of these versions; house bots have no owner whom they could help."""
    if not owners_apart:
        return ()
    is_house = [version.bot.kind is BotKind.HOUSE for version in versions]
    return of_owners(
        [
            None if house else str(version.bot.owner_id)
            for house, version in zip(is_house, versions, strict=True)
        ]
    )


def claims(version: Version, game_id: str) -> bool:
    """Return whether a version plays a game."""
    return not version.games or game_id in version.games


def _playable(tx: Transaction, reference: str, field: str) -> Version:
    try:
        bot_id = bots.by_reference(tx, reference).id
        tx.get_one(Bot, bot_id, with_for_update={"read": True}, populate_existing=True)
        bot = bots.get(tx, bot_id)
    except NotFound as error:
        raise BadRequest(str(error), field=field) from error
    if bot.is_off:
        raise BadRequest(f"bot {reference} is switched off", field=field)
    version = bots.active_version(tx, bot)
    if version is None:
        raise BadRequest(f"bot {reference} has no version that passed its qualification", field=field)
    return version


def _twice(reference: str, position: int) -> BadRequest:
    return BadRequest(f"bot {reference} is entered already", field=f"entrants.{position}")


def _add(tx: Transaction, tournament: Tournament, number: int, version: Version, *, filler: bool) -> None:
    bot = tx.get_one(Bot, version.bot_id)
    name = f"{tx.get_one(Account, bot.owner_id).name}/{bot.name}"
    tx.add(
        Entrant(tournament_id=tournament.id, number=number, version_id=version.id, name=name, filler=filler)
    )
