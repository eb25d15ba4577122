"""The image of deploy/Dockerfile without Docker: built in a plain folder, its processes run by bubblewrap."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD_SECONDS = 400
_LINKS = {"lib": "usr/lib", "lib64": "usr/lib64", "bin": "usr/bin", "sbin": "usr/sbin"}
_OF_THE_MACHINE = ("/etc/ssl", "/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group")


@dataclass(slots=True)
class Stage:
    """The instructions of one stage of a Dockerfile, in order."""

    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str:
        """Return what the last instruction of a kind says."""
        return [text for name, text in self.steps if name == word][-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A built image: a folder of this machine for each path in it, its variables, its user and folder."""

    files: dict[str, Path]
    variables: dict[str, str]
    user: int
    folder: str
    command: tuple[str, ...]
    healthcheck: tuple[str, ...]


def stages() -> list[Stage]:
    """Return the stages of the Dockerfile."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "deploy" / "Dockerfile").read_text())
    found: list[Stage] = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append(Stage())
        elif word and word != "#" and found:
            found[-1].steps.append((word, rest.strip()))
    return found


def folders() -> list[str]:
    """Return the folders that the image makes for its user: a new volume at one of them is the user's too."""
    _, last = stages()
    making = r"install --directory --owner=10001 --group=10001 --mode=0700 (\S+)"
    return [path for word, text in last.steps if word == "RUN" for path in re.findall(making, text)]


def build(folder: Path) -> Image:
    """Run the steps of the first stage, with /opt in `folder`; return what the last stage makes of it."""
    first, last = stages()
    opt = folder / "opt"
    opt.mkdir()
    where = "/"
    for word, text in first.steps:
        if word == "WORKDIR":
            where = text
            _inside(opt, where).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            _copy(text, _inside(opt, where))
        elif word == "RUN":
            _run(opt, where, text)
        else:
            raise AssertionError(f"the first stage has a step {word}")
    return _described(last, opt)


def sandbox(
    image: Image,
    command: Sequence[str],
    *,
    binds: Mapping[str, tuple[Path, bool]],
    writable: Sequence[str] = (),
    variables: Mapping[str, str],
    user: int,
) -> list[str]:
    """Return the command that runs `command` in the image as a container would: as `user`, nothing writable.

    `binds` is a folder or file of this machine for paths in the container, and whether it may be written;
    `writable` are paths that begin empty and are the user's.
    """
    words = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/usr", "/usr"]
    for name, target in _LINKS.items():
        words += ["--symlink", target, f"/{name}"]
    if not sys.base_prefix.startswith("/usr"):
        for parent in reversed(Path(sys.base_prefix).parents):
            words += ["--perms", "0755", "--dir", str(parent)]
        words += ["--ro-bind", sys.base_prefix, sys.base_prefix]
    words += ["--perms", "0755", "--dir", "/etc"]
    for path in _OF_THE_MACHINE:
        words += ["--ro-bind-try", path, path]
    words += ["--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/dev/shm"]
    for parent in sorted(
        {str(one) for path in (*image.files, *binds, *writable) for one in Path(path).parents}
    ):
        words += ["--perms", "0755", "--dir", parent]
    for path in writable:
        words += ["--tmpfs", path]
    for path, source in image.files.items():
        words += ["--ro-bind", str(source), path]
    for path, (source, is_writable) in binds.items():
        words += ["--bind" if is_writable else "--ro-bind", str(source), path]
    words += ["--remount-ro", "/", "--chdir", image.folder if image.folder in writable else "/", "--clearenv"]
    for name, value in {**image.variables, **variables}.items():
        words += ["--setenv", name, value]
    return [*words, *_as_user(user, writable), *command]


def _as_user(user: int, writable: Sequence[str]) -> list[str]:
    """Return the words that give `user` its folders, and give up root and every capability."""
    identity = f"--reuid={user} --regid={user} --clear-groups" if user else ""
    drop = f'exec setpriv {identity} --no-new-privs --inh-caps=-all --bounding-set=-all "$@"'
    return [
        "sh",
        "-c",
        f"chown {user}:{user} {' '.join(writable)}; chmod 0700 {' '.join(writable)}; {drop}",
        "sh",
    ]


def _inside(opt: Path, path: str) -> Path:
    assert path.startswith("/opt/"), f"{path} is not below /opt"
    return opt / path.removeprefix("/opt/")


def _copy(text: str, target: Path) -> None:
    """Copy as COPY does, leaving out what .dockerignore does."""
    *sources, name = text.split()
    for source in sources:
        is_folder = (ROOT / source).is_dir()
        to = target / name if is_folder or name not in (".", "./") else target / Path(source).name
        to.parent.mkdir(parents=True, exist_ok=True)
        copy = ["cp", "-r", "-T", str(ROOT / source), str(to)]
        subprocess.run(copy, check=True)
        for left_out in ("__pycache__", "*.so", "compiled.txt") if is_folder else ():
            for path in list(to.rglob(left_out)):
                subprocess.run(["rm", "-rf", str(path)], check=True)


def _run(opt: Path, where: str, script: str) -> None:
    """Run a step in this machine's own file system, with the folder as /opt and the Python of the tests."""
    words = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--bind", str(opt), "/opt"]
    path = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [*words, "--chdir", where, "sh", "-euc", _with_our_python(script)],
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


def _with_our_python(script: str) -> str:
    """Return a step that makes its environment with the Python of the tests, which may lack ensurepip."""
    words = script.split()
    if words[:3] != ["python", "-m", "venv"]:
        return script
    uv = Path(sys.executable).with_name("uv")
    return f"{uv} venv --quiet --seed --python {Path(sys.executable).resolve()} {words[3]}"


def _described(stage: Stage, opt: Path) -> Image:
    variables = dict(pair.split("=", 1) for pair in stage.last("ENV").split())
    variables["PATH"] = variables["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    files = {}
    for word, text in stage.steps:
        if word == "COPY":
            source, target = text.removeprefix("--from=build ").split()
            files[target] = _inside(opt, source) if text.startswith("--from") else ROOT / source
    return Image(
        files=files,
        variables=variables,
        user=int(stage.last("USER").split(":")[0]),
        folder=stage.last("WORKDIR"),
        command=tuple(json.loads(stage.last("CMD"))),
        healthcheck=tuple(json.loads(stage.last("HEALTHCHECK").split("CMD", 1)[1])),
    )
