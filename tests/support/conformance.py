"""What every game promises, as checks: each takes one match of a game and fails with AssertionError."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.contract import Action, Game, Observation, Seat, State
from engine.errors import BadOptions, IllegalAction, MatchNotOver, UnknownSeat
from engine.options import Choice, Flag, OptionValue
from engine.rng import Stream

COMMON_FIELDS = (
    *("game", "options", "seats", "seat", "sides", "round", "rounds", "scores"),
    *("hand", "legal", "history", "phase", "last_round"),
)
NOT_ACTIONS = ("", "?", "play", "play:", "play:?", "no such action", "PLAY:1", " pass")
NOT_TEXTS: tuple[Any, ...] = (None, 0, 1.5, True, b"pass", [], {}, ["play"])
Snapshot = tuple[Seat | None, list[Action], list[Observation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One match: the game, what it starts from, and the seed of the stream that picks its actions."""

    game: Game = field(repr=False)
    seats: int
    options: dict[str, OptionValue]
    seed: bytes
    choices: str

    def start(self) -> State:
        """Return the first state of the match."""
        return self.game.new_match(seats=self.seats, options=self.options, seed=self.seed)

    def stream(self, purpose: str) -> Stream:
        """Return the random stream for one purpose within the match."""
        return Stream(f"{self.choices}/{purpose}")

    def bound(self) -> int:
        """Return the promised number of decisions."""
        return self.game.max_decisions(*self.game.settle(self.seats, self.options))

    def action_count(self) -> int:
        """Return the number of action ids."""
        return self.game.actions(*self.game.settle(self.seats, self.options))


def apply_legal(state: State, action: Action) -> None:
    """Apply an action that was offered; that it is refused is a failed check."""
    try:
        state.apply(action)
    except IllegalAction as error:
        raise AssertionError(f"the offered action {action} is refused: {error}") from error


def play_out(setup: Setup, state: State, rng: Stream) -> list[Action]:
    """Play `state` to the end with random actions, and return them; it must end within the bound."""
    actions: list[Action] = []
    while state.to_move is not None:
        assert len(actions) < setup.bound(), f"no end after {setup.bound()} decisions"
        legal = state.legal_actions()
        assert legal, f"seat {state.to_move} has no legal action"
        actions.append(rng.choice(legal))
        apply_legal(state, actions[-1])
    return actions


def moments(setup: Setup, count: int = 3) -> Iterator[State]:
    """Yield one live state at its start, at `count` random moments, and at its end."""
    actions = play_out(setup, setup.start(), setup.stream("play"))
    rng = setup.stream("moments")
    chosen = {0, len(actions), *(rng.below(len(actions) + 1) for _ in range(count))}
    state = setup.start()
    for number, action in enumerate([*actions, None]):
        if number in chosen:
            yield state
        if action is not None:
            apply_legal(state, action)


def snapshot(state: State, seats: int) -> Snapshot:
    """Return all that can be seen of a state from outside."""
    views = [deepcopy(state.observation(seat)) for seat in range(seats)]
    return state.to_move, list(state.legal_actions()), views


def check_play_ends(setup: Setup) -> None:
    """Play ends in time; legal actions are never empty, ascend, are unique and are ids of the game."""
    state = setup.start()
    rng, count, bound = setup.stream("play"), setup.action_count(), setup.bound()
    made = 0
    while (seat := state.to_move) is not None:
        assert made < bound, f"no end after {bound} decisions"
        assert 0 <= seat < setup.seats, f"seat {seat} is to move"
        legal = state.legal_actions()
        assert legal, f"seat {seat} has no legal action"
        assert legal == sorted(set(legal)), f"legal actions are not ascending or not unique: {legal}"
        assert legal[0] >= 0 and legal[-1] < count, f"legal actions {legal} are not below {count}"
        apply_legal(state, rng.choice(legal))
        made += 1
    assert state.legal_actions() == [], "there are legal actions after the end"


def check_legal_actions_apply(setup: Setup) -> None:
    """Every legal action can be played, and what follows is a state of the game."""
    rng = setup.stream("legal")
    for state in moments(setup):
        for action in _some(state.legal_actions(), 20, rng):
            other = state.clone()
            apply_legal(other, action)
            assert (other.to_move is None) == (not other.legal_actions()), "to_move and legal disagree"


def check_illegal_actions(setup: Setup) -> None:
    """An action that is not legal raises IllegalAction and changes nothing."""
    rng, count = setup.stream("illegal"), setup.action_count()
    for state in moments(setup):
        before = snapshot(state, setup.seats)
        legal = set(before[1])
        illegal = [action for action in range(count) if action not in legal]
        for action in (-1, count, count + 1000, *_some(illegal, 40, rng)):
            try:
                state.apply(action)
            except IllegalAction:
                continue
            raise AssertionError(f"action {action} is not offered ({sorted(legal)}), but is accepted")
        assert snapshot(state, setup.seats) == before, "a refused action changed the state"


def check_replay(setup: Setup) -> None:
    """The same seats, options, seed and actions give the same match; defaults may be given or left out."""
    seats, options = setup.game.settle(setup.seats, setup.options)
    first, second = setup.start(), setup.game.new_match(seats=seats, options=options, seed=setup.seed)
    watcher = setup.stream("watcher")
    for action in play_out(setup, setup.start(), setup.stream("play")):
        seat = watcher.below(seats)
        assert first.observation(seat) == second.observation(seat), "two replays of a match differ"
        assert first.legal_actions() == second.legal_actions(), "two replays differ in their legal actions"
        apply_legal(first, action)
        apply_legal(second, action)
    assert snapshot(first, seats) == snapshot(second, seats), "two replays end differently"
    assert first.scores() == second.scores() and first.placements() == second.placements()


def check_clone(setup: Setup) -> None:
    """A clone equals its state; playing either leaves the other as it was, and both play on alike."""
    for state in moments(setup):
        before = snapshot(state, setup.seats)
        clone, kept = state.clone(), state.clone()
        assert snapshot(clone, setup.seats) == before, "a clone differs from its state"
        actions = play_out(setup, clone, setup.stream("clone"))
        assert snapshot(state, setup.seats) == before, "playing a clone changed the state"
        end = snapshot(clone, setup.seats)
        second = kept.clone()
        for action in actions:
            apply_legal(kept, action)
        assert snapshot(kept, setup.seats) == end, "two clones of a state play on differently"
        assert snapshot(second, setup.seats) == before, "playing a state changed its clone"


def check_texts(setup: Setup) -> None:
    """Action texts and action ids are one-to-one; other texts raise IllegalAction."""
    state, count = setup.start(), setup.action_count()
    texts = [state.action_text(action) for action in range(count)]
    assert len(set(texts)) == count, "two actions have one text"
    for action in (-1, count, count + 10**6):
        _refuses(partial(state.action_text, action), IllegalAction, f"the text of action {action}")
    for action, text in enumerate(texts):
        assert state.parse_action(text) == action, f"{text!r} is not read as action {action}"
    for text in (*NOT_ACTIONS, *NOT_TEXTS):
        if text not in texts:
            _refuses(partial(state.parse_action, text), IllegalAction, text)


def check_seats(setup: Setup) -> None:
    """No state shows or deals for a seat that the match does not have, counted from the end neither."""
    for state in moments(setup, count=1):
        before = snapshot(state, setup.seats)
        wrong: tuple[Any, ...] = (-1, -setup.seats, setup.seats, 10**6, None, "0", 0.5)
        for seat in wrong:
            _refuses(partial(state.observation, seat), UnknownSeat, f"the view of seat {seat!r}")
            dealing = partial(state.determinize, seat, setup.stream("seats"))
            _refuses(dealing, UnknownSeat, f"dealing for seat {seat!r}")
        assert snapshot(state, setup.seats) == before, "a refused seat changed the state"


def check_observation_is_fresh(setup: Setup) -> None:
    """An observation is plain JSON and the caller's own: changing all of it changes nothing else."""
    for state in moments(setup):
        before = snapshot(state, setup.seats)
        for seat in range(setup.seats):
            seen = state.observation(seat)
            assert json.loads(json.dumps(seen, allow_nan=False)) == seen, "an observation is not plain JSON"
            _spoil(seen)
        assert snapshot(state, setup.seats) == before, "changing an observation changed the state"


def check_common_fields(setup: Setup) -> None:
    """An observation has the fields that all games share, with right values, for every seat at any time."""
    seats, options = setup.game.settle(setup.seats, setup.options)
    sides = list(setup.game.sides(seats, options))
    for state in moments(setup):
        texts = [state.action_text(action) for action in state.legal_actions()]
        for seat in range(seats):
            seen = state.observation(seat)
            missing = [name for name in COMMON_FIELDS if name not in seen]
            assert not missing, f"an observation has no {', '.join(missing)}"
            told = (seen["game"], seen["options"], seen["seats"], seen["seat"], seen["sides"])
            assert told == (setup.game.id, options, seats, seat, sides), f"wrong common fields: {told}"
            assert seen["legal"] == (texts if seat == state.to_move else []), f"wrong legal: {seen['legal']}"
            assert len(seen["scores"]) == seats and 0 <= seen["round"] < (seen["rounds"] or 10**9)
            assert all(type(code) is str for code in seen["hand"])
            assert (seen["phase"] == "over") == (state.to_move is None), f"phase is {seen['phase']}"
            assert (seen["last_round"] is None) == (seen["round"] == 0), "last_round and round disagree"
            assert setup.seed.hex() not in json.dumps(seen) or len(setup.seed) < 8, "the seed is shown"


def check_history(setup: Setup) -> None:
    """The history grows by each decision, as each seat may read it, and starts anew with each round."""
    state = setup.start()
    texts = {state.action_text(action) for action in range(setup.action_count())}
    hidden = {f"{text.split(':')[0]}:?" for text in texts}
    viewer = setup.stream("viewer").below(setup.seats)
    seen = state.observation(viewer)
    assert not [text for _, text in seen["history"] if text in texts], "a match begins with a history"
    for action in play_out(setup, setup.start(), setup.stream("play")):
        before, mover, text = seen, state.to_move, state.action_text(action)
        apply_legal(state, action)
        seen = state.observation(viewer)
        if seen["round"] != before["round"]:
            old = [entry for entry in seen["history"] if entry[1] in texts | hidden]
            assert not old and not seen.get("last_trick"), f"a new round knows the old one: {old}"
            continue
        size = len(before["history"])
        kept, added = seen["history"][:size], seen["history"][size:]
        assert len(kept) == size and all(map(_is_kept, before["history"], kept)), "the history has changed"
        allowed = [text] if viewer == mover else [text, f"{text.split(':')[0]}:?"]
        assert added and added[0][0] == mover and added[0][1] in allowed, f"{text} is told as {added[:1]}"
        assert not [entry for entry in added[1:] if entry[1] in texts | hidden], "a decision is told twice"


def check_hidden_cards(setup: Setup) -> None:
    """`determinize` keeps what the seat knows and may do, and deals the rest at random, to be played out.

    So states that differ only in hidden cards look alike to the seat.
    """
    for number, state in enumerate(moments(setup)):
        seat = setup.stream(f"seat {number}").below(setup.seats)
        seat = seat if state.to_move is None or number % 2 else state.to_move
        before = snapshot(state, setup.seats)
        other = state.determinize(seat, setup.stream("hidden"))
        again = state.determinize(seat, setup.stream("hidden"))
        assert snapshot(state, setup.seats) == before, "determinize changed the state"
        assert other.to_move == state.to_move, "another seat is to move"
        assert other.observation(seat) == before[2][seat], f"seat {seat} sees what it may not know"
        assert seat != state.to_move or other.legal_actions() == before[1], "the seat's choices differ"
        _check_hands(before[2], snapshot(other, setup.seats)[2])
        assert play_out(setup, other, setup.stream("a")) == play_out(setup, again, setup.stream("a"))
        assert snapshot(other, setup.seats) == snapshot(again, setup.seats), "one stream, two dealings"
        assert len(other.scores()) == len(other.placements()) == setup.seats
    state = setup.start()
    dealt = {json.dumps(_hands(state.determinize(0, Stream(f"{n}")), setup.seats)) for n in range(12)}
    assert len(dealt) > 1, "determinize deals no hidden card at random"


def check_results(setup: Setup) -> None:
    """Scores and places wait for the end; they agree with each other, with the sides and the observation."""
    for state in moments(setup):
        if state.to_move is not None:
            _refuses(state.scores, MatchNotOver, "scores before the end")
            _refuses(state.placements, MatchNotOver, "placements before the end")
            continue
        scores, places = state.scores(), state.placements()
        sides = setup.game.sides(*setup.game.settle(setup.seats, setup.options))
        assert len(scores) == len(places) == setup.seats
        by_side = {side: (scores[seat], places[seat]) for seat, side in enumerate(sides)}
        results = zip(sides, scores, places, strict=True)
        assert all(by_side[side] == tuple(result) for side, *result in results), "team-mates differ"
        ranked = sorted(place for _, place in by_side.values())
        assert all(ranked.index(place) + 1 == place for place in ranked), f"no places: {places}"
        for score, place in by_side.values():
            worse = [p for s, p in by_side.values() if s < score]
            assert all(place < p for p in worse), f"scores {scores} and places {places} disagree"
        for seat in range(setup.seats):
            assert state.observation(seat)["scores"] == scores, "the observation tells other scores"


def check_greedy(setup: Setup) -> None:
    """The greedy heuristic answers with a legal text, from the observation alone."""
    for state in moments(setup, count=8):
        if state.to_move is not None:
            seen = state.observation(state.to_move)
            answer = setup.game.greedy(deepcopy(seen))
            assert answer in seen["legal"], f"greedy answers {answer!r}"
            assert setup.game.greedy(json.loads(json.dumps(seen))) == answer, "greedy answers differ"


def check_bad_options(game: Game) -> None:
    """What is not allowed raises BadOptions, which names the option, the value and what is allowed."""
    for seats in (0, -1, max(game.seats) + 1, min(game.seats) - 1, True, "3", 3.0, [3]):
        _refuses_options(game, seats, {}, "seats", seats)
    _refuses_options(game, None, {"no_such_option": 1}, "no_such_option", 1)
    for option in game.options:
        wrong: list[Any] = [None, [], {}, 1.5, "no such value"]
        if isinstance(option, Flag):
            wrong += [0, 1, "true"]
        elif isinstance(option, Choice):
            wrong += [True, 0, option.default.upper()]
        else:
            wrong += [True, str(option.default), float(option.default), -1, 10**6]
        for value in wrong:
            _refuses_options(game, None, {option.name: value}, option.name, value)


Check = Callable[[Setup], None]
CHECKS: tuple[Check, ...] = (
    check_play_ends,
    check_legal_actions_apply,
    check_illegal_actions,
    check_replay,
    check_clone,
    check_texts,
    check_seats,
    check_observation_is_fresh,
    check_common_fields,
    check_history,
    check_hidden_cards,
    check_results,
    check_greedy,
)


def _some(actions: list[Action], most: int, rng: Stream) -> list[Action]:
    """Return all actions, or `most` random ones of them."""
    chosen = list(actions)
    rng.shuffle(chosen)
    return chosen[:most]


def _refuses(call: Callable[[], object], error: type[Exception], what: str) -> None:
    try:
        call()
    except error:
        return
    raise AssertionError(f"{what!r} does not raise {error.__name__}")


def _refuses_options(game: Game, seats: Any, options: dict[str, Any], name: str, value: object) -> None:
    try:
        game.new_match(seats=seats, options=options, seed=b"x")
    except BadOptions as error:
        message = str(error)
        for part in (name, repr(value), "allowed"):
            assert part in message, f"{message!r} does not name {part}"
        return
    raise AssertionError(f"{name}={value!r} is accepted")


def _spoil(value: Any) -> None:
    """Change everything that can be changed in a JSON value."""
    if isinstance(value, dict):
        for part in value.values():
            _spoil(part)
        value.clear()
    elif isinstance(value, list):
        for part in value:
            _spoil(part)
        value[:] = ["spoilt"]


def _is_kept(old: list[Any], new: list[Any]) -> bool:
    """Say whether a history entry is as before, or a hidden one that has been turned up."""
    verb = old[1].removesuffix("?")
    return old == new or (verb != old[1] and old[0] == new[0] and new[1].startswith(verb))


def _hands(state: State, seats: int) -> list[list[str]]:
    return [state.observation(seat)["hand"] for seat in range(seats)]


def _check_hands(before: list[Observation], after: list[Observation]) -> None:
    """Each seat has as many cards as before, the stock too, and no card is in two hands."""
    sizes = [(len(seen["hand"]), seen.get("stock")) for seen in before]
    assert [(len(seen["hand"]), seen.get("stock")) for seen in after] == sizes, "cards were lost or made"
    cards = [code for seen in after for code in seen["hand"]]
    assert len(cards) == len(set(cards)), f"a card is in two hands: {sorted(cards)}"
