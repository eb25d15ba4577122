"""Hachinin Meri: eight seats in two teams play for tricks with the 75 Unsun cards, trumps partly face down.

Rules: docs/games/hachinin_meri.md; a section sign in a comment points there.
"""

from bisect import insort
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import ClassVar

from engine.cards import unsun
from engine.cards.hidden import deal_anew
from engine.cards.unsun import CODES, ORDER, SEATS, Card, Cards, Trumps
from engine.contract import Action, Game, Observation, Seat, action_of, check_seat, rank_high_to_low
from engine.errors import IllegalAction, MatchNotOver
from engine.native import compiled
from engine.options import Choice, Number, Options, complete
from engine.rng import Stream
from engine.shuffle import decks_of

Entry = list[Seat | str]

TRICKS = 9
OPTIONS = (
    Number("rounds", 8, 1, 16, "deals in a match"),
    Choice("ninth_suit", ("dealer", "leader"), "whose card gives the suit of a ninth trick without trumps"),
)

_deck = decks_of(unsun.CODE_BYTES)
_SIDES = tuple(seat % 2 for seat in range(SEATS))

# Action ids: play a card 0..74 (its number), discard it 75..149, pass 150, announce 151.
_DISCARD, _PASS, _ANNOUNCE = 75, 150, 151
_TEXTS = (*(f"play:{code}" for code in CODES), *(f"discard:{code}" for code in CODES), "pass", "announce")
_ACTION_OF = {text: action for action, text in enumerate(_TEXTS)}
_FIELDS = """game options seats seat sides round rounds scores hand legal history last_round phase dealer
    trump indicator receiver robai side_cards meri_seen lone_sun trick_number leader trick last_trick
    tricks_won transfers"""
# What an observation starts from: to fill in a copy is quicker than to build up a dict.
_FORM: Observation = dict.fromkeys(_FIELDS.split()) | {"game": "hachinin_meri", "seats": SEATS}
_LAST_TEXTS = tuple(f"last:{code}" for code in CODES)


class Phase(StrEnum):
    """What the seat to move decides."""

    ANNOUNCE = "announce"
    DISCARD = "discard"
    PLAY = "play"
    OVER = "over"


@compiled(allow_interpreted_subclasses=True, serializable=True)
class HachininMeriState:
    """A match in progress; hands are ascending lists of cards. Only `apply` changes it."""

    __slots__: ClassVar = (
        "_bound", "_cards", "_dealer", "_discarded", "_hands", "_history", "_holder", "_indicator",
        "_last_plays", "_last_points", "_last_tail", "_last_trick", "_leader", "_legal", "_lone_sun",
        "_meri_seen", "_options", "_phase", "_receiver", "_robai", "_round", "_seed", "_shown",
        "_side", "_stock", "_totals", "_transfers", "_tricks", "_tricks_won", "_trumps", "to_move",
    )  # fmt: skip

    def __init__(self, options: Options, seed: bytes) -> None:
        self._options = dict(options)
        self._seed, self._round = seed, 0
        self._totals = [0, 0]
        self._last_points, self._last_tail = [0, 0], list[Entry]()  # of the round before
        self._dealer: Seat = 0
        self._deal()

    @classmethod
    def with_hands(
        cls,
        *,
        hands: Iterable[Iterable[Card]],
        indicator: Card,
        stock: tuple[Card, Card],
        dealer: Seat = 0,
    ) -> "HachininMeriState":
        """Return a match whose first deal is put in, not dealt; later deals follow from an empty seed."""
        state = cls(complete(OPTIONS, None), b"")
        state._dealer = dealer
        state._begin([sorted(hand) for hand in hands], indicator, stock)
        return state

    def _deal(self) -> None:
        """Shuffle, and deal three batches of three cards from the seat after the dealer on (§3.1)."""
        cards = _deck(self._seed, self._round, 0)
        firsts = [3 * ((seat - self._dealer - 1) % SEATS) for seat in range(SEATS)]
        hands = [sorted(cards[i : i + 3] + cards[i + 24 : i + 27] + cards[i + 48 : i + 51]) for i in firsts]
        self._begin(hands, cards[72], (cards[73], cards[74]))

    def _begin(self, hands: list[list[Card]], indicator: Card, stock: tuple[Card, Card]) -> None:
        self._hands = hands
        self._indicator, self._stock = indicator, stock
        self._trumps = unsun.TRUMPS[indicator // len(unsun.RANKS)]
        self._receiver: Seat | None = None
        self._robai: str | None = None
        self._discarded: Card | None = None
        self._side: list[str] | None = None
        self._leader: Seat | None = None
        self._cards: list[Card] = []  # of the present trick, from the leader on
        self._shown: list[Entry] = []  # the same as all may see it
        self._bound: tuple[Cards, Cards] = (unsun.NO_CARDS, unsun.NO_CARDS)
        self._tricks: list[tuple[Seat, Sequence[Card]]] = []  # leader, and cards from the leader on
        self._last_trick: dict[str, object] | None = None  # but for "plays"
        self._last_plays: list[Entry] = []
        self._meri_seen = False
        self._history: list[Entry] = []
        self._tricks_won, self._transfers = [0, 0], [0, 0]  # of the even and the odd seats
        self._find_holders(hands)
        self._phase = Phase.ANNOUNCE
        self.to_move: Seat | None = (self._dealer + 1) % SEATS
        self._legal = self._find_legal()

    def _find_holders(self, dealt: Sequence[Collection[Card]]) -> None:
        """Note who was dealt the native Robai, and the Sun without another trump (§3.1)."""
        sun, robai, trumps = self._trumps.sun, self._trumps.robai, self._trumps.cards
        self._holder = next((seat for seat, hand in enumerate(dealt) if robai in hand), None)
        sole = (seat for seat, hand in enumerate(dealt) if trumps.intersection(hand) == {sun})
        self._lone_sun = next(sole, None)

    def legal_actions(self) -> list[Action]:
        """Return the actions open to the seat to move, ascending; the list must not be changed."""
        return self._legal

    def _find_legal(self) -> list[Action]:
        seat = self.to_move
        if seat is None:
            return []
        hand = self._hands[seat]
        if self._cards:
            return unsun.answers(hand, self._bound, self._trumps.sun if seat == self._lone_sun else None)
        if self._tricks:
            return hand[:]
        if self._phase is Phase.ANNOUNCE:
            return [_PASS, _ANNOUNCE] if seat == self._holder else [_PASS]
        plain = unsun.plain_first(self._trumps, hand)
        return [_DISCARD + card for card in plain] if self._phase is Phase.DISCARD else plain

    def apply(self, action: Action) -> None:
        """Play `action` for the seat to move; IllegalAction leaves the state as it was."""
        seat = self.to_move
        if seat is None or action not in self._legal:
            raise IllegalAction(f"action {action!r} is not open to seat {seat}")
        _STEPS[self._phase](self, seat, action)
        self._legal = self._find_legal()

    def _announce(self, seat: Seat, action: Action) -> None:  # §3.2
        self._history.append([seat, _TEXTS[action]])
        if action == _ANNOUNCE or seat == self._dealer:
            self._receive(seat, action == _ANNOUNCE)
        else:
            self.to_move = (seat + 1) % SEATS

    def _receive(self, seat: Seat, announced: bool) -> None:  # §3.3
        self._receiver = self.to_move = seat
        self._phase = Phase.DISCARD
        self._robai = "declared" if announced else self._robai_without_announcement()
        insort(self._hands[seat], self._indicator)
        self._history.append([seat, f"indicator:{CODES[self._indicator]}"])

    def _robai_without_announcement(self) -> str:
        if self._trumps.robai == self._indicator:
            return "turned_up"
        return "stock" if self._trumps.robai in self._stock else "concealed"

    def _discard(self, seat: Seat, action: Action) -> None:  # §3.3
        self._discarded = action - _DISCARD
        self._hands[seat].remove(self._discarded)
        self._history.append([seat, "discard:?"])
        self._phase = Phase.PLAY

    def _play(self, seat: Seat, card: Card) -> None:  # §3.5
        cards = self._cards
        self._hands[seat].remove(card)
        if not cards:
            self._lead(seat, card)
        face_down = card in self._trumps.cards and cards and cards[0] not in self._trumps.cards
        self._shown.append([seat, "play:?" if face_down else _TEXTS[card]])
        cards.append(card)
        if len(cards) == SEATS:
            self._finish_trick()
        else:
            self.to_move = (seat + 1) % SEATS

    def _lead(self, seat: Seat, card: Card) -> None:
        if self._leader is None and self._discarded is not None:  # §3.4: the side cards turn up
            self._side = [CODES[side] for side in (self._discarded, *self._stock)]
            own, lead = _TEXTS[_DISCARD + self._discarded], _TEXTS[card]
            self._history[-1:] = [[seat, own], [seat, lead], [seat, f"side:{','.join(self._side)}"]]
        self._leader = seat
        self._bound = unsun.bound_by(self._trumps, card, self._meri_seen)
        self._meri_seen = self._meri_seen or card in self._trumps.cards

    def _finish_trick(self) -> None:
        assert self._leader is not None
        concealed = self._robai == "concealed"
        trick = unsun.settle_trick(self._trumps, self._leader, self._cards, concealed=concealed)
        self._keep(trick, _TEXTS)
        self._cards, self._shown = [], []
        self._leader = self.to_move = winner = trick.winner
        if len(self._tricks) == TRICKS - 1:  # §3.6
            cards = [self._hands[seat].pop() for seat in ORDER[winner]]
            by = winner if self._options["ninth_suit"] == "leader" else self._dealer
            last = unsun.settle_trick(self._trumps, winner, cards, concealed=concealed, ninth_suit_by=by)
            self._keep(last, _LAST_TEXTS)
            self._finish_deal()

    def _keep(self, trick: unsun.Trick, texts: Sequence[str]) -> None:
        """Count a finished trick (§4) and write it down, its face-down cards turned up."""
        leader, cards, winner, _, _, transfer = trick
        self._last_plays = [[seat, texts[card]] for seat, card in zip(ORDER[leader], cards, strict=True)]
        self._history += self._last_plays if self._tricks else self._last_plays[1:]  # the first lead is there
        self._tricks.append((leader, cards))
        self._last_trick = dict(zip(trick._fields[2:], trick[2:], strict=True))
        self._tricks_won[winner % 2] += 1
        self._transfers[winner % 2] += transfer
        self._transfers[1 - winner % 2] -= transfer

    def _finish_deal(self) -> None:
        points = [won + passed for won, passed in zip(self._tricks_won, self._transfers, strict=True)]
        self._totals = [total + more for total, more in zip(self._totals, points, strict=True)]
        if self._round + 1 == self._options["rounds"]:
            self._phase, self.to_move = Phase.OVER, None
            return
        self._last_points, self._last_tail = points, self._history[-SEATS - 1 :]
        self._round += 1
        self._dealer = (self._dealer + 1) % SEATS
        self._deal()

    def observation(self, seat: object) -> Observation:
        """Return what `seat` may know (§5)."""
        seat = check_seat(seat, SEATS)
        tricks, leader, totals = self._tricks, self._leader, self._totals
        view = _FORM.copy()
        view["options"] = self._options.copy()
        view["seat"], view["sides"] = seat, list(_SIDES)
        view["round"], view["rounds"] = self._round, self._options["rounds"]
        view["scores"] = totals * (SEATS // 2)
        view["hand"] = [CODES[card] for card in self._hands[seat]]
        view["legal"] = [_TEXTS[action] for action in self._legal] if seat == self.to_move else []
        view["last_round"] = self._last_round() if self._round else None
        view["phase"] = self._phase._value_  # the text alone
        view["dealer"], view["receiver"] = self._dealer, self._receiver
        view["trump"], view["indicator"] = self._trumps.suit, CODES[self._indicator]
        view["robai"] = self._robai_seen_by(seat)
        view["side_cards"] = self._side and self._side.copy()
        view["meri_seen"], view["lone_sun"] = self._meri_seen, seat == self._lone_sun
        view["trick_number"] = 0 if leader is None else min(len(tricks) + 1, TRICKS)
        view["leader"] = leader
        view["trick"] = trick = self._trick_seen_by(seat)
        view["history"] = self._history_seen_by(seat, trick)
        view["last_trick"] = self._last_trick and {"plays": _copied(self._last_plays), **self._last_trick}
        view["tricks_won"], view["transfers"] = self._tricks_won.copy(), self._transfers.copy()
        return view

    def _history_seen_by(self, seat: Seat, trick: list[Entry]) -> list[Entry]:
        history = _copied(self._history)
        if trick:
            history += _copied(trick if self._tricks else trick[1:])
        elif seat == self._receiver and self._discarded is not None and self._leader is None:
            history[-1] = [seat, _TEXTS[_DISCARD + self._discarded]]
        return history

    def _last_round(self) -> dict[str, object]:
        return {"scores": self._last_points * (SEATS // 2), "end": "played", "tail": _copied(self._last_tail)}

    def _trick_seen_by(self, seat: Seat) -> list[Entry]:
        """Return the present trick; a face-down card shows to the seat that played it alone (§5)."""
        trick = _copied(self._shown)
        own = (seat - (self._leader or 0)) % SEATS
        if own < len(trick):
            trick[own][1] = _TEXTS[self._cards[own]]
        return trick

    def _robai_seen_by(self, seat: Seat) -> str | None:
        if self._trumps.robai == self._indicator:
            return "turned_up"
        if self._robai == "declared" or self._leader is not None or self._receiver is None:
            return self._robai
        return "concealed" if seat == self._holder else "unknown"

    def action_text(self, action: Action) -> str:
        """Return the text of an action; IllegalAction when there is none with this number."""
        if not 0 <= action < len(_TEXTS):
            raise IllegalAction(f"{action!r} is no action of hachinin_meri")
        return _TEXTS[action]

    def parse_action(self, text: object) -> Action:
        """Return the action with this text, or raise IllegalAction."""
        return action_of(_ACTION_OF, text, "hachinin_meri")

    def scores(self) -> list[int]:
        """Return the total of its team for each seat; MatchNotOver before the end."""
        if self.to_move is not None:
            raise MatchNotOver("hachinin_meri has scores only at the end of the match")
        return self._totals * (SEATS // 2)

    def placements(self) -> list[int]:
        """Return 1 or 2 for each seat, team-mates alike, 1 for all when the totals are equal."""
        return rank_high_to_low(self.scores()[:2]) * (SEATS // 2)

    def clone(self) -> "HachininMeriState":
        """Return an independent copy."""
        twin = HachininMeriState.__new__(HachininMeriState)
        for name in HachininMeriState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._hands = [hand[:] for hand in self._hands]
        twin._cards, twin._shown = self._cards[:], self._shown[:]
        twin._tricks, twin._history = self._tricks[:], self._history[:]
        twin._tricks_won, twin._transfers = self._tricks_won[:], self._transfers[:]
        return twin

    def determinize(self, seat: object, rng: Stream) -> "HachininMeriState":
        """Return a random state that agrees with what `seat` knows; later shuffles are random too."""
        seat = check_seat(seat, SEATS)
        twin = self.clone()
        twin._seed = b"".join(rng.below(1 << 32).to_bytes(4, "big") for _ in range(4))
        if self.to_move is not None:
            twin._redeal(seat, rng)
            twin._legal = twin._find_legal()
        return twin

    def _redeal(self, viewer: Seat, rng: Stream) -> None:
        """Deal all that `viewer` does not know anew, within what the play has proved (§5)."""
        hands, receiver = self._hands, self._receiver
        put_back = None if receiver == viewer or self._leader is not None else self._discarded
        if receiver is not None and put_back is not None:
            insort(hands[receiver], put_back)
        held, admits = self._hidden_places(viewer)
        for place, cards in deal_anew(held, admits, rng).items():
            if place < SEATS:
                hands[place] = sorted(cards)
            elif place == SEATS:
                self._stock = (cards[0], cards[1])
            else:
                self._cards[place - SEATS - 1] = cards[0]
        if receiver is not None and put_back is not None:
            self._discarded = rng.choice(unsun.plain_first(self._trumps, hands[receiver]))
            hands[receiver].remove(self._discarded)
        if receiver is not None and self._robai != "declared":
            self._robai = self._robai_without_announcement()
        self._find_holders(self._dealt())

    def _hidden_places(self, viewer: Seat) -> tuple[dict[int, list[Card]], dict[int, Cards]]:
        """Return the cards that `viewer` does not know, and those that might be there, by place.

        Places are the hands by seat, then the stock, then the present trick from its leader on.
        """
        barred = unsun.barred_by_play(self._trumps, self._all_tricks(), self._indicator)
        known = {self._indicator, self._trumps.robai} if self._robai == "declared" else {self._indicator}
        held: dict[int, list[Card]] = {}
        admits: dict[int, Cards] = {}
        for seat in ORDER[viewer][1:]:
            barred[seat] |= unsun.NO_CARDS if seat == self._receiver else known
            held[seat], admits[seat] = self._hands[seat], unsun.PACK - barred[seat]
        if self._leader is None:
            held[SEATS], admits[SEATS] = list(self._stock), unsun.PACK - known
        for i, seat in enumerate(ORDER[self._leader or 0][: len(self._cards)]):
            if self._shown[i][1] == "play:?" and seat != viewer:
                held[SEATS + 1 + i] = [self._cards[i]]
                admits[SEATS + 1 + i] = self._trumps.cards - barred[seat]
        return held, admits

    def _all_tricks(self) -> list[tuple[Seat, Sequence[Card]]]:
        return [*self._tricks, (self._leader or 0, self._cards)] if self._cards else self._tricks

    def _dealt(self) -> list[set[Card]]:
        """Return the nine cards that each seat was dealt."""
        dealt = unsun.with_played(self._hands, self._all_tricks())
        if self._receiver is not None:
            dealt[self._receiver].update([] if self._discarded is None else [self._discarded])
            dealt[self._receiver].discard(self._indicator)
        return dealt


_STEPS = {
    Phase.ANNOUNCE: HachininMeriState._announce,
    Phase.DISCARD: HachininMeriState._discard,
    Phase.PLAY: HachininMeriState._play,
}


def _copied(entries: list[Entry]) -> list[Entry]:
    return list(map(list.copy, entries))


def greedy(observation: Observation) -> str:
    """Return an action by a short heuristic: announce, lead sure trumps, take tricks cheaply."""
    legal: list[str] = observation["legal"]
    phase: str = observation["phase"]
    if len(legal) == 1 or phase == "announce":
        return legal[-1]
    trumps = unsun.TRUMPS[unsun.SUITS.index(observation["trump"])]
    cards = [unsun.card_in(text) for text in legal]
    cards.sort(key=lambda card: trumps.strength[trumps.suit_of[card]][card])  # the cheapest first
    card = cards[0]
    if phase == "play":
        choose = _answer if observation["trick"] else _opening
        card = choose(trumps, cards, observation)
    return f"{phase}:{CODES[card]}"


def _opening(trumps: Trumps, cards: list[Card], observation: Observation) -> Card:
    """Lead the best trump when no trump that may be out beats it, or else the cheapest card."""
    strength = trumps.strength[trumps.suit_of[trumps.sun]]
    out = trumps.cards.difference(map(unsun.CARD_OF.get, observation["hand"]))
    out = out.difference(unsun.card_in(text) for _, text in observation["history"])
    return cards[-1] if strength[cards[-1]] > max((strength[card] for card in out), default=100) else cards[0]


def _answer(trumps: Trumps, cards: list[Card], observation: Observation) -> Card:
    """Take the trick from the other team cheaply, but not early with a trump on a plain lead."""
    trick = observation["trick"]
    lead = unsun.card_in(trick[0][1])
    strength = trumps.strength[trumps.suit_of[lead]]
    best = [0, 0]  # of the own team and of the other; a face-down card counts as a middling trump
    for player, text in trick:
        worth = 108 if text == "play:?" else strength[unsun.card_in(text)]
        other = (player - observation["seat"]) % 2
        best[other] = max(best[other], worth)
    winners = [card for card in cards if strength[card] > best[1]]
    too_early = len(trick) < SEATS // 2 and lead not in trumps.cards
    if best[0] > best[1] or not winners or (too_early and winners[0] in trumps.cards):
        return cards[0]
    return winners[0]


GAME = Game(
    id="hachinin_meri",
    title="Hachinin Meri",
    summary="Two teams of four play for nine tricks a deal; a trump on a plain lead lies face down.",
    seats=(SEATS,),
    default_seats=SEATS,
    options=OPTIONS,
    notation=(
        ("P-9", "a card: Pao, Isu, Koppu, Ouru or Guru, then Sun Un Sota Robai Rei Kaba or 1..9"),
        ("pass", "do not announce the Robai of the trump suit"),
        ("announce", "show the Robai of the trump suit and receive the indicator"),
        ("discard:<card>", "lay one of ten cards aside"),
        ("play:<card>", "play a card to the trick; a trump on a plain lead lies face down"),
    ),
    start=lambda seats, options, seed: HachininMeriState(options, seed),
    greedy=greedy,
    actions=lambda seats, options: len(_TEXTS),
    max_decisions=lambda seats, options: int(options["rounds"]) * (SEATS + 1 + SEATS * (TRICKS - 1)),
    sides=lambda seats, options: _SIDES,
)
