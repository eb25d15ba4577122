"""Lets no compiled rules hide their source: what was compiled from other sources than these is passed over.

setup.py compiles what `sources` lists and notes their digest. Python would import the compiled modules even
after somebody has changed a rule; `prefer_changed_sources` has it import all of the sources then.
"""

import hashlib
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

ENGINE = Path(__file__).parent
NOTE = "compiled.txt"


def sources(engine: Path) -> list[Path]:
    """Return the files of an engine's folder that the accelerated build compiles."""
    folders = (engine / "cards", engine / "games")
    return [engine / "shuffle.py", *(path for folder in folders for path in sorted(folder.glob("[a-z]*.py")))]


def digest(engine: Path) -> str:
    """Return the SHA-256 of the names and texts of what is compiled."""
    whole = hashlib.sha256()
    for path in sources(engine):
        whole.update(f"{path.name}\n".encode() + path.read_bytes())
    return whole.hexdigest()


def is_stale(engine: Path = ENGINE) -> bool:
    """Return whether something is compiled here, from other sources than those that stand here."""
    if not any((engine / f"shuffle{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        return False
    note = engine / NOTE
    return not note.exists() or note.read_text() != digest(engine)


class _Sources:
    """Finds the modules of the engine as their sources, whatever is compiled beside them."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the source of a module of the engine is."""
        if not name.startswith("engine."):
            return None
        finders = (FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)) for folder in path or ())
        return next((spec for finder in finders if (spec := finder.find_spec(name, target))), None)


def prefer_changed_sources() -> None:
    """Import the sources from now on if what is compiled is stale; before any other module of the engine."""
    if is_stale():
        sys.meta_path.insert(0, _Sources())
