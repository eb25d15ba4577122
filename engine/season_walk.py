"""The way through the lines of a season in its record: rounds, the tournament that closed it, the board."""

from collections import Counter
from collections.abc import Iterator, Sequence

from engine import climbing, matchmaking, seeds
from engine.board_check import Board
from engine.headers import require_secret, require_setting
from engine.ledger import (
    BoardLine,
    EntrantLine,
    MatchLine,
    MeetingLine,
    Reader,
    SeasonHeader,
    SetAsideLine,
    SettingPart,
    WrongLine,
)
from engine.online import MOST_MU, SIGMA, Skill
from engine.rematch import Task, sides_of
from engine.schedule import Meeting
from engine.tallies import Tally
from engine.walk import TournamentWalk, require_shape, take_entrants

NEAR = 1e-6  # what two computers may differ by in an online rating
Pair = tuple[float, float]


class SeasonWalk:
    """A way through the lines of a season, all but the end."""

    def __init__(self, reader: Reader) -> None:
        self.entrants: list[EntrantLine] = []
        self._reader = reader
        self._closing: TournamentWalk | None = None
        self._own_total = self._own_matches = self._own_set_aside = 0
        self._meetings: Counter[int] = Counter()  # of each event
        self._round = (-1, -1)  # and its event
        self._seated: set[int] = set()  # in the present round
        self._skills: dict[int, Skill] = {}
        self._played: Counter[int] = Counter()  # matches of each entrant
        self._sums: list[climbing.Sums] = []

    @property
    def total(self) -> int:
        """How many matches there are, as far as is known."""
        return self._own_total + (0 if self._closing is None else self._closing.total)

    @property
    def matches(self) -> int:
        """How many matches were played."""
        return self._own_matches + (0 if self._closing is None else self._closing.matches)

    @property
    def set_aside(self) -> int:
        """How many matches were not played."""
        return self._own_set_aside + (0 if self._closing is None else self._closing.set_aside)

    @property
    def standings_sha256(self) -> str:
        """The hash of the frozen board."""
        return self.header.sha256

    def tasks(self) -> Iterator[Task]:
        """Yield every match to be played again; raises WrongLine for what is wrong before that."""
        reader = self._reader
        self.header = reader.take(SeasonHeader)
        require_secret(reader, self.header)
        for index, event in enumerate(self.header.events):
            require_setting(reader, index, event)
        self._secret = bytes.fromhex(self.header.secret_seed)
        self._own_total = sum(event.matches for event in self.header.events)
        take_entrants(reader, self.entrants)
        while reader.is_next(MeetingLine):
            yield from self._meeting_tasks()
        for index, event in enumerate(self.header.events):
            found = self._meetings[index] * self._plan_size(event)
            if found != event.matches:
                raise reader.wrong_header(
                    f"event {index} has {event.matches} matches; its meetings have {found}"
                )
        if self._round[0] != self.header.rounds - 1:
            raise reader.wrong_header(f"rounds is {self.header.rounds}; there are {self._round[0] + 1}")
        if self.header.closing is not None:
            yield from self._closing_tasks(self.header.closing)
        self._take_board()

    def _closing_tasks(self, tournament: str) -> Iterator[Task]:
        """Go through the tournament that closed the season."""
        self._closing = closing = TournamentWalk(self._reader)
        yield from closing.tasks()
        wrong, header = self._reader.wrong_header, closing.header
        if header.tournament != tournament:
            raise wrong(f"tournament is {header.tournament}; the season was closed by {tournament}")
        if header.commitment != self.header.closing_commitment:
            raise wrong("commitment is not the one that was published when the season began")

    def _meeting_tasks(self) -> Iterator[Task]:
        line, at = self._reader.take(MeetingLine), self._reader.number
        self._require_meeting(line)
        event = self.header.events[line.event]
        sides = sides_of(event)
        plan = Meeting(number=line.number, block=line.round, table=tuple(line.entrants), deals=event.deals)
        tally, played = Tally(sides), []
        for number in plan.numbers:
            if self._reader.is_next(SetAsideLine):
                gone = self._reader.take(SetAsideLine)
                self._reader.require((gone.event, gone.number), (line.event, number), "(event, number)")
                self._own_set_aside += 1
                continue
            match = self._take_match(line, plan, number)
            fault_seats = [seat for _, seat, _ in match.faults]
            tally.add(
                match.entrants,
                scores=match.scores,
                places=match.places,
                forfeits=match.forfeits,
                fault_seats=fault_seats,
            )
            played.append((number, match.places, match.forfeits))
            limit = self.header.limits["max_faults"]
            yield Task(line=self._reader.number, match=match, event=event, max_faults=limit, absent=())
        self._apply(line, at, plan, tally, played)

    def _require_meeting(self, line: MeetingLine) -> None:
        """Raise WrongLine unless this meeting can be the next one, of these entrants, with these ratings."""
        reader = self._reader
        if line.event not in range(len(self.header.events)):
            raise reader.wrong(f"event is {line.event}; there are {len(self.header.events)}")
        reader.require(line.number, self._meetings[line.event], "number")
        if line.round == self._round[0] + 1:
            self._round, self._seated = (line.round, line.event), set()
        reader.require((line.round, line.event), self._round, "(round, event)")
        self._require_table(line)
        table = [self.entrants[entrant] for entrant in line.entrants]
        binding = seeds.entrants_hash([entrant.frozen() for entrant in table])
        reader.require(line.entrants_sha256, binding, "entrants_sha256")
        parties = [party_of(entrant) for entrant in table if not entrant.filler]
        reader.require(line.is_rated, matchmaking.is_rated(parties), "is_rated")
        self._meetings[line.event] += 1

    def _require_table(self, line: MeetingLine) -> None:
        reader, game = self._reader, self.header.events[line.event].game
        sides = max(sides_of(self.header.events[line.event])) + 1
        for name in ("entrants", "before", "after"):
            reader.require(len(getattr(line, name)), sides, f"the length of {name}")
        if len(set(line.entrants)) != sides or not set(line.entrants) <= set(range(len(self.entrants))):
            raise reader.wrong(f"entrants is {line.entrants}; they cannot sit at one table")
        for entrant, before in zip(line.entrants, line.before, strict=True):
            one = self.entrants[entrant]
            reader.require(before is None, one.filler, f"that entrant {entrant} has no rating")
            if before is None:
                continue
            if entrant in self._seated or (one.games and game not in one.games):
                raise reader.wrong(f"entrant {entrant} cannot sit here")
            self._seated.add(entrant)
            self._require_rating(entrant, before)

    def _require_rating(self, entrant: int, before: Pair) -> None:
        """Hold what an entrant comes with to what it went with; a newcomer is as uncertain as can be."""
        known = self._skills.get(entrant)
        if known is None:
            earlier = [one for one in self._skills if self._is_same_bot(one, entrant) and one < entrant]
            mu = self._skills[max(earlier)].mu if earlier else max(-MOST_MU, min(MOST_MU, before[0]))
            known = Skill(mu=mu, sigma=SIGMA)
        if not is_near(before, known):
            raise self._reader.wrong(f"entrant {entrant} comes with {before}; it must be {known}")
        self._skills[entrant] = Skill(mu=before[0], sigma=before[1])

    def _is_same_bot(self, one: int, other: int) -> bool:
        first, second = self.entrants[one], self.entrants[other]
        return (first.owner, first.bot) == (second.owner, second.bot)

    def _take_match(self, line: MeetingLine, plan: Meeting, number: int) -> MatchLine:
        reader, event = self._reader, self.header.events[line.event]
        match, slot = reader.take(MatchLine), plan.slot(number)
        seated = [slot.entrants[side] for side in sides_of(event)]
        reader.require((match.event, match.number), (line.event, number), "(event, number)")
        said = (match.table, match.deal, match.rotation)
        reader.require(said, (slot.table, slot.deal, slot.rotation), "(table, deal, rotation)")
        reader.require(match.entrants, seated, "entrants")
        has_endpoint = any(self.entrants[entrant].bot_kind == "endpoint" for entrant in seated)
        name = slot.deal_name(own=has_endpoint)
        seed = seeds.deal_seed(self._secret, line.entrants_sha256, line.event, name)
        reader.require(match.seed, seed.hex(), "seed")
        require_shape(reader, match, event.seats)
        self._own_matches += 1
        return match

    def _apply(
        self,
        line: MeetingLine,
        at: int,
        plan: Meeting,
        tally: Tally,
        played: Sequence[tuple[int, Sequence[int], Sequence[int]]],
    ) -> None:
        """Put a meeting into the ratings; raises WrongLine for its line unless it says the same."""
        before = {entrant: self._skills[entrant] for entrant in line.entrants if entrant in self._seated}
        sides = sides_of(self.header.events[line.event])
        *_, after = climbing.steps(plan, sides, before, played, is_rated=line.is_rated)
        for entrant, said in zip(line.entrants, line.after, strict=True):
            found = after.get(entrant)
            if (said is None) != (found is None) or (said and found and not is_near(said, found)):
                raise WrongLine(at, f"entrant {entrant} goes with {said}; by its matches it is {found}")
        self._skills.update(after)
        self._played.update(dict.fromkeys(before, len(played)))
        if line.is_rated:
            self._sums.append(climbing.sums_of(tally, before, is_rated=True))

    def _take_board(self) -> None:
        line = self._reader.take(BoardLine)
        board = Board(
            entrants=self.entrants,
            skills=self._skills,
            played=self._played,
            ratings=climbing.rate(self._sums),
        )
        if self._closing is not None:
            board.close(self._closing.entrants, self._closing.overall)
        board.require(self._reader, line.rows, self.header.sha256)

    def _plan_size(self, event: SettingPart) -> int:
        return (max(sides_of(event)) + 1) * event.deals


def party_of(entrant: EntrantLine) -> str:
    """Return whose an entrant is; every house bot is a party of its own."""
    return f"{entrant.owner}/{entrant.bot}" if entrant.bot_kind == "house" else entrant.owner


def is_near(said: Pair, found: Skill) -> bool:
    """Return whether a rating is what was found, as nearly as computers agree about it."""
    return abs(said[0] - found.mu) <= NEAR and abs(said[1] - found.sigma) <= NEAR
