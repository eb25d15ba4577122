"""Charts of ratings, drawn as SVG that the style sheet colours: without scripts or styles of their own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, Protocol, cast
from xml.etree.ElementTree import Element, SubElement

import pygal
from markupsafe import Markup
from pygal.style import Style

MOST_LINES = 8  # as many colours as the style sheet has
MOST_INTERVALS = 40
MOST_DOTS = 80  # beyond, lines alone say as much and are drawn sooner
_ROW_HEIGHT = 26
_LEGEND_HEIGHT = 24
_MARGIN = 12
_NEEDLESS = ("defs", "title", "desc")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """A size that a chart is drawn at; the style sheet shows the one that there is room for."""

    name: str
    width: int
    height: int
    legend_columns: int
    letters: int  # of a label, at most
    steps: int  # of a scale, at most
    has_titles: bool


_FORMS = (
    _Form(name="wide", width=760, height=320, legend_columns=4, letters=40, steps=8, has_titles=True),
    _Form(name="narrow", width=380, height=260, legend_columns=2, letters=18, steps=5, has_titles=False),
)


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
    """Return a plot of the first MOST_LINES lines; `title` is for those who cannot see it."""
    shown = drawn[:MOST_LINES]

    def chart(form: _Form) -> Chart:
        titles = {"x_title": x_title, "y_title": y_title} if form.has_titles else {}
        rows = ceil(len(shown) / form.legend_columns) or 1
        columns = ceil(len(shown) / rows) or 1
        made = pygal.XY(
            **_looks(form, form.height),
            **titles,
            show_legend=len(shown) > 1,
            legend_at_bottom_columns=columns,
            margin_bottom=_MARGIN
            + _LEGEND_HEIGHT * (rows - max(1, len(shown) // columns)),  # a row it forgets
            show_dots=sum(len(line.points) for line in shown) <= MOST_DOTS,
            dots_size=3,
            value_formatter=lambda value: f"{value:,.1f}",
            x_value_formatter=lambda value: f"{value:,.0f}",
        )
        for line in shown:
            made.add(line.name, list(line.points))
        return cast(Chart, made)

    return _render(chart, title)


def intervals(rows: Sequence[Mapping[str, Any]], *, title: str) -> Markup | None:
    """Return the ratings of the first rows of a table with their intervals; None without two to compare."""
    rated = [row for row in rows[:MOST_INTERVALS] if row["rating"] is not None]
    if len(rated) < 2:
        return None
    bounds = [_bounds(row) for row in rated]
    values = [
        {"value": row["rating"], "ci": {"low": low, "high": high}}
        for row, (low, high) in zip(rated, bounds, strict=True)
    ]

    def chart(form: _Form) -> Chart:
        made = pygal.HorizontalLine(
            **_looks(form, 90 + _ROW_HEIGHT * len(rated)),
            x_labels=[row["name"] for row in rated],
            range=_widened(min(low for low, _ in bounds), max(high for _, high in bounds)),
            stroke=False,
            dots_size=5,
            show_legend=False,
            value_formatter=lambda value: f"{value:,.0f}",
        )
        made.add("rating", values)
        return cast(Chart, made)

    return _render(chart, title)


def _looks(form: _Form, height: int) -> dict[str, object]:
    """Return what all charts have in common; colours and letters come from the style sheet."""
    return {
        "width": form.width,
        "height": height,
        "explicit_size": False,
        "disable_xml_declaration": True,
        "js": [],
        "style": Style(label_font_size=14, major_label_font_size=14, legend_font_size=15, title_font_size=14),
        "legend_at_bottom": True,
        "truncate_legend": form.letters,
        "truncate_label": form.letters,
        "margin": _MARGIN,
        "max_scale": form.steps,
        "print_values": False,
    }


def _bounds(row: Mapping[str, Any]) -> tuple[float, float]:
    low, high = row["rating_low"], row["rating_high"]
    return (row["rating"] if low is None else low), (row["rating"] if high is None else high)


def _widened(low: float, high: float) -> tuple[float, float]:
    margin = max(1.0, (high - low) * 0.05)
    return low - margin, high + margin


def _render(chart: Callable[[_Form], Chart], title: str) -> Markup:
    """Return a chart at every size."""
    drawn = []
    for form in _FORMS:
        made = chart(form)
        made.add_xml_filter(partial(_cleaned, name=f"chart {form.name}", title=title))
        drawn.append(Markup(made.render(is_unicode=True)))  # trusted: pygal escapes what it is given
    return Markup('<div class="plot">{}</div>').format(Markup("").join(drawn))


def _cleaned(root: Element, *, name: str, title: str) -> Element:
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
    root.set("class", name)
    root.set("role", "img")
    root.set("aria-label", title)
    return root


def _say(dot: Element, said: Element) -> None:
    """Make of a description the title that browsers show, where it is the value."""
    dot.remove(said)
    if said.get("class") == "value":
        SubElement(dot, "title").text = said.text
