"""Slow and obvious twins of the flower games, in texts: the pack, values, combinations, whole matches."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any


def codes(text: str) -> list[str]:
    """Return the codes in a text with spaces."""
    return text.split()


PACK = codes("""
    1-crane 1-rib 1-k1 1-k2 2-nightingale 2-rib 2-k1 2-k2 3-curtain 3-rib 3-k1 3-k2 4-cuckoo 4-rib 4-k1 4-k2
    5-bridge 5-rib 5-k1 5-k2 6-butterflies 6-rib 6-k1 6-k2 7-boar 7-rib 7-k1 7-k2 8-moon 8-geese 8-k1 8-k2
    9-cup 9-rib 9-k1 9-k2 10-deer 10-rib 10-k1 10-k2 11-rainman 11-swallow 11-rib 11-gaji
    12-phoenix 12-yellow 12-k1 12-k2
""")
BRIGHTS = codes("1-crane 3-curtain 8-moon 11-rainman 12-phoenix")
ANIMALS = codes("2-nightingale 4-cuckoo 5-bridge 6-butterflies 7-boar 8-geese 9-cup 10-deer 11-swallow")
RIBBONS = [card for card in PACK if card.endswith("-rib")]
JUNK = [card for card in PACK if card not in BRIGHTS + ANIMALS + RIBBONS]

Pile = Iterable[str]
# One step of a slow match: who decides, the legal texts, the cards on the table, the piles.
Step = tuple[int, set[str], set[str], list[list[str]]]


def flower(card: str) -> str:
    """Return the month of a card, as text."""
    return card.split("-")[0]


def value(card: str, junk: int = 0) -> int:
    """Return the card points of a card in Hana-awase and Minhwatu."""
    if card in BRIGHTS:
        return 20
    if card in ANIMALS:
        return 10
    return 5 if card in RIBBONS else junk


def points(pile: Pile, junk: int = 0) -> int:
    """Return the card points of a pile."""
    return sum(value(card, junk) for card in pile)


def hana_awase_combinations(pile: Pile, mode: str) -> dict[str, int]:
    """Return the combinations that a pile holds, with their values."""
    has, found = set(pile), {}
    if mode != "none":
        if has >= {"1-rib", "2-rib", "3-rib"}:
            found["red"] = 40
        if has >= {"6-rib", "9-rib", "10-rib"}:
            found["blue"] = 40
        if has >= {"1-crane", "3-curtain", "8-moon", "12-phoenix"}:
            found["four_bright"] = 60
    if mode == "extended":
        if "four_bright" in found and "11-rainman" in has:
            del found["four_bright"]
            found["five_bright"] = 100
        if len([card for card in RIBBONS if card in has and card != "11-rib"]) >= 7:
            found["seven_ribbons"] = 60
        if len([card for card in has if card in JUNK or flower(card) == "11"]) >= 14:
            found["fourteen_junk"] = 60
    return found


def minhwatu_combinations(pile: Pile) -> dict[str, int]:
    """Return the combinations that a pile holds, with their values."""
    has, found = set(pile), {}
    for name, month in (("iris", "5"), ("maple", "10"), ("rain", "11")):
        if len([card for card in has if flower(card) == month]) == 4:
            found[name] = 20
    for name, months in (("red", "1 2 3"), ("blue", "6 9 10"), ("plain", "4 5 7")):
        if all(f"{month}-rib" in has for month in months.split()):
            found[name] = 30
    return found


def nearest(seats: list[int], eldest: int) -> int:
    """Return the first of `seats` that is met when counting on from `eldest`."""
    return next(seat % 3 for seat in range(eldest, eldest + 3) if seat % 3 in seats)


def paid_by_both(seat: int, worth: int) -> list[int]:
    """Return the scores when `seat` is paid `worth` by each of the others."""
    return [2 * worth if other == seat else -worth for other in range(3)]


def added(rows: Iterable[list[int]]) -> list[int]:
    """Return the sums, seat by seat."""
    return [sum(column) for column in zip([0, 0, 0], *rows, strict=True)]


def hana_awase_result(
    piles: list[list[str]], eldest: int, options: Mapping[str, Any], maker: int | None
) -> tuple[list[int], int]:
    """Return the scores of a hand and the next eldest; `maker` ended it, None when it was played out."""
    mode, scale = options["combinations"], options["scale"]
    worth = [sum(hana_awase_combinations(pile, mode).values()) for pile in piles]
    if maker is not None:
        return paid_by_both(maker, worth[maker]), maker
    if any(worth):
        scores = added(paid_by_both(seat, worth[seat] // 2) for seat in range(3))
        return scores, nearest([seat for seat in range(3) if worth[seat] == max(worth)], eldest)
    sums = [points(pile, junk=1 if scale == 88 else 0) for pile in piles]
    if mode == "extended" and min(sums) <= 15:
        miser = sums.index(min(sums))
        return paid_by_both(miser, 40), miser
    return [each - scale for each in sums], nearest(
        [seat for seat in range(3) if sums[seat] == max(sums)], eldest
    )


def minhwatu_result(piles: list[list[str]], eldest: int) -> tuple[list[int], int]:
    """Return the scores of a hand and the next eldest."""
    worth = [sum(minhwatu_combinations(pile).values()) for pile in piles]
    paid = [paid_by_both(seat, worth[seat]) for seat in range(3)]
    scores = added([*paid, [points(pile) - 80 for pile in piles]])
    return scores, nearest([seat for seat in range(3) if scores[seat] == max(scores)], eldest)


@dataclass
class Hand:
    """The cards of a hand, as lists of codes."""

    options: Mapping[str, Any]
    hands: list[list[str]]
    table: list[str]
    stock: list[str]
    piles: list[list[str]] = field(default_factory=lambda: [[], [], []])

    def matching(self, card: str) -> list[str]:
        """Return the table cards of the flower of `card`."""
        return [other for other in self.table if flower(other) == flower(card)]

    def lay(self, seat: int, card: str, target: str = "") -> None:
        """Let `card` take what it takes; `target` is the chosen one of two."""
        taken = [target] if target else self.matching(card)
        if not taken:
            self.table.append(card)
            return
        self.table = [other for other in self.table if other not in taken]
        self.piles[seat] += [card, *sorted(taken, key=PACK.index)]

    def plays(self, seat: int) -> set[str]:
        """Return the legal texts of a seat that plays a hand card."""
        texts = set()
        for card in self.hands[seat]:
            two = self.matching(card) if len(self.matching(card)) == 2 else []
            texts |= {f"play:{card}+{target}" for target in two} or {f"play:{card}"}
        return texts

    def worth(self, seat: int) -> int:
        """Return what the combinations of a seat are worth in Hana-awase; 0 in Minhwatu."""
        mode = self.options.get("combinations", "none")
        return sum(hana_awase_combinations(self.piles[seat], mode).values())

    def step(self, seat: int, texts: set[str]) -> Step:
        """Return what there is to decide."""
        return seat, texts, set(self.table), self.piles


def deal(options: Mapping[str, Any], seed: bytes, number: int, eldest: int) -> Hand:
    """Return the deal of hand `number`, dealt again as often as the rules say."""
    attempt = 0
    while True:
        order = sorted(PACK, key=lambda card: sha256(seed + f"/{number}/{attempt}/{card}".encode()).digest())
        hands: list[list[str]] = [[], [], []]
        for block in range(3):
            hands[(eldest + block) % 3] = order[7 * block : 7 * block + 7]
        refused = [order[21:27], *(hands if options.get("redeal_hand_four") else [])]
        months = [[flower(card) for card in cards] for cards in refused]
        if not any(each.count(month) == 4 for each in months for month in each):
            return Hand(options, hands, order[21:27], order[27:])
        attempt += 1


def slow_hand(hand: Hand, eldest: int) -> Generator[Step, str, int | None]:
    """Play one hand; return the seat that ended it, None when it was played out."""
    decided = [0, 0, 0]
    for turn in range(21):
        seat = (eldest + turn) % 3
        card, _, target = (yield hand.step(seat, hand.plays(seat))).removeprefix("play:").partition("+")
        hand.hands[seat].remove(card)
        hand.lay(seat, card, target)
        if hand.options.get("combinations") == "classic" and hand.worth(seat):
            return seat
        card, target = hand.stock.pop(0), ""
        if len(hand.matching(card)) == 2:
            texts = {f"draw+{each}" for each in hand.matching(card)}
            target = (yield hand.step(seat, texts)).removeprefix("draw+")
        hand.lay(seat, card, target)
        if hand.worth(seat) > decided[seat]:
            if hand.options["combinations"] == "classic" or turn == 20:
                return seat
            if (yield hand.step(seat, {"stop", "continue"})) == "stop":
                return seat
            decided[seat] = hand.worth(seat)
    return None


def slow_match(game: str, options: Mapping[str, Any], seed: bytes) -> Generator[Step, str, list[int]]:
    """Play a match of `hana_awase` or `minhwatu`: yields steps, is sent texts, returns the totals."""
    eldest, totals = 0, [0, 0, 0]
    for number in range(options["rounds"]):
        hand = deal(options, seed, number, eldest)
        maker = yield from slow_hand(hand, eldest)
        if game == "minhwatu":
            scores, eldest = minhwatu_result(hand.piles, eldest)
        else:
            scores, eldest = hana_awase_result(hand.piles, eldest, options, maker)
        totals = added([totals, scores])
    return totals
