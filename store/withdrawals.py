"""Withdrawals: an entrant leaves a draft at once, an event that runs whole at the end of a block."""

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from store import entries, totals, tournaments
from store.database import Transaction
from store.errors import BadRequest, Conflict, Forbidden
from store.models.accounts import Account, Role
from store.models.tournaments import Entrant, Event, EventState, Tournament, TournamentState
from store.models.withdrawals import EventWithdrawal, Withdrawal, WithdrawalRule


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A withdrawal: from which block on each event (by index) goes on without the entrant, as far as decided.

    There is no rule when the entrant left a draft; it is then no entrant any more.
    """

    entrant: int
    name: str
    rule: WithdrawalRule | None
    created_at: datetime
    from_blocks: dict[int, int]


def withdraw(
    tx: Transaction, tournament_id: UUID, number: int, rule: WithdrawalRule, by: Account, now: datetime
) -> View:
    """Withdraw an entrant: its owner from a draft, an organiser also from a tournament that has started.

    Raises Forbidden, Conflict when nothing is played any more or the entrant has left already, BadRequest
    when there is no such entrant.
    """
    if tournaments.get(tx, tournament_id).state is not TournamentState.DRAFT:
        tournaments.lock_events(tx, tournament_id)
    tournament = tournaments.locked(tx, tournament_id)
    entrant = _entrant(tournament, number)
    if tournament.state is TournamentState.DRAFT:
        return _leave_draft(tx, tournament, entrant, by, now)
    if by.role is not Role.ORGANISER:
        raise Forbidden("only organisers withdraw an entrant of a tournament that has started")
    _require_playing(tx, tournament, entrant, rule)
    tx.add(Withdrawal(tournament_id=tournament_id, entrant=number, rule=rule, created_at=now))
    tx.flush()
    if rule is WithdrawalRule.DROP:
        for event in tournament.events:
            if event.state is EventState.FINISHED:
                apply(tx, event, rule)
    return next(view for view in of_tournament(tx, tournament_id) if view.entrant == number)


def of_tournament(tx: Transaction, tournament_id: UUID) -> list[View]:
    """Return the withdrawals of a tournament, in order of entrants."""
    tournament = tournaments.get(tx, tournament_id)
    names = {entrant.number: entrant.name for entrant in tournament.entrants}
    applied = (
        select(Event.index, EventWithdrawal.entrant, EventWithdrawal.from_block)
        .join(Event, Event.id == EventWithdrawal.event_id)
        .where(Event.tournament_id == tournament_id)
        .order_by(Event.index)
    )
    from_blocks: dict[int, dict[int, int]] = {}
    for index, entrant, block in tx.execute(applied):
        from_blocks.setdefault(entrant, {})[index] = block
    query = select(Withdrawal).where(Withdrawal.tournament_id == tournament_id).order_by(Withdrawal.entrant)
    return [
        View(
            entrant=row.entrant,
            name=names[row.entrant],
            rule=row.rule,
            created_at=row.created_at,
            from_blocks=from_blocks.get(row.entrant, {}),
        )
        for row in tx.scalars(query)
    ]


def apply(tx: Transaction, event: Event, rule: WithdrawalRule) -> None:
    """Apply what is open of this rule to an event whose block is complete, and whose row is locked."""
    done = select(EventWithdrawal.entrant).where(EventWithdrawal.event_id == event.id)
    query = select(Withdrawal.entrant).where(
        Withdrawal.tournament_id == event.tournament_id,
        Withdrawal.rule == rule,
        Withdrawal.entrant.not_in(done),
        Withdrawal.entrant.in_(event.field),
    )
    leaving = list(tx.scalars(query.order_by(Withdrawal.entrant)))
    for entrant in leaving:
        gone = of_event(tx, event, WithdrawalRule.DROP)
        tx.add(EventWithdrawal(event_id=event.id, entrant=entrant, rule=rule, from_block=event.block + 1))
        tx.flush()
        if rule is WithdrawalRule.DROP:
            totals.take_out(tx, event, entrant, gone)


def of_event(tx: Transaction, event: Event, rule: WithdrawalRule, block: int | None = None) -> set[int]:
    """Return the entrants that have left an event by this rule, up to a block when one is given."""
    query = select(EventWithdrawal.entrant).where(
        EventWithdrawal.event_id == event.id, EventWithdrawal.rule == rule
    )
    if block is not None:
        query = query.where(EventWithdrawal.from_block <= block)
    return set(tx.scalars(query))


def _entrant(tournament: Tournament, number: int) -> Entrant:
    for entrant in tournament.entrants:
        if entrant.number == number and not entrant.filler:
            return entrant
    raise BadRequest(f"the tournament has no entrant {number} that could leave", field="entrant")


def _leave_draft(
    tx: Transaction, tournament: Tournament, entrant: Entrant, by: Account, now: datetime
) -> View:
    if by.role is not Role.ORGANISER and entrant.version.bot.owner_id != by.id:
        raise Forbidden(f"{entrant.name} is somebody else's")
    entries.remove(tx, tournament.id, entrant.number)
    return View(entrant=entrant.number, name=entrant.name, rule=None, created_at=now, from_blocks={})


def _require_playing(tx: Transaction, tournament: Tournament, entrant: Entrant, rule: WithdrawalRule) -> None:
    if tournament.is_season:
        raise Conflict("a bot leaves a ladder, not one of its seasons")
    if tournaments.is_over(tournament):
        raise Conflict(f"the tournament is {tournament.state.value}; nobody can leave it any more")
    if tx.get(Withdrawal, (tournament.id, entrant.number)) is not None:
        raise Conflict(f"{entrant.name} has left the tournament already")
    if rule is WithdrawalRule.DROP and tournament.stop is not None:
        raise Conflict("matches cannot be dropped in a tournament with a stop rule, which has looked at them")
    if rule is WithdrawalRule.DROP:
        _require_rest(tx, tournament, entrant)


def _require_rest(tx: Transaction, tournament: Tournament, leaving: Entrant) -> None:
    """Refuse to drop so many that an event would have no table left."""
    query = select(Withdrawal.entrant).where(
        Withdrawal.tournament_id == tournament.id, Withdrawal.rule == WithdrawalRule.DROP
    )
    gone: Set[int] = {leaving.number, *tx.scalars(query)}
    for event in tournament.events:
        if len(set(event.field) - gone) < event.sides:
            raise Conflict(f"event {event.index} would have no table left; let it forfeit instead")
