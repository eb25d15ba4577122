"""Schedules: counted out against lists written the slow way."""

from collections import Counter
from itertools import combinations, permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadSchedule
from engine.schedule import Schedule, tables


def schedule(entrants: int, sides: int, deals: int, block_deals: int) -> Schedule:
    return Schedule(entrants=entrants, sides=sides, deals=deals, block_deals=block_deals)


@pytest.mark.parametrize(("entrants", "sides"), [(2, 2), (5, 2), (6, 3), (7, 4), (10, 10), (12, 5)])
def test_tables_are_all_subsets_in_lexicographic_order(entrants: int, sides: int) -> None:
    listed = [tables.table(entrants, sides, number) for number in range(tables.count(entrants, sides))]
    assert listed == list(combinations(range(entrants), sides))


@given(st.integers(2, 2000), st.integers(2, 8), st.data())
def test_any_table_of_a_large_field_is_found_at_once(entrants: int, sides: int, data: st.DataObject) -> None:
    sides = min(sides, entrants)
    number = data.draw(st.integers(0, tables.count(entrants, sides) - 1))
    found = tables.table(entrants, sides, number)
    assert list(found) == sorted(set(found))
    assert len(found) == sides
    assert found[0] >= 0
    assert found[-1] < entrants


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
def test_circular_orders_come_each_once_in_a_run(sides: int) -> None:
    members = tuple(range(10, 10 + sides))
    run = factorial(sides - 1)
    orders = [tables.circle(members, number) for number in range(run)]
    assert sorted(orders) == sorted((members[0], *rest) for rest in permutations(members[1:]))
    assert [tables.circle(members, number) for number in range(run, 2 * run)] == orders


def test_the_list_of_a_small_event_is_exactly_this() -> None:
    listed = [schedule(3, 2, 3, 2).slot(number) for number in range(18)]
    assert [(slot.block, slot.table, slot.rotation, slot.deal, slot.entrants) for slot in listed] == [
        (0, 0, 0, 0, (0, 1)), (0, 0, 0, 1, (0, 1)), (0, 0, 1, 0, (1, 0)), (0, 0, 1, 1, (1, 0)),
        (0, 1, 0, 0, (0, 2)), (0, 1, 0, 1, (0, 2)), (0, 1, 1, 0, (2, 0)), (0, 1, 1, 1, (2, 0)),
        (0, 2, 0, 0, (1, 2)), (0, 2, 0, 1, (1, 2)), (0, 2, 1, 0, (2, 1)), (0, 2, 1, 1, (2, 1)),
        (1, 0, 0, 2, (0, 1)), (1, 0, 1, 2, (1, 0)), (1, 1, 0, 2, (0, 2)), (1, 1, 1, 2, (2, 0)),
        (1, 2, 0, 2, (1, 2)), (1, 2, 1, 2, (2, 1)),
    ]  # fmt: skip


@given(
    sides=st.integers(2, 4), more=st.integers(0, 3), deals=st.integers(1, 7), block_deals=st.integers(1, 4)
)
def test_every_table_plays_every_deal_in_every_rotation(
    sides: int, more: int, deals: int, block_deals: int
) -> None:
    plan = schedule(sides + more, sides, deals, block_deals)
    slots = [plan.slot(number) for number in range(plan.matches)]
    played = Counter((slot.table, slot.deal, slot.rotation) for slot in slots)
    assert set(played.values()) == {1}
    assert len(played) == plan.tables * deals * sides
    for slot in slots:
        assert slot.block == slot.deal // block_deals
        assert slot.number in plan.block_range(slot.block)
    chairs = Counter((e, side) for slot in slots for side, e in enumerate(slot.entrants))
    assert len(set(chairs.values())) == 1


@pytest.mark.parametrize("sides", [3, 4])
def test_all_relative_seatings_occur_equally_often(sides: int) -> None:
    plan = schedule(sides + 1, sides, factorial(sides - 1) * 2, 5)
    seatings = Counter(plan.slot(number).entrants for number in range(plan.matches))
    assert len(set(seatings.values())) == 1
    assert len(seatings) == plan.tables * factorial(sides)


def test_a_group_is_a_run_of_numbers_with_the_same_players() -> None:
    plan = schedule(5, 3, 10, 4)
    for block in range(plan.blocks):
        numbers, size = plan.block_range(block), plan.group_matches(block)
        for first in range(numbers.start, numbers.stop, size):
            group = [plan.slot(number) for number in range(first, first + size)]
            assert len({(slot.table, slot.rotation) for slot in group}) == 1
            assert len({slot.deal for slot in group}) == size


def test_numbers_of_a_huge_event_cost_no_more() -> None:
    plan = schedule(2000, 2, 250, 12)
    assert plan.matches == 1999 * 2000 // 2 * 2 * 250
    last = plan.slot(plan.matches - 1)
    assert (last.deal, last.rotation, last.entrants) == (249, 1, (1999, 1998))


@pytest.mark.parametrize(("entrants", "deals"), [(2, 1), (2000, 10**6), (3, 0)])
def test_what_cannot_be_scheduled_is_refused(entrants: int, deals: int) -> None:
    with pytest.raises(BadSchedule):
        schedule(entrants, 3, deals, 1)


@pytest.mark.parametrize("number", [-1, 6])
def test_a_number_outside_is_refused(number: int) -> None:
    with pytest.raises(BadSchedule, match=f"match {number} does not exist"):
        schedule(3, 3, 2, 1).slot(number)
