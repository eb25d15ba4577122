"""Sakura: capture hanafuda worth points, and yaku that each cost every other side 50; the highest total wins.

Rules: docs/games/sakura.md; a section sign in a comment points there.
"""

from typing import Self

from engine.cards.capture import CaptureState
from engine.cards.hanafuda import (
    BIT,
    CARD_OF,
    CODES,
    FULL_PACK,
    JAPANESE_VALUES,
    MATCHES,
    MONTH_MASK,
    Card,
    CardMask,
    cards_in,
    codes_in,
    mask,
    values,
)
from engine.cards.hidden import deal_anew
from engine.cards.matching import (
    ACTIONS,
    CHOSEN,
    FIRST_DRAW,
    NOTATION,
    PLAYS,
    TEXTS,
    TURNED,
    capture,
    has_four,
)
from engine.cards.rounds import WILD, Setup, Words, nearest_best
from engine.cards.thumb import Judge
from engine.cards.yaku import Yaku
from engine.contract import Action, Game, Observation, Seat
from engine.errors import BadOptions
from engine.native import compiled
from engine.options import Choice, Flag, Number, Options
from engine.rng import Stream

OPTIONS = (
    Number("rounds", 6, 1, 12, "rounds in a match"),
    Choice("teams", ("solo", "pairs", "trios"), "pairs: with 4 or 6 seats; trios: with 6 seats"),
    Flag("gaji", True, "whether the lightning card is wild"),
    Choice(
        "two_player_stock", ("play_out", "dead"), "what becomes of the 8 cards that two hands do not reach"
    ),
    Flag("free_discard", False, "any card that matches nothing may be laid, although others could capture"),
    Choice("card_values", ("hawaiian", "japanese"), "what ribbons, animals and some other cards are worth"),
)

# §1: seats -> cards of a hand, cards of the Ba.
DEALS = {2: (8, 8), 3: (7, 6), 4: (5, 8), 5: (4, 8), 6: (3, 12), 7: (3, 6)}
# §1: teams, seats -> sides; each team sits at equal distances.
SIDES = {("pairs", 4): 2, ("pairs", 6): 3, ("trios", 6): 2}

_HAWAIIAN = list(values(bright=20, animal=5, ribbon=10, junk=0))
_HAWAIIAN[CARD_OF["11-rainman"]] = 5
_HAWAIIAN[CARD_OF["12-yellow"]] = 10
VALUES = {"hawaiian": tuple(_HAWAIIAN), "japanese": JAPANESE_VALUES}

# §5
YAKU_COST = 50
YAKU = (
    Yaku("i", mask("3-curtain", "8-moon", "9-cup"), YAKU_COST),
    Yaku("ro", mask("1-crane", "2-nightingale", "3-curtain"), YAKU_COST),
    Yaku("ha", mask("1-rib", "2-rib", "3-rib"), YAKU_COST),
    Yaku("ni", mask("6-rib", "9-rib", "10-rib"), YAKU_COST),
    Yaku("ho", mask("6-butterflies", "10-deer", "9-cup"), YAKU_COST),
    Yaku("he", mask("4-rib", "5-rib", "7-rib"), YAKU_COST),
    Yaku("to", mask("4-cuckoo", "5-bridge", "7-boar"), YAKU_COST),
    Yaku("chi", mask("10-deer", "8-geese", "7-boar"), YAKU_COST),
)
LUCKY_SCORE = 6

GAJI = CARD_OF["11-gaji"]
NOVEMBER = MONTH_MASK[11]
# Actions after those of all capturing games: the wild Gaji takes a card of another month.
_TARGETS = [card for card in range(48) if not NOVEMBER & BIT[card]]
_WILD: dict[Card, Action] = {card: ACTIONS + nth for nth, card in enumerate(_TARGETS)}
_TARGET_OF: dict[Action, Card] = {action: card for card, action in _WILD.items()}
_TEXTS = (*TEXTS, *(f"wild:{CODES[card]}" for card in _TARGETS))
_ACTION_OF: dict[str, Action] = {text: action for action, text in enumerate(_TEXTS)}
# Entries of the history that put a November card on the table.
_NOVEMBERS = frozenset(
    text
    for card in cards_in(NOVEMBER)
    for text in (TURNED[card], *(TEXTS[4 * card + nth] for nth in range(4)))
)
_FIRST_CARDS = sum(BIT[card] for card in range(0, 48, 4))  # one card of each month
_EVERY_CARD = frozenset(range(48))


def pairs_in(cards: CardMask) -> int:
    """Return the number of pairs of one month among `cards`; four of a month are two pairs."""
    first_two, last_two = cards & cards >> 1, cards >> 2 & cards >> 3
    across = (cards | cards >> 1) & (cards >> 2 | cards >> 3)
    two = (first_two | last_two | across) & _FIRST_CARDS
    return two.bit_count() + (first_two & last_two & _FIRST_CARDS).bit_count()


def is_lucky(hand: CardMask) -> bool:
    """Return whether a hand is lucky: four cards of one month, or four pairs (§2)."""
    return has_four(hand) or pairs_in(hand) >= 4


def sides_of(seats: int, options: Options) -> tuple[int, ...]:
    """Return the side of each seat."""
    count = SIDES.get((str(options["teams"]), seats), seats)
    return tuple(seat % count for seat in range(seats))


_SLOTS = (
    *("_absent", "_blocked", "_free_discard", "_gaji_counts", "_judged", "_laid", "_lucky"),
    *("_shown", "_wild"),
)


@compiled(allow_interpreted_subclasses=True, serializable=True)
class SakuraState(CaptureState):
    """A match in progress; only `apply` changes it."""

    __slots__ = _SLOTS

    game_id = "sakura"
    words = Words(leader="oya", field="ba", held="yaku")
    texts = _TEXTS
    own_fields = ("gaji_wild", "shown")

    def __init__(self, seats: int, options: Options, seed: bytes) -> None:
        hand_size, field_size = DEALS[seats]
        self._gaji_counts = bool(options["gaji"])
        self._free_discard = bool(options["free_discard"])
        setup = Setup(
            rounds=int(options["rounds"]),
            hand_size=hand_size,
            field_size=field_size,
            sides=sides_of(seats, options),
            values=VALUES[str(options["card_values"])],
            yaku=YAKU,
            dead_stock=seats == 2 and options["two_player_stock"] == "dead",
        )
        super().__init__(seats, options, seed, setup)

    def _clear_piles(self) -> None:
        super()._clear_piles()
        self._judged = self._piles[:]  # the piles whose yaku were found
        self._lucky: frozenset[Seat] = frozenset()
        self._wild: tuple[Seat, CardMask] | None = (
            None  # who played the wild Gaji, and the month it took from
        )
        self._blocked: CardMask = 0  # months of which the committed Gaji was found blocked
        self._shown: CardMask = 0  # cards that were shown by a Hiki
        self._laid: list[tuple[Seat, CardMask]] = []  # who laid a card that took nothing, and the Ba before
        self._absent: list[tuple[Seat, Card]] = []  # who showed that no other seat holds this card

    # Lucky hands and cancelled deals (§2, §3).

    def _is_misdeal(self) -> bool:
        return (has_four(self._field) or pairs_in(self._field) >= 4) and not any(map(is_lucky, self._dealt))

    def _open_round(self) -> None:
        if not any(map(is_lucky, self._dealt)):
            self._begin_turn(self._leader)
            return
        lucky = [seat for seat in self._from_leader() if is_lucky(self._dealt[seat])]
        self._lucky = frozenset(lucky)
        sides = self._setup.sides
        self._history += [(seat, "lucky:" + ",".join(codes_in(self._dealt[seat]))) for seat in lucky]
        scores = [LUCKY_SCORE * sum(sides[other] == side for other in lucky) for side in sides]
        self._finish_round(scores, "lucky", lucky[0])

    def _from_leader(self) -> list[Seat]:
        return [(self._leader + step) % self._seats for step in range(self._seats)]

    # A turn (§4, §6).

    def _list_plays(self, seat: Seat) -> list[Action]:
        """Return the ways to play a hand: who can capture must; a Hiki and the wild Gaji do not compel."""
        field, hand = self._field, self._hands[seat]
        compelled = False
        legal: list[Action] = []
        for card in hand:
            matching = field & MATCHES[card]
            if matching:
                legal += PLAYS[card][matching]
                if not compelled:
                    compelled = matching.bit_count() < 3
        if not compelled or self._free_discard:
            legal = []
            for card in hand:
                legal += PLAYS[card][field & MATCHES[card]]
        if self._is_wild_for(seat):
            legal += [_WILD[card] for card in cards_in(field & ~NOVEMBER)]
        return legal

    def _is_wild_for(self, seat: Seat) -> bool:
        """Return whether `seat` holds the Gaji and it is still wild (§6.1)."""
        if GAJI not in self._hands[seat] or not self._gaji_counts:
            return False
        return not any(other != seat and text in _NOVEMBERS for other, text in self._history)

    def _play(self, seat: Seat, action: Action) -> None:
        if action >= ACTIONS:
            self._try_wild(seat, _TARGET_OF[action])
            return
        if not MATCHES[action >> 2] & self._field:
            self._laid.append((seat, self._field))
        CaptureState._play(self, seat, action)

    def _try_wild(self, seat: Seat, target: Card) -> None:
        """Take `target` with the wild Gaji, unless another seat holds the fourth card of its month (§6.3)."""
        month = MATCHES[target]
        self._history.append((seat, self.texts[_WILD[target]]))
        fourth = month & ~self._field
        if fourth.bit_count() == 1:
            card = fourth.bit_length() - 1
            for other in range(self._seats):
                if other != seat and card in self._hands[other]:
                    self._block(seat, other, card)
                    return
            self._absent.append((seat, card))
        self._hands[seat].remove(GAJI)
        self._field ^= BIT[target]
        cards, text, codes, points = capture(GAJI, BIT[target], self._setup.values)
        self._history.append((seat, text))
        self._collect(self._setup.sides[seat], cards, codes, points)
        self._wild = (seat, month)
        self._turn_stock(seat)

    def _block(self, seat: Seat, holder: Seat, card: Card) -> None:
        """Show the card that blocks the Gaji; it is committed, and its seat decides again."""
        self._history.append((holder, f"shown:{CODES[card]}"))
        self._shown |= BIT[card]
        self._blocked |= MATCHES[card]
        self._phase = WILD
        open_targets = self._field & ~NOVEMBER & ~self._blocked
        self._legal = [
            *PLAYS[GAJI][self._field & NOVEMBER],
            *(_WILD[other] for other in cards_in(open_targets)),
        ]

    def _decide(self, seat: Seat, action: Action) -> None:
        if self._phase is WILD:
            self._play_committed(seat, action)
        else:
            self._draw(seat, action)

    def _play_committed(self, seat: Seat, action: Action) -> None:
        """Play the committed Gaji: it tries another month, or plays as a November card."""
        if action >= ACTIONS:
            self._try_wild(seat, _TARGET_OF[action])
        else:
            super()._play(seat, action)

    def _collect(self, side: int, cards: CardMask, codes: tuple[str, ...], points: int) -> None:
        """Add cards to the pile of a side; its yaku are looked for when they are asked for."""
        self._piles[side] |= cards
        self._captured[side] += codes
        self._points[side] += points

    def _judge(self) -> None:
        if self._judged != self._piles:
            for side, pile in enumerate(self._piles):
                if pile != self._judged[side]:
                    self._find_yaku(side, pile)
            self._judged = self._piles[:]

    # The end of a round (§4.5, §6.4, §7).

    def _close_round(self) -> None:
        """Award what the wild Gaji has earned, then score: card points less 50 for each yaku of others."""
        self._award()
        self._judge()
        sides = self._setup.sides
        counts = [len(found) for found in self._held]
        everything = sum(counts)
        scores = [self._points[side] - YAKU_COST * (everything - counts[side]) for side in sides]
        self._finish_round(scores, "played", nearest_best(scores, self._leader))

    def _award(self) -> None:
        """Give the Ba cards of the month that the wild Gaji took from to its side (§6.4)."""
        if self._wild is None:
            return
        seat, month = self._wild
        for card in cards_in(self._field & month):
            self._field ^= BIT[card]
            self._history.append((seat, f"awarded:{CODES[card]}"))
            self._collect(self._setup.sides[seat], BIT[card], (CODES[card],), self._setup.values[card])

    def placements(self) -> list[int]:
        """Return the place of each seat, which is that of its side; MatchNotOver before the end."""
        totals, sides = self.scores(), self._setup.sides
        of_sides = dict(zip(sides, totals, strict=True))
        return [1 + sum(other > total for other in of_sides.values()) for total in totals]

    # Views and copies (§8).

    def observation(self, seat: object) -> Observation:
        """Return what `seat` may know, JSON-ready."""
        self._judge()
        return super().observation(seat)

    def _show_own(self, view: Observation, seat: Seat) -> None:
        view["gaji_wild"] = self._is_wild_for(seat) if GAJI in self._hands[seat] else None
        shown = self._shown
        view["shown"] = [
            [CODES[card] for card in hand if shown & BIT[card]] if shown else [] for hand in self._hands
        ]

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = super().clone()
        for name in _SLOTS:
            setattr(twin, name, getattr(self, name))
        twin._laid, twin._absent, twin._judged = self._laid[:], self._absent[:], self._judged[:]
        return twin

    def _known_in_hand(self, seat: Seat) -> CardMask:
        known = self._shown
        if self._phase is WILD and seat == self.to_move:
            known |= BIT[GAJI]
        if seat in self._lucky:
            known = FULL_PACK
        return sum(BIT[card] for card in self._hands[seat] if known & BIT[card])

    def _agrees(self) -> bool:
        return all(is_lucky(hand) == (seat in self._lucky) for seat, hand in enumerate(self._dealt))

    def _impossible(self, seat: Seat) -> CardMask:
        """Return the cards that, for all to see, are not in the hand of `seat`."""
        cards = 0
        if not self._free_discard:
            for other, field in self._laid:  # §4: it would have had to capture with these.
                if other == seat:
                    for month in MONTH_MASK[1:]:
                        if 0 < (field & month).bit_count() < 3:
                            cards |= month
        for other, card in self._absent:
            if other != seat:
                cards |= BIT[card]
        return cards

    def _share_out(self, seat: Seat, hidden: list[Card], rng: Stream) -> None:
        """Share out hidden cards as the turns so far allow: to nobody a card that it cannot hold."""
        if not self._laid and not self._absent:
            super()._share_out(seat, hidden, rng)
            return
        others = [other for other in range(self._seats) if other != seat]
        known = {other: self._known_in_hand(other) for other in others}
        held = {
            other: [card for card in self._hands[other] if not known[other] & BIT[card]] for other in others
        }
        admits = {other: _EVERY_CARD.difference(cards_in(self._impossible(other))) for other in others}
        held[seat], admits[seat] = self._stock, _EVERY_CARD
        dealt = deal_anew(held, admits, rng)
        self._stock = dealt.pop(seat)
        for other, cards in dealt.items():
            self._hold(other, [*cards_in(known[other]), *cards])


def greedy(observation: Observation) -> str:
    """Take what is worth most by itself, towards yaku and against those of others, with the Gaji too."""
    field, hand = mask(*observation["ba"]), mask(*observation["hand"])
    piles = [mask(*pile) for pile in observation["captured"]]
    own = piles.pop(observation["sides"][observation["seat"]])
    judge = Judge(
        own=own,
        others=piles,
        seen=field | hand | own | sum(piles),
        values=VALUES[observation["options"]["card_values"]],
        table=YAKU,
    )

    def worth(text: str) -> float:
        action = _ACTION_OF[text]
        if action >= ACTIONS:
            return judge.worth(GAJI, BIT[_TARGET_OF[action]])
        card = CARD_OF[observation["drawn"]] if action >= FIRST_DRAW else action >> 2
        return judge.worth(card, field & CHOSEN[action])

    legal: list[str] = observation["legal"]
    return max(legal, key=worth)


def check_teams(seats: int, options: Options) -> None:
    """Refuse teams that do not come out even with so many seats."""
    allowed = ["solo", *(teams for teams, count in SIDES if count == seats)]
    if options["teams"] not in allowed:
        raise BadOptions(
            f"option teams is {options['teams']!r}; allowed with {seats} seats: {', '.join(allowed)}"
        )


def max_decisions(seats: int, options: Options) -> int:
    """Bound the decisions of a round: one a hand card, one a drawn card, one for each month that blocks."""
    field_size = DEALS[seats][1]
    return int(options["rounds"]) * (48 - field_size + 12)


GAME = Game(
    id=SakuraState.game_id,
    title="Sakura",
    summary="Capture hanafuda worth points; each yaku in a pile costs every other side 50.",
    seats=tuple(DEALS),
    default_seats=3,
    options=OPTIONS,
    notation=(*NOTATION, ("wild:<target>", "take any card of another month with the wild Gaji")),
    start=SakuraState,
    greedy=greedy,
    actions=lambda seats, options: len(SakuraState.texts),
    max_decisions=max_decisions,
    sides=sides_of,
    check=check_teams,
)
