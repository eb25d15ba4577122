"""The first code in a sandbox: reads its program, confines itself and serves a bot, or forks those who do.

Given to the interpreter as text, with the numbers of three descriptors for a bot (requests, replies and the
greeting), or of one for a zygote (its control socket).
"""

import json
import marshal
import os
import struct
import sys
import types
from typing import Any, NoReturn


def read_exactly(file: int, count: int) -> bytes:
    """Return `count` bytes; the other side being gone ends the process."""
    data = b""
    while len(data) < count:
        chunk = os.read(file, count - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return data


def read_setup(file: int) -> dict[str, Any]:
    """Return what a descriptor says first: an object in JSON with its length before it."""
    (size,) = struct.unpack("<I", read_exactly(file, 4))
    setup: dict[str, Any] = json.loads(read_exactly(file, size))
    return setup


def load(program: dict[str, str]) -> dict[str, types.ModuleType]:
    """Return the modules of a program by name."""
    loaded = {}
    for name, code in program.items():
        loaded[name] = module = types.ModuleType(name)
        module.__file__ = f"<{name}>"
        exec(marshal.loads(bytes.fromhex(code)), module.__dict__)
    return loaded


def greet(greeting: int, confine: types.FunctionType, *arguments: object) -> None:
    """Confine this process and say so; a failed confinement is greeted with its reason and ends it."""
    try:
        confine(*arguments)
    except BaseException as error:
        os.write(greeting, f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(1)
    os.write(greeting, b"confined")


def serve(
    program: dict[str, types.ModuleType], setup: dict[str, Any], requests: int, replies: int, greeting: int
) -> NoReturn:
    """Confine this process, greet, and serve the bot once the other side has seen the greeting."""
    landlock = program["landlock"]
    arguments = (setup["confinement"], landlock.readable_only, landlock.restrict)
    greet(greeting, program["confine"].confine, *arguments)
    os.close(greeting)
    read_exactly(requests, 1)
    program["child"].run(setup, requests, replies)
    os._exit(0)


def fork_bots(program: dict[str, types.ModuleType], setup: dict[str, Any], control: int) -> NoReturn:
    """Import what bots share, confine this process, greet, and fork a process for each bot."""
    zygote, landlock = program["zygote"], program["landlock"]
    sys.meta_path.append(program["child"].PackageFinder(setup["packages"]))
    zygote.warm_up(setup["packages"])
    arguments = (setup["confinement"], landlock.readable_only, landlock.restrict)
    greet(control, program["confine"].enclose, *arguments)
    parent = os.getpid()

    def become_bot(requests: int, replies: int, greeting: int) -> NoReturn:
        given = read_setup(requests)
        if given["confinement"]["parent"]:
            given["confinement"]["parent"] = parent
        serve(program, given, requests, replies, greeting)

    zygote.serve(control, become_bot)
    os._exit(0)


def main() -> None:
    """Serve a bot, or fork those who do."""
    files = [int(argument) for argument in sys.argv[1:]]
    setup = read_setup(files[0])
    program = load(setup["program"])
    if len(files) == 1:
        fork_bots(program, setup, files[0])
    serve(program, setup, files[0], files[1], files[2])


if __name__ == "__main__":
    main()
