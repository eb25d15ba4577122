"""`fudaba ladder`: from the making of a ladder to its last season."""

from pathlib import Path
from uuid import UUID

from support import ladders as build
from support.shell import Shell

from workers.services import Services

SETTING = ("--setting", "sakura,seats=2,rounds=1")
SHORT = (*SETTING, "--deals", "1", "--round-seconds", "0", "--closing-deals", "1")


def made(services: Services, shell: Shell, rounds: int = 3) -> str:
    """Make a ladder of three bots with some rounds played and return its id."""
    ladder_id = str(shell.json("ladder", "create", "up", *SHORT)["id"])
    shell.json("ladder", "join", "up", "house/greedy", "house/first", "house/random")
    build.play_rounds(services, UUID(ladder_id), rounds)
    return ladder_id


def test_a_ladder_is_made_entered_and_read(services: Services, shell: Shell) -> None:
    ladder_id = made(services, shell)
    assert [row["id"] for row in shell.json("ladder", "list")["items"]] == [ladder_id]
    assert shell.json("ladder", "show", "up")["season"]["applied"] == 3
    assert len(shell.json("ladder", "standings", "up")["rows"]) == 3
    assert len(shell.json("ladder", "matches", "up", "--limit", "4")["items"]) == 4
    steps = shell.json("ladder", "history", "up", "house/greedy")["items"]
    assert steps == sorted(steps, key=lambda step: step["round"])
    bot_id = shell.json("ladder", "members", "up")["items"][0]["bot_id"]
    left = shell.json("ladder", "leave", "up", bot_id)["items"]
    assert bot_id not in {row["bot_id"] for row in left}


def test_tables_show_the_same(services: Services, shell: Shell) -> None:
    made(services, shell)
    for command, shown in {
        ("list",): "sakura",
        ("show", "up"): "3 active, 0 benched, 0 off",
        ("standings", "up"): "house/greedy",
        ("matches", "up"): "house/first",
        ("members", "up"): "active",
        ("history", "up", "house/greedy"): "sakura",
    }.items():
        result = shell.run("ladder", *command)
        assert result.exit_code == 0, result.output
        assert shown in result.output


def test_a_season_is_ended_and_a_ladder_closed(services: Services, shell: Shell, tmp_path: Path) -> None:
    ladder_id = made(services, shell)
    assert shell.json("ladder", "end-season", "up")["items"][0]["is_ending"]
    build.play_season(services, UUID(ladder_id), 1)
    frozen = shell.run("ladder", "standings", "up", "--season", "1")
    assert "over" in frozen.output
    assert "SHA-256" in frozen.output
    file = tmp_path / "season.ndjson"
    assert shell.json("ladder", "record", "up", str(file), "--season", "1")["bytes"] == file.stat().st_size
    assert "right" in shell.run("verify", str(file)).output
    assert "no season 9" in shell.run("ladder", "record", "up", str(file), "--season", "9").output
    assert shell.json("ladder", "close", "up", "--yes")["state"] == "closed"


def test_a_name_that_nobody_or_more_than_one_has_is_refused(services: Services, shell: Shell) -> None:
    assert "there is no ladder called 'up'" in shell.run("ladder", "show", "up").output
    for _ in range(2):
        shell.json("ladder", "create", "up", *SHORT)
    assert "there are 2 ladders" in shell.run("ladder", "show", "up").output
