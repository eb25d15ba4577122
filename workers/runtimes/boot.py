"""The first code in a sandbox: reads its program from a pipe, confines the process, then serves the bot.

Given to the interpreter as text, with the numbers of three descriptors: requests, replies and the greeting.
"""

import json
import marshal
import os
import struct
import sys
import types


def read_exactly(file: int, count: int) -> bytes:
    """Return `count` bytes; the other side being gone ends the process."""
    data = b""
    while len(data) < count:
        chunk = os.read(file, count - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return data


def main() -> None:
    """Confine this process, greet, and serve; a failed confinement is greeted with its reason."""
    requests, replies, greeting = map(int, sys.argv[1:4])
    (size,) = struct.unpack("<I", read_exactly(requests, 4))
    setup = json.loads(read_exactly(requests, size))
    program = {}
    for name, code in setup["program"].items():
        program[name] = module = types.ModuleType(name)
        module.__file__ = f"<{name}>"
        exec(marshal.loads(bytes.fromhex(code)), module.__dict__)
    try:
        landlock = program["landlock"]
        program["confine"].confine(setup["confinement"], landlock.readable_only, landlock.restrict)
    except BaseException as error:
        os.write(greeting, f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(1)
    os.write(greeting, b"confined")
    os.close(greeting)
    program["child"].run(setup, requests, replies)
    os._exit(0)


if __name__ == "__main__":
    main()
