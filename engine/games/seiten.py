"""Watashi dake no Seiten: win as many tricks while holding an umbrella as without one, in each of two parts.

Rules: docs/games/seiten.md; a section sign in a comment points there.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from engine.cards.hidden import deal_anew
from engine.contract import Action, Game, Observation, Seat, action_of, check_seat, rank_high_to_low
from engine.errors import IllegalAction, MatchNotOver
from engine.native import compiled
from engine.options import Choice, Flag, Options
from engine.rng import Stream
from engine.shuffle import decks_of

Card = int
Colour = int
Entry = tuple[Seat, str]
Hands = list[list[Card]]

# Cards are 0..51 in canonical order, so that a sorted hand has each colour in one piece.
COLOURS = "BOKP"
BLUE, ORANGE, BLACK, PURPLE = range(4)
HIGHEST = (11, 12, 14, 15)
COLOUR: tuple[Colour, ...] = tuple(c for c in range(4) for _ in range(HIGHEST[c]))
NUMBER: tuple[int, ...] = tuple(n for c in range(4) for n in range(1, HIGHEST[c] + 1))
CODES: tuple[str, ...] = tuple(f"{COLOURS[c]}{n}" for c, n in zip(COLOUR, NUMBER, strict=True))
_deck = decks_of([code.encode() for code in CODES])
CARD_OF: dict[str, Card] = {code: card for card, code in enumerate(CODES)}
PACK = len(CODES)
FIRST: tuple[Card, ...] = (0, 11, 23, 37, PACK)  # the lowest card of each colour, and the end of the pack

# Action ids: play a card, open an umbrella, close, keep, discard a card.
OPEN = PACK
CLOSE, KEEP = OPEN + 4, OPEN + 5
DISCARD = KEEP + 1
ACTIONS = DISCARD + PACK
TEXTS: tuple[str, ...] = (
    *(f"play:{code}" for code in CODES),
    *(f"open:{letter}" for letter in COLOURS),
    "close",
    "keep",
    *(f"discard:{code}" for code in CODES),
)
ACTION_OF: dict[str, Action] = {text: action for action, text in enumerate(TEXTS)}
HIDDEN_DISCARD = "discard:?"  # §6
ENTRIES: tuple[tuple[Entry, ...], ...] = tuple(  # what all may read of each action, by seat
    tuple((seat, text if action < DISCARD else HIDDEN_DISCARD) for action, text in enumerate(TEXTS))
    for seat in range(4)
)

# The umbrellas in the centre are a mask of colours; these are its openings and its letters.
FULL_CENTRE = 0b1111
OPENINGS = tuple([OPEN + c for c in range(4) if centre >> c & 1] for centre in range(16))
LETTERS = tuple([COLOURS[c] for c in range(4) if centre >> c & 1] for centre in range(16))

DEPARTURE, RETURN = 0, 1
PARTS = ("departure", "return")
_FIELDS = """game options seats seat sides round rounds scores hand legal history part phase trick_number
    leader led_colour trick last_trick centre umbrellas opened closed tricks_won last_round"""
# What an observation starts from: to fill in a copy is quicker than to build up a dict.
_FORM: Observation = dict.fromkeys(_FIELDS.split()) | {"game": "seiten", "rounds": len(PARTS)}
TRICKS = (14, 13)
HAND = 13
NOBODY: Seat = -1
DISCARDED, UNUSED = -1, -2  # the places after the seats where hidden cards lie
ADMITTED = tuple(frozenset(c for c in range(PACK) if not voids >> COLOUR[c] & 1) for voids in range(16))
NO_UMBRELLA: Colour = 4
LETTER_OF: tuple[str | None, ...] = (*COLOURS, None)
SUNNY = 100  # above every number
RAISES = ((0, 0, 0, 0, 0), (0, 6, 2, 0, 0))  # §5, by umbrella, without and with powers


def _strengths(umbrella: Colour, led: Colour, powers: bool) -> tuple[int, ...]:
    """Return the rank of each card in a trick; the highest wins, the later of equals; 0 never wins (§2)."""
    sunny = SUNNY + RAISES[powers][umbrella]
    cards = zip(COLOUR, NUMBER, strict=True)
    return tuple(n + sunny if c == umbrella else n if c == led else 0 for c, n in cards)


STRENGTH = tuple(  # by powers, umbrella of the seat, led colour and card
    tuple(tuple(_strengths(umbrella, led, powers) for led in range(4)) for umbrella in range(5))
    for powers in (False, True)
)

OPTIONS = (
    Choice("scoring", ("difference", "tens"), "a part scores its difference, or 10 times it and 1 for none"),
    Flag("powers", False, "the umbrellas have the powers that are printed on their backs"),
    Choice("return_leader", ("last_winner", "blue_holder"), "who leads the first trick of Return"),
)


@compiled(allow_interpreted_subclasses=True, serializable=True)
class SeitenState:
    """A match in progress. Hands are sorted lists of cards; only `apply` changes it."""

    __slots__: ClassVar = (
        "_best", "_centre", "_closed", "_discarder", "_discarding", "_hands", "_hidden", "_history",
        "_last_round", "_last_trick", "_leader", "_led", "_legal", "_opened", "_options", "_part", "_pending",
        "_phase", "_return_hands", "_seats", "_strength", "_totals", "_trick_number", "_turn", "_umbrellas",
        "_voids", "_winner", "_won", "to_move",
    )  # fmt: skip

    def __init__(
        self, options: Options, departure: Hands, return_hands: Hands, leader: Seat = 0, trick: int = 1
    ) -> None:
        self._options = dict(options)
        self._seats = seats = len(departure)
        self._strength = STRENGTH[options["powers"] is True]
        self._hands = departure
        self._return_hands = return_hands  # dealt, but not looked at before Return
        self._part, self._trick_number = DEPARTURE, trick
        self._umbrellas, self._centre = [NO_UMBRELLA] * seats, FULL_CENTRE
        self._opened, self._closed = [False] * seats, [False] * seats
        self._won = [[[0, 0] for _ in range(seats)] for _ in PARTS]  # with and without, by part and seat
        self._totals = [0] * seats  # minus the scores of the parts that are over
        self._history: list[Entry] = []
        self._last_trick: tuple[list[Entry], Seat, bool] | None = None
        self._last_round: tuple[list[int], Entry] | None = None
        self._voids = [0] * (seats + 2)  # by place, the mask of colours not followed in this part
        self._pending: list[Seat] = []  # who has yet to close or keep, the next one last
        self._discarding = NOBODY  # the seat that has to discard at its next turn
        self._discarder = NOBODY  # the seat that discarded
        self._hidden: list[Card] = []  # its card, if any
        self._start_trick(leader)

    @classmethod
    def start(cls, seats: int, options: Options, seed: bytes) -> Self:
        """Return the first state of a match: both deals follow from the seed, and seat 0 leads (§1)."""
        departure, return_hands = (_deal(_deck(seed, part, 0), seats) for part in (0, 1))
        return cls(options, departure, return_hands)

    @classmethod
    def in_return(
        cls, options: Options, hands: Hands, umbrellas: Sequence[Colour], last_winner: Seat, trick: int = 1
    ) -> Self:
        """Return a match before a trick of Return; NO_UMBRELLA stands for a seat that has closed."""
        state = cls(options, hands, hands, last_winner, trick)
        state._umbrellas, state._opened, state._part = list(umbrellas), [True] * len(umbrellas), RETURN
        state._closed = [umbrella == NO_UMBRELLA for umbrella in umbrellas]
        state._centre = sum(1 << colour for colour in range(4) if colour not in umbrellas)
        (state._start_return if trick == 1 else state._start_trick)(last_winner)
        return state

    def legal_actions(self) -> list[Action]:
        """Return the actions open to the seat to move, ascending; the list must not be changed."""
        return self._legal

    def apply(self, action: Action) -> None:
        """Play `action` for the seat to move; IllegalAction leaves the state as it was."""
        seat = self.to_move
        if seat is None or action not in self._legal:
            raise IllegalAction(f"action {action} is not open to seat {seat}")
        self._history.append(ENTRIES[seat][action])
        _STEPS[action](self, seat, action)

    def _start_trick(self, leader: Seat) -> None:
        self._leader = leader
        self._led: Colour | None = None
        self._best, self._winner, self._turn = 0, leader, 0
        self._phase = "play"  # "play", "discard", "close" or "over"
        self._ask(leader)

    def _ask(self, seat: Seat) -> None:
        """Let `seat` decide in the trick: find what it may do."""
        self.to_move: Seat | None = seat
        hand = self._hands[seat]
        if seat == self._discarding:  # §5
            self._phase = "discard"
            self._legal = [DISCARD + card for card in hand]
            return
        led = self._led
        if led is None:
            cards = hand[:]
        else:
            cards = hand[bisect_left(hand, FIRST[led]) : bisect_left(hand, FIRST[led + 1])] or hand[:]
        self._legal = cards if self._opened[seat] else self._with_openings(cards)

    def _with_openings(self, cards: list[Card]) -> list[Action]:
        """Return what a seat that has not opened may do, when it could play `cards` (§1)."""
        if self._turn == self._seats - 1:
            if self._led is None:
                return cards
            if self._trick_number == TRICKS[DEPARTURE] - 1 and self._centre == FULL_CENTRE:
                return OPENINGS[FULL_CENTRE][:]
        return cards + OPENINGS[self._centre]

    def _play(self, seat: Seat, card: Action) -> None:
        self._hands[seat].remove(card)
        led = self._led
        if led is None:
            led = self._led = COLOUR[card]
        elif COLOUR[card] != led:
            self._voids[seat] |= 1 << led
        strength = self._strength[self._umbrellas[seat]][led][card]
        if strength >= self._best:  # the later of equals wins
            self._best, self._winner = strength, seat
        self._pass_turn(seat)

    def _open(self, seat: Seat, action: Action) -> None:
        self._umbrellas[seat], self._opened[seat] = action - OPEN, True
        self._centre ^= 1 << action - OPEN
        self._pass_turn(seat)

    def _discard(self, seat: Seat, action: Action) -> None:
        self._hands[seat].remove(action - DISCARD)
        self._hidden = [action - DISCARD]
        self._discarder, self._discarding = seat, NOBODY
        self._phase = "play"
        self._pass_turn(seat)

    def _pass_turn(self, seat: Seat) -> None:
        self._turn += 1
        if self._turn < self._seats:
            seat += 1
            self._ask(seat if seat < self._seats else 0)
        else:
            self._end_trick()

    def _end_trick(self) -> None:
        winner = self._leader = self._winner
        is_with = self._umbrellas[winner] != NO_UMBRELLA
        self._won[self._part][winner][0 if is_with else 1] += 1
        self._last_trick = (self._history[-self._seats :], winner, is_with)
        self._led, self._turn = None, 0
        if self._trick_number == TRICKS[self._part]:
            self._end_part(winner)
        elif self._part == DEPARTURE:
            self._trick_number += 1
            self._start_trick(winner)
        else:  # §3: the fewest dots answer first
            self._phase = "close"
            self._pending = self._holders()
            self._ask_to_close()

    def _ask_to_close(self) -> None:
        if self._pending:
            self.to_move = self._pending.pop()
            self._legal = [CLOSE, KEEP]
        else:
            self._trick_number += 1
            self._start_trick(self._leader)

    def _answer(self, seat: Seat, action: Action) -> None:
        if action == CLOSE:
            self._put_back(seat)
        self._ask_to_close()

    def _put_back(self, seat: Seat) -> None:
        self._centre |= 1 << self._umbrellas[seat]
        self._umbrellas[seat] = NO_UMBRELLA
        self._closed[seat] = True

    def _holders(self) -> list[Seat]:
        """Return the seats that hold an umbrella, most dots first."""
        return [self._umbrellas.index(c) for c in (3, 2, 1, 0) if c in self._umbrellas]

    def _end_part(self, winner: Seat) -> None:
        part_scores = [-penalty(won, self._options) for won in self._won[self._part]]
        self._totals = [total + score for total, score in zip(self._totals, part_scores, strict=True)]
        if self._part == DEPARTURE:
            self._last_round = (part_scores, self._history[-1])
            self._start_return(winner)
            return
        for seat in reversed(self._holders()):  # §3: what is still open closes by itself
            self._put_back(seat)
            self._history.append((seat, "closed"))
        self._phase, self.to_move, self._legal = "over", None, []

    def _start_return(self, last_winner: Seat) -> None:
        self._part, self._trick_number = RETURN, 1
        self._hands = [hand[:] for hand in self._return_hands]
        self._history, self._last_trick, self._voids = [], None, [0] * (self._seats + 2)
        powers, umbrellas = self._options["powers"], self._umbrellas
        blue_leads = powers or self._options["return_leader"] == "blue_holder"
        if powers and PURPLE in umbrellas:  # §5
            self._discarding = umbrellas.index(PURPLE)
        self._start_trick(umbrellas.index(BLUE) if blue_leads and BLUE in umbrellas else last_winner)

    def observation(self, seat: object) -> Observation:
        """Return what `seat` may know, JSON-ready; a fresh object that the caller may keep and change."""
        seat = check_seat(seat, self._seats)
        turn, last, before, won = self._turn, self._last_trick, self._last_round, self._won
        view = _FORM.copy()
        view["options"], view["seats"] = self._options.copy(), self._seats
        view["seat"], view["sides"] = seat, list(range(self._seats))
        view["round"], view["scores"] = self._part, self._totals.copy()
        view["hand"] = [CODES[card] for card in self._hands[seat]]
        view["legal"] = [TEXTS[action] for action in self._legal] if seat == self.to_move else []
        view["history"] = self._shown(self._history, seat)
        view["part"] = "over" if self.to_move is None else PARTS[self._part]
        view["phase"], view["trick_number"], view["leader"] = self._phase, self._trick_number, self._leader
        view["led_colour"] = None if self._led is None else COLOURS[self._led]
        view["trick"] = self._shown(self._history[-turn:], seat) if turn else []
        plays = last and self._shown(last[0], seat)
        view["last_trick"] = last and {"plays": plays, "winner": last[1], "with": last[2]}
        view["centre"] = LETTERS[self._centre].copy()
        view["umbrellas"] = [LETTER_OF[umbrella] for umbrella in self._umbrellas]
        view["opened"], view["closed"] = self._opened.copy(), self._closed.copy()
        view["tricks_won"] = {PARTS[0]: [*map(list.copy, won[0])], PARTS[1]: [*map(list.copy, won[1])]}
        view["last_round"] = before and {"scores": before[0][:], "end": "played", "tail": [[*before[1]]]}
        return view

    def _shown(self, entries: list[Entry], seat: Seat) -> list[list[Seat | str]]:
        """Return entries of the history as `seat` may read them."""
        if seat != self._discarder:
            return [[*entry] for entry in entries]
        own = TEXTS[DISCARD + self._hidden[0]]
        return [[who, own if text == HIDDEN_DISCARD else text] for who, text in entries]

    def action_text(self, action: Action) -> str:
        """Return the text of an action of this game."""
        if not 0 <= action < ACTIONS:
            raise IllegalAction(f"action {action} is unknown; actions are 0 to {ACTIONS - 1}")
        return TEXTS[action]

    def parse_action(self, text: object) -> Action:
        """Return the action with this text; IllegalAction when the game has none."""
        return action_of(ACTION_OF, text, "seiten")

    def scores(self) -> list[int]:
        """Return minus the total of each seat, higher is better (§4); MatchNotOver before the end."""
        if self.to_move is not None:
            raise MatchNotOver(f"seat {self.to_move} is still to move")
        return self._totals[:]

    def placements(self) -> list[int]:
        """Return one 1-based place a seat, ties share the better place (§4); MatchNotOver before the end."""
        return places(self.scores(), self._won[RETURN], self._options)

    def clone(self) -> Self:
        """Return an independent copy."""
        copy = type(self).__new__(type(self))
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy._hands = [hand[:] for hand in self._hands]
        copy._won = [[won[:] for won in part] for part in self._won]
        copy._umbrellas, copy._voids = self._umbrellas[:], self._voids[:]
        copy._opened, copy._closed = self._opened[:], self._closed[:]
        copy._history, copy._pending = self._history[:], self._pending[:]
        return copy

    def determinize(self, seat: object, rng: Stream) -> Self:
        """Return a random complete state that agrees with everything that `seat` knows."""
        seat = check_seat(seat, self._seats)
        copy = self.clone()
        if self._part == DEPARTURE:
            pack = list(range(PACK))
            rng.shuffle(pack)
            copy._return_hands = _deal(pack, self._seats)
        placed: set[Card | None] = {ACTION_OF.get(text) for _, text in self._history}
        placed.update(self._hidden, *self._hands)
        held = {other: hand for other, hand in enumerate(self._hands) if other != seat}
        held[UNUSED] = [card for card in range(PACK) if card not in placed]
        held[DISCARDED] = self._hidden if self._discarder != seat else []
        dealt = deal_anew(held, {place: ADMITTED[self._voids[place]] for place in held}, rng)
        copy._hands = [sorted(dealt.get(other, self._hands[other])) for other in range(self._seats)]
        copy._hidden = dealt[DISCARDED] or self._hidden
        if self.to_move is not None and self._phase != "close":
            copy._ask(self.to_move)
        return copy


def penalty(won: Sequence[int], options: Options) -> int:
    """Return the score of a part for the tricks won in it with and without an umbrella (§4)."""
    difference = abs(won[0] - won[1])
    return difference if options["scoring"] == "difference" else difference * 10 or 1


def places(scores: Sequence[int], won_in_return: Sequence[Sequence[int]], options: Options) -> list[int]:
    """Return the place of each seat: the higher score first, then the lower penalty of Return (§4)."""
    returns = [-penalty(won, options) for won in won_in_return]
    return rank_high_to_low(list(zip(scores, returns, strict=True)))


def _deal(pack: Sequence[Card], seats: int) -> Hands:
    """Return the hands, dealt in blocks from seat 0 on, sorted."""
    return [sorted(pack[HAND * seat : HAND * (seat + 1)]) for seat in range(seats)]


_STEPS: tuple[Callable[[SeitenState, Seat, Action], None], ...] = (
    *[SeitenState._play] * PACK,
    *[SeitenState._open] * 4,
    *[SeitenState._answer] * 2,
    *[SeitenState._discard] * PACK,
)


def greedy(observation: Observation) -> str:
    """Pick an action text: keep tricks with and without level, and stay out of tricks while they are."""
    legal: list[str] = observation["legal"]
    seat, hand = observation["seat"], [CARD_OF[code] for code in observation["hand"]]
    won_with, won_without = observation["tricks_won"][observation["part"]][seat]
    if observation["phase"] == "close":
        strong = sum(NUMBER[card] >= HIGHEST[COLOUR[card]] - 2 for card in hand)
        return "close" if won_with > 0 and won_with >= strong else "keep"
    if observation["phase"] == "discard":
        return max(legal, key=lambda text: NUMBER[ACTION_OF[text] - DISCARD])
    openings = [text for text in legal if text.startswith("open:")]
    if openings and (won_without >= 2 or openings == legal or observation["trick_number"] >= 11):
        sign = 1 if won_without else -1  # a strong colour to win tricks back, a weak one to win no more
        weight = [sum(NUMBER[card] for card in hand if COLOUR[card] == colour) for colour in range(4)]
        return max(openings, key=lambda text: sign * weight[ACTION_OF[text] - OPEN])
    is_behind = won_with < won_without if observation["umbrellas"][seat] else won_with > won_without
    return TEXTS[_choose_card(observation, [ACTION_OF[text] for text in legal], is_behind)]


def _choose_card(observation: Observation, actions: list[Action], wants: bool) -> Card:
    """Return the cheapest card that wins the trick as it lies, or the dearest that does not, as wanted."""
    trick = [(seat, ACTION_OF[text]) for seat, text in observation["trick"] if text.startswith("play:")]
    table = STRENGTH[observation["options"]["powers"] is True]

    def strength(seat: Seat, card: Card) -> int:
        umbrella = LETTER_OF.index(observation["umbrellas"][seat])
        return table[umbrella][COLOUR[trick[0][1] if trick else card]][card]

    high = max((strength(seat, card) for seat, card in trick), default=0)
    ranks = {card: strength(observation["seat"], card) for card in actions if card < PACK}
    losing = [card for card, rank in ranks.items() if rank < high]
    is_last = len(observation["trick"]) == observation["seats"] - 1
    if losing and not (wants and len(losing) < len(ranks)):
        return (min if wants else max)(losing, key=lambda card: NUMBER[card])
    winning = [card for card in ranks if card not in losing]
    return (min if wants == is_last else max)(winning, key=lambda card: ranks[card])


GAME = Game(
    id="seiten",
    title="Watashi dake no Seiten",
    summary="Win as many tricks while holding an umbrella as without one, in each of two parts.",
    seats=(3, 4),
    default_seats=4,
    options=OPTIONS,
    notation=(
        ("B1..B11, O1..O12, K1..K14, P1..P15", "the number cards: blue, orange, black and purple"),
        ("play:<card>", "play a card of the hand to the trick"),
        ("open:<B|O|K|P>", "take an umbrella from the centre instead of playing a card (Departure)"),
        ("close", "put the umbrella back after a trick (Return)"),
        ("keep", "hold the umbrella on after a trick (Return)"),
        ("discard:<card>", "take a card out of the game, unseen (the Purple power, first trick of Return)"),
    ),
    start=SeitenState.start,
    greedy=greedy,
    actions=lambda seats, options: ACTIONS,
    max_decisions=lambda seats, options: (TRICKS[DEPARTURE] + TRICKS[RETURN] + TRICKS[RETURN] - 1) * seats,
)
