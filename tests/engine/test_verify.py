"""Verification: a right record is right, and whatever is changed in it is refused with the line named."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from support.ledgers import BROKEN, REMOTE, SECRET, SET_ASIDE, Data, a_record, chained, forged, lines, place

from engine import games, verify
from engine.ledger import WrongLine
from engine.record import Record
from engine.rng import Stream

Lines = list[Data]
Edit = Callable[[Lines], int]  # changes lines and returns the place of the one that must be named


def refusal(record: Iterable[bytes]) -> WrongLine:
    with pytest.raises(WrongLine) as refused:
        verify.check(record)
    assert str(refused.value) == f"line {refused.value.line}: {refused.value.reason}"
    return refused.value


def test_a_right_record_is_right_and_summed_up() -> None:
    record = a_record()
    seen: list[tuple[int, int]] = []
    summary = verify.check(record, progress=lambda done, total: seen.append((done, total)))
    header = lines()[0]
    assert (summary.tournament, summary.name) == (header["tournament"], "札場 cup")
    assert (summary.entrants, summary.events, summary.matches, summary.set_aside) == (6, 3, 85, 1)
    assert summary.lines == len(record) == 99
    assert summary.standings_sha256 == header["edition"]["sha256"]
    assert json.loads(chained([*lines(), {}])[-1])["prev"] == summary.sha256
    assert seen == sorted(seen)
    assert seen[-1] == (85, 86)


def test_the_record_holds_what_the_tests_below_rest_on() -> None:
    whole = lines()
    played = [line for line in whole if line["kind"] == "match"]
    assert {line["kind"] for line in whole} == {
        "header", "entrant", "match", "set_aside", "bench", "standings", "end",
    }  # fmt: skip
    first = [line for line in played if line["event"] == 0]
    assert all(BROKEN in {line["entrants"][seat] for seat in line["forfeits"]} for line in first)
    assert {len(line["faults"]) for line in first} == {0, 3}
    seeds: dict[bool, set[str]] = {REMOTE in line["entrants"]: set() for line in played if line["event"] == 1}
    for line in played:
        if line["event"] == 1:
            seeds[REMOTE in line["entrants"]].add(line["seed"])
    assert (len(seeds[True]), len(seeds[False])) == (4, 1)


def test_lines_may_come_from_anywhere_one_by_one() -> None:
    def trickle() -> Iterator[bytes]:
        yield from a_record()

    assert verify.check(trickle()).lines == 99


def edit(kind: str, *, name: str = "", to: Any = None, named: int | None = None, **having: Any) -> Edit:
    """Return an edit of the first such line: its field `name` set, or as the function `to` makes it."""

    def change(whole: Lines) -> int:
        at = place(whole, kind, **having)
        whole[at][name] = to(whole[at][name]) if callable(to) else to
        return at if named is None else named

    return change


def header(name: str, to: Any, named: int = 0) -> Edit:
    return edit("header", name=name, to=to, named=named)


def of_event(index: int, name: str, to: Any, named: int = 0) -> Edit:
    def change(whole: Lines) -> int:
        whole[0]["events"][index][name] = to(whole[0]["events"][index][name]) if callable(to) else to
        return named

    return change


def match(name: str, to: Any, **having: Any) -> Edit:
    return edit("match", name=name, to=to, **{"event": 0, "number": 3, **having})


def removed(kind: str, **having: Any) -> Edit:
    def change(whole: Lines) -> int:
        at = place(whole, kind, **having)
        del whole[at]
        return at

    return change


def with_another_secret(whole: Lines) -> int:
    whole[0]["secret_seed"] = bytes(32).hex()
    whole[0]["commitment"] = sha256(bytes(32)).hexdigest()
    return place(whole, "match")


def with_matches_swapped(whole: Lines) -> int:
    at = place(whole, "match", event=0, number=8)
    whole[at], whole[at + 1] = whole[at + 1], whole[at]
    return at


def with_a_match_set_aside(whole: Lines) -> int:
    """Hide a match that was played: nothing of it is left, so the standings betray it."""
    at = place(whole, "match", event=0, number=40)
    whole[at] = {"kind": "set_aside", "event": 0, "number": 40}
    return place(whole, "standings", event=0)


def with_another_choice(whole: Lines) -> int:
    """Play another legal action in the place of the last real choice: all that follows is legal as well."""
    at = place(whole, "match", event=2, number=0)
    event = whole[0]["events"][2]
    options = {name: event[name] for name in ("game", "seats", "options")}
    for step in range(len(whole[at]["actions"]) - 1, -1, -1):
        actions = list(whole[at]["actions"])
        state = games.get("seiten").start(4, event["options"], bytes.fromhex(whole[at]["seed"]))
        for text in actions[:step]:
            state.apply(state.parse_action(text))
        for action in state.legal_actions():
            played = state.clone()
            played.apply(action)
            rest = []
            while played.to_move is not None:
                rest.append(played.action_text(played.legal_actions()[0]))
                played.apply(played.legal_actions()[0])
            if played.scores() != whole[at]["scores"]:
                whole[at]["actions"] = [*actions[:step], state.action_text(action), *rest]
                data = {**options, "seed": whole[at]["seed"], "actions": whole[at]["actions"]}
                assert Record.from_json(data).final().scores() != whole[at]["scores"]
                return at
    raise AssertionError("no other choice changes the scores")


def with_a_higher_action_at_a_fault(whole: Lines) -> int:
    at = place(whole, "match", event=0, number=0)
    event, line = whole[0]["events"][0], whole[at]
    step = line["faults"][0][0]
    state = games.get("hana_awase").start(3, event["options"], bytes.fromhex(line["seed"]))
    for text in line["actions"][:step]:
        state.apply(state.parse_action(text))
    line["actions"][step] = state.action_text(state.legal_actions()[-1])
    return at


def with_a_bench_too_many(whole: Lines) -> int:
    at = place(whole, "bench")
    whole.insert(at + 1, {**whole[at], "entrant": 2})
    return at + 1


def with_a_seat_at_the_table_twice(whole: Lines) -> int:
    at = place(whole, "match", event=0, number=3)
    whole[at]["forfeits"] = whole[at]["forfeits"] * 2
    return at


def with_rows_swapped(whole: Lines) -> int:
    at = place(whole, "standings", event="overall")
    whole[at]["rows"].reverse()
    return at


def row(event: int | str, name: str, to: Any) -> Edit:
    def change(whole: Lines) -> int:
        at = place(whole, "standings", event=event)
        whole[at]["rows"][0][name] = to(whole[at]["rows"][0][name]) if callable(to) else to
        return at

    return change


def rule(separation: Any, top: Any = 2) -> Edit:
    return header("stop", {"separation": separation, "top": top})


def with_an_early_end(whole: Lines) -> int:
    rule(0.9999)(whole)
    whole[0]["events"][0].update(stopped_after_block=0, matches=36)
    del whole[place(whole, "bench") : place(whole, "match", event=1)]
    return 0


def up(numbers: list[int]) -> list[int]:
    return [numbers[0] + 1, *numbers[1:]]


def turned(items: list[Any]) -> list[Any]:
    assert items != items[::-1]
    return items[::-1]


FORGERIES: dict[str, tuple[Edit, str]] = {
    "another format": (header("format", 2), "format is 2"),
    "another secret": (header("secret_seed", bytes(32).hex()), "commitment"),
    "a secret in capitals": (header("secret_seed", SECRET.hex().upper()), "64 lower-case hex"),
    "another secret with its commitment": (with_another_secret, "seed is"),
    "another limit": (edit("header", name="limits", to=lambda limits: {**limits, "max_faults": 4}, named=7),
                      "forfeits: there are 1"),
    "a limit left out": (header("limits", lambda limits: {"max_faults": 3}), "limits are not complete"),
    "another game": (of_event(0, "game", "whist"), "whist"),
    "an option of another value": (of_event(0, "options", lambda of: {**of, "rounds": 0}), "rounds"),
    "a longer match": (of_event(0, "options", lambda of: {**of, "rounds": 2}, 7), "not over"),
    "an unknown schedule": (of_event(0, "schedule", "mine"), "mine"),
    "fewer matches": (of_event(0, "matches", 71), "its schedule has 72"),
    "a rule that would have ended an event": (rule(0.95), "goes on after block 0; its rule stops it"),
    "a rule of no kind": (rule("0.95"), "stop.separation is '0.95'"),
    "an end that the rule does not allow": (with_an_early_end, "stops after block 0; by its rule it goes on"),
    "somebody dropped": (of_event(0, "dropped", [1], 94), "row 0"),
    "a drop of nobody": (of_event(0, "dropped", [99]), "dropped of event 0"),
    "a drop twice": (of_event(0, "dropped", [1, 1]), "dropped of event 0"),
    "an end without a rule": (of_event(0, "stopped_after_block", 0), "cannot have stopped after block 0"),
    "another field": (of_event(0, "field", [0, 2, 1]), "field of event 0"),
    "another hash of the entrants": (header("entrants_sha256", "0" * 64, named=6), "hash of the entrants"),
    "another edition": (header("edition", {"number": 1, "sha256": "0" * 64}), "SHA-256 of the standings"),
    "an unknown field": (header("luck", 1), "luck"),
    "another owner": (edit("entrant", name="owner", to="eve", named=6), "hash of the entrants"),
    "another upload": (edit("entrant", name="sha256", to="0" * 64, named=6), "hash of the entrants"),
    "another number": (edit("entrant", name="number", to=3, number=2), "expected 2"),
    "a filler that is ranked": (edit("entrant", name="filler", to=False, number=5, named=0), "field of"),
    "an endpoint that is a module": (edit("entrant", name="bot_kind", to="module", number=REMOTE, named=-1),
                                     "seed is"),
    "a match left out": (removed("match", event=0, number=3), "number is 4; it must be 3"),
    "the last match left out": (removed("match", event=2, number=7), "its kind is standings"),
    "a match twice": (edit("match", name="number", to=2, event=0, number=3), "number is 2; it must be 3"),
    "matches swapped": (with_matches_swapped, "number is 9; it must be 8"),
    "a match hidden": (with_a_match_set_aside, "row 0"),
    "another match set aside": (edit("set_aside", name="number", to=4), "number is 4"),
    "a match of another event": (match("event", 1), "event is 1"),
    "another table": (match("table", 1), "table is 1"),
    "another deal": (match("deal", 0), "deal is 0"),
    "another rotation": (match("rotation", 2), "rotation is 2"),
    "others at the table": (match("entrants", turned), "entrants is"),
    "another seed": (match("seed", "0" * 64), "seed is"),
    "an action that is none": (match("actions", lambda all_: ["win", *all_[1:]]), "action 0: 'win'"),
    "actions in another order": (match("actions", turned), "action"),
    "another choice": (with_another_choice, "scores: number"),
    "a higher action after a fault": (with_a_higher_action_at_a_fault, "actions: number"),
    "an action too few": (match("actions", lambda all_: all_[:-1]), "actions: there are"),
    "an action too many": (match("actions", lambda all_: [*all_, all_[-1]]), "actions: there are"),
    "a fault concealed": (match("faults", lambda all_: all_[1:]), "forfeits: there are 1"),
    "a fault made up": (match("faults", lambda _: [[0, 0, "timeout"]], event=1, number=0), ""),
    "a fault of somebody else": (match("faults", lambda all_: [[all_[0][0], (all_[0][1] + 1) % 3, "crash"]]),
                                 "a fault that the match was not recorded with"),
    "a fault of the platform": (match("faults", lambda all_: [[*all_[0][:2], "platform"]]), "nobody's"),
    "a fault of no kind": (match("faults", lambda all_: [[*all_[0][:2], "sloth"]]), "sloth"),
    "a fault of no seat": (match("faults", lambda all_: [[all_[0][0], 3, "crash"]]), "seat from 0 to 2"),
    "a forfeit concealed": (match("forfeits", []), "forfeits"),
    "a forfeit made up": (match("forfeits", [0, 1], event=1, number=0), "forfeits"),
    "a forfeit of a benched entrant concealed": (match("forfeits", [], number=50), "forfeits"),
    "a forfeit counted twice": (with_a_seat_at_the_table_twice, "forfeits is"),
    "another score": (match("scores", up), "scores: number 0"),
    "a score too many": (match("scores", lambda all_: [*all_, 0]), "the length of scores is 4"),
    "a score as text": (match("scores", lambda all_: [str(all_[0]), *all_[1:]]), "Expected `int`"),
    "another place": (match("places", turned), "places"),
    "other points": (match("points", turned), "points"),
    "points as a number": (match("points", lambda all_: [1, *all_[1:]]), "Expected `str`"),
    "a bench concealed": (removed("bench"), "its kind is match; expected a line of kind bench"),
    "a bench for other forfeits": (edit("bench", name="forfeits", to=36), "forfeits=35"),
    "a bench of somebody else": (edit("bench", name="entrant", to=2), f"entrant={BROKEN}"),
    "a bench too many": (with_a_bench_too_many, "its kind is bench; expected a line of kind match"),
    "standings with other points": (row(0, "points", "1"), "row 0: points is '1'"),
    "standings with another reason": (row(1, "reason", "ahead by luck"), "row 0: reason"),
    "standings with true for 1": (row(0, "place", True), "row 0: place is True"),
    "standings with a field too many": (row(0, "luck", 1), "row 0: luck"),
    "a rating that is too high": (row(0, "rating", lambda of: of + 0.3), "row 0: rating is"),
    "a rating without a fraction": (row(0, "rating", lambda of: round(of)), "row 0: rating is"),
    "no rating": (row("overall", "rating_low", 1500.0), "row 0: rating_low is 1500.0; it must be None"),
    "a narrower interval": (row(0, "points_low", lambda of: of + 0.001), "row 0: points_low is"),
    "overall standings with other points": (row("overall", "points", "1"), "row 0: points is '1'"),
    "overall standings in another order": (with_rows_swapped, "row 0"),
    "standings of an event left out": (removed("standings", event=1), "event is 2; expected 1"),
    "other line counts": (edit("end", name="lines", to=98), "lines is 98; this is line 99"),
    "no end": (removed("end"), "there is no such line; expected a line of kind end"),
}  # fmt: skip


def test_an_estimate_may_be_rounded_otherwise_on_another_computer() -> None:
    def change(whole: Lines) -> None:
        rows = [line["rows"] for line in whole if line["kind"] == "standings"]
        rows[0][0]["rating"] = round(rows[0][0]["rating"] + 0.1, 1)
        rows[0][0]["points_low"] = round(rows[0][0]["points_low"] - 0.0001, 4)
        tables = [{"event": event, "rows": of} for event, of in zip([0, 1, 2, "overall"], rows, strict=True)]
        text = json.dumps(tables, sort_keys=True, separators=(",", ":"))
        whole[0]["edition"]["sha256"] = sha256(text.encode()).hexdigest()

    assert verify.check(forged(change)).matches == 85


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_whose_hashes_fit_is_refused_at_its_line(name: str) -> None:
    change, says = FORGERIES[name]
    named: list[int] = []
    record = forged(lambda whole: named.append(change(whole)))
    assert record != a_record()
    refused = refusal(record)
    at = named[0]
    if at == -1:  # the first match whose deal depends on it
        at = next(
            position
            for position, line in enumerate(lines())
            if line["kind"] == "match" and REMOTE in line["entrants"]
        )
    assert refused.line == at + 1, refused
    assert says in refused.reason


def test_the_set_aside_match_is_not_missing() -> None:
    whole = lines()
    at = place(whole, "set_aside")
    assert whole[at]["number"] == SET_ASIDE
    assert whole[at + 1]["number"] == SET_ASIDE + 1


@pytest.mark.parametrize("seed", range(6))
def test_one_changed_character_is_refused_at_its_line_or_at_the_hash_in_the_next(seed: int) -> None:
    record = a_record()
    stream = Stream(f"tamper/{seed}")
    for _ in range(10):
        at = stream.below(len(record))
        line = record[at]
        position = stream.below(len(line))
        other = stream.below(256)
        replaced = line[:position] + bytes([other if other != line[position] else other ^ 1])
        for changed in (
            replaced + line[position + 1 :],
            line[:position] + line[position + 1 :],
            line[: position + 1] + line[position:],
        ):
            tampered = b"".join([*record[:at], changed, *record[at + 1 :]])
            refused = refusal(tampered.splitlines(keepends=True))
            assert refused.line in (at + 1, at + 2), (refused, changed[:200])


def test_every_line_is_held_to_the_hash_of_the_one_before() -> None:
    record = a_record()
    for at in range(1, len(record)):
        whole = json.loads(record[at])
        digit = "0" if whole["prev"][0] != "0" else "1"
        whole["prev"] = digit + whole["prev"][1:]
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        refused = refusal([*record[:at], text.encode() + b"\n", *record[at + 1 :]])
        assert (refused.line, refused.reason.split(":")[0]) == (
            at + 1,
            f"prev is not the SHA-256 of line {at}",
        )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda line: line.replace(b":", b": ", 1), "canonical"),
        (lambda line: line.replace(b"{", b'{"format":1,', 1), "canonical"),
        (lambda line: b" " + line, "canonical"),
        (lambda line: line[:-1] + b"\r\n", "canonical"),
        (lambda line: b"[" + line[:-1] + b"]\n", "canonical"),
        (lambda line: b"\n" + line, "JSON"),
        (lambda line: line.replace(b"\xe6\x9c\xad", b"\xff", 1), "JSON"),
        (lambda line: line[:-1], "cut off"),
        (lambda line: b"[" * 100_000 + b"\n", "JSON"),
        (lambda line: b"null\n", "canonical"),
        (lambda line: b'{"kind":"header"}\n', "prev is not 64 zeros"),
    ],
)
def test_a_line_in_another_form_is_refused(change: Callable[[bytes], bytes], says: str) -> None:
    first, *rest = a_record()
    refused = refusal([change(first), *rest])
    assert (refused.line, says in refused.reason) == (1, True), refused.reason


def test_an_unknown_kind_of_line_is_refused() -> None:
    refused = refusal(forged(lambda whole: whole.insert(1, {"kind": "remark"})))
    assert refused.line == 2
    assert "remark" in refused.reason


@pytest.mark.parametrize("kept", [0, 1, 3, 7, 20, 98])
def test_a_record_that_is_cut_off_is_refused_at_the_line_that_is_missing(kept: int) -> None:
    refused = refusal(a_record()[:kept])
    assert refused.line == kept + 1
    assert "there is no such line" in refused.reason


def test_nothing_may_come_after_the_end() -> None:
    refused = refusal(chained([*lines(), {"kind": "end", "lines": 100}]))
    assert (refused.line, refused.reason) == (100, "comes after the end")


def test_the_first_of_several_wrong_lines_is_named() -> None:
    def change(whole: Lines) -> None:
        for number in (30, 4, 60):
            match("scores", up, number=number)(whole)
        header("edition", {"number": 1, "sha256": "0" * 64})(whole)

    assert refusal(forged(change)).line == place(lines(), "match", event=0, number=4) + 1


def test_a_wrong_match_is_named_before_a_wrong_form_further_on() -> None:
    record = forged(match("scores", up, number=60))
    refused = refusal([*record[:80], b"not json\n"])
    assert refused.line == place(lines(), "match", event=0, number=60) + 1


def test_reasons_are_for_people() -> None:
    change, _ = FORGERIES["another score"]
    reason = refusal(forged(change)).reason
    assert re.fullmatch(r"scores: number 0 is -?\d+; the match played again gives -?\d+", reason)
