"""A whole competition by the API alone: twelve authors, modules and endpoints, and what goes wrong."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import endpoints, installation
from support.installation import TOKEN, Installation, wait_finished

from api.client import ApiError, Client

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(600)]

MODULES = [f"author{number:02}" for number in range(8)]
REMOTE = [f"author{number:02}" for number in range(8, 11)]
LATE = "author11"
CODE = "def act(observation):\n    legal = observation['legal']\n    return legal[{0} % len(legal)]\n"
BROKEN = b"def act(observation):\n    return observation['leagl'][0]\n"
GAMES = ["sakura", "sutda"]
EVENTS = [
    {"game": "sakura", "seats": 2, "options": {"rounds": 1}, "deals": 4},
    {"game": "sutda", "seats": 4, "options": {"rounds": 1}, "deals": 1},
]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation that lets endpoints live on this machine."""
    home = tmp_path_factory.mktemp("home")
    with installation.running(home, FUDABA_ALLOW_PRIVATE_ENDPOINTS="true") as running:
        yield running


@contextmanager
def authors(url: str, organiser: Client) -> Iterator[dict[str, Client]]:
    """Invite twelve people, who make their own accounts; yields a client for each."""
    invitation = organiser.invite(uses=12, days=1)["invitation"]
    with ExitStack() as stack:
        found = {}
        for name in (*MODULES, *REMOTE, LATE):
            with Client(url) as nobody:
                account = nobody.create_account(name, invitation=invitation)
            found[name] = stack.enter_context(Client(url, account["token"]))
        with pytest.raises(ApiError, match="invitation"), Client(url) as nobody:
            nobody.create_account("thirteenth", invitation=invitation)
        yield found


def test_a_whole_competition(up: Installation, tmp_path: Path) -> None:
    with (
        Client(up.url, TOKEN) as organiser,
        authors(up.url, organiser) as people,
        endpoints.first_legal() as remote,
    ):
        submit_all(people, remote)
        cup = announce(organiser)
        enter_all(organiser, people, cup)
        organiser.start(cup)
        with pytest.raises(ApiError) as late:
            people[LATE].enter(cup, [f"{LATE}/bot"])
        assert late.value.status == 409
        gone = organiser.entrants(cup)[3]
        organiser.withdraw(cup, gone["number"])
        wait_finished(organiser, cup, 300)
        tables = read_tables(organiser, cup)
        play_some_again(organiser, cup, tables)
        prove(organiser, cup, tmp_path)
        keep_secrets(people, organiser)


def submit_all(people: dict[str, Client], remote: str) -> None:
    """Let everybody submit a bot; the first author's is broken at first, and the refusal says where."""
    refused = people[MODULES[0]].submit_module("bot", "bot.py", BROKEN, GAMES)
    report = people[MODULES[0]].wait_qualified(refused["id"], refused["version"])
    assert report["state"] == "refused"
    assert "leagl" in str(report["report"])
    sent = {
        name: people[name].submit_module("bot", "bot.py", CODE.format(number).encode(), GAMES)
        for number, name in enumerate((*MODULES, LATE))
    }
    for name in REMOTE:
        sent[name] = people[name].submit_endpoint("bot", remote, max_batch=16, games=GAMES)
        assert len(sent[name]["secret"]) == 64
    for name, answer in sent.items():
        assert people[name].wait_qualified(answer["id"], answer["version"])["state"] == "qualified", name


def announce(organiser: Client) -> str:
    """Plan the cup, without and then with storing it."""
    closing = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    plan = {"name": "Cup", "events": EVENTS, "entrants": ["house/greedy"], "entries_close_at": closing}
    assert [event["game"] for event in organiser.plan_tournament(plan)["events"]] == GAMES
    assert list(organiser.tournaments()) == []
    return str(organiser.create_tournament(plan)["id"])


def enter_all(organiser: Client, people: dict[str, Client], cup: str) -> None:
    """Let eleven authors enter their own bots, and nobody another one's, twice, or too late."""
    with pytest.raises(ApiError) as others:
        people[MODULES[0]].enter(cup, [f"{MODULES[1]}/bot"])
    assert others.value.status == 403
    for name in (*MODULES, *REMOTE):
        people[name].enter(cup, [f"{name}/bot"])
    with pytest.raises(ApiError):
        people[MODULES[0]].enter(cup, [f"{MODULES[0]}/bot"])
    organiser.change_tournament(cup, entries_close_at=(datetime.now(UTC) - timedelta(seconds=1)).isoformat())
    with pytest.raises(ApiError):
        people[LATE].enter(cup, [f"{LATE}/bot"])
    assert len(organiser.entrants(cup)) == 12


def read_tables(organiser: Client, cup: str) -> dict[str, Any]:
    """Return the frozen standings, in which everybody has played as often as everybody else."""
    standings = organiser.standings(cup)
    for event in standings["events"]:
        played = {row["matches"] for row in event["rows"]}
        assert len(played) == 1, event["game"]
        assert event["played"] == event["matches"]
    assert [row["rule"] for row in organiser.withdrawals(cup)] == ["forfeit"]
    assert {entry["action"] for entry in organiser.audit(cup)} >= {"tournament.start", "entrants.withdraw"}
    match = next(organiser.matches(cup, event=0))
    assert organiser.replay(match["id"])["match"] == match
    return standings


def play_some_again(organiser: Client, cup: str, before: dict[str, Any]) -> None:
    """Have the matches of one entrant in one event played again: nothing moves, by their deals."""
    choice = {"event": 0, "entrant": 1}
    assert organiser.preview_rerun(cup, choice)["matches"] > 0
    organiser.rerun(cup, {**choice, "reason": "a look at whether it all follows from the deals"})
    wait_finished(organiser, cup, 300)
    after = organiser.standings(cup)
    assert after["edition"]["number"] == before["edition"]["number"] + 1
    for old, new in zip(before["events"], after["events"], strict=True):
        assert [(row["entrant"], row["points_exact"]) for row in old["rows"]] == [
            (row["entrant"], row["points_exact"]) for row in new["rows"]
        ]


def prove(organiser: Client, cup: str, folder: Path) -> None:
    """Fetch the record and play all of it again."""
    file = folder / "cup.ndjson"
    with file.open("wb") as written:
        organiser.record(cup, written)
    command = [installation.FUDABA, "verify", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def keep_secrets(people: dict[str, Client], organiser: Client) -> None:
    """See that an author gets at nothing of another one's, and the organiser at what is needed to help."""
    bot = next(bot for bot in organiser.bots(owner=MODULES[1]))
    for read in (people[MODULES[0]].versions, people[MODULES[0]].faults, people[MODULES[0]].logs):
        with pytest.raises(ApiError) as refused:
            list(read(bot["id"]))
        assert refused.value.status == 403
    assert list(organiser.faults(bot["id"])) == []
