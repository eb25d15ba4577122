"""Which files a bot's interpreter needs: the binary, the standard library, numpy and the shared libraries."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import FudabaError

PACKAGES = ("numpy",)

# Run by this interpreter in a process of its own: loads every extension module that a bot may import and
# asks the dynamic linker what came with them, under the names by which it looked for it.
_PROBE = """
import ctypes, importlib, importlib.util, json, os, sys, sysconfig
folders = [os.path.realpath(sysconfig.get_path("stdlib"))]
dynamic = [os.path.realpath(folder) for folder in sys.path if folder.endswith("lib-dynload")]
folders += [folder for folder in dynamic if not folder.startswith(folders[0] + "/")]
packages = {}
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        packages[name] = os.path.realpath(spec.submodule_search_locations[0])
names = [file.split(".")[0] for folder in dynamic for file in os.listdir(folder)]
names = [name for name in names if not name.startswith(("_test", "_tkinter", "_xx", "xx"))]
def load(names):
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            pass
def taken():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
load(names)
packages_bytes = -taken()
load(packages)
packages_bytes += taken()
load(name + part for name in packages for part in (".linalg", ".fft", ".random"))
class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]
found = []
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
def note(info, size, data):
    found.append(os.fsdecode(info.contents.name or b""))
    return 0
ctypes.CDLL(None).dl_iterate_phdr(note, None)
libraries = sorted(name for name in found if name.startswith("/"))
print(json.dumps({"executable": os.path.realpath(sys._base_executable), "folders": folders, "packages":
packages, "packages_bytes": packages_bytes, "libraries": libraries}))
"""


class NoTree(FudabaError):
    """The interpreter's files could not be found out."""

    code = "no_tree"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The files of an interpreter: `packages` maps what may be imported beside the standard library to its
    folder, `packages_bytes` is the address space that they take when imported."""

    executable: str
    folders: tuple[str, ...]
    libraries: tuple[str, ...]
    packages: dict[str, str]
    packages_bytes: int

    @property
    def readable(self) -> tuple[str, ...]:
        """Return every path that has to be readable in the sandbox."""
        return (self.executable, *self.folders, *self.libraries)

    def is_world_readable(self) -> bool:
        """Return whether any user of this machine can read all of it."""
        return all(_is_open(path) for path in self.readable)


@lru_cache(maxsize=1)
def interpreter_tree() -> Tree:
    """Return the files of the running interpreter; raises NoTree."""
    command = [sys.executable, "-I", "-W", "ignore", "-c", _PROBE, *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise NoTree(f"the interpreter's files could not be listed: {done.stderr.strip()[-500:]}")
    found = json.loads(done.stdout)
    folders = [*found["folders"]]
    for package in found["packages"].values():
        folders += [folder for folder in (package, package + ".libs") if os.path.isdir(folder)]
    libraries = [path for path in found["libraries"] if not _is_under(path, folders)]
    return Tree(
        executable=found["executable"],
        folders=tuple(folders),
        libraries=tuple(libraries),
        packages=found["packages"],
        packages_bytes=max(0, found["packages_bytes"]),
    )


def parents(path: str) -> list[str]:
    """Return the folders above a path, the root left out, the outermost first."""
    above: list[str] = []
    while (path := os.path.dirname(path)) != "/":
        above.insert(0, path)
    return above


def _is_under(path: str, folders: list[str]) -> bool:
    """Return whether a path lies in one of `folders`, also when reached through a link."""
    return any(name.startswith(folder + "/") for folder in folders for name in (path, os.path.realpath(path)))


def is_reachable(path: str) -> bool:
    """Return whether others may enter all folders above a path."""
    return all(os.stat(folder).st_mode & 0o001 for folder in parents(os.path.realpath(path)))


def _is_open(path: str) -> bool:
    """Return whether others may reach and read a path."""
    read = 0o005 if os.path.isdir(path) else 0o004
    return os.stat(path).st_mode & read == read and is_reachable(path)
