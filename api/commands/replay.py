"""`fudaba replay`: a recorded match in the terminal, step by step."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from api.commands import cards
from engine import games
from engine.contract import Observation, Seat
from engine.errors import BadRecord
from engine.record import Record, canonical

Move = tuple[Seat, str]

# Fields of an observation that are shown in a place of their own, or say nothing new.
_APART = {"game", "options", "seats", "seat", "sides", "round", "rounds", "scores", "legal", "history"}
_APART |= {"last_round", "phase"}
_PLAIN_WIDTH = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decision: what the watched seats saw before it, the move as they saw it, and what came of it."""

    number: int
    seat: Seat
    views: Mapping[Seat, Observation]
    move: str
    legal: Sequence[str] = ()
    events: Sequence[Move] = ()


WHOSE = click.option(
    "--seat", "seat_name", default="all", help="Whose view: a seat from 0, or all (the default)."
)
STEPWISE = click.option(
    "--step", "is_stepwise", is_flag=True, help="On a terminal, wait for a key after each step."
)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--match", "number", type=click.IntRange(0), default=0, help="Which match of the file, from 0.")
@WHOSE
@STEPWISE
@click.option("--json", "is_json", is_flag=True, help="Print the steps as one JSON object.")
def replay(file: Path, number: int, seat_name: str, is_stepwise: bool, is_json: bool) -> None:
    """Show a match of a record FILE.

    FILE is one record as JSON, a file of `fudaba play --record`, or the record of a tournament.
    """
    try:
        record = read(file, number)
        record.final()
    except (BadRecord, OSError) as error:
        raise click.UsageError(f"{file} cannot be replayed: {error}") from error
    present(record, seat_name, is_stepwise=is_stepwise, is_json=is_json)


def present(record: Record, seat_name: str, *, is_stepwise: bool, is_json: bool) -> None:
    """Print a match on standard output, for people or as JSON; raises UsageError for no such seat."""
    final, watched = record.final(), _watched(seat_name, record.seats)
    ending = {"scores": final.scores(), "places": final.placements()}
    if is_json:
        shown = [msgspec.to_builtins(step, str_keys=True) for step in steps(record, watched)]
        click.echo(canonical({**record.to_json(), **ending, "steps": shown}).decode())
        return
    terminal = sys.stdout.isatty()
    console = Console(highlight=False, width=None if terminal else _PLAIN_WIDTH)
    show(console, record, watched, waits=is_stepwise and terminal and sys.stdin.isatty())


def read(file: Path, number: int) -> Record:
    """Return the match with this number, from 0, in a record file; raises BadRecord saying what is wrong."""
    data = file.read_bytes()
    try:
        whole = msgspec.json.decode(data)
    except msgspec.DecodeError:
        whole = None  # It is lines of JSON, or no record at all, which the first bad line tells.
    if isinstance(whole, dict) and "kind" not in whole:
        return _chosen([Record.from_json(whole)], number)
    return _chosen(_records(data.splitlines()), number)


def _chosen(records: Sequence[Record] | Iterator[Record], number: int) -> Record:
    count = 0
    for count, record in enumerate(records, start=1):
        if count == number + 1:
            return record
    raise BadRecord(f"match {number} is not in it; it has {count}" + (", from 0" if count else ""))


def _records(lines: Sequence[bytes]) -> Iterator[Record]:
    """Yield the matches among lines of JSON; a line `header` says what the events of `match` lines are."""
    events: Sequence[Mapping[str, Any]] = []
    for place, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = msgspec.json.decode(line)
            kind = data.get("kind") if isinstance(data, dict) else None
            if kind == "header":
                events = data["events"]
            elif kind in (None, "match"):
                yield _record(data, events)
        except (msgspec.DecodeError, BadRecord, LookupError, TypeError) as error:
            raise BadRecord(f"line {place}: {error}") from error


def _record(data: Any, events: Sequence[Mapping[str, Any]]) -> Record:
    """Return the record in a decoded line, with the event that it names."""
    if isinstance(data, dict) and data.get("kind") == "match":
        if not events:
            raise BadRecord("a match before the header that says what its event is")
        event = events[data["event"]]
        of_event = {name: event[name] for name in ("game", "options", "seats")}
        data = {**of_event, "seed": data["seed"], "actions": data["actions"]}
    return Record.from_json(data)


def _watched(name: str, seats: int) -> tuple[Seat, ...]:
    if name == "all":
        return tuple(range(seats))
    if name.isascii() and name.isdigit() and int(name) < seats:
        return (int(name),)
    raise click.UsageError(f"--seat is {name!r}; allowed: all, or a seat from 0 to {seats - 1}")


def steps(record: Record, watched: Sequence[Seat]) -> Iterator[Step]:
    """Yield every decision as the watched seats see it; raises BadRecord where the record does not replay."""
    waiting: Step | None = None
    for number, (state, text) in enumerate(record.states()):
        views = {seat: state.observation(seat) for seat in watched}
        if waiting is not None:
            yield _completed(waiting, views)
        if text is None or state.to_move is None:
            return
        seat = state.to_move
        legal = list(map(state.action_text, state.legal_actions())) if seat in views else []
        waiting = Step(number=number, seat=seat, views=views, move=text, legal=legal)


def _completed(step: Step, after: Mapping[Seat, Observation]) -> Step:
    """Return a step with what followed, told as its seat saw it, or else the watched one."""
    witness = step.seat if step.seat in after else next(iter(after))
    was, now = step.views[witness], after[witness]
    same_round = was["round"] == now["round"] and len(now["history"]) > len(was["history"])
    last_round = now["last_round"] or {}
    entries = now["history"][len(was["history"]) :] if same_round else last_round.get("tail", [])
    if entries and witness != step.seat:
        step = replace(step, move=entries[0][1])
    return replace(step, events=[(seat, text) for seat, text in entries[1:]])


def show(
    console: Console, record: Record, watched: Sequence[Seat], *, waits: bool, most_steps: int | None = None
) -> None:
    """Print a match; with `waits` each step has the screen to itself until a key is hit, q ends.

    Only the first `most_steps` steps are printed, if it is given, and then the end.
    """
    game = games.get(record.game)
    options = "  ".join(f"{name}={str(of).lower()}" for name, of in record.options.items())
    console.print(Text.assemble((game.title, "bold"), f"  {record.seats} seats  ", (options, "dim")))
    console.print(Text(f"seed {record.seed.hex()}", "dim"))
    before: Step | None = None
    for step in islice(steps(record, watched), most_steps):
        if waits and before is not None and _key() == "q":
            return
        if waits:
            console.clear()
        _print_step(console, step, None if waits else before)
        before = step
    if most_steps is not None and most_steps < len(record.actions):
        console.print(Text(f"... and {len(record.actions) - most_steps} more steps", "dim"))
    _print_end(console, record)


def _key() -> str:
    click.echo(click.style("any key: next step, q: end", dim=True), nl=False)
    key = click.getchar()
    click.echo("\r\x1b[2K", nl=False)
    return key


def _print_step(console: Console, step: Step, before: Step | None) -> None:
    """Print one step; after the first of a round only the hand and what is different from the step before."""
    first = next(iter(step.views.values()))
    if before is not None and first["round"] != next(iter(before.views.values()))["round"]:
        before = None
    if before is None:
        of = f" of {first['rounds']}" if first["rounds"] else ""
        console.print(Rule(f"round {first['round'] + 1}{of}", style="dim"))
    head = Text.assemble(
        (f"step {step.number}  seat {step.seat}", "bold"), f"  {cards.label(first['phase'])}"
    )
    head.append(f"   scores {' '.join(map(str, first['scores']))}", "dim")
    console.print(head)
    own_hand = "hand" if len(step.views) == 1 else f"hand {step.seat}"
    rows = fields(step.views)
    if before is None:
        rows = {name: of for name, of in rows.items() if not _is_empty(of)}
    else:
        known = fields(before.views)
        rows = {
            name: of
            for name, of in rows.items()
            if name == own_hand or (not name.startswith("hand") and _is_different(known.get(name), of))
        }
    printed = [(cards.label(name), cards.value(name.split()[0], of)) for name, of in rows.items()]
    if step.legal:
        printed.append(("legal", cards.choices(step.legal)))
    printed.append(("▶", cards.move(step.seat, step.move)))
    printed += [("", cards.move(seat, text)) for seat, text in step.events]
    _print_rows(console, printed)


def _print_rows(console: Console, rows: Sequence[tuple[str, Text]]) -> None:
    """Print names and values in two columns, with a blank line at the end."""
    indent = max(len(name) for name, _ in rows) + 3
    for name, text in rows:
        for place, line in enumerate(cards.lines(text, console.width - indent)):
            start = (f" {name}" if not place else "").ljust(indent)
            console.print(Text.assemble((start, "dim"), line), soft_wrap=True)
    console.print()


def fields(views: Mapping[Seat, Observation]) -> dict[str, Any]:
    """Return the fields of the views by name; what only one seat sees, or sees otherwise, has its number.

    Piles of cards, one for each seat or side, are a field each; their number follows the name.
    """
    apart = _APART if len(views) == 1 else _APART | {"hand_sizes"}
    rows: dict[str, Any] = {}
    for name, seen in next(iter(views.values())).items():
        if name in apart:
            continue
        values = [view[name] for view in views.values()]
        if any(of != seen for of in values):
            rows |= _by_seat(name, dict(zip(views, values, strict=True)))
        elif cards.is_piles(seen):
            rows |= {f"{name} {number}": of for number, of in enumerate(seen)}
        else:
            rows[name] = seen
    return rows


def _by_seat(name: str, values: Mapping[Seat, Any]) -> dict[str, Any]:
    """Return what several seats see alike under the name alone, and what the others see with the seat."""
    seen = list(values.values())
    common = max(seen, key=seen.count)
    is_shared = seen.count(common) > 1
    rows = {name: common} if is_shared else {}
    return rows | {f"{name} {seat}": of for seat, of in values.items() if not is_shared or of != common}


def _is_different(before: Any, after: Any) -> bool:
    return bool(before != after) and not (_is_empty(before) and _is_empty(after))


def _is_empty(value: Any) -> bool:
    """Return whether a field says nothing: null, or a list without anything in it."""
    return value is None or (isinstance(value, list) and all(map(_is_empty, value)))


def _print_end(console: Console, record: Record) -> None:
    final = record.final()
    console.print(Rule("end", style="dim"))
    table = Table("seat", "score", "place", box=None, padding=(0, 2, 0, 0))
    for seat, (score, place) in enumerate(zip(final.scores(), final.placements(), strict=True)):
        table.add_row(str(seat), str(score), str(place), style="bold" if place == 1 else "")
    console.print(table)
