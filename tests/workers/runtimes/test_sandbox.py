"""Back ends: which may be chosen, which holds, and that none is trusted unless it holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.duels import BACK_ENDS, run, sandbox

from workers.runtimes import selftest
from workers.runtimes.canary import ATTACKS
from workers.runtimes.jail import Jail, Job
from workers.runtimes.sandbox import Sandbox, SandboxError, UnsafeSandbox, back_ends
from workers.runtimes.selftest import Choice, attack, choose
from workers.runtimes.tree import interpreter_tree

ROOT = Path(__file__).parents[3]
EVERY = ["bwrap+zygote", "bwrap", "landlock+zygote", "landlock"]


class Missing:
    """A back end that is not there."""

    name = "missing"

    def probe(self) -> str | None:
        return "it is not installed"

    async def start(self, job: Job) -> Jail:
        raise AssertionError("a back end whose probe fails is not started")

    def close(self) -> None:
        raise AssertionError("a back end whose probe fails is not closed")


class Broken:
    """A back end whose processes cannot be started."""

    name = "broken"

    def probe(self) -> str | None:
        return None

    async def start(self, job: Job) -> Jail:
        raise PermissionError("no permission to create a namespace")

    def close(self) -> None:
        """Nothing was started."""


class Leaky(UnsafeSandbox):
    """No sandbox under another name."""

    name = "leaky"


def chosen(*candidates: Sandbox) -> Choice:
    """The choice among back ends."""

    async def work() -> Choice:
        return await choose(candidates)

    return run(work)


def test_back_ends_are_tried_from_the_tightest_on_and_of_equals_the_fastest_first() -> None:
    assert [found.name for found in back_ends("auto", allow_unsafe=False)] == EVERY
    assert [found.name for found in back_ends("landlock", allow_unsafe=False)] == EVERY[2:]


@pytest.mark.parametrize("choice", ["", "docker", "BWRAP"])
def test_an_unknown_back_end_is_an_error(choice: str) -> None:
    with pytest.raises(SandboxError, match="allowed: auto, bwrap, landlock, none"):
        back_ends(choice, allow_unsafe=True)


def test_no_sandbox_at_all_needs_a_second_word() -> None:
    with pytest.raises(SandboxError, match="second setting"):
        back_ends("none", allow_unsafe=False)
    assert [found.name for found in back_ends("none", allow_unsafe=True)] == ["none"]


@pytest.mark.integration
@pytest.mark.parametrize("name", BACK_ENDS)
def test_a_back_end_holds_against_every_canary(name: str) -> None:
    assert sandbox(name).probe() is None

    async def work() -> str | None:
        return await attack(sandbox(name))

    assert run(work) is None


@pytest.mark.integration
@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"be_honest", "take_memory"}))
def test_every_canary_gets_something_where_there_is_no_sandbox(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftest, "ATTACKS", {name: ATTACKS[name]})

    async def work() -> str | None:
        return await attack(Leaky(interpreter_tree()))

    assert (run(work) or "").startswith(name)


@pytest.mark.integration
def test_the_first_back_end_that_holds_is_chosen_and_the_others_say_why_not() -> None:
    choice = chosen(Missing(), Broken(), sandbox("landlock"))
    assert choice.sandbox is sandbox("landlock")
    assert [(verdict.name, verdict.failure) for verdict in choice.verdicts] == [
        ("missing", "it is not installed"),
        ("broken", "it does not start: no permission to create a namespace"),
        ("landlock", None),
    ]


def test_no_back_end_is_chosen_when_none_holds_and_the_reason_names_a_remedy() -> None:
    choice = chosen(Missing(), Broken())
    assert choice.sandbox is None
    assert "missing: it is not installed" in choice.reason
    assert "install bubblewrap" in choice.reason


def test_none_is_taken_as_it_is() -> None:
    assert chosen(UnsafeSandbox(interpreter_tree())).sandbox is not None


def test_the_tree_is_the_real_interpreter_and_all_that_it_loads() -> None:
    tree = interpreter_tree()
    assert os.path.realpath(sys.executable) == os.path.realpath(tree.executable)
    assert any(os.path.exists(f"{folder}/json/__init__.py") for folder in tree.folders)
    assert tree.packages["numpy"] in tree.folders
    assert any("libc.so" in library or "musl" in library for library in tree.libraries)
    assert not any(os.path.basename(folder) == "site-packages" for folder in tree.folders)


_AS_USER = """
import os, sys
if os.geteuid() == 0 and {user!r} != "root":
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
sys.path.insert(0, {root!r})
from workers.runtimes.sandbox import back_ends
from workers import loops
from workers.runtimes.selftest import attack
async def main():
    for sandbox in back_ends({name!r}, allow_unsafe=False):
        print(sandbox.name, sandbox.probe() or await attack(sandbox))
loops.run(main())
"""


@pytest.mark.integration
@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("name", ["bwrap", "landlock"])
@pytest.mark.parametrize("user", ["root", "nobody"])
def test_a_back_end_holds_where_everybody_can_read_the_interpreter(
    name: str, user: str, everything_readable: list[str]
) -> None:
    command = [*everything_readable, sys.executable, "-c"]
    code = _AS_USER.format(root=str(ROOT), name=name, user=user)
    done = subprocess.run([*command, code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr[-500:]) == (f"{name}+zygote None\n{name} None\n", "")
