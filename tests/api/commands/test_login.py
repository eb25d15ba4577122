"""`fudaba login` and where every command takes the URL and the token from."""

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.callers import Caller
from support.shell import Shell

from api.commands import fudaba


def run(*arguments: str, stdin: str | None = None, **variables: str) -> Result:
    """Run `fudaba` with no more of an environment than these variables."""
    return CliRunner(env=variables).invoke(fudaba, list(arguments), input=stdin)


def test_a_login_is_kept_for_its_user_alone_and_used_from_then_on(
    url: str, participant: Caller, config_file: Path
) -> None:
    result = run("login", "--url", url, stdin=f"{participant.token}\n")
    assert result.exit_code == 0, result.output
    assert f"ann (participant) at {url}" in result.stdout
    assert participant.token is not None and participant.token not in result.output
    assert config_file.stat().st_mode & 0o777 == 0o600
    assert config_file.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in config_file.parent.iterdir()] == ["config.toml"]
    assert run("bot", "list").exit_code == 0


def test_a_login_tells_as_json_who_it_is(url: str, participant: Caller, config_file: Path) -> None:
    result = run("login", "--url", url, "--token", participant.token or "", "--json")
    found = json.loads(result.stdout)
    assert (found["url"], found["account"]["name"], found["file"]) == (url, "ann", str(config_file))


def test_a_token_that_is_not_valid_is_not_kept(url: str, config_file: Path) -> None:
    result = run("login", "--url", url, "--token", "wrong")
    assert result.exit_code == 1
    assert "token" in result.stderr
    assert not config_file.exists()


def test_an_option_goes_before_the_environment_and_that_before_the_file(
    url: str, participant: Caller, organiser: Caller
) -> None:
    assert run("login", "--url", url, "--token", participant.token or "").exit_code == 0
    create = ("tournament", "create", "cup", "--dry-run", "--entrant", "house/first")
    assert run(*create).exit_code == 1
    assert run(*create, FUDABA_TOKEN=organiser.token or "").exit_code == 0
    assert run(*create, "--token", participant.token or "", FUDABA_TOKEN=organiser.token or "").exit_code == 1
    assert run("bot", "list", FUDABA_URL="http://127.0.0.1:1").exit_code == 4


def test_the_token_in_the_file_goes_to_no_other_service(
    url: str, participant: Caller, config_file: Path
) -> None:
    config_file.parent.mkdir(parents=True)
    config_file.write_text(f'url = "http://127.0.0.1:1"\ntoken = "{participant.token}"\n')
    assert run("bot", "list", "--url", url).exit_code == 1
    config_file.write_text(f'url = "{url}/"\ntoken = "{participant.token}"\n')
    assert run("bot", "list", "--url", url).exit_code == 0


@pytest.mark.parametrize("text", ["url = ", 'url = 3\ntoken = "t"', 'password = "p"', "\xff"])
def test_a_file_that_cannot_be_used_is_named(config_file: Path, text: str) -> None:
    config_file.parent.mkdir(parents=True)
    config_file.write_bytes(text.encode("latin-1"))
    result = run("bot", "list")
    assert result.exit_code == 2
    assert str(config_file) in result.stderr.replace("\n", "")


def test_a_url_without_a_scheme_is_a_mistake_of_usage() -> None:
    result = run("tournament", "list", "--url", "localhost:8317")
    assert result.exit_code == 2
    assert "http://" in result.stderr


def test_a_service_that_is_not_there_is_told_apart() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    result = run("tournament", "list", "--url", url, "--json")
    assert result.exit_code == 4
    assert json.loads(result.stdout)["code"] == "unreachable"
    assert "cannot be reached" in result.stderr


def test_a_refusal_as_json_is_the_problem_with_its_field(shell: Shell) -> None:
    result = shell.run("tournament", "create", "cup", "--event", "go", "--json")
    assert result.exit_code == 1
    problem = json.loads(result.stdout)
    assert (problem["status"], problem["field"]) == (422, "events.0.game")
    assert "(field: events.0.game)" in result.stderr
    assert problem["detail"] in result.stderr


def test_without_a_token_the_remedy_is_named(url: str) -> None:
    result = run("bot", "list", "--url", url)
    assert result.exit_code == 1
    assert "fudaba login" in result.stderr


def test_the_shell_completes_commands_and_options() -> None:
    for words, expected in (
        ("fudaba bo", "bot"),
        ("fudaba bot sub", "submit"),
        ("fudaba bot test --ga", "--game"),
    ):
        variables = {
            "_FUDABA_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        result = CliRunner(env=variables).invoke(fudaba, prog_name="fudaba")
        assert f"plain,{expected}" in result.stdout
