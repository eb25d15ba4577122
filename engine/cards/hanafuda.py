"""The hanafuda pack: 48 cards, twelve months of four, as one table; cards are 0..47, sets of them masks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Card = int
CardMask = int

KINDS = BRIGHT, ANIMAL, RIBBON, JUNK = "bright", "animal", "ribbon", "junk"
FLOWERS = (
    "pine",
    "plum",
    "cherry",
    "wisteria",
    "iris",
    "peony",
    "bush-clover",
    "grass",
    "chrysanthemum",
    "maple",
    "willow",
    "paulownia",
)

# One row a month, in canonical order; the number of a card is its position in this table.
_MONTHS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("crane", BRIGHT), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("nightingale", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("curtain", BRIGHT), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("cuckoo", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("bridge", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("butterflies", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("boar", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("moon", BRIGHT), ("geese", ANIMAL), ("k1", JUNK), ("k2", JUNK)),
    (("cup", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("deer", ANIMAL), ("rib", RIBBON), ("k1", JUNK), ("k2", JUNK)),
    (("rainman", BRIGHT), ("swallow", ANIMAL), ("rib", RIBBON), ("gaji", JUNK)),
    (("phoenix", BRIGHT), ("yellow", JUNK), ("k1", JUNK), ("k2", JUNK)),
)


@dataclass(frozen=True, slots=True)
class CardInfo:
    """One card: its text code, its month (1..12) and its kind (bright, animal, ribbon or junk)."""

    code: str
    month: int
    kind: str


CARDS: tuple[CardInfo, ...] = tuple(
    CardInfo(f"{month}-{name}", month, kind)
    for month, row in enumerate(_MONTHS, start=1)
    for name, kind in row
)
CODES: tuple[str, ...] = tuple(card.code for card in CARDS)
CODE_BYTES: tuple[bytes, ...] = tuple(code.encode() for code in CODES)
CARD_OF: dict[str, Card] = {code: card for card, code in enumerate(CODES)}
MONTH: tuple[int, ...] = tuple(card.month for card in CARDS)  # of each card, 1..12
BIT: tuple[CardMask, ...] = tuple(1 << card for card in range(48))
FULL_PACK: CardMask = (1 << 48) - 1
MONTH_MASK: tuple[CardMask, ...] = (0, *(0b1111 << 4 * month for month in range(12)))  # by month, 1..12
MATCHES: tuple[CardMask, ...] = tuple(
    MONTH_MASK[month] for month in MONTH
)  # the month of each card, as a mask


def mask_of(cards: Iterable[Card]) -> CardMask:
    """Return the mask that holds `cards`."""
    mask = 0
    for card in cards:
        mask |= BIT[card]
    return mask


def mask(*codes: str) -> CardMask:
    """Return the mask that holds the cards with these codes; KeyError names an unknown one."""
    return mask_of(CARD_OF[code] for code in codes)


def of_kind(kind: str) -> CardMask:
    """Return the mask of all cards of one kind."""
    return mask_of(card for card, info in enumerate(CARDS) if info.kind == kind)


BRIGHTS, ANIMALS, RIBBONS, JUNKS = map(of_kind, (BRIGHT, ANIMAL, RIBBON, JUNK))


def cards_in(cards: CardMask) -> Iterator[Card]:
    """Yield the cards of a mask in canonical order."""
    while cards:
        low = cards & -cards
        yield low.bit_length() - 1
        cards ^= low


def codes_in(cards: CardMask) -> list[str]:
    """Return the codes of a mask in canonical order."""
    a, b, c, d, e, f = cards.to_bytes(6, "little")
    one, two, three, four, five, six = _EIGHTHS
    return [*one[a], *two[b], *three[c], *four[d], *five[e], *six[f]]


# For each eight cards (two months) in canonical order: the codes of each of the 256 sets of them.
_EIGHTHS: tuple[tuple[tuple[str, ...], ...], ...] = tuple(
    tuple(tuple(CODES[first + card] for card in cards_in(chosen)) for chosen in range(256))
    for first in range(0, 48, 8)
)


def values(*, bright: int, animal: int, ribbon: int, junk: int) -> tuple[int, ...]:
    """Return the value of each card when all cards of a kind are worth the same."""
    of = {BRIGHT: bright, ANIMAL: animal, RIBBON: ribbon, JUNK: junk}
    return tuple(of[card.kind] for card in CARDS)


JAPANESE_VALUES = values(bright=20, animal=10, ribbon=5, junk=0)  # the whole pack is worth 240
