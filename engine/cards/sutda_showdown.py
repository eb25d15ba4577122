"""The showdown of Sutda: what two of its twenty cards are worth, who pays whom, and the chances before.

Rules: docs/games/sutda.md; a section sign in a comment points there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import sub
from typing import Any, NamedTuple

from engine.cards.hanafuda import CARD_OF, MONTH
from engine.contract import Seat

Card = int  # a position in PACK
Coins = int
SeatMask = int
Strength = int  # of a hand: the higher beats the lower, equal ones tie

# §1: two cards of each month from January to October, in canonical order.
PACK: tuple[str, ...] = tuple(
    f"{month}-{name}"
    for month in range(1, 11)
    for name in {3: ("curtain", "k1"), 8: ("moon", "k1")}.get(month, ("k1", "k2"))
)
NUMBER_OF: dict[str, Card] = {code: card for card, code in enumerate(PACK)}
PACK_BYTES: tuple[bytes, ...] = tuple(code.encode() for code in PACK)
_MONTH_OF: tuple[int, ...] = tuple(MONTH[CARD_OF[code]] for code in PACK)
_CURTAIN, _MOON = NUMBER_OF["3-curtain"], NUMBER_OF["8-moon"]

# §4: months and multiplier, the weakest first. A hand without a combination is as strong as its points, 0..9.
_COMBINATIONS: tuple[tuple[int, int, int], ...] = (
    *((4, 6, 1), (1, 8, 1), (1, 10, 1), (4, 10, 1), (1, 4, 1), (1, 2, 1)),
    *((month, month, 3) for month in range(1, 10)),
    (10, 10, 5),
)
_STRENGTH_OF_MONTHS = {row[:2]: strength for strength, row in enumerate(_COMBINATIONS, start=10)}
MULTIPLIER: tuple[int, ...] = (*(1,) * 10, *(row[2] for row in _COMBINATIONS), 10)  # by strength


def _strength(one: Card, two: Card) -> Strength:
    low, high = sorted((_MONTH_OF[one], _MONTH_OF[two]))
    if {one, two} == {_CURTAIN, _MOON}:
        return len(MULTIPLIER) - 1
    if (low, high) == (1, 8) and _MOON in (one, two):
        return 9
    return _STRENGTH_OF_MONTHS.get((low, high), (low + high) % 10)


STRENGTH: tuple[tuple[Strength, ...], ...] = tuple(
    tuple(_strength(one, two) for two in range(20)) for one in range(20)
)
CODES_OF_HAND: tuple[tuple[tuple[str, str], ...], ...] = tuple(  # in canonical order
    tuple((PACK[min(one, two)], PACK[max(one, two)]) for two in range(20)) for one in range(20)
)
SHOWN: tuple[str, ...] = tuple(f"shown:{code}" for code in PACK)
REVEAL: tuple[tuple[str, ...], ...] = tuple(
    tuple("reveal:" + ",".join(codes) for codes in row) for row in CODES_OF_HAND
)


class RoundEnd(NamedTuple):
    """How a round ended: the cards, the seats that showed them, who won, and coins by seat."""

    first: list[Card]
    second: list[Card]
    shown: SeatMask
    winners: list[Seat]
    multiplier: int
    bets: list[Coins]
    before: list[Coins]
    after: list[Coins]

    def as_json(self) -> dict[str, Any]:
        """Return a fresh object for an observation; hands are in canonical order."""
        hands: list[list[str] | None] = [None] * len(self.bets)
        for seat in range(len(self.bets)):
            if self.shown >> seat & 1:
                hands[seat] = list(CODES_OF_HAND[self.first[seat]][self.second[seat]])
        return {
            "hands": hands,
            "winners": sorted(self.winners),
            "multiplier": self.multiplier,
            "pot": sum(self.bets),
            "paid": list(map(sub, self.after, self.before)),
        }


def pay_pot(
    stacks: list[Coins], bets: Sequence[Coins], strengths: Mapping[Seat, Strength], winners: list[Seat]
) -> None:
    """Pay without side pots: the winners share all bets, and the others still in pay the multiplier (§5.1).

    `strengths` are of the seats still in; they and `winners` stand in turn order from the Oya.
    """
    extra = MULTIPLIER[strengths[winners[0]]] - 1
    pot = sum(bets)
    if extra:
        pot += sum(_collect(stacks, seat, extra * bets[seat]) for seat in strengths if seat not in winners)
    _share(stacks, pot, winners)


def pay_side_pots(
    stacks: list[Coins], bets: Sequence[Coins], strengths: Mapping[Seat, Strength]
) -> list[Seat]:
    """Pay with side pots, the best hand first, until no bets are left; return who had the best (§5.2).

    A contest is for as high a slice of each bet as the lowest bet of those who win it. `strengths` are of the
    seats still in, in turn order from the Oya.
    """
    left = list(bets)
    contenders = list(strengths)
    while contenders:
        winners = best_of({seat: strengths[seat] for seat in contenders})
        height = min(left[seat] for seat in winners)
        extra = MULTIPLIER[strengths[winners[0]]] - 1
        pot = 0
        for seat, bet in enumerate(left):
            taken = min(bet, height)
            left[seat] -= taken
            pot += taken
            if seat in contenders and seat not in winners:
                pot += _collect(stacks, seat, extra * taken)
        _share(stacks, pot, winners)
        contenders = [seat for seat in contenders if left[seat]]
    return best_of(strengths)


def best_of(strengths: Mapping[Seat, Strength]) -> list[Seat]:
    """Return the seats with the best hand, in the order of `strengths`."""
    best = max(strengths.values())
    return [seat for seat, strength in strengths.items() if strength == best]


def _collect(stacks: list[Coins], seat: Seat, due: Coins) -> Coins:
    paid = min(due, stacks[seat])
    stacks[seat] -= paid
    return paid


def _share(stacks: list[Coins], pot: Coins, winners: list[Seat]) -> None:
    """Share the pot equally; odd coins go one by one to the winners nearest to the Oya (§5.3)."""
    if len(winners) == 1:
        stacks[winners[0]] += pot
        return
    share, odd = divmod(pot, len(winners))
    for place, seat in enumerate(winners):
        stacks[seat] += share + (place < odd)


# Of each hand, the share of all 190 hands that it beats; ties count half.
_ALL_STRENGTHS = sorted(STRENGTH[one][two] for one in range(20) for two in range(one))
_SHARE: tuple[tuple[float, ...], ...] = tuple(
    tuple((bisect_left(_ALL_STRENGTHS, hand) + bisect_right(_ALL_STRENGTHS, hand)) / 380 for hand in row)
    for row in STRENGTH
)


def chance_with_first_card(card: Card, rivals: int) -> float:
    """Return about how likely it is that this card and an unknown one beat so many unknown hands."""
    return sum((_SHARE[card][other] ** rivals for other in range(20) if other != card), 0.0) / 19


def chance_with_hand(hand: Sequence[Card], shown: Sequence[Card], rivals: Sequence[Card]) -> float:
    """Return about how likely a hand is to beat those whose first cards are `rivals`; `shown` lie face up."""
    mine = STRENGTH[hand[0]][hand[1]]
    unseen = [card for card in range(20) if card not in hand and card not in shown]
    chance = 1.0
    for first in rivals:
        theirs = [STRENGTH[first][card] for card in unseen]
        chance *= sum(((mine > other) + 0.5 * (mine == other) for other in theirs), 0.0) / len(theirs)
    return chance
