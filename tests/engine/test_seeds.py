"""Seeds: known values, computed here step by step with the standard library alone."""

import hashlib
import hmac
import json

from engine import seeds
from engine.policies import house_stream
from engine.rng import Stream

SECRET = bytes(range(32))
ENTRANTS = [
    {"number": 0, "owner": "ann", "bot": "alpha", "version": 1, "sha256": "ab" * 32},
    {"number": 1, "owner": "bob", "bot": "beta", "version": 2, "sha256": "cd" * 32},
]


def test_the_commitment_is_the_sha256_of_the_secret() -> None:
    assert seeds.commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()


def test_a_deal_seed_can_be_computed_by_anyone() -> None:
    text = json.dumps(ENTRANTS, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    entrants = hashlib.sha256(text.encode()).hexdigest()
    assert seeds.entrants_hash(ENTRANTS) == entrants
    expected = hmac.new(SECRET, f"{entrants}/2/17".encode(), hashlib.sha256).digest()
    assert seeds.deal_seed(SECRET, entrants, 2, "17") == expected


def test_other_entrants_get_other_deals() -> None:
    changed = [ENTRANTS[0], {**ENTRANTS[1], "version": 3}]
    seen = {
        seeds.deal_seed(SECRET, seeds.entrants_hash(entrants), event, deal)
        for entrants in (ENTRANTS, changed, ENTRANTS[::-1])
        for event in range(3)
        for deal in ("0", "1", "0/0/0", "0/0/1")
    }
    assert len(seen) == 36


def test_chance_of_house_bots_has_nothing_to_do_with_the_deals() -> None:
    assert house_stream(2, 17, 1).seed() == Stream("house/2/17/1").seed()
    deals = {
        seeds.deal_seed(secret, seeds.entrants_hash(ENTRANTS), 2, "17") for secret in (SECRET, b"other" * 6)
    }
    assert len(deals | {house_stream(2, 17, seat).seed() for seat in range(4)}) == 6
