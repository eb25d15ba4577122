"""The random streams: the same on every Python, and even."""

from collections import Counter

import pytest

from engine.rng import Stream


def test_a_stream_follows_from_its_seed() -> None:
    assert [Stream("a").below(1000) for _ in range(3)] == [Stream(b"a").below(1000)] * 3
    assert Stream("a").below(2**32) != Stream("b").below(2**32)


def test_numbers_are_those_of_the_published_generator() -> None:
    """SplitMix64 from 1234567, as in Rosetta Code's check values; `below` takes the high bits."""
    stream = Stream("")
    stream._state = 1234567
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [stream.below(2**32) for _ in range(4)] == [number >> 32 for number in published]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 48])
def test_every_number_is_equally_likely(n: int) -> None:
    stream = Stream(f"even/{n}")
    draws = 2000 * n
    counts = Counter(stream.below(n) for _ in range(draws))
    assert set(counts) == set(range(n))
    chi_square = sum((count - 2000) ** 2 / 2000 for count in counts.values())
    assert chi_square < 2.5 * n + 20


def test_shuffle_reaches_every_order() -> None:
    stream = Stream("orders")
    seen = set()
    for _ in range(500):
        items = [0, 1, 2, 3]
        stream.shuffle(items)
        assert sorted(items) == [0, 1, 2, 3]
        seen.add(tuple(items))
    assert len(seen) == 24
