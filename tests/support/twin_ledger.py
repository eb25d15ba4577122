"""A second verifier, written from docs/records.md alone; of the engine it uses nothing but the games."""

import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, permutations
from typing import Any

from engine import games

Line = dict[str, Any]
FROZEN = ("number", "owner", "bot", "version", "sha256")


def parsed(record: bytes) -> list[Line]:
    """Return the lines of a record after holding them to their form and their chain."""
    raw = record.removesuffix(b"\n").split(b"\n")
    lines = [json.loads(line) for line in raw]
    for line, own in zip(lines, raw, strict=True):
        assert canonical(line) == own
    assert lines[0]["prev"] == "0" * 64
    for before, line in zip(raw[:-1], lines[1:], strict=True):
        assert line["prev"] == sha256(before).hexdigest()
    assert lines[-1] == {"kind": "end", "lines": len(lines), "prev": lines[-1]["prev"]}
    return lines


def canonical(value: object) -> bytes:
    """Return sorted keys, no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def require_bound(lines: Sequence[Line]) -> None:
    """Hold the header to the secret, to the entrants and to the standings."""
    header = lines[0]
    assert sha256(bytes.fromhex(header["secret_seed"])).hexdigest() == header["commitment"]
    frozen = [{name: line[name] for name in FROZEN} for line in lines if line["kind"] == "entrant"]
    assert sha256(canonical(frozen)).hexdigest() == header["entrants_sha256"]
    tables = [{k: line[k] for k in ("event", "rows")} for line in lines if line["kind"] == "standings"]
    assert sha256(canonical(tables)).hexdigest() == header["edition"]["sha256"]


def require_seated(header: Line, match: Line) -> None:
    """Hold a match of a full schedule to its number: table, deal, rotation, and who sits where."""
    event = header["events"][match["event"]]
    sides = sides_of(event)
    k, deals = max(sides) + 1, event["deals"]
    tables = list(combinations(event["field"], k))
    block, rest = divmod(match["number"], len(tables) * k * event["block_deals"])
    first = block * event["block_deals"]
    group, deal = divmod(rest, min(event["block_deals"], deals - first))
    table, rotation = divmod(group, k)
    assert (match["table"], match["deal"], match["rotation"]) == (table, first + deal, rotation)
    orders = list(permutations(tables[table][1:]))
    order = (tables[table][0], *orders[match["deal"] % len(orders)])
    assert match["entrants"] == [order[(side - rotation) % k] for side in sides]


def require_dealt(header: Line, match: Line, endpoints: set[int]) -> None:
    """Hold the seed of a match to the secret, and its scores and places to the rules."""
    event, deal = header["events"][match["event"]], str(match["deal"])
    if endpoints & set(match["entrants"]) and not header["endpoint_duplicates"]:
        deal = f"{deal}/{match['table']}/{match['rotation']}"
    message = f"{header['entrants_sha256']}/{match['event']}/{deal}".encode()
    assert hmac.new(bytes.fromhex(header["secret_seed"]), message, sha256).hexdigest() == match["seed"]
    state = games.get(event["game"]).new_match(
        seats=event["seats"], options=event["options"], seed=bytes.fromhex(match["seed"])
    )
    for text in match["actions"]:
        state.apply(state.parse_action(text))
    assert state.to_move is None
    if not match["forfeits"]:
        assert (match["scores"], match["places"]) == (state.scores(), state.placements())
    assert list(map(Fraction, match["points"])) == points(match, sides_of(event))


def sides_of(event: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the side of each seat of an event."""
    return games.get(event["game"]).sides(event["seats"], event["options"])


def points(match: Line, sides: Sequence[int]) -> list[Fraction]:
    """Return the points of each seat: sides beaten and half of those tied, of all others."""
    if len(match["forfeits"]) == len(sides):
        return [Fraction(0)] * len(sides)
    places = dict(zip(sides, match["places"], strict=True))
    halves = {
        own: sum(2 * (place < other) + (place == other) for side, other in places.items() if side != own)
        for own, place in places.items()
    }
    return [Fraction(halves[side], 2 * (len(places) - 1)) for side in sides]


def require_counted(event: Mapping[str, Any], matches: Sequence[Line], rows: Sequence[Line]) -> None:
    """Hold the rows of an event's standings to its matches: counts, points, and who is ahead."""
    played, wins, scores, forfeits = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
    earned: defaultdict[int, Fraction] = defaultdict(Fraction)
    seats = {side: seat for seat, side in enumerate(sides_of(event))}.values()  # one of each side
    for match in matches:
        for seat in seats:
            entrant, won = match["entrants"][seat], Fraction(match["points"][seat])
            played[entrant] += 1
            wins[entrant] += won == 1
            earned[entrant] += won
            scores[entrant] += match["scores"][seat]
            forfeits[entrant] += seat in match["forfeits"]
    for row in rows:
        one = row["entrant"]
        assert (row["matches"], row["wins"], row["forfeits"]) == (played[one], wins[one], forfeits[one])
        assert Fraction(row["points"]) == earned[one] / played[one]
        assert Fraction(row["mean_score"]) == Fraction(scores[one], played[one])
    shown = [Fraction(row["points"]) for row in rows]
    assert shown == sorted(shown, reverse=True)
