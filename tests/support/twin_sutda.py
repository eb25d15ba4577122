"""A slow twin of Sutda: one round told step by step with names and lists, as docs/games/sutda.md tells it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Hand = tuple[str, str]

RANKING = (
    *("curtain+moon", "10+10", "9+9", "8+8", "7+7", "6+6", "5+5", "4+4", "3+3", "2+2", "1+1"),
    *("1+2", "1+4", "10+4", "10+1", "1+8", "6+4"),
    *(f"{points}points" for points in range(9, -1, -1)),
)


def name_of(hand: Hand) -> str:
    """Return the name of a hand in RANKING."""
    months = [int(code.split("-")[0]) for code in hand]
    if set(hand) == {"3-curtain", "8-moon"}:
        return "curtain+moon"
    if set(months) == {1, 8} and "8-moon" in hand:
        return "9points"
    for name in (f"{months[0]}+{months[1]}", f"{months[1]}+{months[0]}"):
        if name in RANKING:
            return name
    return f"{str(sum(months))[-1]}points"


def multiplier_of(hand: Hand) -> int:
    """Return what the losers pay, in multiples of their bets."""
    name = name_of(hand)
    if name == "curtain+moon":
        return 10
    if name == "10+10":
        return 5
    months = name.split("+")
    return 3 if len(months) == 2 and months[0] == months[1] else 1


def best_of(hands: dict[int, Hand]) -> list[int]:
    """Return the seats that hold the strongest hand."""
    best = min(RANKING.index(name_of(hand)) for hand in hands.values())
    return [seat for seat, hand in hands.items() if RANKING.index(name_of(hand)) == best]


@dataclass
class TwinRound:
    """One round: coins before it, the Oya, the hands (first card first), and what was said in turn."""

    coins: list[int]
    oya: int
    ante: int
    hands: dict[int, Hand]  # of the seats that take part
    said: Iterator[tuple[int, str]]
    capped: bool = False
    split: bool = False
    new_hands: Callable[[list[int], int], dict[int, Hand]] = lambda tied, attempt: {}  # from attempt 1 on
    bets: dict[int, int] = field(default_factory=dict)
    staying: list[int] = field(default_factory=list)

    def play(self) -> None:
        """Play the round; afterwards `coins` are those after payment, and `oya` is who should deal."""
        for seat in self.hands:
            self.bets[seat] = min(self.ante, self.coins[seat])
            self.coins[seat] -= self.bets[seat]
        self.staying = list(self.hands)
        self.auction()
        if len(self.staying) > 1:
            self.auction()
        if len(self.staying) == 1:
            self.coins[self.staying[0]] += sum(self.bets.values())
        elif self.capped:
            self.pay_side_pots()
        else:
            self.pay_pot()

    def after(self, seat: int) -> int:
        """Return the next seat round the table."""
        return (seat + 1) % len(self.coins)

    def from_oya(self, seats: list[int]) -> list[int]:
        """Return seats in turn order, the Oya first."""
        order = []
        seat = self.oya
        for _ in self.coins:
            if seat in seats:
                order.append(seat)
            seat = self.after(seat)
        return order

    def auction(self) -> None:
        """Hear what each says until the turn is back at the last raiser; he becomes the Oya."""
        able = [seat for seat in self.staying if self.coins[seat]]
        if len(able) < 2:
            return
        put_in = dict.fromkeys(self.hands, 0)
        opener, word = next(self.said)
        assert opener == self.from_oya(able)[0]
        high = self.bid(opener, word, put_in)
        raiser, seat = opener, self.after(opener)
        while seat != raiser and len(self.staying) > 1:
            if seat in self.staying and self.coins[seat]:
                speaker, word = next(self.said)
                assert speaker == seat
                if word == "give_up":
                    self.staying.remove(seat)
                elif word == "follow":
                    self.put(seat, min(high - put_in[seat], self.coins[seat]), put_in)
                else:
                    raised = self.bid(seat, word, put_in)
                    assert raised > high
                    high, raiser = raised, seat
            seat = self.after(seat)
        self.oya = raiser

    def bid(self, seat: int, word: str, put_in: dict[int, int]) -> int:
        """Bring the total of a seat to what it bids; return the bid."""
        total = int(word.removeprefix("bid:"))
        self.put(seat, total - put_in[seat], put_in)
        return total

    def put(self, seat: int, coins: int, put_in: dict[int, int]) -> None:
        """Put coins into the pot, one by one."""
        for _ in range(coins):
            assert self.coins[seat] > 0
            self.coins[seat] -= 1
            self.bets[seat] += 1
            put_in[seat] += 1

    def pay_pot(self) -> None:
        """Pay without side pots."""
        winners = best_of({seat: self.hands[seat] for seat in self.staying})
        multiplier = multiplier_of(self.hands[winners[0]])
        if not self.split:
            attempt = 0
            while len(winners) > 1:
                attempt += 1
                winners = best_of(self.new_hands(self.from_oya(winners), attempt))
        for seat in self.staying:
            if seat not in winners:
                self.pay(seat, winners[0], (multiplier - 1) * self.bets[seat])
        self.share(sum(self.bets.values()), winners)

    def pay_side_pots(self) -> None:
        """Pay with side pots: contest after contest for what is left of the bets."""
        left = dict(self.bets)
        while any(left[seat] for seat in self.staying):
            contenders = [seat for seat in self.staying if left[seat]]
            winners = best_of({seat: self.hands[seat] for seat in contenders})
            height = min(left[seat] for seat in winners)
            taken = {seat: min(left[seat], height) for seat in left}
            for seat in contenders:
                if seat not in winners:
                    self.pay(seat, winners[0], (multiplier_of(self.hands[winners[0]]) - 1) * taken[seat])
            for seat in left:
                left[seat] -= taken[seat]
            self.share(sum(taken.values()), winners)

    def pay(self, seat: int, winner: int, due: int) -> None:
        """Pay coins one by one, as far as they reach."""
        for _ in range(due):
            if self.coins[seat]:
                self.coins[seat] -= 1
                self.coins[winner] += 1

    def share(self, pot: int, winners: list[int]) -> None:
        """Hand out a pot coin by coin, the winner nearest to the Oya first."""
        order = self.from_oya(winners)
        for coin in range(pot):
            self.coins[order[coin % len(order)]] += 1
