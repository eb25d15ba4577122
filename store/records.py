"""The record of a finished tournament, which anybody can verify: read in pages, written line by line."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.metadata import version
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, select

from engine import ledger
from engine.ledger import (
    BenchLine,
    Chain,
    EditionPart,
    EntrantLine,
    EventPart,
    Header,
    Line,
    MatchLine,
    RerunEventPart,
    RerunPart,
    SetAsideLine,
    StandingsLine,
    WithdrawalLine,
)
from engine.match import points
from engine.policies import FaultCode
from engine.schedule import Slot
from store import archives, deals, editions, reruns, seating, sums, tournaments
from store.database import Database, Transaction
from store.errors import Conflict
from store.models.matches import FaultRow, Result
from store.models.reruns import RerunState
from store.models.tournaments import Bench, Edition, Entrant, Event, Tournament, TournamentState
from store.models.withdrawals import EventWithdrawal, WithdrawalRule

PAGE = 200  # matches that are read, and lines that are handed out, at a time

_Fault = tuple[int, int, FaultCode]


class Final(NamedTuple):
    """A finished tournament, the edition of its standings that counts, who was dropped by event, re-runs."""

    tournament: Tournament
    edition: Edition
    dropped: dict[int, list[int]]
    reruns: list[reruns.View]


def stream(database: Database, tournament_id: UUID) -> Iterator[bytes]:
    """Return the record of a tournament, a number of lines at a time; NotFound, or Conflict before its end.

    The tournament is looked for at once. Every page is read in a transaction of its own, so that a slow
    reader holds up nobody; what is finished does not change. That of an archived one is read from its file;
    raises ArchiveUnavailable.
    """
    with database.reading() as tx:
        found = final(tx, tournament_id)
        archived = archives.record(tx, tournament_id)
    return pages(lines_of(database, found)) if archived is None else archived


def lines(database: Database, tournament_id: UUID) -> tuple[int, Iterator[Line]]:
    """Return the number of the edition that the record of a tournament ends with, and its lines but the last.

    Raises as `stream` does.
    """
    with database.reading() as tx:
        found = final(tx, tournament_id)
    return found.edition.number, lines_of(database, found)


def pages(lines: Iterator[Line]) -> Iterator[bytes]:
    """Yield lines as bytes, each bound to the one before, and the end."""
    chain = Chain()
    while page := b"".join(chain.append(line) for line in islice(lines, PAGE)):
        yield page
    yield chain.end()


def final(tx: Transaction, tournament_id: UUID) -> Final:
    """Return what a record is made of; NotFound, or Conflict before the end."""
    tournament = tournaments.get(tx, tournament_id)
    edition = editions.latest(tx, tournament_id)
    if tournament.state is not TournamentState.FINISHED or edition is None:
        raise Conflict(
            f"the tournament is {tournament.state.value}; there is a record only once it is finished"
        )
    dropped = {event.index: sorted(sums.dropped(tx, event)) for event in tournament.events}
    return Final(tournament, edition, dropped, reruns.of_tournament(tx, tournament_id))


def lines_of(database: Database, final: Final) -> Iterator[Line]:
    """Yield all lines of a tournament but the end."""
    yield _header(final)
    yield from map(entrant_line, final.tournament.entrants)
    for event in final.tournament.events:
        yield from _event_lines(database, final.tournament, event)
    for table in final.edition.standings:
        yield StandingsLine(event=table["event"], rows=table["rows"])


def _header(final: Final) -> Header:
    tournament, edition = final.tournament, final.edition
    assert tournament.entrants_sha256 is not None, "a finished tournament has its entrants frozen"
    return Header(
        format=ledger.FORMAT,
        engine=version("fudaba"),
        tournament=str(tournament.id),
        name=tournament.name,
        commitment=tournament.commitment,
        secret_seed=tournament.secret.hex(),
        entrants_sha256=tournament.entrants_sha256,
        endpoint_teams=tournament.endpoint_teams,
        endpoint_duplicates=tournament.endpoint_duplicates,
        owners_apart=tournament.owners_apart,
        limits=tournament.limits,
        stop=tournament.stop,
        events=[
            EventPart(
                game=event.game,
                seats=event.seats,
                options=event.options,
                schedule=event.schedule,
                deals=event.deals,
                block_deals=event.block_deals,
                field=event.field,
                apart=event.apart,
                matches=event.matches,
                stopped_after_block=event.stopped_after_block,
                dropped=final.dropped[event.index],
            )
            for event in tournament.events
        ],
        reruns=[_rerun_part(rerun) for rerun in final.reruns],
        edition=EditionPart(number=edition.number, sha256=edition.sha256),
    )


def _rerun_part(rerun: reruns.View) -> RerunPart:
    return RerunPart(
        number=rerun.number,
        reason=rerun.reason,
        undone=rerun.state is RerunState.UNDONE,
        events=[
            RerunEventPart(
                event=part.event,
                ranges=[(run.first, run.count) for run in part.ranges],
                followed=[(run.first, run.count) for run in part.followed],
            )
            for part in rerun.events
        ],
    )


def entrant_line(entrant: Entrant) -> EntrantLine:
    """Return the line of an entrant (version, bot and owner must be loaded)."""
    bot = entrant.version.bot
    return EntrantLine(
        number=entrant.number,
        owner=bot.owner.name,
        bot=bot.name,
        version=entrant.version.number,
        sha256=entrant.version.sha256,
        bot_kind=bot.kind.value,
        filler=entrant.filler,
        games=entrant.version.games,
    )


def _event_lines(database: Database, tournament: Tournament, event: Event) -> Iterator[Line]:
    """Yield a line for every match number, and after each block those for whom it benched."""
    schedule = seating.schedule_of(event)
    played = _match_lines(database, tournament, event)
    following = next(played, None)
    with database.reading() as tx:
        query = select(Bench).where(Bench.event_id == event.id).order_by(Bench.from_block, Bench.entrant)
        benches = list(tx.scalars(query))
        left = list(tx.scalars(_forfeiting(event)))
    last = event.block  # the one that it ended with
    for block in range(last + 1):
        for number in schedule.block_range(block):
            if following is not None and following.number == number:
                yield following
                following = next(played, None)
            else:
                yield SetAsideLine(event=event.index, number=number)
        for one in left:
            if one.from_block == block + 1:
                yield WithdrawalLine(event=event.index, entrant=one.entrant, from_block=one.from_block)
        yield from (_bench_line(event, bench) for bench in benches if bench.from_block == block + 1)


def _forfeiting(event: Event) -> Select[EventWithdrawal]:
    return (
        select(EventWithdrawal)
        .where(EventWithdrawal.event_id == event.id, EventWithdrawal.rule == WithdrawalRule.FORFEIT)
        .order_by(EventWithdrawal.from_block, EventWithdrawal.entrant)
    )


def _bench_line(event: Event, bench: Bench) -> BenchLine:
    return BenchLine(
        event=event.index,
        entrant=bench.entrant,
        from_block=bench.from_block,
        forfeits=bench.forfeits,
        matches=bench.matches,
    )


def _match_lines(database: Database, tournament: Tournament, event: Event) -> Iterator[MatchLine]:
    """Yield the matches of an event that were played, in order of number."""
    endpoints, schedule = tournaments.has_endpoint(tournament), seating.schedule_of(event)
    last = -1
    while True:
        with database.reading() as tx:
            page = list(
                tx.scalars(
                    select(Result)
                    .where(Result.event_id == event.id, Result.number > last)
                    .order_by(Result.number)
                    .limit(PAGE)
                )
            )
            faults = faults_of(tx, event, page)
            actions = [archives.kept(tx, event, result).actions for result in page]
        for result, played in zip(page, actions, strict=True):
            slot = schedule.slot(result.number)
            seed = deals.seed(tournament, event, slot, endpoints)
            yield match_line(event, slot, seed, result, played, faults[result.number])
        if len(page) < PAGE:
            return
        last = page[-1].number


def faults_of(tx: Transaction, event: Event, page: Sequence[Result]) -> dict[int, list[_Fault]]:
    """Return the faults of a page of matches by match number, in order of step."""
    found: dict[int, list[_Fault]] = defaultdict(list)
    if any(result.faults for result in page):
        query = (
            select(FaultRow.number, FaultRow.step, FaultRow.seat, FaultRow.code)
            .where(FaultRow.event_id == event.id, FaultRow.number.between(page[0].number, page[-1].number))
            .order_by(FaultRow.number, FaultRow.step)
        )
        for number, step, seat, code in tx.execute(query):
            found[number].append((step, seat, FaultCode(code)))
    return found


def match_line(
    event: Event,
    slot: Slot,
    seed: bytes,
    result: Result,
    actions: tuple[str, ...],
    faults: list[_Fault],
) -> MatchLine:
    """Return the line of a match that was played."""
    half_wins = points(result.places, seating.sides_of(event), result.forfeits)
    return MatchLine(
        event=event.index,
        number=result.number,
        table=slot.table,
        deal=slot.deal,
        rotation=slot.rotation,
        entrants=list(seating.seats_of(event, slot)),
        seed=seed.hex(),
        actions=list(actions),
        faults=faults,
        forfeits=result.forfeits,
        scores=result.scores,
        places=result.places,
        points=[str(Fraction(won, 2 * (event.sides - 1))) for won in half_wins],
    )
