"""A qualification on this machine, without the service: the same matches, runtimes and limits."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from engine import games
from engine.limits import Limits
from engine.match import PlatformFault
from store import uploads
from store.uploads import BadUpload, Upload, UploadTooLarge
from workers import loops
from workers.local_bots import BadBot, NoSandbox
from workers.qualify import MOST_TRIES, Candidate, Report, qualify
from workers.runtimes.addresses import AddressRules
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import Sandbox
from workers.runtimes.selftest import Choice, choose

# An endpoint is tried out where its author has it; what may be registered is the operator's to say.
_RULES = AddressRules(allow_private=True)


def try_file(path: Path, game_ids: Sequence[str], sandboxes: Sequence[Sandbox]) -> Report:
    """Return the report on a .py or .zip file, run in the first of `sandboxes` that holds.

    A file that would be refused as an upload has a report too. Raises BadBot when the file cannot be read,
    UnknownGame, and NoSandbox.
    """
    try:
        upload = _read(path)
    except BadUpload as error:
        every = tuple(game.id for game in games.all_games())
        return Report(kind="module", limits=Limits(), games=tuple(game_ids) or every, reason=str(error))
    return loops.run(_tried(upload, game_ids, sandboxes))


def try_endpoint(candidate: Candidate, game_ids: Sequence[str]) -> Report:
    """Return the report on an endpoint; raises UnknownGame."""
    return loops.run(_tried(candidate, game_ids, ()))


def _read(path: Path) -> Upload:
    """Return what a file holds; raises BadBot or BadUpload."""
    try:
        size = path.stat().st_size
        if size > uploads.MAX_UPLOAD_BYTES:
            raise UploadTooLarge(f"{path.name!r} has {size} bytes; allowed: {uploads.MAX_UPLOAD_BYTES}")
        return uploads.inspect(path.read_bytes(), path.name)
    except OSError as error:
        raise BadBot(f"{str(path)!r} cannot be read: {error.strerror}") from error


async def _tried(candidate: Candidate, game_ids: Sequence[str], sandboxes: Sequence[Sandbox]) -> Report:
    """Return the report on a candidate, tried again as often as the service does after faults of its own."""
    choice = await choose(sandboxes)
    if isinstance(candidate, Upload) and choice.sandbox is None:
        raise NoSandbox(choice.reason)
    with tempfile.TemporaryDirectory(prefix="fudaba-trial-") as scratch:
        Path(scratch).chmod(0o711)  # The sandbox may run a bot as somebody else.
        runtimes = _runtimes(choice, scratch)
        runtimes.start()
        try:
            return await _patiently(candidate, runtimes, game_ids)
        finally:
            await runtimes.close()


def _runtimes(choice: Choice, scratch: str) -> Runtimes:
    return Runtimes(sandbox=choice.sandbox, no_sandbox=choice.reason, rules=_RULES, scratch=scratch)


async def _patiently(candidate: Candidate, runtimes: Runtimes, game_ids: Sequence[str]) -> Report:
    failure: PlatformFault | None = None
    for _ in range(MOST_TRIES):
        try:
            return await qualify(candidate, runtimes, Limits(), game_ids)
        except PlatformFault as error:
            failure = error
    kind = "module" if isinstance(candidate, Upload) else "endpoint"
    reason = f"this machine failed {MOST_TRIES} times to try the bot out: {failure}"
    return Report(kind=kind, limits=Limits(), games=tuple(game_ids), reason=reason)
