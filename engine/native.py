"""Marks the states of games for mypyc, the compiler of the accelerated build; says which build runs.

In the pure build the marks do nothing. Compiled, a class with `serializable` can be pickled and one with
`allow_interpreted_subclasses` derived from; one with `native_class=False` stays an ordinary class.
"""

from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, TypeVar

from engine import fresh, shuffle

__all__ = ["build", "compiled", "is_compiled"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as compiled
else:
    Marked = TypeVar("Marked")

    def compiled(**promises: bool) -> Callable[[Marked], Marked]:
        """Return a decorator that leaves a class as it is; the compiler reads what the class promises."""
        return lambda marked: marked


def is_compiled() -> bool:
    """Return whether the rules run compiled, not as the Python that they are written in."""
    return str(shuffle.__file__).endswith(tuple(EXTENSION_SUFFIXES))


def build() -> str:
    """Return which build runs, for people to read, and how to have the other."""
    if is_compiled():
        return "compiled"
    changed = "; its sources were changed after they were compiled" if fresh.is_stale() else ""
    return f"pure Python{changed}; make fast compiles it"
