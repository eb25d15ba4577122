"""Hana-awase for three: capture cards by flower for card points, or a combination that ends the hand.

Rules: docs/games/hana_awase.md; a section sign in a comment points there.
"""

from dataclasses import dataclass
from typing import Self

from engine.cards.capture import CaptureState
from engine.cards.hanafuda import JUNKS, RIBBONS, mask, values
from engine.cards.matching import ACTIONS, NOTATION, TEXTS, has_four
from engine.cards.rounds import STOPPING, Setup, Words, nearest_best
from engine.cards.thumb import best_capture
from engine.cards.yaku import Yaku, payments, total
from engine.contract import Action, Game, Observation, Seat
from engine.native import compiled
from engine.options import Choice, Flag, Number, OneOf, Options

SEATS = 3
STOP, CONTINUE = ACTIONS, ACTIONS + 1

OPTIONS = (
    Number("rounds", 6, 1, 12, "hands in a match"),
    Choice(
        "combinations",
        ("classic", "none", "extended"),
        "which combinations count: classic ends the hand at once, extended asks to stop or continue",
    ),
    OneOf("scale", (80, 88), "par of the card points; in 88 a junk card counts 1"),
    Flag("redeal_hand_four", False, "deal again when a hand has four of a flower"),
)

# §5.1
VALUES = {
    80: values(bright=20, animal=10, ribbon=5, junk=0),
    88: values(bright=20, animal=10, ribbon=5, junk=1),
}

# §5.2
RED = Yaku("red", mask("1-rib", "2-rib", "3-rib"), 40)
BLUE = Yaku("blue", mask("6-rib", "9-rib", "10-rib"), 40)
FOUR_BRIGHT = Yaku("four_bright", mask("1-crane", "3-curtain", "8-moon", "12-phoenix"), 60)
FIVE_BRIGHT = Yaku("five_bright", FOUR_BRIGHT.cards | mask("11-rainman"), 100, replaces="four_bright")
SEVEN_RIBBONS = Yaku("seven_ribbons", RIBBONS & ~mask("11-rib"), 60, least=7)
FOURTEEN_JUNK = Yaku("fourteen_junk", JUNKS | mask("11-rainman", "11-swallow", "11-rib"), 60, least=14)
MISERY_POINTS, MISERY_VALUE = 15, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Combinations:
    """What the option `combinations` names: the table in play, what making one does, the value of misery."""

    yaku: tuple[Yaku, ...]
    ends_at_once: bool = False
    misery: int = 0


# §5.2
COMBINATIONS = {
    "classic": Combinations(yaku=(RED, BLUE, FOUR_BRIGHT), ends_at_once=True),
    "none": Combinations(yaku=()),
    "extended": Combinations(
        yaku=(RED, BLUE, FOUR_BRIGHT, FIVE_BRIGHT, SEVEN_RIBBONS, FOURTEEN_JUNK), misery=MISERY_VALUE
    ),
}


@compiled(allow_interpreted_subclasses=True, serializable=True)
class HanaAwaseState(CaptureState):
    """A match in progress; only `apply` changes it."""

    __slots__ = ("_decided", "_misery", "_par", "_redeals_hand_four")

    game_id = "hana_awase"
    words = Words(leader="eldest", field="table", held="combinations")
    texts = (*TEXTS, "stop", "continue")
    own_fields = ("grouped", "card_points")

    def __init__(self, seats: int, options: Options, seed: bytes) -> None:
        combinations = COMBINATIONS[str(options["combinations"])]
        self._par = int(options["scale"])
        self._misery = combinations.misery
        self._redeals_hand_four = bool(options["redeal_hand_four"])
        setup = Setup(
            rounds=int(options["rounds"]),
            hand_size=7,
            field_size=6,
            sides=tuple(range(seats)),
            values=VALUES[self._par],
            yaku=combinations.yaku,
            ends_at_once=combinations.ends_at_once,
        )
        super().__init__(seats, options, seed, setup)

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = super().clone()
        twin._decided = self._decided[:]
        twin._misery, twin._par = self._misery, self._par
        twin._redeals_hand_four = self._redeals_hand_four
        return twin

    def _show_own(self, view: Observation, seat: Seat) -> None:  # §7
        view["grouped"] = self._groups_left()
        view["card_points"] = self._points[:]

    def _is_misdeal(self) -> bool:
        return has_four(self._field) or not self._agrees()  # §2.2

    def _agrees(self) -> bool:
        return not (self._redeals_hand_four and any(map(has_four, self._dealt)))  # §2.2

    def _open_round(self) -> None:
        self._decided = [0] * self._seats
        super()._open_round()

    def _end_turn(self, seat: Seat) -> None:
        """Pay or ask the seat if its combinations have grown, or else pass the turn on."""
        found = self._held[seat]
        worth = total(found) if found else 0
        if worth == self._decided[seat]:
            self._begin_turn((seat + 1) % self._seats)
        elif self._setup.ends_at_once:
            self._pay_maker(seat, "combination")  # §5.3
        elif not self._hands[(seat + 1) % self._seats]:
            self._pay_maker(seat, "stop")  # §5.4: on the last turn stopping is no decision
        else:
            self._phase = STOPPING
            self._legal = [STOP, CONTINUE]

    def _decide(self, seat: Seat, action: Action) -> None:
        if self._phase is STOPPING:
            self._stop_or_continue(seat, action)
        else:
            self._draw(seat, action)

    def _stop_or_continue(self, seat: Seat, action: Action) -> None:
        """End the hand with the combinations of the seat, or let it play on for more."""
        self._history.append((seat, self.texts[action]))
        if action == STOP:
            self._pay_maker(seat, "stop")
        else:
            self._decided[seat] = total(self._held[seat])
            self._begin_turn((seat + 1) % self._seats)

    def _pay_maker(self, maker: Seat, end: str) -> None:
        """End the hand: only the combinations of `maker` count, in full."""
        worth = [total(found) if seat == maker else 0 for seat, found in enumerate(self._held)]
        self._finish_round(payments(worth), end, maker)

    def _close_round(self) -> None:
        """Score a hand that was played out: combinations at half, or else misery, or else card points."""
        worth = [total(found) // 2 for found in self._held]  # §5.5
        if not any(worth):
            worth = [self._misery if points <= MISERY_POINTS else 0 for points in self._points]  # §5.6
        if any(worth):
            self._finish_round(payments(worth), "played", nearest_best(worth, self._leader))
        else:
            scores = [points - self._par for points in self._points]  # §5.1
            self._finish_round(scores, "played", nearest_best(scores, self._leader))


def greedy(observation: Observation) -> str:
    """Stop when asked; else take what is worth most, for combinations and against those of others."""
    options = observation["options"]
    if "stop" in observation["legal"]:
        return "stop"
    return best_capture(observation, VALUES[options["scale"]], COMBINATIONS[options["combinations"]].yaku)


def max_decisions(seats: int, options: Options) -> int:
    """Return a bound of the decisions in a match: to play, to draw and to stop in each of 21 turns."""
    return 3 * 21 * int(options["rounds"])


GAME = Game(
    id=HanaAwaseState.game_id,
    title="Hana-awase",
    summary="Capture hanafuda by flower for card points; a combination ends the hand and is paid at once.",
    seats=(SEATS,),
    default_seats=SEATS,
    options=OPTIONS,
    notation=(*NOTATION, ("stop, continue", "end the hand with the combinations held, or play on for more")),
    start=HanaAwaseState,
    greedy=greedy,
    actions=lambda seats, options: len(HanaAwaseState.texts),
    max_decisions=max_decisions,
)
