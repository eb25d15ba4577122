"""Hypothesis strategies: matches of a game over all its seat counts and options."""

from hypothesis import strategies as st
from support.conformance import Setup

from engine.contract import Game
from engine.errors import BadOptions
from engine.options import Flag, Number, Option, OptionValue


def option_values(option: Option) -> st.SearchStrategy[OptionValue]:
    """Draw a value of one option: any of a short list; of a range the default, the most and the least few."""
    if isinstance(option, Flag):
        return st.booleans()
    if isinstance(option, Number):
        near = min(option.most, option.least + 4)
        return st.one_of(st.sampled_from((option.default, option.most)), st.integers(option.least, near))
    return st.sampled_from(option.values)


@st.composite
def setups(draw: st.DrawFn, game: Game) -> Setup:
    """Draw a match of `game`: seats, options that are allowed together, seed and stream of choices."""
    seats = draw(st.sampled_from(game.seats))
    options: dict[str, OptionValue] = {}
    for option in game.options:
        value = draw(option_values(option))
        try:  # what the game refuses beside the values before it stays at its default
            game.settle(seats, {**options, option.name: value})
        except BadOptions:
            continue
        options[option.name] = value
    seed = draw(st.binary(min_size=1, max_size=32))
    return Setup(game=game, seats=seats, options=options, seed=seed, choices=str(draw(st.integers(0, 2**32))))
