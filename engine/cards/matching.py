"""Matching by month: the actions of the capturing games, when they are open, and what a card takes."""

from functools import cache
from itertools import combinations

from engine.cards.hanafuda import BIT, CODES, MATCHES, MONTH_MASK, Card, CardMask, cards_in, mask_of
from engine.contract import Action

# Actions. A hand card c that takes the field card t (of its month) is 4c + (t mod 4); played without a choice
# it is 4c + (c mod 4). A turned card that takes t is FIRST_DRAW + t. A game numbers its own from ACTIONS on.
FIRST_DRAW = 192
ACTIONS = 240


def _play_text(card: Card, target: Card) -> str:
    return f"play:{CODES[card]}" if target == card else f"play:{CODES[card]}+{CODES[target]}"


TEXTS: tuple[str, ...] = (
    *(_play_text(card, card & ~3 | nth) for card in range(48) for nth in range(4)),
    *(f"draw+{code}" for code in CODES),
)

# The field cards that an action takes if they lie there: the chosen one, or all of the month.
CHOSEN: tuple[CardMask, ...] = (
    *(MATCHES[card] if card & 3 == nth else BIT[card & ~3 | nth] for card in range(48) for nth in range(4)),
    *BIT,
)

NOTATION = (
    ("month-name", "a card: its month and its name"),
    (
        "play:<card>",
        "play a hand card: it takes the card, or all three cards, of its month, or stays on the field",
    ),
    ("play:<card>+<target>", "play a hand card and take one of the two field cards of its month"),
    ("draw+<target>", "let the card turned from the stock take one of the two field cards of its month"),
)

TURNED: tuple[str, ...] = tuple(
    f"draw:{code}" for code in CODES
)  # the entry of each card turned from the stock


def _sets_matching(card: Card) -> list[CardMask]:
    """Return the eight sets of other cards of the card's month, the empty one too."""
    others = [other for other in cards_in(MATCHES[card]) if other != card]
    return [mask_of(chosen) for size in range(4) for chosen in combinations(others, size)]


def _plays(card: Card, matching: CardMask) -> tuple[Action, ...]:
    targets = cards_in(matching) if matching.bit_count() == 2 else [card]
    return tuple(4 * card + (target & 3) for target in targets)


# Of each hand card, by the field cards that match it: how it can be played. Of two that match one is chosen.
PLAYS: tuple[dict[CardMask, tuple[Action, ...]], ...] = tuple(
    {matching: _plays(card, matching) for matching in _sets_matching(card)} for card in range(48)
)

# By the two field cards that match a turned card: the actions that choose between them.
DRAWS: dict[CardMask, tuple[Action, ...]] = {
    matching: tuple(FIRST_DRAW + target for target in cards_in(matching))
    for card in range(48)
    for matching in _sets_matching(card)
    if matching.bit_count() == 2
}


# What one card takes: all cards that go to the pile, their entry in the history, codes and points.
Capture = tuple[CardMask, str, tuple[str, ...], int]
Captures = tuple[dict[CardMask, Capture], ...]


def capture(card: Card, taken: CardMask, values: tuple[int, ...]) -> Capture:
    """Return the capture of the cards `taken` by `card`, which comes first in text and codes."""
    order = (card, *cards_in(taken))
    codes = tuple(CODES[each] for each in order)
    return taken | BIT[card], "takes:" + ",".join(codes), codes, sum(values[each] for each in order)


@cache
def captures(values: tuple[int, ...]) -> Captures:
    """Return, of each card, by the cards that it takes, the capture, when cards have these values."""
    return tuple(
        {taken: capture(card, taken, values) for taken in _sets_matching(card) if taken} for card in range(48)
    )


_FIRST_OF_EACH_MONTH = mask_of(range(0, 48, 4))


def has_four(cards: CardMask) -> bool:
    """Return whether all four cards of some month are among `cards`."""
    return bool(cards & cards >> 1 & cards >> 2 & cards >> 3 & _FIRST_OF_EACH_MONTH)


def months_of_three(cards: CardMask) -> tuple[int, ...]:
    """Return the months, ascending, of which exactly three cards are among `cards`."""
    both, either = cards & cards >> 1, cards | cards >> 1  # of two cards that follow each other
    if not (both & either >> 2 | either & both >> 2) & _FIRST_OF_EACH_MONTH:
        return ()  # as most often
    return tuple([month for month in range(1, 13) if (cards & MONTH_MASK[month]).bit_count() == 3])
