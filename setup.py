"""The accelerated build: with FUDABA_ACCELERATE=1 mypyc compiles the rules of the games as they are written.

Everything else stands in pyproject.toml. Without mypyc or a C compiler the package is built pure.
"""

import os
import runpy
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

IS_WANTED = os.environ.get("FUDABA_ACCELERATE") == "1"
ENGINE = Path("engine")
FRESH = runpy.run_path(
    str(ENGINE / "fresh.py")
)  # an import would be of what pip builds in, not of this folder


class Accelerate(build_ext):
    """Compiles all of it or nothing: half a build could not be imported."""

    def run(self) -> None:
        """Compile, and note what was compiled; where that fails, leave the package pure."""
        try:
            super().run()
        except Exception as error:  # whatever a compiler does: the pure build is complete
            self.warn(f"the engine stays pure Python: {error}")
            self.extensions = []
        if self.extensions:
            built = ENGINE if self.inplace or self.editable_mode else Path(self.build_lib) / ENGINE
            (built / FRESH["NOTE"]).write_text(FRESH["digest"](ENGINE))


def extensions() -> list[Extension]:
    """Return what is to be compiled; nothing when it is not wanted or mypyc is missing."""
    if not IS_WANTED:
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        return []
    options = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases"]
    compiled = [str(path) for path in FRESH["sources"](ENGINE)]
    # The library of all of them lies in the package too, so that it is found from wherever the package is.
    # Compiling takes 24 s with 1 and 35 s with 3; the games play as fast.
    return mypycify([*options, *compiled], opt_level="1", debug_level="0", group_name="engine.compiled")


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": Accelerate},
    setup_requires=["mypy>=1.19"] if IS_WANTED else [],
)
