"""Charts of ratings, drawn as SVG that the style sheet colours: without scripts or styles of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol, cast
from xml.etree.ElementTree import Element, SubElement

import pygal
from markupsafe import Markup
from pygal.style import Style

MOST_LINES = 8  # as many colours as the style sheet has
MOST_INTERVALS = 40
MOST_DOTS = 80  # beyond, lines alone say as much and are drawn sooner
_WIDTH = 760
_HEIGHT = 320
_ROW_HEIGHT = 26
_NEEDLESS = ("defs", "title", "desc")


class Chart(Protocol):
    """What is used of a chart of pygal, which has no types."""

    def add(self, title: str, values: Sequence[object], **options: object) -> None: ...
    def add_xml_filter(self, change: object) -> None: ...
    def render(self, *, is_unicode: bool) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a plot: its name and its points (x, y)."""

    name: str
    points: Sequence[tuple[float, float]]


def lines(drawn: Sequence[Line], *, title: str, x_title: str, y_title: str) -> Markup:
    """Return a plot of at most MOST_LINES lines; `title` is for those who cannot see it."""
    chart = cast(
        Chart,
        pygal.XY(
            **_looks(title, _HEIGHT),
            x_title=x_title,
            y_title=y_title,
            show_legend=len(drawn) > 1,
            legend_at_bottom_columns=len(drawn) if len(drawn) <= 4 else ceil(len(drawn) / 2),
            show_dots=sum(len(line.points) for line in drawn) <= MOST_DOTS,
            dots_size=3,
            value_formatter=lambda value: f"{value:,.1f}",
            x_value_formatter=lambda value: f"{value:,.0f}",
        ),
    )
    for line in drawn[:MOST_LINES]:
        chart.add(line.name, list(line.points))
    return _render(chart, title)


def intervals(rows: Sequence[Mapping[str, Any]], *, title: str) -> Markup | None:
    """Return the ratings of the first rows of a table with their intervals; None without two to compare."""
    rated = [row for row in rows[:MOST_INTERVALS] if row["rating"] is not None]
    if len(rated) < 2:
        return None
    bounds = [_bounds(row) for row in rated]
    chart = cast(
        Chart,
        pygal.HorizontalLine(
            **_looks(title, 90 + _ROW_HEIGHT * len(rated)),
            x_labels=[row["name"] for row in rated],
            range=_widened(min(low for low, _ in bounds), max(high for _, high in bounds)),
            stroke=False,
            dots_size=5,
            show_legend=False,
            value_formatter=lambda value: f"{value:,.0f}",
        ),
    )
    values = [
        {"value": row["rating"], "ci": {"low": low, "high": high}}
        for row, (low, high) in zip(rated, bounds, strict=True)
    ]
    chart.add("rating", values)
    return _render(chart, title)


def _looks(title: str, height: int) -> dict[str, object]:
    """Return what all charts have in common; colours and letters come from the style sheet."""
    return {
        "width": _WIDTH,
        "height": height,
        "explicit_size": False,
        "disable_xml_declaration": True,
        "js": [],
        "style": Style(label_font_size=14, major_label_font_size=14, legend_font_size=15, title_font_size=14),
        "legend_at_bottom": True,
        "truncate_legend": 30,
        "truncate_label": 40,
        "margin": 12,
        "max_scale": 8,
        "print_values": False,
    }


def _bounds(row: Mapping[str, Any]) -> tuple[float, float]:
    low, high = row["rating_low"], row["rating_high"]
    return (row["rating"] if low is None else low), (row["rating"] if high is None else high)


def _widened(low: float, high: float) -> tuple[float, float]:
    margin = max(1.0, (high - low) * 0.05)
    return low - margin, high + margin


def _render(chart: Chart, title: str) -> Markup:
    chart.add_xml_filter(lambda root: _cleaned(root, title))
    return Markup(chart.render(is_unicode=True))  # trusted: pygal escapes what it is given


def _cleaned(root: Element, title: str) -> Element:
    """Leave the drawing alone: no styles, ids or boxes for scripts; what a dot says becomes its title."""
    for child in [child for child in root if child.tag in _NEEDLESS or not isinstance(child.tag, str)]:
        root.remove(child)
    for parent in list(root.iter()):
        parent.attrib.pop("id", None)
        parent.attrib.pop("style", None)
        for child in list(parent):
            if child.tag == "desc":
                _say(parent, child)
            elif child.tag == "title" or "tooltip-overlay" in child.get("class", ""):
                parent.remove(child)
    root.set("class", "chart")
    root.set("role", "img")
    root.set("aria-label", title)
    return root


def _say(dot: Element, said: Element) -> None:
    """Make of a description the title that browsers show, where it is the value."""
    dot.remove(said)
    if said.get("class") == "value":
        SubElement(dot, "title").text = said.text
