"""Sets of tables: every format against lists written the slow way, and its counts against counting."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.schedule import Format, Schedule
from engine.schedule.apart import ApartFullTables
from engine.schedule.families import distances, family
from engine.schedule.tables import FullTables, Tables, circle

GOLDEN_NINE = ((0, 1, 7), (1, 5, 7))
GOLDEN_SHA256 = "72bb34d69e40a9236c263a51ff5a0d22c3a22e882dba851d7acde36d9e97dfff"


def listed(tables: Tables) -> list[tuple[int, ...]]:
    return [tables.table(number) for number in range(tables.count)]


def balanced(entrants: int, sides: int, owners: tuple[str, ...] = ()) -> Tables:
    plan = Schedule(
        entrants=entrants, sides=sides, deals=1, block_deals=1, format=Format.BALANCED, apart=owners
    )
    return plan._tables


def check_by_counting(tables: Tables, entrants: int) -> None:
    seated = np.zeros(entrants, dtype=np.int64)
    together = np.zeros((entrants, entrants), dtype=np.int64)
    for table in listed(tables):
        for one in table:
            seated[one] += 1
            for other in table:
                together[one, other] += one != other
    assert np.array_equal(seated, tables.seated())
    assert np.array_equal(together, tables.together())


def off_diagonal(pairs: Sequence[Sequence[int]] | np.ndarray) -> np.ndarray:
    matrix = np.asarray(pairs)
    return matrix[~np.eye(len(matrix), dtype=bool)]


@pytest.mark.parametrize(("entrants", "sides"), [(2, 2), (5, 2), (6, 3), (7, 4), (10, 10), (12, 5)])
def test_full_is_all_subsets_in_lexicographic_order(entrants: int, sides: int) -> None:
    tables = FullTables(entrants, sides)
    assert listed(tables) == list(combinations(range(entrants), sides))
    check_by_counting(tables, entrants)


@given(st.integers(2, 2000), st.integers(2, 10), st.data())
def test_any_table_of_a_large_field_is_found_at_once(entrants: int, sides: int, data: st.DataObject) -> None:
    sides = min(sides, entrants)
    tables = FullTables(entrants, sides)
    number = data.draw(st.integers(0, tables.count - 1))
    found = tables.table(number)
    assert list(found) == sorted(set(found))
    assert (len(found), found[0] >= 0, found[-1] < entrants) == (sides, True, True)
    before = sum(
        comb(entrants - lower - 1, sides - chair - 1)
        for chair, entrant in enumerate(found)
        for lower in range(found[chair - 1] + 1 if chair else 0, entrant)
    )
    assert before == number


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
def test_circular_orders_come_each_once_in_a_run(sides: int) -> None:
    members = tuple(range(10, 10 + sides))
    run = factorial(sides - 1)
    orders = [circle(members, number) for number in range(run)]
    assert sorted(orders) == sorted((members[0], *rest) for rest in permutations(members[1:]))
    assert [circle(members, number) for number in range(run, 2 * run)] == orders


@pytest.mark.parametrize("sides", [3, 4, 5, 7, 10])
@pytest.mark.parametrize("entrants", [*range(10, 25), 40])
def test_balanced_lets_all_meet_equally_often_to_within_one(entrants: int, sides: int) -> None:
    tables = balanced(entrants, sides)
    pairs = off_diagonal(tables.together())
    assert pairs.max() - pairs.min() <= 1
    assert pairs.min() >= 1
    assert len(set(tables.seated().tolist())) == 1
    check_by_counting(tables, entrants)


@pytest.mark.parametrize(("entrants", "sides"), [(9, 3), (14, 7), (19, 10), (31, 10), (46, 10)])
def test_balanced_has_no_table_twice_and_far_fewer_than_full(entrants: int, sides: int) -> None:
    tables = listed(balanced(entrants, sides))
    assert len(set(tables)) == len(tables) < comb(entrants, sides)
    assert all(list(table) == sorted(set(table)) and len(table) == sides for table in tables)


def test_a_family_that_cannot_be_found_is_none() -> None:
    assert family(46, 10, least=45) is None


def check_family(entrants: int, sides: int) -> None:
    """Distances decide the meetings of all pairs, so that nothing needs to be listed."""
    base = family(entrants, sides)
    if base is None:  # all sets are as few: exactly even, and never many
        assert comb(entrants, sides) <= 2 * entrants**2
        return
    meetings = distances(base, entrants)[1:]
    assert meetings.max() - meetings.min() <= 1
    assert meetings.min() >= 1
    assert all(len(set(table)) == sides and 0 <= min(table) <= max(table) < entrants for table in base)
    assert len(base) * entrants <= entrants**2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("sides", range(2, 11))
def test_balanced_exists_for_every_field_up_to_60_and_samples_above(sides: int) -> None:
    for entrants in [*range(sides, 61), *range(61, 500, 37), *range(500, 2001, 250), 1999]:
        check_family(entrants, sides)


@pytest.mark.parametrize(
    ("entrants", "sides"), [(2000, 3), (2000, 10), (1327, 8), (200, 4), (57, 8), (91, 10)]
)
def test_balanced_tables_of_a_large_field_are_few(entrants: int, sides: int) -> None:
    check_family(entrants, sides)
    base = family(entrants, sides)
    assert base is not None
    assert len(base) * entrants < 4 * entrants**2 / (sides * (sides - 1))


def test_balanced_tables_never_change() -> None:
    found = [family(entrants, sides) for entrants, sides in ((9, 3), (30, 4), (100, 7), (200, 10))]
    assert found[0] == GOLDEN_NINE
    assert sha256(repr(found).encode()).hexdigest() == GOLDEN_SHA256


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_full_and_apart_is_all_subsets_of_different_owners(sides: int) -> None:
    owners = tuple("aabcadeb")
    tables = ApartFullTables(owners, sides)
    expected = [
        table
        for table in combinations(range(len(owners)), sides)
        if len({owners[entrant] for entrant in table}) == sides
    ]
    assert sorted(listed(tables)) == expected
    check_by_counting(tables, len(owners))


def test_full_and_apart_pairs_of_two_sides_meet_exactly_once() -> None:
    owners = tuple("aabbbcd")
    pairs = ApartFullTables(owners, 2).together()
    for one, other in combinations(range(len(owners)), 2):
        assert pairs[one, other] == (owners[one] != owners[other])


@pytest.mark.parametrize(
    ("owners", "sides"),
    [("aabbccddeeffgghh", 3), ("aabcdefghijklmnopqrs", 4), ("aaabbcdefghijklmnopqrstuvwxyz", 5)],
)
def test_balanced_and_apart_leaves_out_siblings_alone(owners: str, sides: int) -> None:
    tables = balanced(len(owners), sides, tuple(owners))
    seen = listed(tables)
    assert len(set(seen)) == len(seen)
    assert all(len({owners[entrant] for entrant in table}) == sides for table in seen)
    check_by_counting(tables, len(owners))
    pairs = tables.together()
    for one, other in combinations(range(len(owners)), 2):
        assert (pairs[one, other] > 0) == (owners[one] != owners[other])


def test_any_apart_table_of_a_large_field_is_found_at_once() -> None:
    owners = tuple(f"owner{number // 3}" for number in range(2000))
    for tables in (ApartFullTables(owners, 4), balanced(2000, 4, owners)):
        for number in (0, tables.count // 3, tables.count - 1):
            table = tables.table(number)
            assert len({owners[entrant] for entrant in table}) == len(set(table)) == 4
