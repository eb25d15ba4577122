"""What decisions took: kept to the tenth of a millisecond, and found again by step."""

from hypothesis import given
from hypothesis import strategies as st

from store import timings

STEPS = st.dictionaries(st.integers(0, 5_000), st.integers(0, 60_000_000), max_size=60)


@given(STEPS)
def test_times_are_found_again_by_step_to_the_tenth_of_a_millisecond(spent_us: dict[int, int]) -> None:
    found = timings.unpack(timings.pack(spent_us))
    assert found.keys() == spent_us.keys()
    assert all(abs(found[step] - spent_us[step]) <= 50 for step in spent_us)


def test_a_match_in_which_nobody_counted_keeps_nothing() -> None:
    assert timings.pack({}) is None
    assert timings.unpack(None) == {}


def test_a_decision_takes_about_a_byte() -> None:
    packed = timings.pack({3 * step: 100 * (step % 7) for step in range(400)})
    assert packed is not None
    assert len(packed) < 400
