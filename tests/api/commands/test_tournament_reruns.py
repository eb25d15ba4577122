"""`fudaba tournament rerun`: a preview, the re-run, the list, and its end."""

from support import arena
from support.shell import Shell

from workers.services import Services


def test_matches_are_played_again_by_the_command(services: Services, shell: Shell) -> None:
    tournament = arena.finished(services)
    choice = ("--event", "0", "--number", "3")
    which = str(tournament.id)
    preview = shell.json("tournament", "rerun", "apply", which, *choice, "--dry-run")
    assert (preview["matches"], preview["results"]) == (2, 2)
    shown = shell.run("tournament", "rerun", "apply", which, *choice, "--dry-run").output
    assert "event 0: 2 matches, 2 results would go" in shown
    assert shell.run("tournament", "rerun", "apply", which, *choice).exit_code == 1  # without a reason
    told = shell.run("tournament", "rerun", "apply", which, *choice, "--reason", "a power cut").output
    assert "re-run 1: playing, 2 matches (a power cut)" in told
    assert "a power cut" in shell.run("tournament", "rerun", "list", which).output
    assert shell.json("tournament", "rerun", "undo", which, "1")["state"] == "undone"
    assert shell.json("tournament", "rerun", "list", which)["items"][0]["state"] == "undone"
