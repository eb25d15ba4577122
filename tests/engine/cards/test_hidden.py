"""Hidden cards dealt anew: every place gets as many as it had, and none that it does not admit."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.cards.hidden import deal_anew
from engine.rng import Stream


@given(st.lists(st.integers(0, 5), min_size=1, max_size=24), st.integers(0, 2**32), st.data())
def test_cards_go_only_where_they_are_admitted(owners: list[int], seed: int, data: st.DataObject) -> None:
    pack = frozenset(range(len(owners)))
    held = {place: [card for card in pack if owners[card] == place] for place in range(6)}
    barred = st.frozensets(st.sampled_from(sorted(pack)))
    admits = {place: frozenset(cards) | (pack - data.draw(barred)) for place, cards in held.items()}
    dealt = deal_anew(held, admits, Stream(str(seed)))
    assert {place: len(cards) for place, cards in dealt.items()} == {p: len(c) for p, c in held.items()}
    assert Counter(card for cards in dealt.values() for card in cards) == Counter(pack)
    assert all(admits[place].issuperset(cards) for place, cards in dealt.items())


def test_a_chain_of_moves_finds_the_only_deal() -> None:
    held = {place: [place] for place in range(8)}
    admits = {place: frozenset({place, place + 1}) for place in range(8)}
    assert deal_anew(held, admits, Stream("chain")) == held


def test_without_limits_all_deals_are_equally_likely() -> None:
    everything = {place: frozenset(range(3)) for place in range(2)}
    rng = Stream("fair")
    first = Counter(tuple(sorted(deal_anew({0: [0, 1], 1: [2]}, everything, rng)[0])) for _ in range(3000))
    assert len(first) == 3
    assert all(900 < count < 1100 for count in first.values())
