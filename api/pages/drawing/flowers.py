"""The twelve flowers of the hanafuda pack, as motifs around 0 0 that the cards put where they like."""

from collections.abc import Sequence

from api.pages.drawing.svg import (
    BLUE,
    BROWN,
    DARK,
    DEEP_RED,
    GREEN,
    INK,
    LILAC,
    MOSS,
    OCHRE,
    PINK,
    PURPLE,
    RED,
    ROSE,
    WHITE,
    YELLOW,
    Point,
    at,
    circle,
    dots,
    ellipse,
    line,
    path,
    ring,
    spin,
)

Shape = Sequence[tuple[str, Sequence[Point]]]

_NOTCHED: Shape = (
    ("M", [(0, 0)]),
    ("C", [(-5, -3), (-4, -8), (-1.4, -8.4)]),
    ("L", [(0, -6.8), (1.4, -8.4)]),
    ("C", [(4, -8), (5, -3), (0, 0)]),
)
_NARROW: Shape = (
    ("M", [(0, -2)]),
    ("C", [(-2.2, -6), (-1.8, -10), (0, -10.5)]),
    ("C", [(1.8, -10), (2.2, -6), (0, -2)]),
)
_LOBE: Shape = (
    ("M", [(-1.6, 0)]),
    ("L", [(-2, -5), (-3.6, -6), (-1.8, -7.4), (0, -11), (1.8, -7.4), (3.6, -6), (2, -5), (1.6, 0)]),
)


def pine() -> str:
    """Return a tuft of pine: a fan of needles."""
    needles = "".join(
        f"M0 0L{x:g} {y:g}"
        for x, y in ((-11, -3), (-9, -7), (-5, -10), (0, -11.4), (5, -10), (9, -7), (11, -3))
    )
    return (
        path("M-12.5 0A12.5 12.5 0 0 1 12.5 0Q0 4-12.5 0z", DARK)
        + line(needles, MOSS, 0.7)
        + circle(0, 0, 1.8, RED)
    )


def trunk() -> str:
    """Return a bough that rises from the lower left."""
    return line("M-22 30C-10 24-14 10 0 4S10-14 20-22", BROWN, 4)


def plum() -> str:
    """Return a plum blossom."""
    return dots(ring(5, 4.4), 4, RED) + dots(ring(5, 2.6), 0.7, YELLOW) + circle(0, 0, 1.4, YELLOW)


def bud(fill: str = RED) -> str:
    """Return a closed blossom."""
    return circle(0, 0, 2.6, fill) + path("M-2.6 1Q0 4.4 2.6 1z", DARK)


def cherry() -> str:
    """Return a cherry blossom with notched petals."""
    return (
        path(spin(_NOTCHED, 5), PINK, ROSE, 0.5)
        + path(spin(_NOTCHED, 5, 36), "none")
        + dots(ring(5, 2.8, -54), 0.6, DEEP_RED)
        + circle(0, 0, 1.3, RED)
    )


def wisteria(length: int = 7) -> str:
    """Return a hanging cluster of wisteria, upper end at 0 0."""
    rows = [(row, 4.6 - 4.2 * row / length) for row in range(length)]
    dark = [(side * wide, 3 + 4.3 * row) for row, wide in rows for side in (-1, 1)]
    light = [(side * wide * 0.4, 4.6 + 4.3 * row) for row, wide in rows for side in (-1, 1)]
    return line(f"M0-5V{4 * length}", DARK, 1) + dots(dark, 2.6, PURPLE) + dots(light, 2, LILAC)


def leaves(fill: str = DARK, pairs: int = 3) -> str:
    """Return a twig with leaves, from 0 0 to the right."""
    twig = f"M0 0Q{4 * pairs}-3 {8 * pairs} 0"
    feathers = "".join(
        f"M{2 + 7 * i} -1q3-7 8-6q-1 6-8 6zM{2 + 7 * i} -1q3 7 8 6q-1-6-8-6z" for i in range(pairs)
    )
    return line(twig, fill, 1) + path(feathers, fill)


def iris() -> str:
    """Return an iris on its stem, the blossom at 0 0."""
    return (
        line("M0 4V40", GREEN, 1.6)
        + path("M0 2C-4-2-5-9 0-14C5-9 4-2 0 2z", PURPLE)
        + path("M0 1C-7-4-12-2-11 7C-7 5-3 4 0 1zM0 1C7-4 12-2 11 7C7 5 3 4 0 1z", BLUE)
        + path("M0 0C-3 3-3 8 0 11C3 8 3 3 0 0z", LILAC)
        + circle(0, 1, 1.4, YELLOW)
    )


def blade(lean: float = 0) -> str:
    """Return a long leaf of an iris, its foot at 0 0."""
    return path(f"M-2.4 0Q{lean - 1:g}-26 {lean * 2:g}-44Q{lean + 2.4:g}-22 2.4 0z", GREEN)


def peony() -> str:
    """Return a peony."""
    return (
        dots(ring(8, 8.6), 5.2, DEEP_RED)
        + dots(ring(8, 7, -67), 4.6, RED)
        + dots(ring(6, 4), 3.4, ROSE)
        + dots(ring(5, 1.8), 1.1, YELLOW)
    )


def broad_leaf(fill: str = DARK) -> str:
    """Return a broad leaf in three lobes, its stem at 0 0."""
    return path(
        "M0 0C-9-2-12-9-9-14C-6-12-5-11-4-9C-4-15-2-18 0-20C2-18 4-15 4-9C5-11 6-12 9-14C12-9 9-2 0 0z", fill
    ) + line("M0 0V-14", MOSS, 0.7)


def clover(count: int = 6, fill: str = RED) -> str:
    """Return an arching stem of bush clover with leaves and small blossoms, its foot at 0 0."""
    stem = [(1.2 * i * i * 0.5, -9.0 * i) for i in range(count)]
    leaf = [(x - 4, y - 2) for x, y in stem[1:]] + [(x + 4.2, y - 1) for x, y in stem[1:]]
    end = stem[-1]
    return (
        line(f"M0 0Q2-{4.5 * count:g} {end[0]:g} {end[1]:g}", BROWN, 1)
        + "".join(ellipse(x, y, 3.4, 2, DARK, 30 if i % 2 else -30) for i, (x, y) in enumerate(leaf))
        + dots([(x, y - 3) for x, y in stem[1:]], 1.7, fill)
    )


def hill(fill: str = INK) -> str:
    """Return the round hill of the month of grass, over the lower part of a card."""
    blades = "".join(f"M{x} 98Q{x + 2} 76 {x + 7} {64 + abs(x - 26) // 4}" for x in range(2, 56, 6))
    return path("M0 98V66Q28 40 60 62V98z", fill) + line(blades, "#6f675c", 0.7)


def pampas() -> str:
    """Return a stalk of pampas grass, its foot at 0 0."""
    hair = "".join(f"M{6 + i * 1.6:g} {-34 - i * 2:g}q4 1 6 {5 - i}" for i in range(4))
    return line("M0 0Q1-22 10-40", OCHRE, 1) + line(hair, OCHRE, 1.1)


def chrysanthemum(fill: str = YELLOW) -> str:
    """Return a chrysanthemum."""
    return path(spin(_NARROW, 12), fill, OCHRE, 0.5) + circle(0, 0, 3, RED) + circle(0, 0, 1.2, YELLOW)


def maple(fill: str = RED) -> str:
    """Return a maple leaf, its stem downwards."""
    lobes = "".join(
        at(0, 0, path(spin(_LOBE, 1), fill), turn=turn, scale=scale)
        for turn, scale in ((0, 1), (-52, 0.9), (52, 0.9), (-104, 0.62), (104, 0.62))
    )
    return line("M0 0Q1 5 3 9", BROWN, 1) + lobes + circle(0, -0.5, 2.2, fill)


def willow(length: float = 60) -> str:
    """Return a hanging strand of willow, its upper end at 0 0."""
    leaf = "".join(f"M0 {y}q-5 3-5 9q5-3 5-9zM0 {y + 3}q5 3 5 9q-5-3-5-9z" for y in range(6, int(length), 11))
    return line(f"M0 0V{length:g}", DARK, 1) + path(leaf, GREEN)


def paulownia() -> str:
    """Return three leaves of paulownia under three spikes of blossoms."""
    spikes = [(x, y) for x, top in ((-9, -20), (0, -27), (9, -20)) for y in range(top, -6, 5)]
    wide = [(x + side, y + 2) for x, y in spikes for side in (-2.4, 2.4)]
    return (
        line("M-9-20L-6-2M0-27V-2M9-20L6-2", MOSS, 1)
        + dots(wide, 1.9, PURPLE)
        + dots(spikes, 1.5, LILAC)
        + at(-3, 2, broad_leaf(), turn=-112, scale=1.05)
        + at(3, 2, broad_leaf(), turn=112, scale=1.05)
        + at(0, 0, broad_leaf(), turn=180, scale=1.15)
    )


def snow() -> str:
    """Return a white blossom for where colour would be too much."""
    return dots(ring(5, 3), 2.6, WHITE) + circle(0, 0, 1.2, YELLOW)
