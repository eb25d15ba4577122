"""The accelerated build: with FUDABA_ACCELERATE=1 mypyc compiles the rules of the games as they are written.

Everything else stands in pyproject.toml. Without mypyc or a C compiler the package is built pure.
"""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

IS_WANTED = os.environ.get("FUDABA_ACCELERATE") == "1"
FOLDERS = ("engine/cards", "engine/games")
MODULES = [path for folder in FOLDERS for path in sorted(Path(folder).glob("[a-z]*.py"))]
SOURCES = ["engine/shuffle.py", *map(str, MODULES)]


class Accelerate(build_ext):
    """Compiles all of it or nothing: half a build could not be imported."""

    def run(self) -> None:
        """Compile; where that fails, leave the package pure."""
        try:
            super().run()
        except Exception as error:  # whatever a compiler does: the pure build is complete
            self.warn(f"the engine stays pure Python: {error}")
            self.extensions = []


def extensions() -> list[Extension]:
    """Return what is to be compiled; nothing when it is not wanted or mypyc is missing."""
    if not IS_WANTED:
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        return []
    options = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases"]
    return mypycify([*options, *SOURCES], opt_level="3", debug_level="0", group_name="fudaba_engine")


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": Accelerate},
    setup_requires=["mypy>=1.19"] if IS_WANTED else [],
)
