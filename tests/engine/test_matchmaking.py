"""Matchmaking: nobody twice, nobody waits long, everybody meets everybody, siblings stay apart."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.matchmaking import MOST_TABLES, Candidate, Table, is_rated, pair, table_count, turns
from engine.online import SIGMA, Skill
from engine.rng import Stream

Party = Callable[[int], str]
ROUNDS = 150


def field(count: int, party: Party = str, last: Sequence[int] | None = None, now: int = 0) -> list[Candidate]:
    return [
        Candidate(
            entrant=number,
            party=party(number),
            skill=Skill(mu=15 + 20 * number / count, sigma=3),
            waiting=now - (last[number] if last else -1),
        )
        for number in range(count)
    ]


def play(count: int, sides: int, rounds: int, party: Party = str) -> tuple[list[list[Table]], list[int]]:
    """Pair so many rounds; return the tables of each and the longest wait of everybody."""
    last, longest = [-1] * count, [0] * count
    met: dict[int, Counter[int]] = {number: Counter() for number in range(count)}
    played = []
    for now in range(rounds):
        candidates = field(count, party, last, now)
        longest = [max(most, one.waiting) for most, one in zip(longest, candidates, strict=True)]
        played.append(pair(candidates, sides, now, met, Stream(f"round {now}")))
        for table in played[-1]:
            for entrant in table:
                last[entrant] = now
                met[entrant].update(other for other in table if other != entrant)
    return played, longest


def meetings(played: list[list[Table]]) -> Counter[tuple[int, int]]:
    return Counter(pair_ for tables in played for table in tables for pair_ in combinations(sorted(table), 2))


@settings(max_examples=60)
@given(st.integers(0, 40), st.integers(2, 8), st.integers(1, 12), st.integers(0, 50))
def test_a_round_seats_nobody_twice_and_siblings_apart(
    count: int, sides: int, owners: int, number: int
) -> None:
    candidates = field(count, lambda entrant: str(entrant % owners))
    tables = pair(candidates, sides, number, {}, Stream("x"))
    seated = [entrant for table in tables for entrant in table]
    assert len(seated) == len(set(seated))
    assert len(tables) <= table_count(count, sides)
    if count >= 2:
        assert tables
    parties = min(owners, count)
    for table in tables:
        if parties > 1:
            assert len(table) == min(sides, parties)
            assert is_rated([str(entrant % owners) for entrant in table])
        else:
            assert len(table) == min(sides, count)
            assert not is_rated(["0"] * len(table))


@pytest.mark.parametrize(("count", "sides"), [(2, 2), (2, 4), (3, 2), (7, 2), (12, 3), (13, 4), (9, 7)])
def test_everybody_meets_everybody(count: int, sides: int) -> None:
    played, _ = play(count, sides, count * (count - 1) + 1)
    assert set(meetings(played)) == set(combinations(range(count), 2))


def test_those_far_apart_meet_less_often_but_meet() -> None:
    met = meetings(play(12, 2, 300)[0])
    near = [met[pair_] for pair_ in combinations(range(12), 2) if pair_[1] - pair_[0] <= 3]
    far = [met[pair_] for pair_ in combinations(range(12), 2) if pair_[1] - pair_[0] >= 8]
    assert min(far) > 5
    assert sum(far) / len(far) < 0.7 * sum(near) / len(near)


@pytest.mark.parametrize(("count", "sides"), [(3, 2), (12, 2), (13, 4), (50, 2), (200, 2), (30, 7)])
def test_nobody_waits_for_more_rounds_than_there_are_bots(count: int, sides: int) -> None:
    _, longest = play(count, sides, 60)
    seats = sides * table_count(count, sides)
    assert max(longest) <= count
    assert max(longest) <= 3 * -(-count // seats)


def test_one_of_few_owners_does_not_hold_the_others_up() -> None:
    """One bot of one owner and five of another: only one match in a round can count, and all get theirs."""
    played, longest = play(6, 2, ROUNDS, lambda number: str(number > 0))
    assert all(len(tables) == 1 and 0 in tables[0] for tables in played)
    assert max(longest) <= 6
    assert len(meetings(played)) == 5


def test_a_newcomer_plays_at_once_and_not_only_against_the_weakest() -> None:
    opponents: set[int] = set()
    for number in range(30):
        candidates = field(120, last=[number - 1] * 120, now=number)
        newcomer = Candidate(entrant=120, party="new", skill=Skill(), waiting=number + 1)
        tables = pair([*candidates, newcomer], 2, number, {}, Stream(str(number)))
        (table,) = (table for table in tables if 120 in table)
        opponents.update(table)
    strengths = [15 + 20 * number / 120 for number in opponents - {120}]
    assert min(strengths) < 25 < max(strengths)
    assert sum(strength > 20 for strength in strengths) > len(strengths) / 2


def test_the_uncertain_play_more_often() -> None:
    games: Counter[int] = Counter()
    last = [-1] * 200
    for number in range(100):
        candidates = [
            Candidate(
                entrant=one.entrant,
                party=one.party,
                skill=Skill(mu=25, sigma=SIGMA if one.entrant < 20 else 1),
                waiting=one.waiting,
            )
            for one in field(200, last=last, now=number)
        ]
        for table in pair(candidates, 2, number, {}, Stream(str(number))):
            for entrant in table:
                games[entrant] += 1
                last[entrant] = number
    uncertain = sum(games[entrant] for entrant in range(20)) / 20
    certain = sum(games[entrant] for entrant in range(20, 200)) / 180
    assert uncertain > 1.5 * certain


def test_the_same_stream_gives_the_same_tables_in_any_order_of_the_field() -> None:
    candidates = field(40)
    one = pair(candidates, 4, 3, {0: {1: 5}}, Stream("same"))
    assert one == pair(candidates, 4, 3, {0: {1: 5}}, Stream("same"))
    assert one != pair(candidates, 4, 3, {0: {1: 5}}, Stream("other"))


def test_a_round_is_bounded() -> None:
    assert table_count(2_000, 2) == MOST_TABLES
    assert len(pair(field(500), 2, 0, {}, Stream("x"))) == MOST_TABLES
    assert len(turns(field(500), 2, 0)) == MOST_TABLES // 4
