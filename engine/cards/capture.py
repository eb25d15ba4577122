"""Capturing: deal, field, stock, captured piles and turns, as Sakura, Hana-awase and Minhwatu share them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from engine.cards.hanafuda import (
    BIT,
    CARD_OF,
    CODE_BYTES,
    CODES,
    MATCHES,
    MONTH_MASK,
    Card,
    CardMask,
    cards_in,
    codes_in,
    mask,
    mask_of,
)
from engine.cards.matching import CHOSEN, DRAWS, PLAYS, TEXTS, TURNED, has_four, months_of_three
from engine.cards.rounds import DRAW, PLAY, LastRound, Phase, Setup, Words
from engine.cards.yaku import Yaku, held
from engine.contract import Action, Observation, Seat, action_of, check_seat, rank_high_to_low
from engine.errors import IllegalAction, MatchNotOver
from engine.native import compiled
from engine.options import Options
from engine.rng import Stream
from engine.shuffle import decks_of

_FIELDS = """game options seats seat sides round rounds phase {leader} scores hand {field} drawn stock
    hand_sizes captured {held} legal history last_round"""
_deck = decks_of(CODE_BYTES)
_COPY = list.copy
_DECISIONS = ("play:", "draw+", "wild:", "stop", "continue")  # how the texts of decisions begin


@compiled(allow_interpreted_subclasses=True, serializable=True)
class CaptureState(ABC):
    """A match of a capturing game; only `apply` changes it.

    Field and piles are card masks, hands ascending lists; the top of the stock is its last card. Hands are
    per seat; piles, points and yaku per side. A game gives the class variables and `_close_round`; where its
    rules differ it replaces other methods under "What games may replace".
    """

    __slots__ = (
        "_captured", "_dealt", "_drawn", "_field", "_form", "_grouped", "_hands", "_held", "_held_names",
        "_history", "_last_round", "_leader", "_legal", "_options", "_phase", "_piles", "_points", "_round",
        "_seats", "_seed", "_setup", "_stock", "_totals", "to_move",
    )  # fmt: skip

    game_id: ClassVar[str]
    words: ClassVar[Words]
    texts: ClassVar[tuple[str, ...]]  # of each action
    own_fields: ClassVar[tuple[str, ...]] = ()  # of an observation, after those of all capturing games
    _actions: ClassVar[dict[str, Action]]
    _fields: ClassVar[tuple[str, ...]]
    _words: ClassVar[tuple[str, ...]]  # the same as `words`: a tuple alone is unpacked six times as fast

    def __init_subclass__(cls) -> None:
        cls._actions = {text: action for action, text in enumerate(cls.texts)}
        cls._words = (*cls.words,)
        cls._fields = (*_FIELDS.format(**cls.words._asdict()).split(), *cls.own_fields)

    def __init__(self, seats: int, options: Options, seed: bytes, setup: Setup) -> None:
        self._seats, self._options, self._seed, self._setup = seats, dict(options), seed, setup
        # What an observation starts from: to fill in a copy is quicker than to build up a dict.
        self._form: Observation = dict.fromkeys(self._fields)
        self._form |= {"game": self.game_id, "seats": seats, "rounds": setup.rounds}
        self._round = 0
        self._leader: Seat = 0
        self._totals = [0] * seats
        self._last_round: LastRound | None = None
        self._history: list[tuple[Seat, str]] = []
        self._drawn: Card | None = None
        self._legal: list[Action] = []
        self._deal()

    # The deal and the turns.

    def _deal(self) -> None:
        """Shuffle and deal the present round, again while the deal is cancelled; begin it."""
        self._history = []
        self._lay_out(self._shuffled(0))
        attempt = 0
        while self._is_misdeal():
            attempt += 1
            self._history.append((self._leader, "redeal"))
            self._lay_out(self._shuffled(attempt))
        self._open_round()

    def _lay_out(self, order: Sequence[Card]) -> None:
        """Deal shuffled cards: a block to each seat from the leader on, the field, the stock."""
        setup, seats = self._setup, self._seats
        blocks = [sorted(order[nth * setup.hand_size : (nth + 1) * setup.hand_size]) for nth in range(seats)]
        self._hands = [blocks[(seat - self._leader) % seats] for seat in range(seats)]
        self._dealt = [mask_of(hand) for hand in self._hands]
        rest = order[seats * setup.hand_size :]
        self._field = mask_of(rest[: setup.field_size])
        self._grouped = months_of_three(self._field)
        self._stock = [*rest[: setup.field_size - 1 : -1]]
        self._clear_piles()

    def _clear_piles(self) -> None:
        sides = max(self._setup.sides) + 1
        self._piles = [0] * sides
        self._captured: list[list[str]] = [[] for _ in range(sides)]
        self._points = [0] * sides
        self._held: list[tuple[Yaku, ...]] = [()] * sides
        self._held_names: list[list[str]] = [[]] * sides

    def _begin_turn(self, seat: Seat) -> None:
        """Let `seat` play a hand card; without any turn the stock; without that close the round."""
        self.to_move: Seat | None = seat
        if self._hands[seat]:
            self._phase = PLAY
            self._legal = self._list_plays(seat)
        elif self._stock and not self._setup.dead_stock:
            self._turn_stock(seat)
        else:
            self._close_round()

    def _play(self, seat: Seat, action: Action) -> None:
        """Play a hand card onto the field, then turn the top of the stock."""
        card = action >> 2
        setup = self._setup
        self._hands[seat].remove(card)
        self._history.append((seat, TEXTS[action]))
        self._put(seat, card, CHOSEN[action])
        if setup.ends_at_once and self._held[setup.sides[seat]]:
            self._end_turn(seat)
        else:
            self._turn_stock(seat)

    def _turn_stock(self, seat: Seat) -> None:
        """Turn the top of the stock, if there is one, and play it; the seat chooses when two cards match."""
        if not self._stock:
            self._end_turn(seat)
            return
        card = self._stock.pop()
        self._history.append((seat, TURNED[card]))
        matching = self._field & MATCHES[card]
        if matching in DRAWS:
            self._drawn = card
            self._phase = DRAW
            self._legal = [*DRAWS[matching]]
        else:
            self._put(seat, card, matching)
            self._end_turn(seat)

    def _draw(self, seat: Seat, action: Action) -> None:
        """Let the turned card take the chosen one of the two that match it."""
        assert self._drawn is not None
        self._history.append((seat, TEXTS[action]))
        self._put(seat, self._drawn, CHOSEN[action])
        self._drawn = None
        self._end_turn(seat)

    def _put(self, seat: Seat, card: Card, chosen: CardMask) -> None:
        """Play `card` onto the field: it takes the `chosen` cards that lie there; if none does, it stays."""
        taken = self._field & chosen
        if not taken:
            self._field |= BIT[card]
            return
        self._field ^= taken
        setup = self._setup
        cards, text, codes, points = setup.captures[card][taken]
        self._history.append((seat, text))
        self._collect(setup.sides[seat], cards, codes, points)

    def _collect(self, side: int, cards: CardMask, codes: tuple[str, ...], points: int) -> None:
        """Add cards to the pile of a side."""
        pile = self._piles[side] = self._piles[side] | cards
        self._captured[side] += codes
        self._points[side] += points
        if cards & self._setup.watched:
            self._find_yaku(side, pile)

    def _find_yaku(self, side: int, pile: CardMask) -> None:
        found = held(self._setup.yaku, pile)
        if found:
            self._held[side] = found
            self._held_names[side] = [yaku.name for yaku in found]

    def _finish_round(self, scores: Sequence[int], end: str, leader: Seat) -> None:
        """Add up the scores of the round, one a seat; deal the next, led by `leader`, or end the match."""
        self._totals = [total + score for total, score in zip(self._totals, scores, strict=True)]
        if self._round + 1 == self._setup.rounds:
            self.to_move, self._phase, self._legal = None, Phase.OVER, []
            return
        self._last_round = LastRound(tuple(scores), end, self._tail())
        self._round += 1
        self._leader = leader
        self._deal()

    def _tail(self) -> tuple[tuple[Seat, str], ...]:
        """Return the history from the last decision on; all of it when there was none."""
        history = self._history
        for start in range(len(history) - 1, 0, -1):
            if history[start][1].startswith(_DECISIONS):
                return tuple(history[start:])
        return tuple(history)

    # What games may replace.

    def _decide(self, seat: Seat, action: Action) -> None:
        """Do what an action means when it plays no hand card; a game adds its own phases."""
        self._draw(seat, action)

    def _shuffled(self, attempt: int) -> Sequence[Card]:
        """Return the pack as it is shuffled for the present round, top card first."""
        return _deck(self._seed, self._round, attempt)

    def _is_misdeal(self) -> bool:
        """Return whether the deal is cancelled: four of a month lie on the field."""
        return has_four(self._field)

    def _open_round(self) -> None:
        """Begin a round that was dealt."""
        self._begin_turn(self._leader)

    def _list_plays(self, seat: Seat) -> list[Action]:
        """Return the ways to play the hand of `seat`: any card; one that matches must capture."""
        field = self._field
        legal: list[Action] = []
        for card in self._hands[seat]:
            legal += PLAYS[card][field & MATCHES[card]]
        return legal

    def _end_turn(self, seat: Seat) -> None:
        """Pass the turn to the next seat."""
        self._begin_turn((seat + 1) % self._seats)

    @abstractmethod
    def _close_round(self) -> None:
        """Score the round that was played out."""

    def _known_in_hand(self, seat: Seat) -> CardMask:
        """Return the cards that everybody knows to be in the hand of `seat`."""
        return 0

    def _agrees(self) -> bool:
        """Return whether the hands as dealt (`_dealt`) are possible after all that was seen of this round."""
        return True

    # The contract.

    def legal_actions(self) -> list[Action]:
        """Return the actions open to the seat to move, ascending; callers must not change the list."""
        return self._legal

    def apply(self, action: Action) -> None:
        """Play `action` for the seat to move; IllegalAction leaves the state as it was."""
        seat = self.to_move
        if seat is None or action not in self._legal:
            raise IllegalAction(f"action {action!r} is not open to seat {seat}; open are {self._legal}")
        if self._phase is PLAY:
            self._play(seat, action)
        else:
            self._decide(seat, action)

    def action_text(self, action: Action) -> str:
        """Return the text of an action; IllegalAction when the game has none with this number."""
        if not 0 <= action < len(self.texts):
            raise IllegalAction(f"action {action!r} is unknown; there are 0 to {len(self.texts) - 1}")
        return self.texts[action]

    def parse_action(self, text: object) -> Action:
        """Return the action with this text; IllegalAction when the game has none."""
        return action_of(self._actions, text, self.game_id)

    def scores(self) -> list[int]:
        """Return the total of each seat, higher is better; MatchNotOver before the end."""
        if self.to_move is not None:
            raise MatchNotOver(f"round {self._round} of {self._setup.rounds} is still being played")
        return self._totals[:]

    def placements(self) -> list[int]:
        """Return the 1-based place of each seat, ties share the better place; MatchNotOver before the end."""
        return rank_high_to_low(self.scores())

    def observation(self, seat: object) -> Observation:
        """Return what `seat` may know, JSON-ready."""
        seat = check_seat(seat, self._seats)
        texts, codes = self.texts, CODES
        leader, field, held_yaku = self._words
        view = self._form.copy()
        view["options"] = self._options.copy()
        view["seat"] = seat
        view["sides"] = list(self._setup.sides)
        view["round"] = self._round
        view["phase"] = self._phase._value_  # the text alone
        view[leader] = self._leader
        view["scores"] = self._totals.copy()
        view["hand"] = [codes[card] for card in self._hands[seat]]
        view[field] = codes_in(self._field)
        view["drawn"] = None if self._drawn is None else codes[self._drawn]
        view["stock"] = len(self._stock)
        view["hand_sizes"] = list(map(len, self._hands))
        view["captured"] = list(map(_COPY, self._captured))
        view[held_yaku] = list(map(_COPY, self._held_names))
        view["legal"] = [texts[action] for action in self._legal] if seat == self.to_move else []
        view["history"] = [[who, text] for who, text in self._history]
        view["last_round"] = self._last_round and self._last_round.to_json()
        self._show_own(view, seat)
        return view

    @abstractmethod
    def _show_own(self, view: Observation, seat: Seat) -> None:
        """Fill in the fields of this game alone (`own_fields`)."""

    def _groups_left(self) -> list[int]:
        """Return the months of which three have lain on the field since the deal."""
        return [month for month in self._grouped if self._field & MONTH_MASK[month]]

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.to_move = self.to_move
        twin._seats, twin._options, twin._form = self._seats, self._options, self._form
        twin._seed, twin._setup = self._seed, self._setup
        twin._round, twin._leader = self._round, self._leader
        twin._totals, twin._last_round = self._totals, self._last_round
        twin._phase, twin._legal, twin._drawn = self._phase, self._legal, self._drawn
        twin._field, twin._grouped, twin._stock = self._field, self._grouped, self._stock[:]
        twin._hands = list(map(_COPY, self._hands))
        twin._dealt = self._dealt[:]
        twin._piles, twin._points, twin._held = self._piles[:], self._points[:], self._held[:]
        twin._captured, twin._held_names = list(map(_COPY, self._captured)), self._held_names[:]
        twin._history = self._history[:]
        return twin

    def determinize(self, seat: object, rng: Stream) -> Self:
        """Return a random complete state that agrees with everything that `seat` knows.

        The cards that it cannot see are shared out until the hands as dealt are possible; later rounds are
        shuffled from a fresh seed.
        """
        seat = check_seat(seat, self._seats)
        twin = self.clone()
        twin._seed = b"".join(rng.below(1 << 32).to_bytes(4, "big") for _ in range(8))
        hidden = [*self._stock]
        for other, hand in enumerate(self._hands):
            if other != seat:
                hidden += [card for card in hand if not self._known_in_hand(other) & BIT[card]]
        hidden.sort()
        twin._share_out(seat, hidden, rng)
        while not twin._agrees():
            twin._share_out(seat, hidden, rng)
        if twin.to_move is not None and twin._phase is Phase.PLAY:
            twin._legal = twin._list_plays(twin.to_move)
        return twin

    def _share_out(self, seat: Seat, hidden: list[Card], rng: Stream) -> None:
        """Give the others as many of the `hidden` cards as they hold unknown ones; the rest is the stock."""
        rng.shuffle(hidden)
        start = 0
        for other in range(self._seats):
            if other != seat:
                known = self._known_in_hand(other)
                end = start + len(self._hands[other]) - known.bit_count()
                self._hold(other, [*cards_in(known), *hidden[start:end]])
                start = end
        self._stock = hidden[start:]

    def _hold(self, seat: Seat, cards: list[Card]) -> None:
        """Let the hand of `seat` be these cards, from the deal on."""
        self._dealt[seat] ^= mask_of(self._hands[seat]) ^ mask_of(cards)
        self._hands[seat] = sorted(cards)

    def laid_out(
        self,
        *,
        hands: Sequence[Sequence[str]],
        field: Sequence[str] = (),
        stock: Sequence[str] = (),
        captured: Sequence[Sequence[str]] | None = None,
        leader: Seat = 0,
        to_move: Seat | None = None,
    ) -> Self:
        """Return a copy whose present round stands as given in card codes, for problems that are not dealt.

        `hands` is per seat, `captured` per side (empty when left out), the stock top first. The leader is to
        move unless told otherwise.
        """
        twin = self.clone()
        twin._history = []
        twin._leader = leader
        twin._hands = [sorted(CARD_OF[code] for code in hand) for hand in hands]
        twin._dealt = [mask_of(hand) for hand in twin._hands]
        twin._field = mask(*field)
        twin._grouped = months_of_three(twin._field)
        twin._stock = [CARD_OF[code] for code in reversed(stock)]
        twin._clear_piles()
        for side, pile in enumerate(captured or ()):
            points = sum(self._setup.values[CARD_OF[code]] for code in pile)
            twin._collect(side, mask(*pile), tuple(pile), points)
        twin._begin_turn(leader if to_move is None else to_move)
        return twin
