"""Schedules: counted out against lists written the slow way."""

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadSchedule
from engine.games import all_games
from engine.schedule import Format, Schedule, default_format

BALANCED_SEVEN = [
    (0, 2, 3), (1, 3, 4), (2, 4, 5), (3, 5, 6), (0, 4, 6), (0, 1, 5), (1, 2, 6),
    (0, 2, 6), (0, 1, 3), (1, 2, 4), (2, 3, 5), (3, 4, 6), (0, 4, 5), (1, 5, 6),
]  # fmt: skip


def schedule(entrants: int, sides: int, deals: int, block_deals: int) -> Schedule:
    return Schedule(entrants=entrants, sides=sides, deals=deals, block_deals=block_deals)


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


def test_the_list_of_a_small_balanced_event_is_exactly_this() -> None:
    plan = Schedule(entrants=7, sides=3, deals=1, block_deals=1, format=Format.BALANCED)
    slots = [plan.slot(number) for number in range(plan.matches)]
    assert [slot.entrants for slot in slots if slot.rotation == 0] == BALANCED_SEVEN
    assert [slot.entrants for slot in slots[:3]] == [
        BALANCED_SEVEN[0],
        BALANCED_SEVEN[0][-1:] + BALANCED_SEVEN[0][:-1],
        BALANCED_SEVEN[0][-2:] + BALANCED_SEVEN[0][:-2],
    ]


SMALL_PLANS = [
    Schedule(entrants=6, sides=2, deals=3, block_deals=2),
    Schedule(entrants=5, sides=4, deals=6, block_deals=4),
    Schedule(entrants=13, sides=4, deals=2, block_deals=1, format=Format.BALANCED),
    Schedule(entrants=10, sides=3, deals=2, block_deals=2, format=Format.BALANCED),
    Schedule(entrants=7, sides=3, deals=2, block_deals=2, apart=tuple("aabcdef")),
    Schedule(
        entrants=12, sides=4, deals=2, block_deals=2, format=Format.BALANCED, apart=tuple("aabbcdefghij")
    ),
]


@pytest.mark.parametrize("plan", SMALL_PLANS, ids=lambda plan: f"{plan.format}-{plan.entrants}-{plan.sides}")
def test_the_matrices_are_what_counting_gives(plan: Schedule) -> None:
    seats = np.zeros((plan.entrants, plan.sides), dtype=np.int64)
    pairs = np.zeros((plan.entrants, plan.entrants), dtype=np.int64)
    of_block = np.zeros((plan.blocks, plan.entrants), dtype=np.int64)
    for slot in map(plan.slot, range(plan.matches)):
        for side, entrant in enumerate(slot.entrants):
            seats[entrant, side] += 1
            of_block[slot.block, entrant] += 1
            for other in slot.entrants:
                pairs[entrant, other] += entrant != other
    assert np.array_equal(seats, plan.seat_counts())
    assert np.array_equal(pairs, plan.pair_counts())
    assert all(np.array_equal(of_block[block], plan.entrant_matches(block)) for block in range(plan.blocks))


def test_teams_play_every_pair_on_both_sides_at_all_seats() -> None:
    game = next(game for game in all_games() if game.id == "hachinin_meri")
    seats, options = game.settle()
    sides = game.sides(seats, options)
    plan = schedule(4, len(set(sides)), 3, 2)
    at_seat = Counter(
        (plan.slot(number).entrants[side], seat)
        for number in range(plan.matches)
        for seat, side in enumerate(sides)
    )
    assert set(at_seat.values()) == {plan.matches // plan.entrants}
    met = Counter(plan.slot(number).entrants for number in range(plan.matches))
    assert sorted(met) == sorted(permutations(range(4), plan.sides))
    assert len(set(met.values())) == 1


def test_balanced_numbers_of_a_huge_event_cost_no_more() -> None:
    plan = Schedule(entrants=2000, sides=7, deals=12, block_deals=12, format=Format.BALANCED)
    assert plan.matches < 10**8
    last = plan.slot(plan.matches - 1)
    assert (last.deal, last.rotation, last.table) == (11, 6, plan.tables - 1)


def test_siblings_alone_cannot_fill_a_table() -> None:
    with pytest.raises(BadSchedule, match="two entrants of one owner"):
        Schedule(entrants=4, sides=3, deals=1, block_deals=1, apart=tuple("aabb"))


def test_every_owner_once_is_the_schedule_without_apart() -> None:
    plans = [
        Schedule(entrants=5, sides=3, deals=2, block_deals=1, apart=owners) for owners in ((), tuple("abcde"))
    ]
    lists = [[plan.slot(number) for number in range(plan.matches)] for plan in plans]
    assert lists[0] == lists[1]


def test_full_is_the_default_as_long_as_it_fits_the_budget() -> None:
    assert default_format(6, 3, 12, most_matches=20 * 3 * 12) is Format.FULL
    assert default_format(6, 3, 12, most_matches=20 * 3 * 12 - 1) is Format.BALANCED
