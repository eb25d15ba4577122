"""A toy game that keeps the contract, so that tests can break one promise at a time."""

from typing import Self

from engine.contract import Action, Game, Observation, Seat, check_seat, rank_high_to_low
from engine.errors import IllegalAction, MatchNotOver
from engine.options import Flag, Number, Options
from engine.rng import Stream
from engine.shuffle import deck

CARDS = 12
HAND = 3
CODES = tuple(f"C{card}" for card in range(CARDS))
TEXTS = tuple(f"play:{code}" for code in CODES)


class ToyState:
    """Each seat plays a card, one after the other; the highest takes a point; the stock stays hidden."""

    def __init__(self, seats: int, options: Options, seed: bytes) -> None:
        self.seats, self.options, self.seed = seats, dict(options), seed
        self.rounds = int(options["rounds"])
        self.round = 0
        self.points = [0] * seats
        self.to_move: Seat | None = 0
        self.tail: list[list[Seat | str]] = []
        self.gained = [0] * seats
        self.deal()

    def deal(self) -> None:
        pack = deck(self.seed, self.round, 0, [code.encode() for code in CODES])
        self.hands = [sorted(pack[HAND * seat : HAND * (seat + 1)]) for seat in range(self.seats)]
        self.history: list[list[Seat | str]] = []
        self.trick: list[tuple[Action, Seat]] = []
        self.before = list(self.points)

    def legal_actions(self) -> list[Action]:
        return [] if self.to_move is None else list(self.hands[self.to_move])

    def apply(self, action: Action) -> None:
        if self.to_move is None or action not in self.legal_actions():
            raise IllegalAction(f"action {action} is not open to seat {self.to_move}")
        self.hands[self.to_move].remove(action)
        self.history.append([self.to_move, TEXTS[action]])
        self.trick.append((action, self.to_move))
        self.to_move = (self.to_move + 1) % self.seats
        if len(self.trick) == self.seats:
            self.points[(min if self.options["lowest"] else max)(self.trick)[1]] += 1
            self.trick = []
        if not any(self.hands):
            self.end_round()

    def end_round(self) -> None:
        self.gained = [now - before for now, before in zip(self.points, self.before, strict=True)]
        self.tail = self.history[-1:]
        if self.round + 1 == self.rounds:
            self.to_move = None
        else:
            self.round += 1
            self.deal()

    def observation(self, seat: Seat) -> Observation:
        check_seat(seat, self.seats)
        return {
            "game": "toy",
            "options": dict(self.options),
            "seats": self.seats,
            "seat": seat,
            "sides": list(range(self.seats)),
            "round": self.round,
            "rounds": self.rounds,
            "scores": list(self.points),
            "hand": [CODES[card] for card in self.hands[seat]],
            "legal": [TEXTS[action] for action in self.legal_actions()] if seat == self.to_move else [],
            "history": [list(entry) for entry in self.history],
            "phase": "over" if self.to_move is None else "play",
            "last_round": {"scores": list(self.gained), "tail": [*map(list, self.tail)]}
            if self.round
            else None,
        }

    def action_text(self, action: Action) -> str:
        if not 0 <= action < len(TEXTS):
            raise IllegalAction(f"action {action} is unknown")
        return TEXTS[action]

    def parse_action(self, text: str) -> Action:
        if text not in TEXTS:
            raise IllegalAction(f"action {text!r} is unknown")
        return TEXTS.index(text)

    def scores(self) -> list[int]:
        if self.to_move is not None:
            raise MatchNotOver(f"seat {self.to_move} is to move")
        return list(self.points)

    def placements(self) -> list[int]:
        return rank_high_to_low(self.scores())

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.hands = [list(hand) for hand in self.hands]
        copy.points, copy.before = list(self.points), list(self.before)
        copy.history, copy.trick = list(self.history), list(self.trick)
        return copy

    def determinize(self, seat: Seat, rng: Stream) -> Self:
        check_seat(seat, self.seats)
        copy = self.clone()
        copy.seed = b"%d" % rng.below(2**32)
        seen = {TEXTS.index(str(text)) for _, text in self.history} | set(self.hands[seat])
        pool = [card for card in range(CARDS) if card not in seen]
        rng.shuffle(pool)
        for other in range(self.seats):
            if other != seat:
                copy.hands[other] = sorted(pool.pop() for _ in self.hands[other])
        return copy


def greedy(observation: Observation) -> str:
    """Play the highest card."""
    return str(observation["legal"][-1])


TOY = Game(
    id="toy",
    title="Toy",
    summary="The highest card takes a point.",
    seats=(2, 3),
    default_seats=2,
    options=(Number("rounds", 2, 1, 3, "deals"), Flag("lowest", False, "the lowest card takes the point")),
    notation=(),
    start=ToyState,
    greedy=greedy,
    actions=lambda seats, options: CARDS,
    max_decisions=lambda seats, options: int(options["rounds"]) * HAND * seats,
)
