"""The cup that installations are struck in: who plays it, and what must be the same however it was played."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import select
from support import fleet
from support.brokers import Broker
from support.fleet import Fleet
from support.installation import wait_finished

from api.client import Client
from store.database import Database
from store.models.matches import FaultRow, Result
from store.models.tournaments import Edition, Event

SAMPLES = Path(__file__).parents[2] / "api" / "samples"
SECRET = "07" * 32
EVENTS: list[dict[str, Any]] = [
    {"game": "hana_awase", "deals": 36},
    {"game": "seiten", "deals": 6},
    {"game": "hachinin_meri", "options": {"rounds": 2}, "deals": 6},
]
# Waits at every decision, which costs no CPU: a cup lasts long enough to be struck, on fast machines too.
PATIENT = b"""
import time


class Patient(Bot):
    def act(self, observation):
        time.sleep(0.002)
        return super().act(observation)


Bot = Patient
"""


def submit_sample(organiser: Client, url: str, author: str) -> str:
    """Create an author who submits a sample module, made slower; return its id once it has qualified."""
    source = (SAMPLES / "memory_bot.py").read_bytes() + PATIENT
    with Client(url, organiser.create_account(author)["token"]) as client:
        answer = client.submit_module("memory", "memory_bot.py", source)
        assert client.wait_qualified(answer["id"], answer["version"])["state"] == "qualified"
    return str(answer["id"])


def start_cup(client: Client, url: str, events: list[dict[str, Any]]) -> str:
    """Start a tournament of a module and house bots with a fixed secret seed; return its id."""
    return start(client, submit_sample(client, url, "ann"), events)


def start(client: Client, bot_id: str, events: list[dict[str, Any]]) -> str:
    """Start a cup of this bot and house bots; return its id."""
    entrants = [bot_id, "house/greedy", "house/random", "house/first"]
    plan = {"name": "cup", "entrants": entrants, "events": events, "secret_seed": SECRET}
    tournament = client.create_tournament(plan)
    client.start(tournament["id"])
    return str(tournament["id"])


def fingerprint(database: Database, tournament_id: str) -> dict[str, str]:
    """Return the SHA-256 of the frozen table, and of every match and fault by number, of a finished cup."""
    with database.reading() as tx:
        editions = list(tx.scalars(select(Edition).where(Edition.tournament_id == UUID(tournament_id))))
        assert len(editions) == 1, "the table is frozen once"
        matches, faults = hashlib.sha256(), hashlib.sha256()
        query = select(Event).where(Event.tournament_id == UUID(tournament_id)).order_by(Event.index)
        for event in tx.scalars(query):
            for row in tx.scalars(select(Result).where(Result.event_id == event.id).order_by(Result.number)):
                kept = (event.index, row.number, row.scores, row.places, row.forfeits, row.faults)
                matches.update(f"{kept}".encode() + row.actions)
            numbered = select(FaultRow).where(FaultRow.event_id == event.id)
            for fault in tx.scalars(numbered.order_by(FaultRow.number, FaultRow.step)):
                faults.update(f"{event.index, fault.number, fault.step, fault.seat, fault.code}".encode())
    return {"table": editions[0].sha256, "matches": matches.hexdigest(), "faults": faults.hexdigest()}


@contextmanager
def under_way(
    folder: Path, broker: Broker, database: Database, workers: int = 1, **variables: str
) -> Iterator[tuple[Fleet, str]]:
    """Run a service with workers `w0`, `w1`, ... and yield it with the id of a cup that has started.

    Leases are short, so that much happens in little time, unless `variables` say otherwise.
    """
    settings = {"FUDABA_LEASE_SECONDS": "4", "FUDABA_SWEEP_SECONDS": "1", **variables}
    with fleet.running(folder, broker, database, **settings) as service, service.client() as client:
        for number in range(workers):
            service.start(f"w{number}")
        service.wait_ready()
        yield service, start_cup(client, service.url, EVENTS)


def assert_ends_as(undisturbed: dict[str, str], service: Fleet, cup: str) -> None:
    """Wait for the end of the cup and compare all that came out; every match must be there once."""
    with service.client() as client:
        state = wait_finished(client, cup, 300)
        assert state["played"] == state["matches"]
    assert fingerprint(service.database, cup) == undisturbed
