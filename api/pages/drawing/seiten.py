"""The number cards of Seiten in four colours, and its four umbrellas."""

from collections.abc import Mapping
from typing import NamedTuple

from api.pages.drawing.svg import INK, PAPER, WHITE, YELLOW, at, box, circle, dots, framed, line, path, word


class Colour(NamedTuple):
    """One colour: its highest number, the dots of its umbrella, its shade, and a lighter one."""

    highest: int
    dots: int
    shade: str
    light: str


COLOURS: Mapping[str, Colour] = {
    "B": Colour(11, 1, "#2b62a8", "#9cc0e6"),
    "O": Colour(12, 2, "#c96a16", "#f3c489"),
    "K": Colour(14, 4, "#2c2c30", "#a9a9b0"),
    "P": Colour(15, 5, "#6d3a8e", "#cfacdf"),
}
_PLACES: Mapping[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-4, 0), (4, 0)),
    4: ((-4, -4), (4, -4), (-4, 4), (4, 4)),
    5: ((-5, -4), (5, -4), (0, 0), (-5, 4), (5, 4)),
}


def canopy(shade: str, light: str) -> str:
    """Return an open umbrella, its top at 0 -20."""
    return (
        line("M0-20V22Q0 28-5 28T-10 23", INK, 2)
        + path(
            "M-24 0Q-24-19 0-19T24 0Q20-4 16 0Q12-4 8 0Q4-4 0 0Q-4-4-8 0Q-12-4-16 0Q-20-4-24 0z",
            shade,
            INK,
            0.8,
        )
        + line("M0-19Q-9-14-8 0M0-19Q9-14 8 0M0-19Q-20-14-16 0M0-19Q20-14 16 0", light, 0.9)
        + line("M0-22V-18", INK, 2)
    )


def drops(shade: str) -> str:
    """Return rain over a whole card."""
    return line(
        "".join(f"M{x + y % 20 * 0.5:g} {y}l-1.6 7" for x in range(2, 60, 11) for y in range(10, 98, 14)),
        shade,
        0.8,
    )


def card(letter: str, value: int) -> str:
    """Return the drawing of one number card, 60 by 98."""
    colour = COLOURS[letter]
    art = drops(colour.light) + circle(30, 46, 22, WHITE, colour.shade, 1.6)
    art += word(30, 57, 31 if value < 10 else 27, str(value), colour.shade)
    art += at(30, 83, canopy(colour.shade, colour.light), scale=0.32)
    art += (
        box(2, 3, 17, 17, colour.shade, 3)
        + word(10.5, 16, 11, str(value), WHITE)
        + word(51, 92, 9, letter, colour.shade)
    )
    return framed(art, colour.shade, PAPER)


def umbrella(letter: str) -> str:
    """Return the tile of an umbrella with its dots, 60 by 98: the sun shines on it."""
    colour = COLOURS[letter]
    rays = "".join(
        f"M30 20L{x} {y}" for x, y in ((-6, 60), (8, 90), (30, 98), (52, 90), (66, 60), (-6, 30), (66, 30))
    )
    art = box(0, 0, 60, 98, colour.light) + line(rays, "#fff3c4", 5) + circle(30, 18, 11, YELLOW)
    art += at(30, 56, canopy(colour.shade, colour.light))
    plate = circle(14, 82, 9.5, PAPER, colour.shade, 1)
    return framed(art + plate + at(14, 82, dots(_PLACES[colour.dots], 2.2, INK), scale=0.8), colour.shade)


def back() -> str:
    """Return the back of a card: rain at night."""
    return framed(
        drops("#7f93b2") + at(30, 52, canopy("#44597c", "#7f93b2"), scale=0.8), "#22304a", "#2f4263"
    )


def cards() -> dict[str, str]:
    """Return the drawing of every card by its code, the umbrellas by their letters."""
    numbers = {
        f"{letter}{n}": card(letter, n) for letter, of in COLOURS.items() for n in range(1, of.highest + 1)
    }
    return numbers | {letter: umbrella(letter) for letter in COLOURS}
