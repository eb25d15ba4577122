"""The commands for accounts, tokens, games, webhooks, the audit log, and for changes to what there is."""

from pathlib import Path
from uuid import UUID

import pytest
from support import arena, owners
from support.callers import MODULE
from support.shell import Shell

from store import bots
from workers.services import Services

HOOK = "https://93.184.215.14/hook"


def test_an_account_is_made_by_invitation(shell: Shell, url: str) -> None:
    invitation = shell.json("account", "invite", "--uses", "1", "--days", "2")
    made = Shell(url=url).json("account", "create", "ben", "--invitation", invitation["invitation"])
    ben = Shell(url=url, token=made["token"])
    assert ben.json("account", "show")["name"] == "ben"
    assert "ben (participant)" in ben.run("account", "show").output
    rows = shell.json("account", "invitations")["items"]
    assert [(row["id"], row["uses_left"]) for row in rows] == [(invitation["id"], 0)]
    assert shell.run("account", "end-invitation", invitation["id"]).exit_code == 0
    shown = shell.run("account", "invitations").output
    assert invitation["id"] in shown
    assert "token, shown this once: " in shell.run("account", "create", "cho").output


def test_tokens_are_made_replaced_and_revoked(ann: Shell, url: str) -> None:
    first = ann.json("token", "create")
    second = ann.json("token", "rotate", first["id"])
    assert Shell(url=url, token=first["token"]).run("account", "show").exit_code == 1
    assert ann.run("token", "revoke", second["id"]).output == "revoked\n"
    revoked = {row["id"] for row in ann.json("token", "list")["items"] if row["revoked_at"]}
    assert revoked == {first["id"], second["id"]}
    assert first["id"] in ann.run("token", "list").output
    me = ann.json("account", "show")["id"]
    assert ann.json("token", "create", "--account", me)["account_id"] == me


def test_games_are_listed_and_explained(shell: Shell) -> None:
    assert "sutda" in {row["id"] for row in shell.json("game", "list")["items"]}
    assert "Hachinin Meri" in shell.run("game", "list").output
    assert shell.json("game", "show", "sutda")["default_seats"]
    assert "rounds" in shell.run("game", "show", "sutda").output
    assert shell.run("game", "show", "go").exit_code == 1


def test_a_webhook_is_made_changed_tried_and_deleted(ann: Shell) -> None:
    made = ann.json("webhook", "create", HOOK, "--event", "tournament.finished")
    hook = made["id"]
    assert ann.json("webhook", "show", hook)["events"] == ["tournament.finished"]
    changed = ann.json("webhook", "change", hook, "--event", "bot.benched", "--off", "--to", f"{HOOK}2")
    assert (changed["events"], changed["is_off"], changed["url"]) == (["bot.benched"], True, f"{HOOK}2")
    assert f"{HOOK}2 (off): bot.benched" in ann.run("webhook", "show", hook).output
    assert ann.json("webhook", "secret", hook)["secret"] != made["secret"]
    assert ann.json("webhook", "test", hook)["event"] == "ping"
    assert [row["event"] for row in ann.json("webhook", "deliveries", hook)["items"]] == ["ping"]
    assert "ping" in ann.run("webhook", "deliveries", hook).output
    assert hook in ann.run("webhook", "list").output
    assert ann.run("webhook", "delete", hook).output == "deleted\n"
    assert ann.json("webhook", "list")["items"] == []


def test_a_bot_is_changed_fetched_and_deleted(services: Services, ann: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_bytes(MODULE)
    bot_id = ann.json("bot", "submit", file)["id"]
    with services.database.transaction() as tx:
        owners.qualify(tx, bots.version(tx, UUID(bot_id), 1).id)
    changed = ann.json("bot", "change", "mine", "--off", "--visibility", "private", "--game", "sutda")
    assert (changed["is_off"], changed["visibility"], changed["active_version"]) == (True, "private", 1)
    versions = ann.json("bot", "show", "mine")["versions"]
    assert [(row["number"], row["games"], row["state"]) for row in versions] == [
        (2, ["sutda"], "qualifying"),
        (1, [], "qualified"),
    ]
    assert ann.json("bot", "source", "mine", "2", tmp_path / "again.py")["bytes"] == len(MODULE)
    assert (tmp_path / "again.py").read_bytes() == MODULE
    assert ann.run("bot", "source", "mine", "2", "-").stdout_bytes == MODULE
    assert "private, off, version 1 plays" in ann.run("bot", "change", "mine", "--all-games").output
    assert ann.run("bot", "change", "mine", "--all-games", "--game", "sutda").exit_code == 2
    assert ann.run("bot", "delete", "mine").output == "deleted\n"
    assert ann.run("bot", "show", "mine").exit_code == 1


@pytest.fixture
def finished(services: Services) -> None:
    """A tournament called cup that is finished."""
    arena.started(services.database)
    arena.play_all(services)


def test_a_draft_is_changed_and_left(services: Services, shell: Shell) -> None:
    arena.draft(services.database)
    time = "2030-12-24T18:00:00Z"
    changed = shell.json("tournament", "change", "cup", "--name", "two", "--entries-close-at", time)
    assert (changed["name"], changed["entries_close_at"]) == ("two", "2030-12-24T18:00:00.000000Z")
    shown = shell.run(
        "tournament",
        "change",
        "two",
        "--entries-close-at",
        "none",
        "--entries-per-owner",
        "3",
        "--weight",
        "2",
    )
    assert "entries until the start, 3 of each participant, weight 2" in shown.output
    assert "house/greedy leaves" in shell.run("tournament", "withdraw", "two", "1").output
    assert shell.json("tournament", "withdrawals", "two")["items"] == []
    actions = [row["action"] for row in shell.json("audit", "--tournament", "two")["items"]]
    assert actions == ["entrants.withdraw", "tournament.change", "tournament.change"]
    assert "entrants.withdraw" in shell.run("audit", "--limit", "2").output


def test_what_came_of_a_tournament_is_read_in_full(finished: None, shell: Shell) -> None:
    table = shell.json("tournament", "crosstable", "cup")
    assert len(table["meetings"]) == 6
    assert "house/greedy" in shell.run("tournament", "crosstable", "cup").output
    (edition,) = shell.json("tournament", "editions", "cup")["items"]
    assert edition["sha256"] in shell.run("tournament", "editions", "cup").output
    assert shell.json("tournament", "editions", "cup", "--number", "1")["id"] == edition["id"]
    assert "event overall" in shell.run("tournament", "editions", "cup", "--number", "1").output


def test_a_match_is_shown_and_replayed(finished: None, shell: Shell) -> None:
    match = shell.json("tournament", "matches", "cup")["items"][0]
    assert shell.json("match", "show", match["id"]) == match
    assert "hana_awase, deal 0" in shell.run("match", "show", match["id"]).output
    replayed = shell.json("match", "replay", match["id"], "--seat", "0")
    assert replayed["places"] == match["places"]
    assert "Hana-awase" in shell.run("match", "replay", match["id"]).output
