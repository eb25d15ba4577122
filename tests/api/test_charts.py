"""Charts: what is in them, and that they fit under the policy of the pages."""

import re
from typing import Any

import pytest

from api.pages import charts
from api.pages.charts import Line

HOSTILE = '"><script>alert(1)</script>'


def row(name: str, rating: float | None, width: float | None = 30.0) -> dict[str, Any]:
    low = None if rating is None or width is None else rating - width
    high = None if rating is None or width is None else rating + width
    return {"name": name, "rating": rating, "rating_low": low, "rating_high": high}


def sizes(chart: str) -> list[str]:
    """Return the drawings of a chart, one for each size."""
    return [f"<svg{part}" for part in chart.split("<svg")[1:]]


@pytest.mark.parametrize("count", range(1, charts.MOST_LINES + 1))
def test_every_line_is_drawn_and_named(count: int) -> None:
    drawn = [Line(name=f"bot{number}", points=[(1, number), (2, 3 * number)]) for number in range(count)]
    for chart in sizes(charts.lines(drawn, title="Ratings", x_title="Rounds", y_title="Skill")):
        assert chart.count('class="line reactive nofill"') == count
        assert len(re.findall(r"<text[^>]*>bot\d</text>", chart)) == (count if count > 1 else 0)
        assert 'role="img" aria-label="Ratings"' in chart
        [height] = re.findall(r'viewBox="0 0 \d+ (\d+)"', chart)
        legend = re.findall(r'<g transform="translate\([\d.]+, ([\d.]+)\)" class="legends"', chart)
        lowest = max(float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)">bot', chart) or ["0"])
        assert lowest + sum(map(float, legend)) < float(height)


def test_what_is_not_drawn_takes_no_room() -> None:
    drawn = [Line(name=f"bot{number}", points=[(1, number)]) for number in range(3 * charts.MOST_LINES)]
    titles = {"title": "Ratings", "x_title": "Rounds", "y_title": "Skill"}
    assert charts.lines(drawn, **titles) == charts.lines(drawn[: charts.MOST_LINES], **titles)


def test_a_chart_is_drawn_for_screens_and_for_phones() -> None:
    drawn = [Line(name=f"a-name-that-is-long-{number}", points=[(0, 1)]) for number in range(2)]
    wide, narrow = sizes(charts.lines(drawn, title="Ratings", x_title="Rounds", y_title="Skill"))
    assert 'class="chart wide"' in wide
    assert "a-name-that-is-long-0" in wide
    assert 'class="chart narrow"' in narrow
    assert "a-name-that-is-lo…" in narrow


def test_ratings_have_an_interval_each_and_those_without_are_left_out() -> None:
    rows = [row("a", 1600), row("b", 1500), row("c", None), row("d", 1400, None)]
    chart = charts.intervals(rows, title="Ratings")
    assert chart is not None
    assert [one.count('class="ci"') for one in sizes(chart)] == [3, 3]
    assert "<title>1,600</title>" in chart
    assert ">c</text>" not in chart
    assert charts.intervals(rows[:1], title="Ratings") is None
    assert charts.intervals([], title="Ratings") is None


def test_equal_ratings_can_be_drawn() -> None:
    assert charts.intervals([row("a", 1500, None), row("b", 1500, None)], title="x") is not None
    assert charts.lines([Line(name="a", points=[(0, 5)])], title="x", x_title="x", y_title="y")


def test_charts_have_no_scripts_styles_or_ids_and_names_are_text() -> None:
    lines = charts.lines(
        [Line(name=HOSTILE, points=[(0, 1)]), Line(name="b", points=[(0, 2)])],
        title=HOSTILE,
        x_title="x",
        y_title="y",
    )
    intervals = charts.intervals([row(HOSTILE, 1500), row("b", 1400)], title=HOSTILE)
    for chart in (lines, str(intervals)):
        assert "<script" not in chart
        assert "&lt;script&gt;" in chart
        assert not re.search(r"<style|\sstyle=|\sid=|<desc|xlink", chart)
