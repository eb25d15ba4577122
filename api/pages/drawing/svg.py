"""Shapes of SVG as texts, in the few forms that the drawings need."""

import math
from collections.abc import Iterable, Sequence

INK, PAPER, WHITE = "#1f1a17", "#f4ecd8", "#fdfaf2"
RED, DEEP_RED, PINK, ROSE = "#c8371f", "#8e2318", "#eeb0ae", "#dd6f72"
GREEN, DARK, MOSS = "#3f6b42", "#22382b", "#7d9a5b"
BLUE, SKY, PURPLE, LILAC = "#2f4a86", "#8aa9c9", "#5a3b7c", "#a58cc4"
YELLOW, OCHRE, BROWN, GREY = "#e6b43c", "#b98a2c", "#7b4c2c", "#8d8579"

Point = tuple[float, float]


def number(value: float) -> str:
    """Return a coordinate, as short as it can be to a tenth."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.", "-.").lstrip("0") or "0"


def numbers(values: Iterable[float]) -> str:
    """Return coordinates with blanks between them."""
    return " ".join(map(number, values))


def path(d: str, fill: str = "none", stroke: str = "", width: float = 1, more: str = "") -> str:
    """Return a path; without `stroke` it has no line."""
    line = f' stroke="{stroke}" stroke-width="{number(width)}" stroke-linecap="round"' if stroke else ""
    return f'<path d="{d}" fill="{fill}"{line}{more}/>'


def line(d: str, stroke: str, width: float = 1) -> str:
    """Return a line along a path."""
    return path(d, "none", stroke, width)


def circle(x: float, y: float, radius: float, fill: str, stroke: str = "", width: float = 1) -> str:
    """Return a circle."""
    edge = f' stroke="{stroke}" stroke-width="{number(width)}"' if stroke else ""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}"{edge}/>'


def ellipse(x: float, y: float, rx: float, ry: float, fill: str, turn: float = 0) -> str:
    """Return an ellipse, turned clockwise by degrees."""
    turned = f' transform="rotate({numbers((turn, x, y))})"' if turn else ""
    radii = f'rx="{number(rx)}" ry="{number(ry)}"'
    return f'<ellipse cx="{number(x)}" cy="{number(y)}" {radii} fill="{fill}"{turned}/>'


def box(x: float, y: float, width: float, height: float, fill: str, radius: float = 0) -> str:
    """Return a rectangle."""
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    rounded = f' rx="{number(radius)}"' if radius else ""
    return f'<rect {place} fill="{fill}"{rounded}/>'


def at(x: float, y: float, *parts: str, scale: float = 1, turn: float = 0, flip: bool = False) -> str:
    """Return parts that are drawn around 0 0, moved to a place, turned and scaled; `flip` mirrors them."""
    steps = [f"translate({numbers((x, y))})"]
    if turn:
        steps.append(f"rotate({number(turn)})")
    if scale != 1 or flip:
        steps.append(f"scale({-scale if flip else scale:g} {scale:g})")
    return f'<g transform="{"".join(steps)}">{"".join(parts)}</g>'


def dots(points: Iterable[Point], radius: float, fill: str) -> str:
    """Return circles of one size as a single path."""
    turn = f"a{number(radius)} {number(radius)} 0 1 0 "
    return path(
        "".join(
            f"M{numbers((x - radius, y))}{turn}{number(2 * radius)} 0{turn}{number(-2 * radius)} 0"
            for x, y in points
        ),
        fill,
    )


def ring(count: int, radius: float, start: float = -90) -> list[Point]:
    """Return points on a circle around 0 0, the first one at `start` degrees (-90 is the top)."""
    angles = [math.radians(start + 360 * i / count) for i in range(count)]
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]


def spin(shape: Sequence[tuple[str, Sequence[Point]]], count: int, start: float = 0) -> str:
    """Return the path of a shape (drawn upwards from 0 0) repeated all around: (letter, points) in turn."""
    d = []
    for i in range(count):
        angle = math.radians(start + 360 * i / count)
        sine, cosine = math.sin(angle), math.cos(angle)
        for letter, points in shape:
            turned = [c for x, y in points for c in (x * cosine - y * sine, x * sine + y * cosine)]
            d.append(letter + numbers(turned))
        d.append("z")
    return "".join(d)


def word(x: float, y: float, size: float, text: str, fill: str, anchor: str = "middle") -> str:
    """Return a short text in the font of headings."""
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"'
    font = 'font-family="Georgia,\'DejaVu Serif\',serif" font-weight="700"'
    return f'<text {place} fill="{fill}" {font}>{text}</text>'


def framed(art: str, edge: str, paper: str = PAPER) -> str:
    """Return a whole card of 60 by 98: paper, art, and an edge that covers what stands out."""
    outline = "M0 0h60v98H0zM2.5 4.5v89q0 2 2 2h51q2 0 2-2v-89q0-2-2-2h-51q-2 0-2 2z"
    return box(0, 0, 60, 98, paper) + art + path(outline, edge, more=' fill-rule="evenodd"')
