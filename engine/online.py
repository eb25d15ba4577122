"""Online ratings of a ladder: one match moves the ratings of those who played it, in the order of matches.

The model is Bradley-Terry with partial pairing of Weng and Lin, "A Bayesian approximation method for online
ranking", JMLR 12 (2011), algorithm 1 and section 5, as openskill computes it. It follows strength as it
changes; how strong everybody was over a season is for engine.ratings to say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from openskill.models import BradleyTerryPart

MU = 25.0
SIGMA = MU / 3
MOST_MU = 1000.0  # far beyond what play leads to; beyond it the model overflows
_MODEL = BradleyTerryPart(mu=MU, sigma=SIGMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """How strong a bot is thought to be (`mu`), and how unsure that is (`sigma`, a standard deviation)."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def order(self) -> float:
        """What a ladder is ordered by: mu - 3 sigma, which is almost certainly not too much."""
        return self.mu - 3 * self.sigma

    def renewed(self) -> "Skill":
        """Return what is expected of another version: as strong, but as unsure as at the start."""
        return Skill(mu=self.mu)


def places(orders: Iterable[float]) -> dict[float, int]:
    """Return the place of each of these orders, best first; equal ones share the better place."""
    ascending = sorted(orders)
    return {order: len(ascending) - below for below, order in enumerate(ascending)}


def update(teams: Sequence[Sequence[Skill]], places: Sequence[int]) -> list[tuple[Skill, ...]]:
    """Return the skills after one match; teams with equal places are tied, the lowest place is the best.

    A bot that plays all seats of its side is a team of one. The skills of a team are summed, so teams must
    be of equal size for a match to be fair. The order of the teams does not matter, not even in the last bit.
    """
    order = sorted(
        range(len(teams)), key=lambda team: (places[team], [(one.mu, one.sigma) for one in teams[team]])
    )
    rated = _MODEL.rate(
        [[_MODEL.rating(mu=one.mu, sigma=one.sigma) for one in teams[team]] for team in order],
        ranks=[places[team] for team in order],
    )
    after = {
        team: tuple(Skill(mu=max(-MOST_MU, min(MOST_MU, one.mu)), sigma=one.sigma) for one in found)
        for team, found in zip(order, rated, strict=True)
    }
    return [after[team] for team in range(len(teams))]


def after_match(
    skills: Mapping[int, Skill], entrants: Sequence[int], places: Sequence[int]
) -> dict[int, Skill]:
    """Return the skills after one match, all by side; fillers, who have no skill, do not count."""
    rated = [side for side, entrant in enumerate(entrants) if entrant in skills]
    if len(rated) < 2:
        return dict(skills)
    moved = update([[skills[entrants[side]]] for side in rated], [places[side] for side in rated])
    return {**skills, **{entrants[side]: skill for side, (skill,) in zip(rated, moved, strict=True)}}
