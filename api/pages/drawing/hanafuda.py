"""The 48 cards of the hanafuda pack: what grows on each, and what stands in front of it."""

from collections.abc import Mapping, Sequence

from api.pages.drawing import pictures
from api.pages.drawing.growth import GROWTH, Put, placed
from api.pages.drawing.svg import (
    BLUE,
    DARK,
    INK,
    PAPER,
    RED,
    YELLOW,
    at,
    box,
    circle,
    framed,
    word,
)
from engine.cards.hanafuda import CARDS, CardInfo

EDGE = "#2b2320"


def _red_sky() -> str:
    return box(0, 0, 60, 98, RED)


def _gold_ground() -> str:
    return box(0, 70, 60, 28, YELLOW)


def _red_written() -> str:
    return pictures.ribbon(RED, True)


def _red_plain() -> str:
    return pictures.ribbon(RED, False)


def _blue() -> str:
    return pictures.ribbon("#35539b", True)


# What stands before the flowers, by card; what is listed under "behind" lies under them.
_BEHIND: Mapping[str, Sequence[Put]] = {
    "1-crane": [Put(pictures.sun, 42, 18)],
    "8-moon": [Put(_red_sky, 0, 0), Put(pictures.moon, 32, 32)],
    "12-yellow": [Put(_gold_ground, 0, 0)],
    "4-cuckoo": [Put(pictures.crescent, 40, 22, 1.1)],
}
_BEFORE: Mapping[str, Sequence[Put]] = {
    "1-crane": [Put(pictures.crane, 28, 62, 1.35)],
    "2-nightingale": [Put(pictures.nightingale, 30, 26, 1.2)],
    "3-curtain": [Put(pictures.curtain, 0, 60, 1)],
    "4-cuckoo": [Put(pictures.cuckoo, 34, 46, 1.25)],
    "5-bridge": [Put(pictures.bridge, 30, 74)],
    "6-butterflies": [Put(pictures.butterfly, 20, 18, 1, -20), Put(pictures.butterfly, 44, 30, 0.9, 24)],
    "7-boar": [Put(pictures.boar, 29, 72, 1.15)],
    "8-geese": [
        Put(pictures.goose, 18, 20),
        Put(pictures.goose, 40, 28, 0.9),
        Put(pictures.goose, 22, 42, 0.8),
    ],
    "9-cup": [Put(pictures.cup, 30, 76, 1.25)],
    "10-deer": [Put(pictures.deer, 29, 68, 1.05)],
    "11-rainman": [
        Put(pictures.water, 0, 80),
        Put(pictures.rain_man, 30, 46, 1.2),
        Put(pictures.frog, 12, 86),
    ],
    "11-swallow": [Put(pictures.swallow, 31, 50, 1.3)],
    "12-phoenix": [Put(pictures.phoenix, 30, 42, 1.2)],
    **{f"{month}-rib": [Put(_red_written, 31, 22, 1.05, 6)] for month in (1, 2, 3)},
    **{f"{month}-rib": [Put(_red_plain, 31, 22, 1.05, 6)] for month in (4, 5, 7, 11)},
    **{f"{month}-rib": [Put(_blue, 31, 22, 1.05, 6)] for month in (6, 9, 10)},
}

# Fewer flowers where a picture needs the room: how many of the first layout are kept.
_KEPT: Mapping[str, int] = {
    "1-crane": 3,
    "3-curtain": 6,
    "4-cuckoo": 4,
    "5-bridge": 6,
    "6-butterflies": 6,
    "7-boar": 4,
    "8-moon": 1,
    "8-geese": 1,
    "9-cup": 7,
    "10-deer": 3,
    "11-swallow": 4,
    "12-phoenix": 1,
}
_SECOND = ("k2", "gaji")


def card(info: CardInfo) -> str:
    """Return the drawing of one card, 60 by 98."""
    name = info.code.partition("-")[2]
    growth = GROWTH[info.month][name in _SECOND]
    kept = growth[: _KEPT.get(info.code, len(growth))]
    art = "".join(map(placed, [*_BEHIND.get(info.code, ()), *kept, *_BEFORE.get(info.code, ())]))
    return framed(art + _month(info.month), EDGE, PAPER)


def back() -> str:
    """Return the back of a card."""
    rings = "".join(
        at(x, y, circle(0, 0, 11, "none", "#93402f", 1) + circle(0, 0, 6, "none", "#93402f", 1))
        for x, y in ((15, 22), (45, 22), (30, 49), (15, 76), (45, 76))
    )
    return framed(rings, "#1d1714", "#7d2a1e")


def cards() -> dict[str, str]:
    """Return the drawing of every card by its code."""
    return {info.code: card(info) for info in CARDS}


def _month(month: int) -> str:
    """Return the small number of the month, for those who do not know the flowers."""
    return circle(9.5, 10, 6.4, PAPER, INK, 0.6) + word(
        9.5, 13, 8.5, str(month), DARK if month != 8 else BLUE
    )
