"""Which entry point a bot's source has, found in its syntax tree alone."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from enum import StrEnum


class BadSource(ValueError):
    """A source that cannot be a bot; the message names the line where there is one."""


class Style(StrEnum):
    """The two ways to write a bot: a function `act`, or a class `Bot`."""

    FUNCTION = "act"
    CLASS = "Bot"


def check_source(source: bytes) -> Style:
    """Return how the bot is written; raises BadSource if it is not UTF-8, not Python or not a bot."""
    text = _decode(source)
    if (nul := text.find("\0")) >= 0:
        raise BadSource(f"line {_line(text[:nul])}: a NUL character")
    return _style(_parse(text))


def _decode(source: bytes) -> str:
    """Return the text of a source in UTF-8, with or without a byte order mark."""
    try:
        encoding, lines = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        _decode_utf8(source)
        raise BadSource(f"line 1 or 2: {error.msg}; only utf-8 is allowed") from error
    if encoding not in ("utf-8", "utf-8-sig"):
        raise BadSource(f"line {len(lines)}: the coding line says {encoding}; only utf-8 is allowed")
    return _decode_utf8(source)


def _decode_utf8(source: bytes) -> str:
    """Return the text; raises BadSource with the line of the first byte that is not UTF-8."""
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = source[: error.start].decode("utf-8", "replace")
        raise BadSource(f"line {_line(before)}: byte 0x{source[error.start]:02x} is not UTF-8") from error


def _line(before: str) -> int:
    """Return the number of the line on which a text that was cut here ends."""
    return before.count("\n") + 1


def _parse(text: str) -> ast.Module:
    """Return the syntax tree; raises BadSource with the line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, filename="bot.py")
    except SyntaxError as error:
        raise BadSource(f"line {error.lineno}: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise BadSource("an expression is nested too deeply") from error
    except ValueError as error:
        raise BadSource(str(error)) from error


def _style(tree: ast.Module) -> Style:
    """Return the style of the entry point; raises BadSource when there is none, or both."""
    found = dict(_bindings(tree.body))
    if "act" in found and "Bot" in found:
        raise BadSource("both a function act and a class Bot; keep one of them")
    if "Bot" in found:
        _check_class(found["Bot"])
        return Style.CLASS
    if "act" in found:
        _check_function(found["act"], ("observation",))
        return Style.FUNCTION
    raise BadSource("there is neither a function act(observation) nor a class Bot")


def _bindings(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the names bound at the top level, also in branches of `if`, `try` and `with`, and where."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, statement
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                yield from ((target.id, statement) for target in targets if isinstance(target, ast.Name))
            case ast.Import() | ast.ImportFrom():
                yield from ((alias.asname or alias.name, statement) for alias in statement.names)
            case ast.If() | ast.Try() | ast.With():
                for block in ("body", "orelse", "finalbody"):
                    yield from _bindings(getattr(statement, block, []))
                for handler in getattr(statement, "handlers", []):
                    yield from _bindings(handler.body)
            case _:
                pass


def _check_class(statement: ast.stmt) -> None:
    """Raise BadSource when a class statement for Bot is written out here and cannot work."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        raise BadSource(f"line {statement.lineno}: Bot is a function; expected a class")
    if not isinstance(statement, ast.ClassDef) or statement.bases:
        return
    methods = dict(_bindings(statement.body))
    if "act" not in methods:
        raise BadSource(f"line {statement.lineno}: class Bot has no method act(self, observation)")
    _check_function(methods["act"], ("self", "observation"))


def _check_function(statement: ast.stmt, parameters: tuple[str, ...]) -> None:
    """Raise BadSource when a function is written out here and cannot be called with `parameters`."""
    if isinstance(statement, ast.AsyncFunctionDef):
        raise BadSource(f"line {statement.lineno}: act is async; expected a plain function")
    if isinstance(statement, ast.ClassDef):
        raise BadSource(f"line {statement.lineno}: act is a class; expected a function")
    if not isinstance(statement, ast.FunctionDef) or statement.decorator_list:
        return
    given = statement.args
    most = len(given.posonlyargs) + len(given.args)
    least = most - len(given.defaults)
    keyword_only = [default for default in given.kw_defaults if default is None]
    fits = least <= len(parameters) and (most >= len(parameters) or given.vararg is not None)
    if not fits or keyword_only:
        raise BadSource(f"line {statement.lineno}: act cannot be called as act({', '.join(parameters)})")
