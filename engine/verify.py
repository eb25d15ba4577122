"""Verifies the record of a tournament or a season: what can be worked out again, is; nothing is trusted."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from engine.ledger import EndLine, Reader, SeasonHeader, WrongLine
from engine.rematch import Checked, Chunk, Task, replay
from engine.season_walk import SeasonWalk
from engine.walk import TournamentWalk

CHUNK = 16  # matches that are handed over together


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was found to be right; `sha256` is that of the last line, which all others are bound to."""

    tournament: str
    name: str
    engine: str
    entrants: int
    events: int
    matches: int
    set_aside: int
    lines: int
    standings_sha256: str
    sha256: str


Mapped = Callable[[Callable[[Chunk], Checked], Iterable[Chunk]], Iterable[Checked]]


def check(
    lines: Iterable[bytes], *, mapped: Mapped = map, progress: Callable[[int, int], object] = lambda *_: None
) -> Summary:
    """Return what a record says when all of it is right; raises WrongLine for the first line that is not.

    `lines` are bytes with their newline. `mapped` is like `map`: in order, however many processes it uses.
    `progress` is told how many matches have been played again, and of how many.
    """
    walk = _Walk(lines)
    done = 0
    for checked in mapped(replay, _chunks(walk.tasks())):
        if checked.wrong is not None:
            raise checked.wrong
        done += checked.matches
        progress(done, walk.total)
    return walk.summary()


def _chunks(tasks: Iterator[Task | WrongLine]) -> Iterator[Chunk]:
    while chunk := list(islice(tasks, CHUNK)):
        yield chunk


class _Walk:
    """A way through all lines in order: checks what needs no replay, and hands out the matches that do."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._reader = Reader(lines)
        self._walk: TournamentWalk | SeasonWalk | None = None

    @property
    def total(self) -> int:
        """How many matches there are, as far as is known."""
        return 0 if self._walk is None else self._walk.total

    def tasks(self) -> Iterator[Task | WrongLine]:
        """Yield every match to be played again; what is wrong before that comes in its turn, as the last."""
        try:
            yield from self._all_tasks()
        except WrongLine as wrong:
            yield wrong

    def summary(self) -> Summary:
        """Return what the record says; to be asked for at the end."""
        walk = self._walk
        assert walk is not None, "the record was walked through"
        return Summary(
            tournament=walk.header.tournament,
            name=walk.header.name,
            engine=walk.header.engine,
            entrants=len(walk.entrants),
            events=len(walk.header.events),
            matches=walk.matches,
            set_aside=walk.set_aside,
            lines=self._reader.number,
            standings_sha256=walk.standings_sha256,
            sha256=self._reader.prev,
        )

    def _all_tasks(self) -> Iterator[Task]:
        is_season = self._reader.is_next(SeasonHeader)
        self._walk = SeasonWalk(self._reader) if is_season else TournamentWalk(self._reader)
        yield from self._walk.tasks()
        end = self._reader.take(EndLine)
        if end.lines != self._reader.number:
            raise self._reader.wrong(f"lines is {end.lines}; this is line {self._reader.number}")
        self._reader.finish()
