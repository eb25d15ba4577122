"""The Unsun karuta pack: its 75 cards, their ranks by trump suit, and the tricks that eight seats play."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.contract import Seat
from engine.native import compiled

Card = int
Suit = int
Cards = frozenset[Card]

SUITS = ("P", "I", "K", "O", "G")  # docs/games/hachinin_meri.md §1
RANKS = ("Sun", "Un", "Sota", "Robai", "Rei", "Kaba", "9", "8", "7", "6", "5", "4", "3", "2", "1")
CODES = tuple(
    f"{suit}-{rank}" for suit in SUITS for rank in RANKS
)  # a card is its place in this table, 0..74
CODE_BYTES = tuple(code.encode() for code in CODES)
CARD_OF = {code: card for card, code in enumerate(CODES)}
PACK: Cards = frozenset(range(len(CODES)))
NO_CARDS: Cards = frozenset()
TENKA = CARD_OF["P-Robai"]
SEATS = 8
ORDER = tuple(tuple((first + i) % SEATS for i in range(SEATS)) for first in range(SEATS))  # by the first seat

_LONG, _ROUND = "9 8 7 6 5 4 3 2 1", "1 2 3 4 5 6 7 8 9"
_NUMERALS = {"P": _LONG, "I": _LONG, "K": _ROUND, "O": _ROUND, "G": _ROUND}  # §2, strongest first
_PLAIN = {
    "P": f"Sun Un Rei Kaba Sota {_LONG}",
    "I": "Sun Un Rei Kaba Sota 9 8 7 6 5 4 3 2 Robai 1",
    "K": f"Sun Un Rei Kaba Sota Robai {_ROUND}",
    "O": f"Sun Un Rei Kaba Sota Robai {_ROUND}",
    "G": f"Sun Un Rei Kaba Sota Robai {_ROUND}",
}
_PAIRS = (("Sun", "Un"), ("Un", "Sota"), ("Sota", "Robai"), ("Robai", "Rei"))  # §4
_LOWEST_PAIR = {"P": ("2", "1"), "I": ("2", "1"), "K": ("8", "9"), "O": ("8", "9"), "G": ("8", "9")}


def card_in(text: str) -> Card:
    """Return the card that an action text names; -1 when it names none."""
    return CARD_OF.get(text.partition(":")[2], -1)


def _in_suit(suit: str, ranks: str) -> list[Card]:
    return [CARD_OF[f"{suit}-{rank}"] for rank in ranks.split()]


def _trumps_in_order(suit: str) -> list[Card]:
    cards = _in_suit(suit, f"Sun Un Sota Robai Rei Kaba {_NUMERALS[suit]}")
    if TENKA not in cards:
        cards.insert(3, TENKA)
    return cards


@compiled(native_class=False)
@dataclass(frozen=True, slots=True)
class Trumps:
    """What one trump suit makes of the pack: its trumps, ranks and combinations (§2, §4)."""

    suit: str
    cards: Cards
    sun: Card
    robai: Card  # the native one
    suit_of: tuple[Suit, ...]  # of each card in play: Tenka belongs to the trump suit
    strength: tuple[tuple[int, ...], ...]  # by the suit led, then by card: trumps above 100, other suits 0
    combinations: dict[tuple[Card, Card], str]
    monchi: tuple[
        tuple[Cards, Cards], ...
    ]  # by the suit led: the cards that bind, and what may then be played


def _trumps_of(suit: str) -> Trumps:
    order = _trumps_in_order(suit)
    trumps = frozenset(order)
    number = SUITS.index(suit)
    over_plain = {card: 100 + len(order) - i for i, card in enumerate(order)}
    strength, monchi = [], []
    for led in SUITS:
        plain = [card for card in _in_suit(led, _PLAIN[led]) if card not in trumps]
        power = {card: len(plain) - i for i, card in enumerate(plain)} | over_plain
        strength.append(tuple(power.get(card, 0) for card in range(len(CODES))))
        monchi.append((frozenset(plain), frozenset(plain) | trumps))
    pairs = (*_PAIRS, _LOWEST_PAIR[suit])
    return Trumps(
        suit=suit,
        cards=trumps,
        sun=CARD_OF[f"{suit}-Sun"],
        robai=CARD_OF[f"{suit}-Robai"],
        suit_of=tuple(number if card in trumps else card // len(RANKS) for card in range(len(CODES))),
        strength=tuple(strength),
        combinations={(CARD_OF[f"{suit}-{a}"], CARD_OF[f"{suit}-{b}"]): f"{a}-{b}" for a, b in pairs},
        monchi=tuple(monchi),
    )


TRUMPS = tuple(map(_trumps_of, SUITS))


class Trick(NamedTuple):
    """A finished trick: its cards from the leader on, who won it and what passed to the winner's team."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat
    meri: bool
    combination: str | None
    transfer: int


def settle_trick(
    trumps: Trumps, leader: Seat, cards: Sequence[Card], *, concealed: bool, ninth_suit_by: Seat | None = None
) -> Trick:
    """Return who wins the eight cards and what passes (§3.5, §3.6, §4).

    `ninth_suit_by` is None but for the ninth trick: the seat whose card stands for the lead.
    """
    ninth = ninth_suit_by is not None
    lead = cards[(ninth_suit_by - leader) % SEATS] if ninth_suit_by is not None else cards[0]
    meri = not ninth and lead in trumps.cards
    strength = trumps.strength[trumps.suit_of[lead]]
    powers = [strength[card] for card in cards]
    at = powers.index(max(powers))
    combination, transfer = None, 0
    if not meri and cards[at] in trumps.cards:
        rival = max(cards[1 - at % 2 :: 2], key=strength.__getitem__)  # the other team sits in between
        combination = trumps.combinations.get((cards[at], rival))
        if combination is not None:
            five = ninth or (concealed and trumps.robai in (cards[at], rival))
            transfer = 5 if five else 2
    return Trick(leader, tuple(cards), (leader + at) % SEATS, meri, combination, transfer)


def bound_by(trumps: Trumps, lead: Card, meri_seen: bool) -> tuple[Cards, Cards]:
    """Return the cards that bind a seat that holds one, and what such a seat may play (§3.5)."""
    if lead in trumps.cards:
        return trumps.cards, trumps.cards
    return trumps.monchi[trumps.suit_of[lead]] if meri_seen else (NO_CARDS, NO_CARDS)


def answers(hand: list[Card], bound: tuple[Cards, Cards], lone_sun: Card | None) -> list[Card]:
    """Return the cards of `hand` that may answer a lead; `lone_sun` is the Sun of a lone-Sun seat (§3.5)."""
    binding, allowed = bound
    if binding.isdisjoint(hand):
        return hand[:]
    legal = [card for card in hand if card in allowed]
    return hand[:] if legal == [lone_sun] else legal


def plain_first(trumps: Trumps, hand: list[Card]) -> list[Card]:
    """Return the cards that are no trumps, all when there are only trumps (§3.3, §3.4)."""
    return [card for card in hand if card not in trumps.cards] or hand[:]


def barred_by_play(
    trumps: Trumps, tricks: Sequence[tuple[Seat, Sequence[Card]]], indicator: Card
) -> list[Cards]:
    """Return for each seat the cards that its play to `tricks` proves it not to hold (§3.4, §3.5).

    `tricks` are (leader, cards from the leader on) in order; the first leader is the receiver, the last trick
    may be unfinished. A seat that did not follow a Meri may yet hold the Sun, unless it showed another trump
    that it was dealt.
    """
    barred = [NO_CARDS] * SEATS
    sun_only = [True] * SEATS
    meri_seen = False
    for leader, cards in tricks:
        binding, _ = bound_by(trumps, cards[0], meri_seen)
        is_meri = cards[0] in trumps.cards
        meri_seen = meri_seen or is_meri
        for seat, card in zip(ORDER[leader], cards, strict=False):
            if card not in trumps.cards:
                barred[seat] |= NO_CARDS if card in binding else binding
            elif card != indicator and (is_meri or len(cards) == SEATS):
                sun_only[seat] = False
    if tricks and tricks[0][1][0] in trumps.cards:
        barred[tricks[0][0]] |= PACK - trumps.cards
    return [cards - {trumps.sun} if sun_only[seat] else cards for seat, cards in enumerate(barred)]


def with_played(
    hands: Sequence[Sequence[Card]], tricks: Sequence[tuple[Seat, Sequence[Card]]]
) -> list[set[Card]]:
    """Return the cards of each hand together with those that its seat played to `tricks`."""
    owned = [set(hand) for hand in hands]
    for leader, cards in tricks:
        for seat, card in zip(ORDER[leader], cards, strict=False):
            owned[seat].add(card)
    return owned
