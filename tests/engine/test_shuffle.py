"""The shuffle of the rules, against its published check value and a spelled-out twin."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from engine.shuffle import deck

CODES = [f"B{n}".encode() for n in range(1, 9)]


def test_check_value_of_the_rules() -> None:
    order = [CODES[i].decode() for i in deck(b"\x00\x01", 0, 0, CODES)]
    assert order == ["B3", "B2", "B1", "B8", "B5", "B7", "B4", "B6"]


@given(seed=st.binary(max_size=40), round_number=st.integers(0, 999), attempt=st.integers(0, 99))
def test_order_is_by_digest(seed: bytes, round_number: int, attempt: int) -> None:
    def digest(code: bytes) -> bytes:
        return sha256(seed + f"/{round_number}/{attempt}/".encode() + code).digest()

    assert [CODES[i] for i in deck(seed, round_number, attempt, CODES)] == sorted(CODES, key=digest)
