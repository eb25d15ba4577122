"""A slow and obvious twin of Sakura, in texts: deals, decisions, captures, the Gaji and the scores."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from support.twins_hanafuda import ANIMALS, PACK, RIBBONS, codes, flower
from support.twins_hanafuda import value as japanese_value

# One step of a slow match: who decides, the legal texts, the Ba, the piles by side.
Step = tuple[int, set[str], set[str], list[list[str]]]

DEALS = {2: (8, 8), 3: (7, 6), 4: (5, 8), 5: (4, 8), 6: (3, 12), 7: (3, 6)}
YAKU = {
    "i": codes("3-curtain 8-moon 9-cup"),
    "ro": codes("1-crane 2-nightingale 3-curtain"),
    "ha": codes("1-rib 2-rib 3-rib"),
    "ni": codes("6-rib 9-rib 10-rib"),
    "ho": codes("6-butterflies 10-deer 9-cup"),
    "he": codes("4-rib 5-rib 7-rib"),
    "to": codes("4-cuckoo 5-bridge 7-boar"),
    "chi": codes("10-deer 8-geese 7-boar"),
}
GAJI = "11-gaji"


def value(card: str, table: str = "hawaiian") -> int:
    """Return the points of a card."""
    if table == "japanese":
        return japanese_value(card)
    if card in codes("1-crane 3-curtain 8-moon 12-phoenix"):
        return 20
    if card in RIBBONS or card == "12-yellow":
        return 10
    return 5 if card in ANIMALS or card == "11-rainman" else 0


def yaku_of(pile: Sequence[str]) -> list[str]:
    """Return the names of the yaku that a pile holds."""
    return [name for name, cards in YAKU.items() if all(card in pile for card in cards)]


def side_scores(piles: Sequence[Sequence[str]], table: str = "hawaiian") -> list[int]:
    """Return the score of each side for its pile and those of the others."""
    scores = []
    for side, pile in enumerate(piles):
        score = sum(value(card, table) for card in pile)
        for other, theirs in enumerate(piles):
            if other != side:
                score -= 50 * len(yaku_of(theirs))
        scores.append(score)
    return scores


def side_of(seat: int, seats: int, teams: str) -> int:
    """Return the side of a seat."""
    if teams == "trios":
        return seat % 2
    return seat % (seats // 2) if teams == "pairs" else seat


def pairs(cards: Sequence[str]) -> int:
    """Return the number of pairs of one month."""
    months = [flower(card) for card in cards]
    return sum(months.count(month) // 2 for month in set(months))


def has_four(cards: Sequence[str]) -> bool:
    """Return whether four cards are of one month."""
    months = [flower(card) for card in cards]
    return any(months.count(month) == 4 for month in months)


@dataclass
class Round:
    """One round, from the deal on."""

    options: Mapping[str, Any]
    oya: int
    hands: list[list[str]]
    ba: list[str]
    stock: list[str]
    piles: list[list[str]]
    novembers: list[int] = field(default_factory=list)  # seats that put a November card on the table
    award: tuple[int, str] | None = None  # the side of the wild Gaji, and the month
    lucky: list[int] = field(default_factory=list)

    def side(self, seat: int) -> int:
        """Return the side of a seat."""
        return side_of(seat, len(self.hands), self.options["teams"])

    def matching(self, card: str) -> list[str]:
        """Return the Ba cards of the month of `card`."""
        return [other for other in self.ba if flower(other) == flower(card)]

    def play_texts(self, card: str) -> set[str]:
        """Return the ways to play a card as what it is."""
        found = self.matching(card)
        return {f"play:{card}+{target}" for target in found} if len(found) == 2 else {f"play:{card}"}

    def wild_texts(self, seat: int, blocked: Sequence[str] = ()) -> set[str]:
        """Return the ways to play the Gaji wild."""
        if not self.options["gaji"] or GAJI not in self.hands[seat]:
            return set()
        if any(other != seat for other in self.novembers):
            return set()
        return {f"wild:{card}" for card in self.ba if flower(card) not in ("11", *blocked)}

    def plays(self, seat: int) -> set[str]:
        """Return the legal texts of a seat that plays a hand card."""
        must = any(len(self.matching(card)) in (1, 2) for card in self.hands[seat])
        texts = set(self.wild_texts(seat))
        for card in self.hands[seat]:
            if self.matching(card) or not must or self.options["free_discard"]:
                texts |= self.play_texts(card)
        return texts

    def put(self, seat: int, card: str, target: str = "") -> None:
        """Let `card` take what it takes as a card of its month; `target` is the chosen one of two."""
        if flower(card) == "11":
            self.novembers.append(seat)
        taken = [target] if target else self.matching(card)
        if not taken:
            self.ba.append(card)
        for other in taken:
            self.ba.remove(other)
        if taken:
            self.piles[self.side(seat)] += [card, *sorted(taken, key=PACK.index)]

    def is_blocked(self, seat: int, target: str) -> bool:
        """Return whether another seat holds the fourth card of a month of which three lie in the Ba."""
        others = [card for other, hand in enumerate(self.hands) if other != seat for card in hand]
        return len(self.matching(target)) == 3 and any(flower(card) == flower(target) for card in others)

    def step(self, seat: int, texts: set[str]) -> Step:
        """Return what there is to decide."""
        return seat, texts, set(self.ba), self.piles

    def hand_part(self, seat: int) -> Generator[Step, str, None]:
        """Play step 1 of a turn."""
        text = yield self.step(seat, self.plays(seat))
        blocked: list[str] = []
        while text.startswith("wild:"):
            target = text.removeprefix("wild:")
            if not self.is_blocked(seat, target):
                self.hands[seat].remove(GAJI)
                self.ba.remove(target)
                self.piles[self.side(seat)] += [GAJI, target]
                self.award = (self.side(seat), flower(target))
                return
            blocked.append(flower(target))
            text = yield self.step(seat, self.wild_texts(seat, blocked) | self.play_texts(GAJI))
        card, _, target = text.removeprefix("play:").partition("+")
        self.hands[seat].remove(card)
        self.put(seat, card, target)

    def stock_part(self, seat: int) -> Generator[Step, str, None]:
        """Play step 2 of a turn."""
        card, target = self.stock.pop(0), ""
        if len(self.matching(card)) == 2:
            text = yield self.step(seat, {f"draw+{other}" for other in self.matching(card)})
            target = text.removeprefix("draw+")
        self.put(seat, card, target)

    def play(self) -> Generator[Step, str, list[int]]:
        """Play the round; return the score of each seat."""
        seats = len(self.hands)
        if self.lucky:
            return [6 * sum(self.side(one) == self.side(seat) for one in self.lucky) for seat in range(seats)]
        seat = self.oya
        dead = seats == 2 and self.options["two_player_stock"] == "dead"
        while any(self.hands) or (self.stock and not dead):
            if self.hands[seat]:
                yield from self.hand_part(seat)
            if self.stock:
                yield from self.stock_part(seat)
            seat = (seat + 1) % seats
        if self.award:
            side, month = self.award
            self.piles[side] += [card for card in self.ba if flower(card) == month]
        scores = side_scores(self.piles, self.options["card_values"])
        return [scores[self.side(seat)] for seat in range(seats)]


def deal(options: Mapping[str, Any], seats: int, seed: bytes, number: int, oya: int) -> Round:
    """Return the deal of round `number`, dealt again as often as the rules say."""
    size, middle = DEALS[seats]
    attempt = 0
    while True:
        order = sorted(PACK, key=lambda card: sha256(seed + f"/{number}/{attempt}/{card}".encode()).digest())
        hands: list[list[str]] = [[] for _ in range(seats)]
        for block in range(seats):
            hands[(oya + block) % seats] = order[size * block : size * (block + 1)]
        ba, stock = order[size * seats :][:middle], order[size * seats :][middle:]
        from_oya = [(oya + step) % seats for step in range(seats)]
        lucky = [seat for seat in from_oya if has_four(hands[seat]) or pairs(hands[seat]) >= 4]
        if lucky or not (has_four(ba) or pairs(ba) >= 4):
            sides = len({side_of(seat, seats, options["teams"]) for seat in range(seats)})
            return Round(options, oya, hands, ba, stock, [[] for _ in range(sides)], lucky=lucky)
        attempt += 1


def slow_match(options: Mapping[str, Any], seats: int, seed: bytes) -> Generator[Step, str, list[int]]:
    """Play a match: yields steps, is sent texts, returns the totals by seat."""
    oya, totals = 0, [0] * seats
    for number in range(options["rounds"]):
        one_round = deal(options, seats, seed, number, oya)
        scores = yield from one_round.play()
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        from_oya = [(oya + step) % seats for step in range(seats)]
        best = one_round.lucky or [seat for seat in from_oya if scores[seat] == max(scores)]
        oya = best[0]
    return totals
