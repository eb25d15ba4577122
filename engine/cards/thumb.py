"""A rule of thumb for the capturing games: what a play is worth by the cards that it takes or leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards.hanafuda import CARD_OF, MATCHES, Card, CardMask, cards_in, mask
from engine.cards.matching import CHOSEN, FIRST_DRAW, TEXTS
from engine.cards.yaku import Yaku
from engine.contract import Observation

_ACTIONS = {text: action for action, text in enumerate(TEXTS)}
_OWN, _THEIRS = 2.0, 1.0  # how a yaku counts for oneself, and how taking it from somebody else counts
_RISK = 0.25  # share of the worth of a field card that is lost for each hidden card that could take it


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What cards are worth to a side: by their values, towards its yaku and against those of the others."""

    own: CardMask  # its pile
    others: Sequence[CardMask]  # the piles of the others
    seen: CardMask  # all cards that are not hidden from it
    values: Sequence[int]  # of each card
    table: Sequence[Yaku]

    def gain(self, cards: CardMask) -> float:
        """Return what it is worth to capture `cards`."""
        points = sum(self.values[card] for card in cards_in(cards))
        return points + sum((_progress(yaku, cards, self.own, self.others) for yaku in self.table), 0.0)

    def worth(self, card: Card, taken: CardMask) -> float:
        """Return what it is worth to play `card` when it takes these cards; below 0 when it takes none."""
        if taken:
            return self.gain(taken | 1 << card)
        return -_RISK * (MATCHES[card] & ~self.seen).bit_count() * self.gain(1 << card)


def best_capture(observation: Observation, values: Sequence[int], table: Sequence[Yaku]) -> str:
    """Return the legal play or draw that is worth most, the first of equals; for games that say `table`."""
    field, hand = mask(*observation["table"]), mask(*observation["hand"])
    piles = [mask(*pile) for pile in observation["captured"]]
    own = piles.pop(observation["seat"])
    seen = field | hand | own
    for pile in piles:
        seen |= pile
    judge = Judge(own=own, others=piles, seen=seen, values=values, table=table)

    def worth(text: str) -> float:
        action = _ACTIONS[text]
        card = CARD_OF[observation["drawn"]] if action >= FIRST_DRAW else action >> 2
        return judge.worth(card, field & CHOSEN[action])

    legal: list[str] = observation["legal"]
    return max(legal, key=worth)


def _progress(yaku: Yaku, cards: CardMask, own: CardMask, others: Sequence[CardMask]) -> float:
    """Return what `cards` are worth for a yaku that is open to oneself or to another, growing by squares."""
    least = yaku.least or yaku.cards.bit_count()
    fresh = (cards & yaku.cards).bit_count()
    if not fresh:
        return 0.0
    total = yaku.cards.bit_count()
    piles = [own, *others]
    counts = [(pile & yaku.cards).bit_count() for pile in piles]
    worth = 0.0
    for pile_count, weight in zip(counts, (_OWN, *[_THEIRS] * len(others)), strict=True):
        is_open = total - (sum(counts) - pile_count) >= least and pile_count < least
        if is_open:
            worth += weight * yaku.value * ((pile_count + fresh) ** 2 - pile_count**2) / least**2
    return worth
