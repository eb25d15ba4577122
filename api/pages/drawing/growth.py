"""What grows on the cards of each month: two layouts of flowers, of which the second varies the first."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from api.pages.drawing import flowers, pictures
from api.pages.drawing.svg import BROWN, GREEN, MOSS, OCHRE, WHITE, YELLOW, at, line


class Put(NamedTuple):
    """A motif at its place."""

    motif: Callable[[], str]
    x: float
    y: float
    scale: float = 1
    turn: float = 0
    flip: bool = False


def _wave() -> str:
    return flowers.clover(7)


def _long() -> str:
    return flowers.wisteria(11)


def _amber() -> str:
    return flowers.maple(YELLOW)


def _rust() -> str:
    return flowers.maple(OCHRE)


def _stalks() -> str:
    return line("M10 98Q20 60 14 12M44 98Q40 60 48 20", BROWN, 2.4)


def _bough() -> str:
    return line("M-2 84Q14 70 18 50T46 18L62 8M18 52Q34 50 44 58", BROWN, 3)


def _stems() -> str:
    return line("M14 98Q18 76 20 60M44 98Q42 70 40 48M28 98Q30 86 28 74", GREEN, 1.6)


def _bud() -> str:
    return flowers.bud()


def _side_leaf() -> str:
    return flowers.broad_leaf(GREEN)


def _twig() -> str:
    return flowers.leaves(MOSS, 3)


def _pale() -> str:
    return flowers.chrysanthemum(WHITE)


# What grows on the two layouts of each month; the second one is a variation of the first.
GROWTH: Mapping[int, tuple[Sequence[Put], Sequence[Put]]] = {
    1: (
        [
            Put(flowers.trunk, 26, 70, 1.1),
            Put(flowers.pine, 18, 90, 1.15),
            Put(flowers.pine, 42, 76, 1.15),
            Put(flowers.pine, 14, 62),
            Put(flowers.pine, 46, 50),
            Put(flowers.pine, 20, 38, 0.9),
            Put(flowers.pine, 48, 24, 0.9),
        ],
        [
            Put(flowers.trunk, 30, 66, 1.2, 0, True),
            Put(flowers.pine, 42, 88, 1.15),
            Put(flowers.pine, 16, 74, 1.15),
            Put(flowers.pine, 44, 58),
            Put(flowers.pine, 16, 46),
            Put(flowers.pine, 40, 30, 0.9),
            Put(flowers.pine, 14, 20, 0.8),
        ],
    ),
    2: (
        [
            Put(_bough, 0, 0),
            Put(flowers.plum, 18, 66),
            Put(flowers.plum, 38, 56, 1.1),
            Put(flowers.plum, 22, 42, 0.9),
            Put(flowers.plum, 44, 32),
            Put(_bud, 34, 20),
            Put(_bud, 52, 14),
            Put(flowers.plum, 44, 78, 1.1),
            Put(_bud, 8, 84),
        ],
        [
            Put(_bough, 60, 0, 1, 0, True),
            Put(flowers.plum, 42, 70, 1.1),
            Put(flowers.plum, 22, 58),
            Put(flowers.plum, 38, 40, 0.9),
            Put(flowers.plum, 16, 30),
            Put(_bud, 26, 18),
            Put(flowers.plum, 18, 82),
            Put(_bud, 50, 88),
        ],
    ),
    3: (
        [
            Put(_bough, 0, 8),
            Put(flowers.cherry, 16, 24),
            Put(flowers.cherry, 38, 18),
            Put(flowers.cherry, 28, 36, 1.1),
            Put(flowers.cherry, 48, 38),
            Put(flowers.cherry, 14, 50),
            Put(flowers.cherry, 34, 56, 1.1),
            Put(flowers.cherry, 48, 68),
            Put(flowers.cherry, 20, 74),
            Put(flowers.cherry, 38, 86),
        ],
        [
            Put(_bough, 60, 4, 1, 0, True),
            Put(flowers.cherry, 44, 18),
            Put(flowers.cherry, 20, 16),
            Put(flowers.cherry, 34, 32, 1.1),
            Put(flowers.cherry, 12, 38),
            Put(flowers.cherry, 46, 50),
            Put(flowers.cherry, 24, 54, 1.1),
            Put(flowers.cherry, 14, 72),
            Put(flowers.cherry, 40, 74),
            Put(flowers.cherry, 24, 88),
        ],
    ),
    4: (
        [
            Put(flowers.leaves, 6, 10),
            Put(_twig, 28, 14),
            Put(_long, 14, 22, 1.25),
            Put(_long, 30, 34, 1.25),
            Put(_long, 47, 24, 1.25),
        ],
        [
            Put(flowers.leaves, 30, 12),
            Put(_twig, 4, 14),
            Put(_long, 13, 32, 1.25),
            Put(_long, 30, 22, 1.25),
            Put(_long, 47, 36, 1.25),
        ],
    ),
    5: (
        [
            Put(lambda: flowers.blade(-4), 16, 98, 1.5),
            Put(lambda: flowers.blade(3), 28, 98, 1.7),
            Put(lambda: flowers.blade(6), 42, 98, 1.4),
            Put(flowers.iris, 22, 50, 1.1),
            Put(flowers.iris, 44, 34),
            Put(flowers.iris, 10, 26, 0.9),
        ],
        [
            Put(lambda: flowers.blade(4), 44, 98, 1.5),
            Put(lambda: flowers.blade(-3), 32, 98, 1.7),
            Put(lambda: flowers.blade(-6), 18, 98, 1.4),
            Put(flowers.iris, 38, 54, 1.1),
            Put(flowers.iris, 16, 36),
            Put(flowers.iris, 50, 24, 0.9),
        ],
    ),
    6: (
        [
            Put(_stalks, 0, 0),
            Put(flowers.broad_leaf, 12, 88, 1.1, -40),
            Put(_side_leaf, 48, 92, 1.1, 30),
            Put(flowers.broad_leaf, 50, 56, 0.9, 60),
            Put(_side_leaf, 8, 54, 0.9, -60),
            Put(flowers.peony, 30, 68, 1.35),
            Put(flowers.peony, 42, 32, 1.05),
            Put(flowers.peony, 14, 24, 0.85),
        ],
        [
            Put(_stalks, 60, 0, 1, 0, True),
            Put(flowers.broad_leaf, 48, 90, 1.1, 40),
            Put(_side_leaf, 12, 92, 1.1, -30),
            Put(flowers.broad_leaf, 10, 54, 0.9, -60),
            Put(_side_leaf, 52, 50, 0.9, 60),
            Put(flowers.peony, 28, 66, 1.35),
            Put(flowers.peony, 16, 30, 1.05),
            Put(flowers.peony, 44, 22, 0.85),
        ],
    ),
    7: (
        [
            Put(_wave, 8, 98, 1.1),
            Put(_wave, 24, 98, 1.3),
            Put(_wave, 50, 98, 1.2, 0, True),
            Put(_wave, 36, 98, 1.0, 0, True),
        ],
        [
            Put(_wave, 52, 98, 1.1, 0, True),
            Put(_wave, 36, 98, 1.3, 0, True),
            Put(_wave, 10, 98, 1.2),
            Put(_wave, 24, 98, 1.0),
        ],
    ),
    8: (
        [
            Put(flowers.hill, 0, 0),
            Put(flowers.pampas, 8, 74),
            Put(flowers.pampas, 26, 64, 1.1),
            Put(flowers.pampas, 44, 70, 0.9),
        ],
        [
            Put(flowers.hill, 60, 0, 1, 0, True),
            Put(flowers.pampas, 50, 74, 1, 0, True),
            Put(flowers.pampas, 34, 62, 1.2, 0, True),
        ],
    ),
    9: (
        [
            Put(_stems, 0, 0),
            Put(_side_leaf, 12, 86, 0.8, -40),
            Put(_side_leaf, 50, 84, 0.8, 40),
            Put(_side_leaf, 46, 64, 0.7, 70),
            Put(flowers.chrysanthemum, 20, 58, 1.15),
            Put(_pale, 42, 42, 1.1),
            Put(flowers.chrysanthemum, 18, 28, 1.0),
            Put(flowers.chrysanthemum, 42, 76, 0.9),
        ],
        [
            Put(_stems, 60, 0, 1, 0, True),
            Put(_side_leaf, 48, 88, 0.8, 40),
            Put(_side_leaf, 10, 80, 0.8, -40),
            Put(flowers.chrysanthemum, 40, 62, 1.15),
            Put(_pale, 18, 46, 1.1),
            Put(flowers.chrysanthemum, 40, 30, 1.0),
            Put(_pale, 18, 78, 0.9),
        ],
    ),
    10: (
        [
            Put(_bough, 0, 4),
            Put(flowers.maple, 18, 32, 1.1, -20),
            Put(_amber, 44, 24, 1.0, 30),
            Put(flowers.maple, 40, 52, 1.2, 10),
            Put(_rust, 16, 60, 1.1, -40),
            Put(flowers.maple, 24, 86, 1.1, 20),
            Put(_amber, 48, 82, 1.0, -20),
        ],
        [
            Put(_bough, 60, 0, 1, 0, True),
            Put(flowers.maple, 42, 34, 1.1, 20),
            Put(_amber, 16, 28, 1.0, -30),
            Put(flowers.maple, 20, 54, 1.2, -10),
            Put(_rust, 46, 62, 1.1, 40),
            Put(flowers.maple, 36, 86, 1.1, -20),
            Put(_amber, 12, 82, 1.0, 20),
        ],
    ),
    11: (
        [
            Put(flowers.willow, 10, 0, 1.5),
            Put(flowers.willow, 24, 0, 1.1),
            Put(flowers.willow, 38, 0, 1.6),
            Put(flowers.willow, 52, 0, 1.3),
        ],
        [Put(pictures.storm, 0, 0)],
    ),
    12: (
        [
            Put(flowers.paulownia, 30, 72, 1.25),
            Put(flowers.paulownia, 18, 34, 0.75),
            Put(flowers.paulownia, 46, 30, 0.6),
        ],
        [
            Put(flowers.paulownia, 30, 70, 1.25),
            Put(flowers.paulownia, 42, 34, 0.75),
            Put(flowers.paulownia, 14, 30, 0.6),
        ],
    ),
}


def placed(put: Put) -> str:
    """Return a motif at its place."""
    return at(put.x, put.y, put.motif(), scale=put.scale, turn=put.turn, flip=put.flip)
