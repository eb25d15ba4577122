"""Local round robins: who sits where, what the matches add up to, and what is left when one fails."""

from collections import Counter
from typing import Any

import pytest

from engine import games
from engine.contract import Seat
from engine.limits import Limits
from engine.policies import Answer, Ask, Fault, FaultCode
from workers import local
from workers.local import CannotPlay, Entrant, PlayedMatch, RoundRobin, open_house
from workers.local_bots import NoSandbox, Workshop
from workers.local_tally import LocalTally
from workers.runtimes.base import Bot, Latencies, Setting


class Watcher:
    """A bot that plays the first legal action, or a fault, and notes which matches its seats play."""

    log = b""

    def __init__(self, fault: Fault | None = None) -> None:
        self.latencies = Latencies()
        self.seats: list[Seat] = []
        self.closed = 0
        self._fault = fault

    def player(self, match_id: str, seat: Seat) -> "Watcher":
        self.seats.append(seat)
        return self

    async def act(self, ask: Ask) -> Answer:
        return self._fault or 0

    async def start(self) -> Fault | None:
        return None

    async def close(self) -> None:
        self.closed += 1


def event(*entrants: Entrant, game: str = "hana_awase", deals: int = 4, **changes: Any) -> RoundRobin:
    seats, options = games.get(game).settle(None, {"rounds": 1})
    settled = {"seats": seats, "options": options, "seed": "s", "limits": Limits(), **changes}
    return RoundRobin(game=games.get(game), deals=deals, entrants=entrants, **settled)


def house(*names: str) -> tuple[Entrant, ...]:
    return tuple(Entrant(name=name, open=open_house(name)) for name in names)


def played(of: RoundRobin) -> list[PlayedMatch]:
    matches: list[PlayedMatch] = []
    local.play(of, matches.append)
    return matches


def test_matches_come_in_order_of_number_and_as_the_schedule_says() -> None:
    of = event(*house("random", "first", "greedy", "random"), deals=14)
    matches = played(of)
    assert [match.slot for match in matches] == [of.schedule.slot(n) for n in range(of.schedule.matches)]
    assert all(match.entrants == of.seats_of(match.slot) for match in matches)


def test_every_rotation_of_a_deal_has_the_same_cards_and_no_other_deal_has() -> None:
    seeds: dict[int, set[bytes]] = {}
    for match in played(event(*house("random", "first", "greedy", "random"))):
        seeds.setdefault(match.slot.deal, set()).add(match.result.record.seed)
    assert [len(found) for found in seeds.values()] == [1, 1, 1, 1]
    assert len(set.union(*seeds.values())) == 4


def test_the_deals_follow_from_the_seed_whoever_plays() -> None:
    one = [match.result.record.seed for match in played(event(*house("random", "first", "greedy")))]
    two = [match.result.record.seed for match in played(event(*house("greedy", "greedy", "first")))]
    assert one == two


@pytest.mark.parametrize("game", ["hana_awase", "hachinin_meri"])
def test_a_bot_plays_the_seats_of_its_entrant_in_every_match(game: str) -> None:
    """The order at the table changes from deal to deal within a group, so that a seat is not a bot."""
    opened: list[Watcher] = []

    def watched(setting: Setting) -> Bot:
        opened.append(Watcher())
        return opened[-1]

    others = house("random", "first") if game == "hana_awase" else house("random")
    of = event(Entrant(name="watched", open=watched), *others, game=game)
    matches = played(of)
    sat = Counter(seat for match in matches for seat, who in enumerate(match.entrants) if who == 0)
    assert Counter(seat for bot in opened for seat in bot.seats) == sat
    assert all(bot.closed == 1 + len(bot.seats) for bot in opened)


def test_a_fault_of_the_machine_is_tried_again_and_then_ends_the_run() -> None:
    opened: list[Watcher] = []

    def broken(setting: Setting) -> Bot:
        opened.append(Watcher(Fault(code=FaultCode.PLATFORM, detail="no more processes")))
        return opened[-1]

    of = event(Entrant(name="broken", open=broken), *house("random", "first"), deals=1)
    with pytest.raises(CannotPlay, match="no more processes"):
        played(of)
    assert len(opened) >= local.GROUP_TRIES
    assert all(bot.closed for bot in opened)


def test_points_of_a_match_are_shared_out_and_faults_belong_to_their_bot() -> None:
    fault = Fault(code=FaultCode.EXCEPTION, detail="it raised")
    of = event(Entrant(name="bad", open=lambda setting: Watcher(fault)), *house("random", "greedy"))
    tally = LocalTally(of.entrants, of.sides)
    local.play(of, tally.add)
    lines = {line.name: line.row for line in tally.lines()}
    assert sum(row.points for row in lines.values()) == pytest.approx(1.5)
    assert lines["bad"].place == 3
    assert (lines["bad"].faults, lines["bad"].forfeits) == (36, 12)
    assert tally.faults[0].codes == {"exception": 36}
    assert [faults.first for faults in tally.faults[1:]] == [None, None]


def test_intervals_hold_the_mean_and_one_deal_has_none() -> None:
    of = event(*house("random", "first", "greedy"), deals=8)
    tally = LocalTally(of.entrants, of.sides)
    for match in played(of):
        tally.add(match)
    for line in tally.lines():
        assert line.interval is not None
        assert line.interval[0] < float(line.row.points) < line.interval[1]
    single = event(*house("random", "first", "greedy"), deals=1)
    alone = LocalTally(single.entrants, single.sides)
    local.play(single, alone.add)
    assert [line.interval for line in alone.lines()] == [None] * 3


def test_without_a_sandbox_that_holds_a_module_is_not_run(tmp_path: Any) -> None:
    (tmp_path / "bot.py").write_text("def act(observation):\n    return 0\n")
    with (
        Workshop(secret="", sandboxes=()) as workshop,
        pytest.raises(NoSandbox, match=r"install bubblewrap.*--unsafe"),
    ):
        workshop.entrants([str(tmp_path / "bot.py")], 1)
