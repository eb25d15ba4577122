"""Sutda: bid on two cards over two auctions; the best two-card combination still in takes the coins.

Rules: docs/games/sutda.md; a section sign in a comment points there.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import sub
from typing import Self

from engine.cards import sutda_showdown as showdown
from engine.cards.sutda_showdown import MULTIPLIER, NUMBER_OF, PACK, REVEAL, STRENGTH, Card, Coins, RoundEnd
from engine.contract import Action, Game, Observation, Seat, action_of, check_seat, rank_high_to_low
from engine.errors import BadOptions, IllegalAction, MatchNotOver
from engine.native import compiled
from engine.options import Choice, Number, Options
from engine.rng import Stream
from engine.shuffle import decks_of

SeatMask = int
Shuffle = Callable[[int, int], Sequence[Card]]  # round and attempt, both from 0 -> the pack, top card first

_NO_CARD: Card = -1
_MOST_SEATS, _MOST_STACK, _MOST_ROUNDS = 10, 1000, 1000
_SEAT_BIT: tuple[SeatMask, ...] = tuple(1 << seat for seat in range(_MOST_SEATS))
_SEATS_IN: tuple[tuple[Seat, ...], ...] = tuple(
    tuple(seat for seat in range(_MOST_SEATS) if mask & _SEAT_BIT[seat]) for mask in range(1 << _MOST_SEATS)
)
_TURNS: tuple[tuple[tuple[Seat, ...], ...], ...] = tuple(  # by number of seats and first seat
    tuple((*range(first, seats), *range(first)) for first in range(seats)) for seats in range(_MOST_SEATS + 1)
)

# Actions: 0 gives up, 1 follows, n + 1 bids n.
_GIVE_UP, _FOLLOW, _BID = 0, 1, 1
_LEAVE_OR_FOLLOW = (_GIVE_UP, _FOLLOW)
_MOST_COINS = _MOST_SEATS * _MOST_STACK
_IDS: list[Action] = list(range(_MOST_COINS + 2))
_TEXTS: list[str] = ["give_up", "follow", *(f"bid:{coins}" for coins in range(1, _MOST_COINS + 1))]
_ACTION_OF: dict[str, Action] = {text: action for action, text in enumerate(_TEXTS)}

_deck = decks_of(showdown.PACK_BYTES)

OPTIONS = (
    Number("rounds", 10, 0, _MOST_ROUNDS, "rounds in a match; 0: until one player is left, at most 1000"),
    Number("stack", 100, 2, _MOST_STACK, "coins of each seat at the start"),
    Number("ante", 1, 1, _MOST_STACK // 2, "starting bid of each round, at most half of stack"),
    Choice("all_in", ("winner_takes_all", "capped"), "capped: bets of different height make side pots"),
    Choice("tie", ("rematch", "split"), "rematch: tied seats get new cards; split: they share the pot"),
)


def _seeded_deck(seed: bytes, round_number: int, attempt: int) -> Sequence[Card]:
    return _deck(seed, round_number, attempt)  # by a name of this module, so that a state can be pickled


_FIELDS = """game options seats seat sides round rounds scores hand legal history phase auction oya stacks
    bets contributions pot high in out shown last_round"""
# What an observation starts from: to fill in a copy is quicker than to build up a dict.
_FORM: Observation = dict.fromkeys(_FIELDS.split()) | {"game": "sutda"}

_COPIED = ("_stacks", "_bets", "_contributions", "_shown", "_out_since", "_history")
_SHARED = (
    *("to_move", "_seats", "_options", "_form", "_shuffle", "_turns", "_round", "_limit", "_ante"),
    *("_oya", "_dealer", "_before", "_auction", "_high", "_raiser", "_bids", "_legal"),
    *("_first", "_second", "_in", "_looked", "_revealed", "_out", "_ended", "_last_round"),
)


@compiled(allow_interpreted_subclasses=True, serializable=True)
class SutdaState:
    """A match in progress. Sets of seats are masks; only `apply` changes it.

    `shuffle` gives every deck of the match; `start` makes it from a seed. `stacks` are the coins to begin
    with when they are not equal.
    """

    __slots__ = (*_COPIED, *_SHARED)

    def __init__(
        self, seats: int, options: Options, shuffle: Shuffle, *, stacks: Sequence[Coins] = ()
    ) -> None:
        self.to_move: Seat | None = None
        self._seats = seats
        self._options = dict(options)
        self._form = _FORM | {"seats": seats, "rounds": options["rounds"]}
        self._shuffle = shuffle
        self._turns = _TURNS[seats]
        self._limit, self._ante = int(options["rounds"]) or _MOST_ROUNDS, int(options["ante"])
        self._oya: Seat = 0
        self._round, self._dealer = -1, 0
        self._stacks: list[Coins] = list(stacks) or [int(options["stack"])] * seats
        self._before: list[Coins] = []  # the stacks when the round began
        self._bets: list[Coins] = []  # put in during this round, the ante too
        self._contributions: list[Coins] = []  # put in during this auction
        self._auction = 1
        self._high: Coins = 0  # 0 until the opener has bid
        self._raiser: Seat = 0  # who raised last, or else the opener
        self._bids = range(0)  # the bids open to the seat to move, as actions
        self._legal: list[Action] | None = None  # made when it is asked for
        self._shown: list[str | None] = []
        self._first: list[Card] = []  # empty until somebody looks
        self._second: list[Card] = []
        self._in: SeatMask = 0
        self._looked: SeatMask = 0  # who has turned up the first card and looked at the second
        self._revealed: SeatMask = 0  # whose two cards lie face up
        self._out: SeatMask = 0
        self._out_since = [0] * seats  # the round in which a seat lost its last coin
        self._history: list[tuple[Seat, str]] = []
        self._ended: RoundEnd | None = None  # the last round that was played
        self._last_round: RoundEnd | None = None  # the one before the present round
        self._next_round()

    @classmethod
    def start(cls, seats: int, options: Options, seed: bytes) -> "SutdaState":
        """Return the first state of a match; the options are complete and checked."""
        return cls(seats, options, partial(_seeded_deck, seed))

    # Decisions (§3).

    def legal_actions(self) -> list[Action]:
        """Return the actions open to the seat to move, ascending; the list belongs to the state."""
        legal = self._legal
        if legal is None:
            legal = _IDS[self._bids.start : self._bids.stop]
            if self._high:
                legal[:0] = _LEAVE_OR_FOLLOW
            self._legal = legal
        return legal

    def apply(self, action: Action) -> None:
        """Play `action` for the seat to move; IllegalAction leaves the state as it was."""
        seat = self.to_move
        if action not in self._bids and not (self._high and action in _LEAVE_OR_FOLLOW):
            raise IllegalAction(f"action {action!r} is not open to seat {seat}")
        assert seat is not None  # after the end there are no bids, and no high bid to follow
        self._history.append((seat, _TEXTS[action]))
        if action == _GIVE_UP:
            self._in ^= _SEAT_BIT[seat]
        else:
            if action != _FOLLOW:
                self._high = action - _BID
                self._raiser = seat
            contributions, coins = self._contributions, self._stacks[seat]
            due = self._high - contributions[seat]
            if due > coins:
                due = coins
            self._stacks[seat] = coins - due
            self._bets[seat] += due
            contributions[seat] += due
        self._pass_turn(seat)

    def _pass_turn(self, seat: Seat) -> None:
        """Give the turn to the next seat that can decide; an auction ends at its last raiser."""
        stacks, still_in, raiser, seats = self._stacks, self._in, self._raiser, self._seats
        while True:
            seat = seat + 1 if seat + 1 < seats else 0
            if seat == raiser:
                self._close_auction()
                return
            if stacks[seat] and still_in & _SEAT_BIT[seat]:
                break
        self.to_move = seat
        self._legal = None
        self._bids = range(self._high + 1 + _BID, self._contributions[seat] + stacks[seat] + 1 + _BID)

    # The course of a round (§2).

    def _next_round(self) -> None:
        """Deal and open the first auction; rounds in which nobody can bid are played out on the way."""
        while not self._is_over():
            self._round += 1
            self._deal()
            if self._open_auction(1):
                return
            self._turn_up_first_cards()
            self._reveal()
        self._stop()

    def _is_over(self) -> bool:
        return self._round + 1 >= self._limit or self._out.bit_count() + 1 >= self._seats

    def _deal(self) -> None:
        before, ante = self._stacks, self._ante
        while not before[self._oya]:
            self._oya = (self._oya + 1) % self._seats
        self._dealer = self._oya
        self._before = before
        self._bets = bets = [ante if ante < coins else coins for coins in before]
        self._stacks = list(map(sub, before, bets))
        self._in = (1 << self._seats) - 1
        if 0 in before:
            self._in = sum([_SEAT_BIT[seat] for seat, coins in enumerate(before) if coins])
        self._first = self._second = []
        self._looked = self._revealed = 0
        self._shown = [None] * self._seats
        self._history = []
        self._last_round = self._ended

    def _take_cards(self) -> None:
        """Deal two cards to each seat that takes part; only when looked at: a shuffle is dear."""
        cards, before, top = self._shuffle(self._round, 0), self._before, 0
        self._first = first = [_NO_CARD] * self._seats
        self._second = second = [_NO_CARD] * self._seats
        for seat in self._turns[self._dealer]:
            if before[seat]:
                first[seat], second[seat] = cards[top], cards[top + 1]
                top += 2

    def _open_auction(self, number: int) -> bool:
        """Give the turn to the opener; False when at most one seat still in has coins."""
        stacks, still_in = self._stacks, self._in
        self._auction = number
        self._high = 0
        self._contributions = [0] * self._seats
        able = [seat for seat in self._turns[self._oya] if stacks[seat] and still_in & _SEAT_BIT[seat]]
        if len(able) < 2:
            return False
        opener = able[0]
        self.to_move = self._raiser = opener
        self._legal = None
        self._bids = range(1 + _BID, stacks[opener] + 1 + _BID)
        return True

    def _close_auction(self) -> None:
        self._oya = winner = self._raiser
        if self._in.bit_count() == 1:  # §2.4: nothing is shown.
            self._stacks[winner] += sum(self._bets)
            self._end_round([winner], 1)
        else:
            if self._auction == 1:
                self._turn_up_first_cards()
                if self._open_auction(2):
                    return
            self._reveal()
        self._next_round()

    def _turn_up_first_cards(self) -> None:
        if not self._first:
            self._take_cards()
        self._looked = still_in = self._in
        for seat in self._turns[self._oya]:
            if still_in & _SEAT_BIT[seat]:
                card = self._first[seat]
                self._shown[seat] = PACK[card]
                self._history.append((seat, showdown.SHOWN[card]))

    # Revelation and payment (§5).

    def _reveal(self) -> None:
        self._revealed = still_in = self._in
        strengths: dict[Seat, int] = {}  # in turn order from the Oya
        for seat in self._turns[self._oya]:
            if still_in & _SEAT_BIT[seat]:
                one, two = self._first[seat], self._second[seat]
                strengths[seat] = STRENGTH[one][two]
                self._history.append((seat, REVEAL[one][two]))
        if self._options["all_in"] == "capped":
            winners = showdown.pay_side_pots(self._stacks, self._bets, strengths)
        else:
            winners = showdown.best_of(strengths)
            if len(winners) > 1 and self._options["tie"] == "rematch":
                winners = self._rematch(winners)
            showdown.pay_pot(self._stacks, self._bets, strengths, winners)
        self._end_round(winners, MULTIPLIER[strengths[winners[0]]])

    def _rematch(self, tied: list[Seat]) -> list[Seat]:
        """Deal to the tied seats again, and to those that tie again; return the best seat (§5.3)."""
        attempt = 0
        while len(tied) > 1:
            attempt += 1
            order = iter(self._shuffle(self._round, attempt))
            strengths = {}
            for seat in tied:
                one, two = next(order), next(order)
                strengths[seat] = STRENGTH[one][two]
                self._history.append((seat, REVEAL[one][two]))
            tied = showdown.best_of(strengths)
        return tied

    def _end_round(self, winners: list[Seat], multiplier: int) -> None:
        after = self._stacks.copy()
        first, second, bets, before = self._first, self._second, self._bets, self._before
        self._ended = RoundEnd(first, second, self._revealed, winners, multiplier, bets, before, after)
        if 0 in after:
            for seat in _SEATS_IN[((1 << self._seats) - 1) & ~self._out]:
                if not after[seat]:
                    self._out |= _SEAT_BIT[seat]
                    self._out_since[seat] = self._round
                    self._history.append((seat, "out"))

    def _stop(self) -> None:
        self.to_move = None
        self._bids = range(0)
        self._legal = []
        self._high = 0
        self._bets = [0] * self._seats
        self._contributions = [0] * self._seats

    # Results and views (§6, §7).

    def scores(self) -> list[int]:
        """Return the coins of each seat; MatchNotOver before the end."""
        if self.to_move is not None:
            raise MatchNotOver("the match goes on: coins are the score at its end")
        return self._stacks.copy()

    def placements(self) -> list[int]:
        """Return the places by coins, then by the round of ruin; MatchNotOver before the end."""
        return rank_high_to_low(list(zip(self.scores(), self._out_since, strict=True)))

    def action_text(self, action: Action) -> str:
        """Return the text of an action; IllegalAction when there is none with this number in this match."""
        if not 0 <= action < _actions(self._seats, self._options):
            raise IllegalAction(f"action {action!r} is unknown in this match of sutda")
        return _TEXTS[action]

    def parse_action(self, text: object) -> Action:
        """Return the action with this text; IllegalAction when there is none in this match."""
        action = action_of(_ACTION_OF, text, "sutda")
        self.action_text(action)  # a bid beyond all coins of this match is no action of it
        return action

    def observation(self, seat: object) -> Observation:
        """Return what `seat` may know; a fresh object."""
        seat = check_seat(seat, self._seats)
        if not self._first:
            self._take_cards()
        bets, stacks = self._bets, self._stacks
        view = self._form.copy()
        view["options"] = self._options.copy()
        view["seat"], view["sides"] = seat, list(range(self._seats))
        view["round"] = self._round
        view["hand"] = self._hand_seen_by(seat)
        view["legal"] = self._legal_texts() if seat == self.to_move else []
        view["history"] = [[who, text] for who, text in self._history]
        view["phase"] = "over" if self.to_move is None else "auction"
        view["auction"], view["oya"] = self._auction, self._oya
        view["stacks"], view["scores"] = stacks.copy(), stacks.copy()
        view["contributions"] = self._contributions.copy()
        view["bets"], view["pot"] = bets.copy(), sum(bets)
        view["high"] = self._high
        view["in"], view["out"] = list(_SEATS_IN[self._in]), list(_SEATS_IN[self._out])
        view["shown"] = self._shown.copy()
        view["last_round"] = None if self._last_round is None else self._last_round.as_json()
        return view

    def _hand_seen_by(self, seat: Seat) -> list[str]:
        first = self._first[seat]
        if self._looked & _SEAT_BIT[seat]:
            return [*showdown.CODES_OF_HAND[first][self._second[seat]]]
        return [] if first == _NO_CARD else [PACK[first]]

    def _legal_texts(self) -> list[str]:
        texts = _TEXTS[self._bids.start : self._bids.stop]
        if self._high:
            texts[:0] = _TEXTS[:2]
        return texts

    # Copies.

    def clone(self) -> Self:
        """Return an independent copy."""
        other = self.__class__.__new__(self.__class__)
        for name in _SHARED:
            setattr(other, name, getattr(self, name))
        for name in _COPIED:
            setattr(other, name, getattr(self, name).copy())
        return other

    def determinize(self, seat: object, rng: Stream) -> Self:
        """Return a state with random cards where `seat` has not seen them, and other shuffles to come."""
        seat = check_seat(seat, self._seats)
        if not self._first:
            self._take_cards()
        other = self.clone()
        other._shuffle = partial(_seeded_deck, rng.seed())
        open_firsts = self._looked | _SEAT_BIT[seat]
        open_seconds = self._looked & _SEAT_BIT[seat] | self._revealed
        hands = other._first, other._second = self._first.copy(), self._second.copy()
        hidden = [
            (hand, one)
            for hand, seen in zip(hands, (open_firsts, open_seconds), strict=True)
            for one in range(self._seats)
            if hand[one] != _NO_CARD and not seen & _SEAT_BIT[one]
        ]
        for hand, one in hidden:
            hand[one] = _NO_CARD
        unseen = [card for card in range(len(PACK)) if card not in hands[0] and card not in hands[1]]
        rng.shuffle(unseen)
        for hand, one in hidden:
            hand[one] = unseen.pop()
        return other


def _chance(view: Observation) -> float:
    """Return about how likely the seat is to hold the best hand of those still in."""
    own = [NUMBER_OF[code] for code in view["hand"]]
    rivals = [seat for seat in view["in"] if seat != view["seat"]]
    if len(own) == 1:
        return showdown.chance_with_first_card(own[0], len(rivals))
    shown = {seat: NUMBER_OF[code] for seat, code in enumerate(view["shown"]) if code is not None}
    return showdown.chance_with_hand(own, list(shown.values()), [shown[seat] for seat in rivals])


def greedy(view: Observation) -> str:
    """Stay in when the pot is worth the price of following, and raise by half of it with a likely winner."""
    seat = view["seat"]
    coins, own, high, pot = view["stacks"][seat], view["contributions"][seat], view["high"], view["pot"]
    chance = _chance(view)
    raised = high + max(1, pot // 2) if chance > 0.6 else 1
    if high == 0 or (chance > 0.6 and own + coins > high):
        return f"bid:{min(raised, own + coins)}"
    price = min(high - own, coins)
    return "follow" if chance * (pot + price) > price else "give_up"


def _check_ante(seats: int, options: Options) -> None:
    ante, most = int(options["ante"]), int(options["stack"]) // 2
    if ante > most:
        raise BadOptions(f"option ante is {ante}; allowed: a whole number from 1 to {most} (half of stack)")


def _actions(seats: int, options: Options) -> int:
    return seats * int(options["stack"]) + 2


def _max_decisions(seats: int, options: Options) -> int:
    """Bound the decisions: every raise in a round is a coin or more, and all others may answer it."""
    return (int(options["rounds"]) or _MOST_ROUNDS) * seats * seats * int(options["stack"])


GAME = Game(
    id="sutda",
    title="Sutda",
    summary="Bid on two hanafuda cards over two auctions; the best combination still in takes the coins.",
    seats=tuple(range(2, _MOST_SEATS + 1)),
    default_seats=4,
    options=OPTIONS,
    notation=(
        ("give_up", "leave the round; what was put in stays in the pot"),
        ("follow", "raise the own total of this auction to the present high, or put in all that is left"),
        ("bid:<n>", "open the auction with n coins, or raise the own total of this auction to n"),
        ("<month>-<name>", "a card of the hanafuda pack, for example 8-moon or 10-k1"),
    ),
    start=SutdaState.start,
    greedy=greedy,
    actions=_actions,
    max_decisions=_max_decisions,
    check=_check_ante,
)
