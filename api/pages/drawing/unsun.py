"""The 75 cards of the Unsun pack: five suits with nine pips and six court cards each."""

from collections.abc import Callable, Mapping

from api.pages.drawing import courts
from api.pages.drawing.svg import (
    BROWN,
    DARK,
    GREEN,
    GREY,
    INK,
    MOSS,
    OCHRE,
    PAPER,
    RED,
    SKY,
    YELLOW,
    at,
    box,
    circle,
    framed,
    line,
    path,
    word,
)

EDGE = "#3a2a1c"
COLOURS: Mapping[str, str] = {"P": GREEN, "I": "#2f4a86", "K": RED, "O": "#a8741a", "G": "#5a3b7c"}
COURTS = ("Sun", "Un", "Sota", "Robai", "Rei", "Kaba")

# Where the pips of the cards 1 to 9 are, as on a card of 60 by 98: rows from top to bottom.
_COLUMNS = {1: (30.0,), 2: (16.0, 44.0), 3: (16.0, 30.0, 44.0)}
_ROWS: Mapping[int, tuple[tuple[float, int], ...]] = {
    1: ((52, 1),),
    2: ((32, 1), (72, 1)),
    3: ((26, 1), (52, 1), (78, 1)),
    4: ((34, 2), (70, 2)),
    5: ((32, 2), (52, 1), (72, 2)),
    6: ((28, 2), (52, 2), (76, 2)),
    7: ((28, 2), (40, 1), (52, 2), (76, 2)),
    8: ((28, 2), (40, 1), (52, 2), (64, 1), (76, 2)),
    9: ((26, 3), (52, 3), (78, 3)),
}


def pao() -> str:
    """Return the sign of Pao: a cudgel."""
    return path("M-2 11L-1.2 2Q-5-2-3.6-8Q-2-12 0-12T3.6-8Q5-2 1.2 2L2 11z", GREEN, DARK, 0.8) + line(
        "M-2-7L2-5M-2.6-3L2.6-1", MOSS, 1.1
    )


def isu() -> str:
    """Return the sign of Isu: a sword."""
    return (
        path("M0-13L2.2-9V4H-2.2V-9z", SKY, "#2f4a86", 0.8)
        + path("M-6 3.4H6V5.6H-6z", OCHRE)
        + path("M-1.4 5.6H1.4V11H-1.4z", BROWN)
        + circle(0, 11.4, 1.8, OCHRE)
    )


def koppu() -> str:
    """Return the sign of Koppu: a cup."""
    return path("M-7-10H7Q7 0 1.6 2V7L6 10V12H-6V10L-1.6 7V2Q-7 0-7-10z", RED, "#8e2318", 0.8) + path(
        "M-7-10H7V-7.4H-7z", YELLOW
    )


def ouru() -> str:
    """Return the sign of Ouru: a coin."""
    return (
        circle(0, 0, 9, YELLOW, OCHRE, 1.4)
        + circle(0, 0, 5.6, "none", OCHRE, 0.9)
        + path("M-2.4-2.4H2.4V2.4H-2.4z", "#a8741a")
    )


def guru() -> str:
    """Return the sign of Guru: a whorl of three commas."""
    comma = path("M0-1.2A4.4 4.4 0 1 1 1.2-9.6Q9-8 8 1Q6-5 0-1.2z", "#5a3b7c")
    return "".join(at(0, 0, comma, turn=turn) for turn in (0, 120, 240)) + circle(
        0, 0, 10.6, "none", "#5a3b7c", 0.9
    )


SIGNS: Mapping[str, Callable[[], str]] = {"P": pao, "I": isu, "K": koppu, "O": ouru, "G": guru}


def card(suit: str, rank: str) -> str:
    """Return the drawing of one card, 60 by 98."""
    colour = COLOURS[suit]
    if rank in COURTS:
        art = _court(suit, rank, colour)
    else:
        places = [(x, y) for y, count in _ROWS[int(rank)] for x in _COLUMNS[count]]
        scale = {1: 2.0, 2: 1.3, 3: 1.0}.get(len(places), 0.95 if len(places) < 7 else 0.68)
        art = "".join(at(x, y, SIGNS[suit](), scale=scale) for x, y in places)
    return framed(art + _index(suit, rank, colour), EDGE, PAPER)


def back() -> str:
    """Return the back of a card."""
    weave = "".join(
        line(f"M{x - 40} 98L{x + 58} 0M{x - 40} 0L{x + 58} 98", "#4b6aa8", 0.8) for x in range(0, 80, 10)
    )
    return framed(weave, EDGE, "#243a68")


def cards() -> dict[str, str]:
    """Return the drawing of every card by its code."""
    ranks = [*COURTS, *"987654321"]
    return {f"{suit}-{rank}": card(suit, rank) for suit in SIGNS for rank in ranks}


def _court(suit: str, rank: str, colour: str) -> str:
    """Return a figure on a ground in the colour of its suit, with the sign of the suit."""
    ground = box(2, 20, 56, 76, colour) + box(5, 23, 50, 70, "#ead9b4")
    return ground + at(31, 62, courts.FIGURES[rank](colour)) + at(14, 34, SIGNS[suit](), scale=0.72)


def _index(suit: str, rank: str, colour: str) -> str:
    name = word(6, 16, 13 if rank in COURTS else 14, rank, colour if rank in COURTS else INK, "start")
    sign = "" if rank in COURTS else at(50, 12, SIGNS[suit](), scale=0.55)
    return name + sign + line("M5 19.5H55", GREY, 0.4)
