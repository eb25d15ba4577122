"""What the frozen board of a season must say, by its rounds and by the tournament that closed it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from engine.estimates import RATING_TOLERANCE
from engine.ledger import EntrantLine, Reader
from engine.online import SIGMA, Skill, places
from engine.ratings import Rating
from engine.record import canonical
from engine.standings import OverallRow

NEAR = 1e-5  # of what is written with six digits
_TOLERANCES = dict.fromkeys(("rating", "rating_low", "rating_high"), RATING_TOLERANCE)
_TOLERANCES |= dict.fromkeys(("mu", "sigma", "order"), NEAR)


@dataclass(slots=True, kw_only=True)
class Board:
    """What is known of the entrants of a season: online ratings, matches, ratings over all of them."""

    entrants: Sequence[EntrantLine]
    skills: Mapping[int, Skill]
    played: Mapping[int, int]
    ratings: Mapping[int, Rating]
    _order: list[tuple[str, int, str]] | None = field(default=None, init=False)

    def close(self, entrants: Sequence[EntrantLine], rows: Sequence[OverallRow]) -> None:
        """Let the board be in the order of the tournament that closed the season: bot, place, points."""
        names = {one.number: f"{one.owner}/{one.bot}" for one in entrants}
        self._order = [(names[row.entrant], row.place, str(row.points)) for row in rows]

    def require(self, reader: Reader, rows: Sequence[Mapping[str, Any]], digest: str) -> None:
        """Raise WrongLine for the line taken last unless its rows are those of this board."""
        current = {f"{one.owner}/{one.bot}": one for one in self.entrants if not one.filler}
        listed = {one.number for one in current.values()}
        for position, row in enumerate(rows):
            entrant = row.get("entrant")
            if type(entrant) is not int or entrant not in listed:
                raise reader.wrong(f"row {position}: entrant is {entrant!r}, who is on no board")
        numbers = [row["entrant"] for row in rows]
        if len(set(numbers)) != len(numbers):
            raise reader.wrong("an entrant has two rows")
        expected = [self._expected(position, row) for position, row in enumerate(rows)]
        if self._order is None:
            _place(expected, rows)
        else:
            reader.require([one["name"] for one in expected], [one for one, _, _ in self._order], "the order")
        for position, (row, wanted) in enumerate(zip(rows, expected, strict=True)):
            _require_row(reader, position, row, wanted)
        if self._order is None and numbers != [one["entrant"] for one in sorted(expected, key=_by_place)]:
            raise reader.wrong("the rows are not in the order of their places")
        found = sha256(canonical(list(rows))).hexdigest()
        if found != digest:
            raise reader.wrong(f"the SHA-256 of the board is {found}, not that of the first line")

    def _expected(self, position: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a row must say; what somebody came with who never played is taken as said."""
        one = self.entrants[row["entrant"]]
        said = row.get("mu")
        skill = self.skills.get(one.number) or Skill(mu=said if type(said) is float else 0.0, sigma=SIGMA)
        rating = self.ratings.get(one.number)
        interval = None if rating is None else rating.interval
        at = None if self._order is None or position >= len(self._order) else self._order[position]
        return {
            "place": None if at is None else at[1],
            "entrant": one.number,
            "bot_id": row.get("bot_id"),
            "name": f"{one.owner}/{one.bot}",
            "version": one.version,
            "mu": skill.mu,
            "sigma": skill.sigma,
            "order": skill.order,
            "matches": self.played.get(one.number, 0),
            "rating": None if rating is None else rating.rating,
            "rating_low": None if interval is None else interval.low,
            "rating_high": None if interval is None else interval.high,
            "closing_points": None if at is None else at[2],
        }


def _place(expected: Sequence[dict[str, Any]], rows: Sequence[Mapping[str, Any]]) -> None:
    """Give every row its place by its mu - 3 sigma as it is written; equal ones share the better place.

    What is found here may differ from it in the last digits, which must make or undo no tie; that the two
    are near is required of every row.
    """
    said = [row.get("order") for row in rows]
    orders = [
        one if isinstance(one, float) else wanted["order"] for one, wanted in zip(said, expected, strict=True)
    ]
    found = places(orders)
    for wanted, order in zip(expected, orders, strict=True):
        wanted["place"] = found[order]


def _by_place(row: Mapping[str, Any]) -> tuple[int, int]:
    return row["place"], row["entrant"]


def _require_row(reader: Reader, position: int, row: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    if row.keys() != wanted.keys():
        raise reader.wrong(f"row {position}: it has {sorted(row)}; expected {sorted(wanted)}")
    for name, found in wanted.items():
        said = row[name]
        tolerance = _TOLERANCES.get(name)
        if tolerance is not None and isinstance(said, float) and isinstance(found, float):
            is_right = abs(said - found) <= tolerance
        else:
            is_right = canonical(said) == canonical(found)
        if not is_right:
            raise reader.wrong(f"row {position}: {name} is {said!r}; it must be {found!r}")
