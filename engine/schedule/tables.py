"""Tables of a full round robin: every set of `sides` entrants once, numbered in lexicographic order."""

from math import comb


def count(entrants: int, sides: int) -> int:
    """Return how many tables there are."""
    return comb(entrants, sides)


def table(entrants: int, sides: int, number: int) -> tuple[int, ...]:
    """Return the entrants (ascending) of table `number`, from 0 in lexicographic order.

    The combinatorial number system: for each chair skip the tables that begin with a lower entrant.
    """
    chosen: list[int] = []
    candidate, rest = 0, number
    for chairs in range(sides - 1, -1, -1):
        while (skipped := comb(entrants - candidate - 1, chairs)) <= rest:
            rest -= skipped
            candidate += 1
        chosen.append(candidate)
        candidate += 1
    return tuple(chosen)


def circle(members: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return circular order `number` modulo (k-1)! of `members`: the first stays, the others are permuted.

    The orders come in lexicographic order of the factorial number system, so that (k-1)! deals in a row show
    every way to sit around the table, relative to one another, exactly once.
    """
    pool = list(members[1:])
    radices = range(1, len(pool) + 1)
    digits = []
    for radix in radices:
        number, digit = divmod(number, radix)
        digits.append(digit)
    return (members[0], *(pool.pop(digit) for digit in reversed(digits)))
