"""The animals, things and people of the hanafuda pack, as motifs around 0 0."""

from api.pages.drawing.svg import (
    BLUE,
    BROWN,
    DARK,
    DEEP_RED,
    GREEN,
    GREY,
    INK,
    MOSS,
    OCHRE,
    PURPLE,
    RED,
    ROSE,
    SKY,
    WHITE,
    YELLOW,
    at,
    box,
    circle,
    dots,
    ellipse,
    line,
    path,
    ring,
)


def sun() -> str:
    """Return a red sun."""
    return circle(0, 0, 11, RED)


def crane() -> str:
    """Return a crane that looks back to the sun."""
    return (
        line("M2 16L0 30M7 15L9 30", INK, 1.2)
        + path("M-14 12Q-8-2 6 2Q16 5 13 14Q2 20-14 12z", WHITE, INK, 0.7)
        + path("M-16 13Q-12 4-4 7Q-6 15-16 13z", INK)
        + line("M10 5Q16-4 11-12Q8-17 4-15", INK, 4.4)
        + line("M10 5Q16-4 11-12Q8-17 4-15", WHITE, 3)
        + path("M5-17.5Q2-18-5-13.5Q1-13 5-13z", OCHRE)
        + path("M3-18Q7-20 9.4-15.6L5-15.4z", RED)
        + circle(5, -15, 0.7, INK)
    )


def nightingale() -> str:
    """Return the bush warbler of the plum."""
    return (
        path("M-12 8Q-6-6 5-6Q11-6 12-1L16 1L11 3Q8 10-2 9L-13 14z", MOSS, DARK, 0.7)
        + path("M-8 7Q-2-1 5 4Q0 8-8 7z", GREEN)
        + circle(8.4, -2, 1, INK)
        + line("M0 9L-1 14M4 8L5 13", BROWN, 1)
    )


def curtain() -> str:
    """Return the curtain of a feast under the cherry trees, 60 wide, from 0 0 down."""
    folds = "".join(f"M{x} 0q-3 14 0 30" for x in range(6, 60, 12))
    return (
        path("M0 2Q15-3 30 2T60 2V30Q45 24 30 30T0 30z", WHITE)
        + path("M0 8Q15 3 30 8T60 8V13Q45 8 30 13T0 13zM0 20Q15 15 30 20T60 20V25Q45 20 30 25T0 25z", PURPLE)
        + path("M0 0Q15-5 30 0T60 0V4Q45-1 30 4T0 4z", RED)
        + line(folds, GREY, 0.6)
        + dots([(12, 16), (30, 18), (48, 16)], 3.6, RED)
        + dots([(12, 16), (30, 18), (48, 16)], 1.3, YELLOW)
    )


def cuckoo() -> str:
    """Return a cuckoo in flight."""
    return (
        path("M-14 2Q-4-4 8-2L14 0L8 3Q-2 8-16 6z", GREY, INK, 0.6)
        + path("M-2 0Q-12-14-18-13Q-14-2-6 3z", INK)
        + path("M2 0Q-1-14 8-17Q9-6 6-1z", DARK)
        + path("M-14 3L-22 2L-21 8L-13 6z", INK)
        + circle(9, -0.5, 0.8, WHITE)
    )


def crescent() -> str:
    """Return the red crescent behind the cuckoo."""
    return path("M-8-8A10 10 0 1 0 6 8A8 8 0 1 1-8-8z", RED)


def bridge() -> str:
    """Return the bridge of eight planks, in a zigzag over water."""
    return (
        line("M-30 14q6-3 12 0t12 0t12 0t12 0t12 0M-30 19q6-3 12 0t12 0t12 0t12 0t12 0", SKY, 1.2)
        + path("M-30-4L-6-8V0L-30 5zM-6-2L14 4V11L-6 5zM14 2L32-3V4L14 10z", OCHRE, BROWN, 0.8)
        + line("M-22-5V4M-14-6.4V2M2 0V8M8 2V10M22 0V7", BROWN, 0.8)
        + line("M-6 5V14M14 10V18", BROWN, 2)
    )


def butterfly() -> str:
    """Return a butterfly."""
    return (
        path("M0 0C-4-9-12-9-12-3C-12 1-6 2 0 0z", YELLOW, INK, 0.6)
        + path("M0 0C4-9 12-9 12-3C12 1 6 2 0 0z", YELLOW, INK, 0.6)
        + path("M0 0C-7 1-8 8-4 8.6C-1 8 0 4 0 0zM0 0C7 1 8 8 4 8.6C1 8 0 4 0 0z", RED, INK, 0.6)
        + dots([(-8, -3.4), (8, -3.4)], 1.4, PURPLE)
        + line("M0 5V-3M0-3Q-1-7-4-8M0-3Q1-7 4-8", INK, 0.9)
    )


def boar() -> str:
    """Return a wild boar."""
    return (
        path(
            "M-20 12Q-22-4-4-7Q10-9 15-1L21 4Q22 8 17 9Q12 14 8 12L7 17H3L3 12H-9L-10 17H-14L-15 12z",
            BROWN,
            INK,
            0.7,
        )
        + path("M-20 8Q-18-5-2-8Q8-9 12-4Q2-4-4 0Q-12 2-20 8z", DARK)
        + path("M17 6Q19 4 18.5 2L20.5 6z", WHITE)
        + path("M9-5L12-9L13-3z", INK)
        + circle(14.6, 1.4, 0.9, WHITE)
        + line("M-20 2Q-25 0-24-4", INK, 1)
    )


def moon() -> str:
    """Return a full moon."""
    return circle(0, 0, 16, WHITE) + circle(3, 3, 2.4, "#eee3c8") + circle(-5, -4, 3.4, "#eee3c8")


def goose() -> str:
    """Return a wild goose in flight."""
    return path("M-9 1Q-2-2 2-1Q6-4 10-3L8-1Q4 3-2 4Q-7 5-11 3z", BLUE) + path(
        "M-1 0Q-3-8-10-10Q-8-2-3 2zM1-1Q3-9 9-11Q7-3 3 0z", INK
    )


def cup() -> str:
    """Return a sake cup."""
    return (
        path("M-14-4Q-12 10 0 10T14-4z", RED, DEEP_RED, 0.8)
        + ellipse(0, -4, 14, 4.6, DEEP_RED)
        + ellipse(0, -4, 11.4, 3.2, YELLOW)
        + path("M-6 9.5L-8 14H8L6 9.5z", DEEP_RED)
        + line("M-4 1V6M-6 3.4H-2M3 1L7 5M7 1L3 5", YELLOW, 1.1)
    )


def deer() -> str:
    """Return a deer that turns its head away."""
    return (
        line("M-9 8V24M-5 9L-4 24M8 8L7 24M12 6L13 24", BROWN, 2.2)
        + path(
            "M-13 6Q-14-4 0-4Q8-4 10-10Q12-16 8-18L4-17Q3-20 7-22Q14-22 16-14Q18 0 13 8Q0 14-13 6z",
            OCHRE,
            BROWN,
            0.8,
        )
        + dots([(-8, 2), (-3, 0), (2, 2), (-5, 6), (6, 0), (1, 7)], 1.1, WHITE)
        + path("M12-20L18-24L15-17z", BROWN)
        + line("M9-22Q6-28 9-33M7-27L3-29M12-22Q14-29 20-31M15-28L13-33", BROWN, 1.2)
        + circle(8.4, -19, 0.8, INK)
        + path("M-13 2L-18 0L-14 7z", WHITE)
    )


def rain_man() -> str:
    """Return the poet with his umbrella at the stream."""
    return (
        path("M-20-9Q-14-25 2-25T22-9Q10-13 1-9Q-10-13-20-9z", YELLOW, OCHRE, 0.8)
        + line("M1-25V-9M-9-23Q-11-16-10-11M11-23Q13-16 12-11", OCHRE, 0.8)
        + line("M2-9V8", BROWN, 1.2)
        + circle(-2, -6, 4, "#f0d3b0")
        + path("M-6-8Q-5-13 1-11Q3-8 1-7Q-2-9-6-8z", INK)
        + path("M-10 22Q-11 2-3-1Q6 0 9 8Q10 16 11 22z", BLUE, INK, 0.7)
        + path("M-3 0L3 7L9 5Q5-1-1-2z", RED)
        + path("M-9 14Q-2 10 4 14T11 18V22H-10z", PURPLE)
        + path("M-8 22H-2V25H-10zM3 22H10V25H3z", INK)
    )


def frog() -> str:
    """Return the frog that the poet watches."""
    return path("M-6 3Q-5-4 0-3Q2-6 4-3Q8-1 6 3L9 5H2L0 3L-3 5H-9z", GREEN, DARK, 0.6) + circle(
        3, -3, 0.8, INK
    )


def swallow() -> str:
    """Return a swallow."""
    return (
        path("M-2 0Q-12-12-22-12Q-14-2-6 4zM2-1Q8-14 18-16Q13-4 6 3z", INK)
        + path("M-6 3Q0-3 8-1L14 1L8 4Q2 10-8 9L-18 16L-12 8z", RED, INK, 0.6)
        + path("M-6 6Q0 8 6 4Q0 3-6 6z", WHITE)
        + circle(9, 0.6, 0.8, WHITE)
    )


def storm() -> str:
    """Return thunder: clouds, lightning and the claw of the thunder god, over a whole card."""
    return (
        box(0, 0, 60, 98, RED)
        + path("M0 0H60V26Q52 36 44 28Q36 40 26 30Q16 42 8 30Q3 34 0 30z", INK)
        + path("M34 20L14 54H26L16 90L48 44H34L46 20z", YELLOW, OCHRE, 1)
        + path("M0 98V78Q14 66 26 76Q40 66 60 82V98z", DARK)
        + line("M6 8q6-4 12 0t12 0t12 0t12 0", GREY, 1.4)
        + line("M54 40L50 56M58 52L54 68M6 46L3 58M10 60L7 72", SKY, 1)
    )


def phoenix() -> str:
    """Return the phoenix of the paulownia."""
    return (
        path("M-6 4C-18-2-24-14-21-22C-14-20-6-12-2-3z", RED, DEEP_RED, 0.7)
        + path("M4 2C8-10 18-18 24-17C22-6 14 3 7 6z", RED, DEEP_RED, 0.7)
        + line("M-1 8C-6 18-14 20-12 30M1 9C0 20-5 24-2 34M4 8C8 18 6 24 12 30", YELLOW, 2.6)
        + dots([(-12, 30), (-2, 34), (12, 30)], 2.6, PURPLE)
        + path(
            "M-7 6Q-6-4 1-6Q1-14 7-16Q12-16 12-12L16-10L11-9Q9-4 9 2Q6 11-1 11Q-6 10-7 6z", YELLOW, OCHRE, 0.8
        )
        + path("M6-16L4-22L8-18L10-23L10-17L14-20L12-14z", RED)
        + circle(9, -12.6, 0.9, INK)
        + dots([(-1, 2), (3, 0), (1, 6)], 1.2, GREEN)
    )


def ribbon(fill: str, is_written: bool) -> str:
    """Return a strip of paper for a poem, hanging from 0 0, written or plain."""
    strip = path("M-6.5 0Q-3-3 0-1.6T6.5-2L5 48Q1 51-1 49.4T-7 50.6z", fill, INK, 0.7)
    if not is_written:
        return strip
    strokes = "M-1 6q4 1 1 5q-4 4 1 6q4 1 0 6q-4 3 0 6q4 2 0 6q-3 3 1 5"
    return strip + line(strokes, INK, 1.7) + line("M-3 14h5M-4 26h5M-3 37h5", INK, 1.2)


def water() -> str:
    """Return a stream across a card."""
    return path("M-2 0Q14-6 30 0T62 0V14Q46 20 30 14T-2 14z", SKY) + line(
        "M-2 5Q14-1 30 5T62 5M-2 10Q14 4 30 10T62 10", BLUE, 0.9
    )


def halo() -> str:
    """Return a wreath of small lights."""
    return dots(ring(10, 12), 1, ROSE)


def glow() -> str:
    """Return a golden ground under a picture."""
    return at(0, 0, ellipse(0, 0, 24, 8, YELLOW))
