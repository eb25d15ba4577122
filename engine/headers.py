"""The header of a record: whether it can be at all, and what follows from it for every event."""

from collections.abc import Sequence

from engine import games, ledger, seeds
from engine.errors import BadRecord, FudabaError
from engine.ledger import EntrantLine, EventPart, Header, Reader, RerunPart, SeasonHeader, SettingPart
from engine.limits import Limits
from engine.rematch import sides_of
from engine.schedule import Format, Schedule, of_owners
from engine.stopping import StopRule


def require_header(reader: Reader, header: Header) -> None:
    """Raise WrongLine when the header, which was taken last, contradicts itself."""
    require_secret(reader, header)
    try:
        if header.stop is not None:
            StopRule.from_json(header.stop)
        for index, event in enumerate(header.events):
            _require_event(index, event, header.stop is not None)
        for position, rerun in enumerate(header.reruns):
            _require_rerun(header, rerun, position + 1)
    except FudabaError as error:
        raise reader.wrong(str(error)) from error


def require_secret(reader: Reader, header: Header | SeasonHeader) -> None:
    """Raise WrongLine when a header has not the secret that it committed to, or not all limits."""
    if header.format != ledger.FORMAT:
        raise reader.wrong(f"format is {header.format}; this program knows {ledger.FORMAT}")
    try:
        secret = bytes.fromhex(header.secret_seed)
        if secret.hex() != header.secret_seed or len(secret) != seeds.SECRET_BYTES:
            raise ValueError
    except ValueError:
        raise reader.wrong("secret_seed is not 64 lower-case hex digits") from None
    if seeds.commitment(secret) != header.commitment:
        raise reader.wrong(f"commitment is not the SHA-256 of secret_seed, {seeds.commitment(secret)}")
    try:
        is_complete = Limits.from_json(header.limits).to_json() == header.limits
    except FudabaError as error:
        raise reader.wrong(str(error)) from error
    if not is_complete:
        raise reader.wrong("limits are not complete")


def require_setting(reader: Reader, index: int, event: SettingPart) -> None:
    """Raise WrongLine when a setting of a ladder cannot be played as it stands in the header."""
    try:
        is_complete = games.get(event.game).settle(event.seats, event.options) == (event.seats, event.options)
    except FudabaError as error:
        raise reader.wrong(str(error)) from error
    if not is_complete:
        raise reader.wrong(f"options of event {index} are not complete")
    if event.deals < 1 or event.matches < 0:
        raise reader.wrong(f"event {index} has {event.deals} deals and {event.matches} matches")


def _require_event(index: int, event: EventPart, may_stop: bool) -> None:
    if games.get(event.game).settle(event.seats, event.options) != (event.seats, event.options):
        raise BadRecord(f"options of event {index} are not complete")
    schedule, stopped = schedule_of(event), event.stopped_after_block
    if stopped is not None and not (may_stop and 0 <= stopped < schedule.blocks - 1):
        raise BadRecord(f"event {index} cannot have stopped after block {stopped}")
    matches = schedule.block_range(last_block(event, schedule)).stop
    if event.matches != matches:
        raise BadRecord(f"matches of event {index} is {event.matches}; its schedule has {matches}")


def _require_rerun(header: Header, rerun: RerunPart, number: int) -> None:
    """Raise BadRecord when a re-run is not of matches that there are."""
    if rerun.number != number:
        raise BadRecord(f"number of re-run {number} is {rerun.number}")
    for part in rerun.events:
        if part.event not in range(len(header.events)):
            raise BadRecord(f"re-run {number} is of event {part.event}, which there is not")
        matches = schedule_of(header.events[part.event]).matches
        for first, count in [*part.ranges, *part.followed]:
            if first < 0 or count < 1 or first + count > matches:
                raise BadRecord(f"re-run {number} has matches that event {part.event} has not")


def require_no_endpoint_team(
    reader: Reader, index: int, event: EventPart, entrants: Sequence[EntrantLine], header: Header
) -> None:
    """Raise WrongLine when an endpoint fills a team where that was ruled out."""
    is_in_teams = len(set(sides_of(event))) < event.seats
    endpoints = [one.number for one in entrants if one.bot_kind == "endpoint" and one.number in event.field]
    if endpoints and is_in_teams and not header.endpoint_teams:
        raise reader.wrong_header(
            f"endpoint_teams is false; entrant {endpoints[0]} fills a team of event {index}"
        )


def require_dropped(
    reader: Reader, index: int, event: EventPart, entrants: Sequence[EntrantLine], may_stop: bool
) -> None:
    """Raise WrongLine when those whose tables do not count could not have been dropped."""
    fillers = {one.number for one in entrants if one.filler}
    could = sorted(set(event.dropped) & (set(event.field) - fillers))
    if event.dropped != could or (could and may_stop):
        raise reader.wrong_header(f"dropped of event {index} is {event.dropped}; that cannot be")


def last_block(event: EventPart, schedule: Schedule) -> int:
    """Return the block with which an event ended."""
    return schedule.blocks - 1 if event.stopped_after_block is None else event.stopped_after_block


def schedule_of(event: EventPart) -> Schedule:
    """Return the schedule of an event; raises BadRecord for one that this program does not know."""
    if event.schedule not in set(Format):
        raise BadRecord(f"schedule is {event.schedule!r}; this program knows {', '.join(Format)}")
    return Schedule(
        entrants=len(event.field),
        sides=max(sides_of(event)) + 1,
        deals=event.deals,
        block_deals=event.block_deals,
        format=Format(event.schedule),
        apart=tuple(event.apart),
    )


def field_of(entrants: Sequence[EntrantLine], event: EventPart, owners_apart: bool) -> list[int]:
    """Return who plays an event: the entrants that claim its game, then fillers until a table is full."""
    ranked = [one for one in entrants if not one.filler and (not one.games or event.game in one.games)]
    fillers = [one.number for one in entrants if one.filler]
    players = len(set(_apart(ranked))) if owners_apart else len(ranked)
    return [one.number for one in ranked] + fillers[: max(0, max(sides_of(event)) + 1 - players)]


def require_apart(
    reader: Reader, index: int, event: EventPart, entrants: Sequence[EntrantLine], header: Header
) -> None:
    """Raise WrongLine when it is not the entrants of one owner who are kept apart, or not as agreed on."""
    expected = _apart([entrants[number] for number in event.field]) if header.owners_apart else []
    if event.apart != expected:
        raise reader.wrong_header(
            f"apart of event {index} is {event.apart}; by its entrants it is {expected}"
        )


def _apart(entrants: Sequence[EntrantLine]) -> list[int]:
    return list(of_owners([None if one.bot_kind == "house" else one.owner for one in entrants]))
