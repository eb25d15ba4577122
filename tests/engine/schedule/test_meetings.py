"""Meetings of a ladder: numbers, deals of their own, and every seating equally often."""

from collections import Counter

from engine.schedule import Meeting, meeting_matches


def test_the_numbers_of_meetings_follow_one_another() -> None:
    meetings = [Meeting(number=number, block=0, table=(4, 7, 2), deals=2) for number in range(3)]
    assert [number for meeting in meetings for number in meeting.numbers] == list(range(18))
    assert meeting_matches(3, 2) == 6


def test_every_deal_is_played_in_every_rotation_and_belongs_to_one_meeting() -> None:
    slots = [
        Meeting(number=number, block=5, table=(4, 7, 2), deals=2).slot(match)
        for number in range(2)
        for match in Meeting(number=number, block=5, table=(4, 7, 2), deals=2).numbers
    ]
    assert Counter((slot.table, slot.deal) for slot in slots) == {(0, 0): 3, (0, 1): 3, (1, 2): 3, (1, 3): 3}
    for deal in range(4):
        on_first_side = {slot.entrants[0] for slot in slots if slot.deal == deal}
        assert on_first_side == {4, 7, 2}
    assert {slot.block for slot in slots} == {5}


def test_all_relative_seatings_occur_equally_often() -> None:
    rings: Counter[tuple[int, ...]] = Counter()
    for number in range(6):
        meeting = Meeting(number=number, block=0, table=(0, 1, 2, 3), deals=1)
        for match in meeting.numbers:
            seated = meeting.slot(match).entrants
            start = seated.index(0)
            rings[seated[start:] + seated[:start]] += 1
    assert len(rings) == 6
    assert set(rings.values()) == {4}
