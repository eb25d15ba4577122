"""The way through the lines of a tournament in its record: checked, but for what is to be played again."""

from collections import Counter
from collections.abc import Iterator, Sequence

from engine import benching, estimates, ledger, seeds, standings
from engine.headers import (
    field_of,
    last_block,
    require_apart,
    require_dropped,
    require_header,
    require_no_endpoint_team,
    schedule_of,
)
from engine.intervals import UnitSums, unit_of
from engine.ledger import (
    BenchLine,
    EntrantLine,
    Header,
    MatchLine,
    Reader,
    SetAsideLine,
    StandingsLine,
    Table,
    WithdrawalLine,
)
from engine.ratings import EventSums
from engine.record import canonical
from engine.rematch import Task, sides_of
from engine.schedule import Slot
from engine.standings import Duels, OverallRow, Row, Totals
from engine.stopping import StopRule
from engine.tallies import Tally


class TournamentWalk:
    """A way through the lines of a tournament, all but the end."""

    def __init__(self, reader: Reader) -> None:
        self.total = 0
        self.entrants: list[EntrantLine] = []
        self.matches = 0
        self.set_aside = 0
        self.overall: list[OverallRow] = []
        self._reader = reader
        self._rows: dict[int, list[Row]] = {}
        self._duels: dict[int, Duels] = {}
        self._sums: list[EventSums] = []

    @property
    def standings_sha256(self) -> str:
        """The hash of its standings."""
        return self.header.edition.sha256

    def tasks(self) -> Iterator[Task]:
        """Yield every match to be played again; raises WrongLine for what is wrong before that."""
        self.header = self._reader.take(Header)
        require_header(self._reader, self.header)
        self.total = sum(event.matches for event in self.header.events)
        take_entrants(self._reader, self.entrants)
        self._require_entrants()
        for index in range(len(self.header.events)):
            yield from self._event_tasks(index)
        self._take_standings()

    def _require_entrants(self) -> None:
        entrants = self.entrants
        found = seeds.entrants_hash([entrant.frozen() for entrant in entrants])
        if found != self.header.entrants_sha256:
            raise self._reader.wrong(f"the hash of the entrants up to here is {found}, not that of line 1")
        for index, event in enumerate(self.header.events):
            expected = field_of(entrants, event, self.header.owners_apart)
            if event.field != expected:
                raise self._reader.wrong_header(
                    f"field of event {index} is {event.field}; its entrants are {expected}"
                )
            require_apart(self._reader, index, event, entrants, self.header)
            require_no_endpoint_team(self._reader, index, event, entrants, self.header)
            require_dropped(self._reader, index, event, entrants, self.header.stop is not None)

    def _event_tasks(self, index: int) -> Iterator[Task]:
        event = self.header.events[index]
        walk = _EventWalk(self._reader, self.header, index, self.entrants)
        yield from walk.tasks()
        self.matches += walk.matches
        self.set_aside += walk.set_aside
        totals, self._duels[index] = walk.totals_and_duels()
        rows = standings.event_rows(totals, self._duels[index], max(sides_of(event)) + 1)
        self._sums.append(walk.sums())
        self._rows[index] = estimates.attached(rows, estimates.of_event(self._sums[index], totals))

    def _take_standings(self) -> None:
        rows: list[OverallRow] = standings.overall_rows(self._rows, self._duels)
        self.overall = estimates.attached(rows, estimates.overall(self._sums, [row.entrant for row in rows]))
        said: list[Table] = []
        for table in ledger.tables(self._rows, self.overall):
            line = self._reader.take(StandingsLine)
            _require_table(self._reader, line, table)
            said.append({"event": line.event, "rows": line.rows})
        if (found := ledger.digest(said)) != self.header.edition.sha256:
            raise self._reader.wrong_header(
                f"the SHA-256 of the standings is {found}, not that of the edition"
            )


def take_entrants(reader: Reader, entrants: list[EntrantLine]) -> None:
    """Take all lines of entrants, who are numbered from 0."""
    while reader.is_next(EntrantLine):
        entrants.append(reader.take(EntrantLine))
        if entrants[-1].number != len(entrants) - 1:
            raise reader.wrong(f"number is {entrants[-1].number}; expected {len(entrants) - 1}")


def require_shape(reader: Reader, match: MatchLine, count: int) -> None:
    """Raise WrongLine where a list does not fit the number of seats, so that it could not be added up."""
    seats = range(count)
    for name in ("scores", "places", "points"):
        reader.require(len(getattr(match, name)), count, f"the length of {name}")
    if not set(match.forfeits) <= set(seats) or len(set(match.forfeits)) != len(match.forfeits):
        raise reader.wrong(f"forfeits is {match.forfeits}; the seats are 0 to {count - 1}")
    if any(seat not in seats for _, seat, _ in match.faults):
        raise reader.wrong(f"a fault is not of a seat from 0 to {count - 1}")


def _require_table(reader: Reader, line: StandingsLine, table: Table) -> None:
    if line.event != table["event"]:
        raise reader.wrong(f"event is {line.event!r}; expected {table['event']!r}")
    for position, (said, found) in enumerate(zip(line.rows, table["rows"], strict=False)):
        for name in sorted(said.keys() | found.keys()):
            one, other = said.get(name), found.get(name)
            if not _agree(name, one, other):
                raise reader.wrong(f"row {position}: {name} is {one!r}; it must be {other!r}")
    if len(line.rows) != len(table["rows"]):
        raise reader.wrong(f"there are {len(line.rows)} rows; there must be {len(table['rows'])}")


def _agree(name: str, said: object, found: object) -> bool:
    """Return whether a value is what was found; of an estimate, as nearly as computers agree about it."""
    tolerance = estimates.TOLERANCES.get(name)
    if tolerance is not None and isinstance(said, float) and isinstance(found, float):
        return abs(said - found) <= tolerance * 1.001
    return canonical(said) == canonical(found)  # true is not 1 here, as it is to Python


class _EventWalk:
    """The lines of one event: every match number once, in order, with what was decided between blocks."""

    def __init__(self, reader: Reader, header: Header, index: int, entrants: Sequence[EntrantLine]) -> None:
        self.matches = 0
        self.set_aside = 0
        self._reader = reader
        self._header = header
        self._index = index
        self._event = header.events[index]
        self._schedule = schedule_of(self._event)
        self._sides = sides_of(self._event)
        self._fillers = {one.number for one in entrants if one.filler}
        self._endpoints = {one.number for one in entrants if one.bot_kind == "endpoint"}
        self._secret = bytes.fromhex(header.secret_seed)
        self._rule = None if header.stop is None else StopRule.from_json(header.stop)
        self._tally = Tally(self._sides)
        self._dropped = set(self._event.dropped)
        self._benched: set[int] = set()

    def tasks(self) -> Iterator[Task]:
        """Yield the matches to be played again; raises WrongLine for what is wrong before that."""
        last = last_block(self._event, self._schedule)
        for block in range(last + 1):
            forfeits: Counter[int] = Counter()
            for number in self._schedule.block_range(block):
                if self._reader.is_next(SetAsideLine):
                    self._take_set_aside(number)
                else:
                    task = self._take_match(number)
                    forfeits.update({task.match.entrants[seat] for seat in task.match.forfeits})
                    yield task
            self._require_stop(block)
            if block < last:
                self._take_withdrawals(block)
                self._take_benches(block, forfeits)

    def totals_and_duels(self) -> tuple[dict[int, Totals], Duels]:
        """Return what the matches add up to for the entrants that are ranked."""
        ranked = set(self._event.field) - self._fillers - self._dropped
        totals = self._tally.totals()
        duels = {pair: duel for pair, duel in self._tally.duels().items() if ranked.issuperset(pair)}
        return {entrant: totals.get(entrant, Totals()) for entrant in sorted(ranked)}, duels

    def sums(self) -> EventSums:
        """Return what ratings and intervals follow from; fillers count as opponents."""
        units = UnitSums.of(self._tally.units(), max(self._sides) + 1)
        return EventSums(duels=self._tally.duels(), units=units)

    def _require_stop(self, block: int) -> None:
        """Raise WrongLine for the header unless its rule ends the event here exactly if it says so."""
        if self._rule is None or not self._rule.looks_at(block, self._schedule.blocks):
            return
        ranked = [one for one in self._tally.units() if one.entrant not in self._fillers]
        sums = UnitSums.of(ranked, max(self._sides) + 1)
        ends = self._rule.ends(sums, self._schedule.blocks)
        if ends and self._event.stopped_after_block != block:
            raise self._reader.wrong_header(
                f"event {self._index} goes on after block {block}; its rule stops it there"
            )
        if not ends and self._event.stopped_after_block == block:
            raise self._reader.wrong_header(
                f"event {self._index} stops after block {block}; by its rule it goes on"
            )

    def _take_set_aside(self, number: int) -> None:
        line = self._reader.take(SetAsideLine)
        self._reader.require(line.event, self._index, "event")
        self._reader.require(line.number, number, "number")
        table = {self._event.field[position] for position in self._schedule.slot(number).entrants}
        self.set_aside += self._dropped.isdisjoint(table)

    def _take_match(self, number: int) -> Task:
        match = self._reader.take(MatchLine)
        slot = self._schedule.slot(number)
        seated = [self._event.field[slot.entrants[side]] for side in self._sides]
        self._reader.require(match.event, self._index, "event")
        self._reader.require(match.number, number, "number")
        self._reader.require(match.table, slot.table, "table")
        self._reader.require(match.deal, slot.deal, "deal")
        self._reader.require(match.rotation, slot.rotation, "rotation")
        self._reader.require(match.entrants, seated, "entrants")
        self._reader.require(match.seed, self._seed(slot, seated), "seed")
        require_shape(self._reader, match, self._event.seats)
        if self._dropped.isdisjoint(seated):
            self._tally.add(
                seated,
                unit=unit_of(slot.deal),
                scores=match.scores,
                places=match.places,
                forfeits=match.forfeits,
                fault_seats=[seat for _, seat, _ in match.faults],
            )
        self.matches += 1
        return Task(
            line=self._reader.number,
            match=match,
            event=self._event,
            max_faults=self._header.limits["max_faults"],
            absent=tuple(seat for seat, entrant in enumerate(seated) if entrant in self._benched),
        )

    def _seed(self, slot: Slot, seated: Sequence[int]) -> str:
        has_endpoint = not self._endpoints.isdisjoint(seated)
        name = slot.deal_name(own=has_endpoint and not self._header.endpoint_duplicates)
        return seeds.deal_seed(self._secret, self._header.entrants_sha256, self._index, name).hex()

    def _take_withdrawals(self, block: int) -> None:
        """Take a line for everyone who leaves after this block, in order of number."""
        last = -1
        while self._reader.is_next(WithdrawalLine):
            line = self._reader.take(WithdrawalLine)
            self._reader.require(line.event, self._index, "event")
            self._reader.require(line.from_block, block + 1, "from_block")
            if line.entrant <= last or line.entrant not in set(self._event.field) - self._fillers:
                raise self._reader.wrong(f"entrant {line.entrant} cannot leave here")
            last = line.entrant
            self._benched.add(line.entrant)

    def _take_benches(self, block: int, forfeits: Counter[int]) -> None:
        """Take a line for everyone who is to be benched after this block, in order of number."""
        for entrant, count in sorted(forfeits.items()):
            matches = benching.block_matches(self._schedule, block, self._event.field.index(entrant))
            if entrant in self._benched or not benching.is_benched(count, matches):
                continue
            expected = BenchLine(
                event=self._index, entrant=entrant, from_block=block + 1, forfeits=count, matches=matches
            )
            self._reader.require(self._reader.take(BenchLine), expected, "the line")
            self._benched.add(entrant)
