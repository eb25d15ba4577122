"""Children of `fudaba up` are stopped together, what others need last, and none is left."""

import os
from pathlib import Path

import pytest

from api.commands.supervisor import Child, Supervisor

_ENDS_WITH = "trap '{end}; exit 0' TERM; echo > {ready}; while :; do sleep 0.02; done"


def _child(folder: Path, name: str, end: str, *, is_needed_by_others: bool = False) -> Child:
    """Return a child that does `end`, in a shell in `folder`, when it is asked to stop."""
    script = f"cd {folder}; " + _ENDS_WITH.format(end=end, ready=f"{name}.ready")
    return Child(
        name=name,
        command=("/bin/sh", "-c", script),
        environment={},
        log=folder / f"{name}.log",
        is_needed_by_others=is_needed_by_others,
    )


def _started(folder: Path, *children: Child, stop_seconds: float = 60) -> Supervisor:
    supervisor = Supervisor(stop_seconds=stop_seconds)
    for child in children:
        os.mkfifo(folder / f"{child.name}.ready")
        supervisor.add(child)
        (folder / f"{child.name}.ready").read_bytes()  # returns when the child has written to it
    return supervisor


def _exit_code(child: Child) -> int | None:
    return None if child.process is None else child.process.returncode


def test_children_are_stopped_side_by_side(tmp_path: Path) -> None:
    meet = "touch {own}.asked; until [ -e {other}.asked ]; do sleep 0.02; done"
    one = _child(tmp_path, "one", meet.format(own="one", other="two"))
    two = _child(tmp_path, "two", meet.format(own="two", other="one"))
    _started(tmp_path, one, two).stop()
    assert (_exit_code(one), _exit_code(two)) == (0, 0), "one was killed that waited for the other"


def test_what_others_need_is_stopped_when_they_have_ended(tmp_path: Path) -> None:
    broker = _child(tmp_path, "broker", "[ -e worker.ended ] || exit 3", is_needed_by_others=True)
    worker = _child(tmp_path, "worker", "sleep 0.2; touch worker.ended")
    _started(tmp_path, broker, worker).stop()
    assert (_exit_code(broker), _exit_code(worker)) == (0, 0)


@pytest.mark.parametrize("is_needed_by_others", [False, True])
def test_who_does_not_stop_is_killed(tmp_path: Path, is_needed_by_others: bool) -> None:
    deaf = _child(tmp_path, "deaf", "sleep 600", is_needed_by_others=is_needed_by_others)
    supervisor = _started(tmp_path, deaf, stop_seconds=0.1)
    supervisor.stop()
    assert _exit_code(deaf) == -9
    assert supervisor.children == []


def test_of_who_ends_the_last_words_are_told(tmp_path: Path) -> None:
    child = Child("worker", ("/bin/sh", "-c", "echo no luck; exit 1"), {}, tmp_path / "worker.log")
    supervisor = Supervisor()
    supervisor.add(child)
    assert supervisor.ends() == []
    child.await_end()
    child.started_at = 0.0  # long enough ago
    assert supervisor.restart_dead() == ["worker"]
    child.await_end()
    assert supervisor.ends() == [f"worker has ended 1 times; {child.log} ends with: no luck"]
    supervisor.stop()
