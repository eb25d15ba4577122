"""The shuffle of the rules, against its published check value and a spelled-out twin."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from engine.shuffle import deck, decks_of

CODES = [f"B{n}".encode() for n in range(1, 9)]


def test_check_value_of_the_rules() -> None:
    order = [CODES[i].decode() for i in deck(b"\x00\x01", 0, 0, CODES)]
    assert order == ["B3", "B2", "B1", "B8", "B5", "B7", "B4", "B6"]


@given(seed=st.binary(max_size=40), round_number=st.integers(0, 999), attempt=st.integers(0, 99))
def test_order_is_by_digest(seed: bytes, round_number: int, attempt: int) -> None:
    def digest(code: bytes) -> bytes:
        return sha256(seed + f"/{round_number}/{attempt}/".encode() + code).digest()

    assert [CODES[i] for i in deck(seed, round_number, attempt, CODES)] == sorted(CODES, key=digest)


def test_remembered_decks_are_the_same_also_after_they_were_forgotten() -> None:
    remembered = decks_of(CODES)
    rounds = [(seed.to_bytes(2, "big"), seed % 7, seed % 3) for seed in range(400)]
    for _ in range(2):
        assert all(remembered(*each) == deck(*each, CODES) for each in rounds)


def test_packs_do_not_share_their_decks() -> None:
    assert sorted(decks_of(CODES[:3])(b"seed", 0, 0)) == [0, 1, 2]
    assert sorted(decks_of(CODES)(b"seed", 0, 0)) == list(range(8))
