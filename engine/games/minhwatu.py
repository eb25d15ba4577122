"""Minhwatu for three: capture cards by flower; at the end of a hand combinations and card points are paid.

Rules: docs/games/minhwatu.md; a section sign in a comment points there.
"""

from engine.cards.capture import CaptureState
from engine.cards.hanafuda import JAPANESE_VALUES, MONTH_MASK, mask
from engine.cards.matching import NOTATION, TEXTS
from engine.cards.rounds import Setup, Words, nearest_best
from engine.cards.thumb import best_capture
from engine.cards.yaku import Yaku, payments, total
from engine.contract import Game, Observation, Seat
from engine.native import compiled
from engine.options import Number, Options

SEATS = 3
PAR = 80

OPTIONS = (Number("rounds", 6, 1, 12, "hands in a match"),)

# §5.2
YAKU = (
    Yaku("iris", MONTH_MASK[5], 20),
    Yaku("maple", MONTH_MASK[10], 20),
    Yaku("rain", MONTH_MASK[11], 20),
    Yaku("red", mask("1-rib", "2-rib", "3-rib"), 30),
    Yaku("blue", mask("6-rib", "9-rib", "10-rib"), 30),
    Yaku("plain", mask("4-rib", "5-rib", "7-rib"), 30),
)


@compiled(allow_interpreted_subclasses=True, serializable=True)
class MinhwatuState(CaptureState):
    """A match in progress; only `apply` changes it."""

    __slots__ = ()

    game_id = "minhwatu"
    words = Words(leader="eldest", field="table", held="combinations")
    texts = TEXTS
    own_fields = ("grouped", "card_points")

    def __init__(self, seats: int, options: Options, seed: bytes) -> None:
        setup = Setup(
            rounds=int(options["rounds"]),
            hand_size=7,
            field_size=6,
            sides=tuple(range(seats)),
            values=JAPANESE_VALUES,
            yaku=YAKU,
        )
        super().__init__(seats, options, seed, setup)

    def _show_own(self, view: Observation, seat: Seat) -> None:  # §7
        view["grouped"] = self._groups_left()
        view["card_points"] = self._points[:]

    def _close_round(self) -> None:
        """Score the hand: card points less par, and all combinations paid by both others (§5)."""
        paid = payments([total(found) for found in self._held])
        scores = [points - PAR + gain for points, gain in zip(self._points, paid, strict=True)]
        self._finish_round(scores, "played", nearest_best(scores, self._leader))


def greedy(observation: Observation) -> str:
    """Take what is worth most by itself, towards combinations and against those of others."""
    return best_capture(observation, JAPANESE_VALUES, YAKU)


GAME = Game(
    id=MinhwatuState.game_id,
    title="Minhwatu",
    summary="Capture hanafuda by flower; combinations and card points are paid at the end of a hand.",
    seats=(SEATS,),
    default_seats=SEATS,
    options=OPTIONS,
    notation=NOTATION,
    start=MinhwatuState,
    greedy=greedy,
    actions=lambda seats, options: len(MinhwatuState.texts),
    max_decisions=lambda seats, options: 2 * 21 * int(options["rounds"]),
)
