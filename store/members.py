"""Members of a ladder: bots that play with their active version, and leave when they cannot."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.orm import contains_eager

from engine import benching
from engine.online import Skill
from store import entries
from store.database import Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account, Role
from store.models.bots import Bot, BotKind, Version
from store.models.ladders import Ladder, LadderState, Member, MemberState, Rung, Season
from store.models.tournaments import Entrant, Event

RECENT = 12  # matches by which a member is benched
MOST_MEMBERS = 2_000
BENCHED = f"its version forfeited at least half, and at least five, of its last {RECENT} matches"
PROBED = f"{BENCHED}; it is tried out now and then, and comes back when it plays"
ENTERED = (MemberState.ACTIVE, MemberState.BENCHED, MemberState.OFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A member that can be paired: its rung in the season, and the version that plays."""

    rung: Rung
    bot: Bot
    version: Version

    @property
    def party(self) -> str:
        """Whose it is; every house bot is a party of its own, since house bots do not conspire."""
        return (self.bot.id if self.bot.kind is BotKind.HOUSE else self.bot.owner_id).hex

    @property
    def skill(self) -> Skill:
        """Its online rating."""
        return Skill(mu=self.rung.mu, sigma=self.rung.sigma)


def join(tx: Transaction, ladder: Ladder, references: Sequence[str], by: Account, now: datetime) -> None:
    """Enter bots into an open ladder, which must be locked; entering one again changes nothing.

    Raises BadRequest for a bot that cannot play there, Conflict for a closed ladder or too many of one owner.
    """
    if ladder.state is not LadderState.OPEN:
        raise Conflict("the ladder is closed; nobody can enter it any more")
    versions = _playable(tx, references)
    games = {setting["game"] for setting in ladder.settings}
    for position, version in enumerate(versions):
        if not any(entries.claims(version, game) for game in games):
            raise BadRequest(
                f"bot {references[position]} plays none of the ladder's games", field=f"bots.{position}"
            )
        member = tx.get(Member, (ladder.id, version.bot_id))
        if member is None:
            member = Member(ladder_id=ladder.id, bot_id=version.bot_id, joined_at=now)
            member.state, member.reason = MemberState.ACTIVE, ""
            tx.add(member)
        elif member.state is MemberState.LEFT:
            member.state, member.reason = MemberState.ACTIVE, ""
    tx.flush()
    _require_few(tx, ladder, by)


def leave(tx: Transaction, ladder_id: UUID, bot_id: UUID, by: Account) -> None:
    """Take a bot off a ladder: it is paired no more, what it has played stays. Raises NotFound, Forbidden."""
    member = tx.get(Member, (ladder_id, bot_id), with_for_update=True)
    if member is None or member.state is MemberState.LEFT:
        raise NotFound(f"bot {bot_id} is not on the ladder")
    if tx.get_one(Bot, bot_id).owner_id != by.id and by.role is not Role.ORGANISER:
        raise Forbidden("only the owner of a bot and organisers may take it off a ladder")
    member.state, member.reason = MemberState.LEFT, "it was taken off the ladder"


def of_ladder(tx: Transaction, ladder_id: UUID) -> list[Member]:
    """Return all members that have not left, in order of joining."""
    query = (
        select(Member)
        .where(Member.ladder_id == ladder_id, Member.state.in_(ENTERED))
        .join(Member.bot)
        .join(Bot.owner)
        .options(contains_eager(Member.bot).contains_eager(Bot.owner))
        .order_by(Member.joined_at, Account.name, Bot.name)
    )
    return list(tx.scalars(query))


def refresh(tx: Transaction, season: Season) -> list[Player]:
    """Bring the members up to date with their bots and return those who play, in order of entrant number.

    A bot that is off, deleted or has no version to play with leaves; another version of it becomes an
    entrant of its own, as strong as the one before but as uncertain as a newcomer.
    """
    rungs = _current(tx, season.tournament_id)
    players = []
    for member, bot, version in _with_bots(tx, season.ladder_id):
        member.state, member.reason = _state(member, bot, version)
        if version is None or member.state is not MemberState.ACTIVE:
            continue
        rung, version_id = rungs.get(bot.id, (None, None))
        if rung is None or version_id != version.id:
            rung = _new_rung(tx, season, bot, version, rung)
            member.probes = 0
        players.append(Player(rung=rung, bot=bot, version=version))
    tx.flush()
    _update_fields(tx, season.tournament_id)
    return sorted(players, key=lambda player: player.rung.entrant)


def fillers(tx: Transaction, tournament_id: UUID, count: int) -> list[int]:
    """Return so many entrants that fill up tables and are not ranked; what is missing is entered."""
    query = select(Entrant.number).where(Entrant.tournament_id == tournament_id, Entrant.filler)
    numbers = list(tx.scalars(query.order_by(Entrant.number)))
    for _ in range(count - len(numbers)):
        (version,) = entries.playable(tx, [entries.FILLER])
        numbers.append(_enter(tx, tournament_id, entries.FILLER, version, is_filler=True))
    _update_fields(tx, tournament_id)
    return numbers[:count]


def bench(tx: Transaction, season: Season, rung: Rung) -> None:
    """Bench a member that forfeited too many of its last matches, until it has another version.

    An endpoint comes back before when a probe finds that it plays (store.probes).
    """
    if not benching.is_benched(sum(rung.recent), len(rung.recent)):
        return
    member = tx.get_one(Member, (season.ladder_id, rung.bot_id))
    if member.state is MemberState.ACTIVE:
        entrant = tx.get_one(Entrant, (rung.tournament_id, rung.entrant))
        bot = tx.get_one(Bot, rung.bot_id)
        member.state, member.reason = MemberState.BENCHED, _why_benched(bot)
        member.benched_id, member.probe_at = entrant.version_id, None


def _why_benched(bot: Bot) -> str:
    return PROBED if bot.kind is BotKind.ENDPOINT else BENCHED


def _playable(tx: Transaction, references: Sequence[str]) -> list[Version]:
    """Return the active version of each bot; BadRequest names the field as a ladder calls it."""
    try:
        return entries.playable(tx, references)
    except BadRequest as error:
        field = error.field and error.field.replace("entrants", "bots", 1)
        raise BadRequest(str(error), field=field) from error


def _with_bots(tx: Transaction, ladder_id: UUID) -> Sequence[tuple[Member, Bot, Version | None]]:
    active = and_(Version.bot_id == Bot.id, Version.number == Bot.active_number)
    query = (
        select(Member, Bot, Version)
        .join(Bot, Bot.id == Member.bot_id)
        .join(Bot.owner)
        .outerjoin(Version, active)
        .where(Member.ladder_id == ladder_id, Member.state.in_(ENTERED))
        .options(contains_eager(Bot.owner))
        .order_by(Member.joined_at, Account.name, Bot.name)
        .execution_options(populate_existing=True)
    )
    return [(member, bot, version) for member, bot, version in tx.execute(query)]


def _state(member: Member, bot: Bot, version: Version | None) -> tuple[MemberState, str]:
    """Return what a member that has not left is, and why it does not play."""
    if bot.deleted_at is not None:
        return MemberState.LEFT, "the bot was deleted"
    if bot.is_off:
        return MemberState.OFF, "the bot is switched off"
    if version is None:
        return MemberState.OFF, "the bot has no version that passed its qualification"
    if member.benched_id == version.id:
        return MemberState.BENCHED, _why_benched(bot)
    return MemberState.ACTIVE, ""


def _current(tx: Transaction, tournament_id: UUID) -> dict[UUID, tuple[Rung, UUID]]:
    """Return the present rung of each bot, with its version."""
    query = (
        select(Rung, Entrant.version_id)
        .join(Entrant, and_(Entrant.tournament_id == Rung.tournament_id, Entrant.number == Rung.entrant))
        .where(Rung.tournament_id == tournament_id, Rung.is_current)
    )
    return {rung.bot_id: (rung, version_id) for rung, version_id in tx.execute(query)}


def _new_rung(tx: Transaction, season: Season, bot: Bot, version: Version, before: Rung | None) -> Rung:
    """Give a version a place of its own in a season."""
    if before is not None:
        before.is_current = False
    else:
        before = _last_rung(tx, season, bot.id)
    skill = Skill() if before is None else Skill(mu=before.mu, sigma=before.sigma).renewed()
    name = f"{bot.owner.name}/{bot.name}"
    rung = Rung(
        tournament_id=season.tournament_id,
        entrant=_enter(tx, season.tournament_id, name, version, is_filler=False),
        bot_id=bot.id,
        mu=skill.mu,
        sigma=skill.sigma,
        recent=[],
    )
    tx.add(rung)
    return rung


def _last_rung(tx: Transaction, season: Season, bot_id: UUID) -> Rung | None:
    """Return where a bot stood last in an earlier season of the ladder."""
    query = (
        select(Rung)
        .join(Season, Season.tournament_id == Rung.tournament_id)
        .where(Season.ladder_id == season.ladder_id, Season.number < season.number)
        .where(Rung.bot_id == bot_id, Rung.is_current)
        .order_by(Season.number.desc())
        .limit(1)
    )
    return tx.scalars(query).one_or_none()


def _enter(tx: Transaction, tournament_id: UUID, name: str, version: Version, *, is_filler: bool) -> int:
    last = tx.scalar(select(func.max(Entrant.number)).where(Entrant.tournament_id == tournament_id))
    number = 0 if last is None else last + 1
    tx.add(
        Entrant(
            tournament_id=tournament_id, number=number, version_id=version.id, name=name, filler=is_filler
        )
    )
    tx.flush()
    return number


def _update_fields(tx: Transaction, tournament_id: UUID) -> None:
    """Let all entrants be in the field of every event, so that a position there is an entrant's number."""
    query = select(func.count()).select_from(Entrant).where(Entrant.tournament_id == tournament_id)
    field = list(range(tx.scalar(query) or 0))
    for event in tx.scalars(select(Event).where(Event.tournament_id == tournament_id)):
        if len(event.field) != len(field):
            event.field = field
    tx.flush()


def _require_few(tx: Transaction, ladder: Ladder, by: Account) -> None:
    """Refuse too many members in all or, to participants, of one owner."""
    entered = select(func.count()).select_from(Member).join(Bot, Bot.id == Member.bot_id)
    entered = entered.where(Member.ladder_id == ladder.id, Member.state.in_(ENTERED))
    if (tx.scalar(entered) or 0) > MOST_MEMBERS:
        raise Conflict(f"more than {MOST_MEMBERS} members")
    own = tx.scalar(entered.where(Bot.owner_id == by.id)) or 0
    if by.role is not Role.ORGANISER and own > ladder.entries_per_owner:
        raise Conflict(f"{own} bots of one owner; allowed on this ladder: {ladder.entries_per_owner}")
