"""Schemathesis against the API: generated requests, alone and in sequences, and what is held of answers."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from schemathesis.engine import events, from_schema
from schemathesis.generation import GenerationMode

from engine import games

# 422 also stands for rules that no schema can say (an unknown game, a cursor of another list). That nothing
# is refused for its mere shape which the document allows is a check of ours.
_CHECKS = {
    "positive_data_acceptance": {
        "expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "429"]
    },
    "negative_data_rejection": {
        "expected-statuses": [
            "400",
            "401",
            "403",
            "404",
            "405",
            "409",
            "412",
            "413",
            "414",
            "415",
            "422",
            "429",
        ]
    },
}
SEED = 20261130
_KNOWN = 0.8  # how often a value comes from the words below, and an id from those that there are
_GAMES = [game.id for game in games.all_games()]
_BOTS = ["house/greedy", "house/first", "house/random", "ann/richest"]
_WORDS: Mapping[str, list[str | int]] = {
    "query.bot": _BOTS,
    "query.owner": ["ann", "house"],
    "query.event": [0, 1],
    "query.entrant": [0, 1, 2],
    "query.seat": [0, 1],
    "query.season": [1],
    "body.bots[*]": _BOTS,
    "body.entrants[*]": _BOTS,
    "body.games[*]": _GAMES,
    "body.events[*].game": _GAMES,
    "body.settings[*].game": _GAMES,
    "body.events[*].deals": [1, 2],
    "body.events[*].schedule": ["full", "balanced"],
    "body.entrant": [0, 1, 2],
    "body.url": ["https://93.184.215.14/play"],
}


@dataclass(slots=True)
class Findings:
    """What came of it: how often each operation was answered with each status, and what was wrong."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def config(examples: int, ids: Mapping[str, Collection[str | int]], **more: Any) -> schemathesis.Config:
    """Return how to fuzz: so many requests an operation, the same each time, mostly with ids that exist."""
    generation = {"max-examples": examples, "deterministic": True, "database": "none"}
    words = {**_WORDS, **{f"path.{name}": [*values] for name, values in ids.items()}}
    words["query.bot"] = [*words["query.bot"], *ids.get("bot_id", ())]
    return schemathesis.Config.from_dict(
        {
            "seed": SEED,
            "generation": generation,
            "checks": _CHECKS,
            "request-timeout": 20,
            "max-stream-events": 2,
            "dictionaries": {_plain(name): {"values": values} for name, values in words.items()},
            "parameters": {name: {"dictionary": _plain(name), "probability": _KNOWN} for name in words},
            **more,
        }
    )


def run(schema: schemathesis.BaseSchema) -> Findings:
    """Go through all phases that the schema's configuration has switched on."""
    findings = Findings()
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError):
            findings.problems.append(f"{event.label}: {event.value!r}")
        elif isinstance(event, events.FatalError):
            raise event.exception
        elif isinstance(event, events.ScenarioFinished | events.FuzzScenarioFinished):
            _note(findings, event.recorder)
    return findings


def _plain(name: str) -> str:
    """Return a name for a dictionary, which may have letters, digits and lines."""
    return re.sub(r"\W+", "_", name)


def _note(findings: Findings, recorder: Any) -> None:
    for case_id, node in recorder.cases.items():
        interaction = recorder.interactions.get(case_id)
        if interaction is None or interaction.response is None:
            continue
        response = interaction.response
        findings.answers[node.value.operation.label, response.status_code] += 1
        for check in recorder.checks.get(case_id, ()):
            if check.failure_info is not None:
                failure = check.failure_info
                findings.problems.append(
                    f"{node.value.operation.label}: {check.name}: {failure.failure}\n{failure.code_sample}\n"
                    f"{response.status_code} {response.text[:500]}"
                )


def tokens_from(make: Callable[[], str]) -> type[schemathesis.AuthProvider[str]]:
    """Return what signs requests in with tokens that `make` makes: what is tried also revokes tokens."""

    class Tokens:
        def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
            return make()

        def set(self, case: schemathesis.Case, token: str, context: schemathesis.AuthContext) -> None:
            case.headers["Authorization"] = f"Bearer {token}"

    return Tokens


@schemathesis.check
def shapes_are_as_documented(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    """Hold that nothing is refused for its shape which the document allows."""
    is_allowed = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
    if is_allowed and response.status_code in (400, 422):
        code = json.loads(response.text)["code"]
        assert code not in ("invalid", "malformed"), f"the document allows what is refused: {response.text}"
