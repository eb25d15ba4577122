"""The `fudaba` command as somebody runs it whose environment names a service and a token."""

import json
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner, Result

from api.commands import fudaba


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Somebody's command line; the URL and the token are in its environment."""

    url: str
    token: str | None = None

    def run(self, *arguments: object, stdin: str | None = None) -> Result:
        """Run `fudaba` and return how it ended."""
        env = {"FUDABA_URL": self.url, "FUDABA_TOKEN": self.token}
        return CliRunner(env=env).invoke(fudaba, [str(argument) for argument in arguments], input=stdin)

    def json(self, *arguments: object) -> Any:
        """Run `fudaba ... --json`, which must end with 0, and return what it prints."""
        result = self.run(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)
