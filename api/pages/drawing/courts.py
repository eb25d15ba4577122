"""The six court figures of the Unsun pack, each in the colour of its suit, around 0 0."""

from collections.abc import Callable, Mapping

from api.pages.drawing.svg import (
    BROWN,
    DARK,
    GREEN,
    INK,
    OCHRE,
    RED,
    WHITE,
    YELLOW,
    circle,
    dots,
    ellipse,
    line,
    path,
)

_SKIN = "#f0d3b0"


def _face(y: float, radius: float = 6) -> str:
    return circle(0, y, radius, _SKIN, INK, 0.6) + line(
        f"M-2.6 {y - 1}h1.6M1 {y - 1}h1.6M-1.6 {y + 2.6}q1.6 1 3.2 0", INK, 0.8
    )


def sun(colour: str) -> str:
    """Return Sun: a dignitary from abroad with a fan."""
    return (
        path("M-17 28Q-18 2-6-4H6Q18 2 17 28z", colour, INK, 0.8)
        + path("M-5-4L0 12L5-4L2 28H-2z", YELLOW)
        + path("M-17 28Q-17 20-13 14H13Q17 20 17 28z", DARK)
        + _face(-12, 7)
        + path("M-9-15Q-8-24 0-24T9-15Q0-18-9-15zM-12-15Q0-20 12-15L10-13Q0-17-10-13z", INK)
        + circle(0, -25, 1.8, RED)
        + line("M-3-6Q-4 2-3 6M3-6Q4 2 3 6", INK, 1)
        + path("M10 6L22-6Q24 2 18 10z", WHITE, RED, 0.9)
    )


def un(colour: str) -> str:
    """Return Un: the god of luck, laughing, with his sack."""
    return (
        ellipse(12, 8, 12, 15, OCHRE)
        + line("M6-4Q12-10 16-6", BROWN, 1.4)
        + path("M-19 28Q-20 6-7 0H7Q19 6 18 28z", colour, INK, 0.8)
        + ellipse(-1, 14, 9.4, 10, _SKIN)
        + circle(-1, 16, 1, BROWN)
        + circle(-1, -9, 9, _SKIN, INK, 0.7)
        + line("M-6-10q1.6-2 3.2 0M1-10q1.6-2 3.2 0", INK, 0.9)
        + path("M-5-5Q-1 0 3-5z", RED, INK, 0.5)
        + dots([(-10.4, -7), (8.4, -7)], 2, _SKIN)
        + line("M-6-17Q-1-20 4-17", INK, 1.4)
    )


def sota(colour: str) -> str:
    """Return Sota: a page who stands with a flower."""
    return (
        line("M-5 18V28M5 18V28", INK, 3)
        + path("M-13 20Q-10-2-5-5H5Q10-2 13 20z", colour, INK, 0.8)
        + path("M-5-5Q0 4 5-5L3-1H-3z", WHITE)
        + line("M-9 10H9", YELLOW, 2)
        + line("M8 2L17-10", BROWN, 1.4)
        + dots([(17, -12), (14.6, -10), (19.4, -10), (15.6, -14), (18.6, -14)], 2, RED)
        + _face(-12)
        + path("M-7-12Q-8-20 0-20T7-12Q3-16-2-15.4Q-5-15-7-12z", INK)
        + path("M-4-20Q0-26 6-24L3-19z", RED)
    )


def robai(colour: str) -> str:
    """Return Robai: a dragon in coils."""
    return (
        line("M-16 26Q10 28 12 16Q12 6-4 8Q-18 9-15-4Q-11-14 2-12", INK, 10)
        + line("M-16 26Q10 28 12 16Q12 6-4 8Q-18 9-15-4Q-11-14 2-12", colour, 8)
        + line("M-12 26Q8 27 10 17Q10 9-4 11", YELLOW, 1.6)
        + path("M-2-18Q8-24 15-17L22-15Q23-10 17-9L12-6Q4-4-2-8z", colour, INK, 0.8)
        + path("M14-11L22-12L16-7z", RED)
        + path("M2-18L-4-26L6-21zM8-20L6-29L12-20z", OCHRE, INK, 0.5)
        + circle(11, -15, 1.9, WHITE, INK, 0.6)
        + circle(11.4, -15, 0.9, INK)
        + line("M20-15Q24-20 22-24M16-7Q20-2 18 3", RED, 1)
        + path("M-16 21L-24 18L-21 27L-25 32L-14 30z", colour, INK, 0.8)
        + line("M4 13L10 24M-10 4L-20 10", INK, 1.6)
    )


def rei(colour: str) -> str:
    """Return Rei: a ruler on his seat."""
    return (
        path("M-20 28V0L-15-8V28zM20 28V0L15-8V28z", BROWN, INK, 0.6)
        + path("M-16 28Q-16 2-6-3H6Q16 2 16 28z", colour, INK, 0.8)
        + path("M-4-3L0 4L4-3V28H-4z", WHITE)
        + line("M-12 14Q0 20 12 14", YELLOW, 2)
        + _face(-11, 6.4)
        + path("M-4-7Q0 2 4-7Q0-4-4-7z", INK)
        + path("M-8-16L-9-26L-4-20L0-28L4-20L9-26L8-16z", YELLOW, OCHRE, 0.8)
        + dots([(-9, -26), (0, -28), (9, -26)], 1.4, RED)
        + line("M15 12V-14", OCHRE, 1.8)
        + circle(15, -16, 2.6, RED)
    )


def kaba(colour: str) -> str:
    """Return Kaba: a rider on his horse."""
    return (
        line("M-12 16L-15 29M-7 17L-8 29M9 16L8 29M13 14L17 28", BROWN, 3)
        + path("M-17 14Q-17 4-6 5H6L12-6Q15-12 20-9L24-3Q22 0 18-2Q17 8 14 15Q0 20-17 14z", BROWN, INK, 0.8)
        + path("M9 0Q10-9 15-12L14-6Q12 0 12 6z", INK)
        + line("M-17 8Q-23 12-21 22", INK, 2.4)
        + circle(19, -6, 0.8, WHITE)
        + path("M-8 8Q-9-8-3-11H3Q8-8 7 8Q0 12-8 8z", colour, INK, 0.8)
        + path("M-4 7H4L6 17L2 18L0 9z", colour, INK, 0.6)
        + line("M4-3L15 0", GREEN, 1.4)
        + circle(0, -17, 5.4, _SKIN, INK, 0.6)
        + path("M-6-18Q-5-25 1-25T6-18Q0-20-6-18z", DARK)
        + path("M0-25Q-8-30-10-24Q-5-23 0-23z", RED)
        + line("M-1.6-17.4h1.2M1.6-17.4h1.2", INK, 0.8)
    )


FIGURES: Mapping[str, Callable[[str], str]] = {
    "Sun": sun,
    "Un": un,
    "Sota": sota,
    "Robai": robai,
    "Rei": rei,
    "Kaba": kaba,
}
