"""`fudaba admin secrets`: files for a deployment that belong together and are never made anew."""

from pathlib import Path

from click.testing import CliRunner, Result

from api.commands import fudaba


def make(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(fudaba, ["admin", "secrets", str(folder), *arguments])


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.glob("*/*")}


def test_the_urls_hold_the_passwords_of_their_servers(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert make(folder, "--redis-host", "cache").exit_code == 0
    found = {name: text.strip() for name, text in read(folder).items()}
    assert (
        found["service/database_url"] == f"postgresql://fudaba:{found['postgres/password']}@postgres/fudaba"
    )
    assert found["service/redis_url"] == f"redis://:{found['redis/password']}@cache:6379/0"
    assert found["redis/redis.conf"] == f"requirepass {found['redis/password']}"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_is_there_is_kept_and_what_is_missing_fits_it(tmp_path: Path) -> None:
    make(tmp_path)
    before = read(tmp_path)
    (tmp_path / "service" / "redis_url").unlink()
    assert make(tmp_path).exit_code == 0
    assert read(tmp_path) == before


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("a file")
    made = make(tmp_path)
    assert made.exit_code == 1
    assert made.output.startswith(f"Error: cannot write {tmp_path / 'postgres'}")
