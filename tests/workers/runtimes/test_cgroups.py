"""Control groups around bots: the limits set, who is put in, what is left; real ones where allowed."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.duels import LIMITS, codes, house, matches, module, run, sandbox, setting

from engine.match import MatchResult
from workers.runtimes import cgroups
from workers.runtimes.addresses import AddressRules
from workers.runtimes.cgroups import Fenced, Fences, NoFence, detect
from workers.runtimes.openers import Runtimes
from workers.runtimes.selftest import Choice, attack, fenced


def written(folder: Path) -> Mapping[str, str]:
    """What stands in the files of a group."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_version_1_has_a_group_in_each_hierarchy(tmp_path: Path) -> None:
    bases = {kind: tmp_path / kind for kind in ("memory", "pids", "cpu")}
    for base in bases.values():
        base.mkdir()
    fence = Fences(cgroups._V1, bases).make(512 << 20)
    fence.add(4711)
    (memory,), (pids,), (cpu,) = (tuple(base.iterdir()) for base in bases.values())
    assert written(memory) == {"memory.limit_in_bytes": f"{576 << 20}", "cgroup.procs": "4711"}
    assert written(pids) == {"pids.max": "64", "cgroup.procs": "4711"}
    assert written(cpu) == {
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "100000",
        "cgroup.procs": "4711",
    }


def test_version_2_has_one_group_for_all(tmp_path: Path) -> None:
    fences = Fences(cgroups._V2, dict.fromkeys(("memory", "pids", "cpu"), tmp_path))
    fences.make(1).add(4711)
    second = fences.make(512 << 20)
    assert len(list(tmp_path.iterdir())) == 2
    (group,) = tmp_path.glob("*-1")
    assert written(group) == {"memory.max": f"{576 << 20}", "pids.max": "64", "cpu.max": "100000 100000"}
    assert not second.was_out_of_memory()
    (group / "memory.events").write_text("low 0\noom 3\noom_kill 1\n")
    assert second.was_out_of_memory()


def test_groups_that_a_killed_worker_left_are_removed_and_those_in_use_are_not(tmp_path: Path) -> None:
    fences = Fences(cgroups._V2, dict.fromkeys(("memory", "pids", "cpu"), tmp_path))
    for name, age_seconds in (("fudaba-1-0", 100), ("fudaba-1-1", 0), ("others", 100)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, times=(time.time() - age_seconds,) * 2)
    fences.sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fudaba-1-1", "others"]


def group_of_version_2(folder: Path, processes: list[int], controllers: str = "cpu memory pids") -> Path:
    """A folder that looks like a group below the first one."""
    for name, text in {
        "cgroup.type": "domain",
        "cgroup.controllers": controllers,
        "cgroup.subtree_control": "",
        "cgroup.procs": "\n".join(map(str, processes)),
    }.items():
        (folder / name).write_text(text)
    return folder


def test_a_group_of_version_2_is_shared_out_once_its_processes_moved_aside(tmp_path: Path) -> None:
    group = group_of_version_2(tmp_path, [os.getpid()])
    cgroups._share_out(group)
    assert (group / "fudaba-workers" / "cgroup.procs").read_text() == f"{os.getpid()}"
    assert (group / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_a_group_that_others_use_is_left_alone(tmp_path: Path) -> None:
    group = group_of_version_2(tmp_path, [os.getpid(), os.getppid()])
    with pytest.raises(NoFence, match=f"shared with process {os.getppid()}"):
        cgroups._share_out(group)
    assert (group / "cgroup.subtree_control").read_text() == ""


def test_a_group_without_its_controllers_makes_no_fence(tmp_path: Path) -> None:
    with pytest.raises(NoFence, match="has no cpu, memory"):
        cgroups._share_out(group_of_version_2(tmp_path, [os.getpid()], "pids"))


def fences_here() -> Fences | None:
    """The fences of this machine, None where there is a reason against them."""
    try:
        return detect()
    except NoFence as error:
        assert str(error)
        return None


def left() -> list[str]:
    """The groups of this process that are there."""
    own = f"fudaba-{os.getpid()}-*"
    return [str(path) for base in set(cgroups._own_groups().values()) for path in base.glob(own)]


@pytest.mark.integration
def test_a_fenced_back_end_holds_and_leaves_no_group_where_there_can_be_one() -> None:
    fences, before = fences_here(), left()

    async def work() -> tuple[Choice, str | None]:
        plain = Choice(sandbox=sandbox("landlock"), verdicts=())
        choice = await fenced(plain)
        assert choice.sandbox is not None
        return choice, await attack(choice.sandbox)

    choice, failure = run(work)
    assert failure is None
    assert choice.fence.startswith("none: ") if fences is None else choice.fence == fences.name
    assert left() == before


@pytest.mark.integration
@pytest.mark.parametrize("back_end", ["landlock", "landlock+zygote"])
def test_a_bot_that_its_group_ends_is_out_of_memory(back_end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fences = fences_here()
    # Far below the limit of the process itself, which is then not the one that is met.
    monkeypatch.setattr(cgroups, "_SLACK_BYTES", -(LIMITS.memory_mb - 64 << 20))
    source = "def act(o):\n    taken = bytearray(120 << 20)\n    return 0\n"
    given = setting(LIMITS)

    async def work() -> MatchResult:
        inner = sandbox(back_end)
        walled = inner if fences is None else Fenced(inner, fences)
        opened = Runtimes(sandbox=walled, rules=AddressRules(allow_private=True))
        opened.start()
        try:
            (result,) = await matches([opened.module(module(source), given), house(opened, given)], given)
            return result
        finally:
            await opened.close()

    assert codes(run(work)) == ([] if fences is None else ["memory"] * 3)
