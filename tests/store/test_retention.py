"""What is kept for a time only is forgotten after it, and nothing else is."""

from datetime import timedelta

from sqlalchemy import select
from support import arena
from support.arena import NOW

from store import retention
from store.database import Database
from store.models.bots import BotLog, Version
from store.models.matches import Result
from store.models.webhooks import Delivery, DeliveryState, Webhook

KEEP = retention.Keep(logs=timedelta(days=90), deliveries=timedelta(days=30))


def test_old_logs_are_forgotten_and_results_are_not(database: Database) -> None:
    made = arena.install(database)
    arena.started(database)
    arena.play_all(made)
    with database.transaction() as tx:
        version_id = tx.scalars(select(Version.id)).first()
        for days in (89, 91):
            created = NOW - timedelta(days=days)
            tx.add(BotLog(version_id=version_id, first_number=0, seat=0, text=f"{days}", created_at=created))
        before = len(tx.scalars(select(Result)).all())
    with database.transaction() as tx:
        assert retention.forget(tx, NOW, KEEP) == 1
        assert list(tx.scalars(select(BotLog.text))) == ["89"]
        assert len(tx.scalars(select(Result)).all()) == before


def test_old_deliveries_are_forgotten_once_they_are_decided(database: Database) -> None:
    arena.install(database)
    owner_id = arena.organiser_id(database)
    with database.transaction() as tx:
        hook = Webhook(owner_id=owner_id, url="https://example.org", events=[], secret="s", created_at=NOW)
        tx.add(hook)
        tx.flush()
        for state in DeliveryState:
            for days in (29, 31):
                moment = NOW - timedelta(days=days)
                row = {"event": "e", "body": "{}", "state": state, "next_at": moment, "created_at": moment}
                tx.add(Delivery(webhook_id=hook.id, **row))
    with database.transaction() as tx:
        assert retention.forget(tx, NOW, KEEP) == 2
        kept = [row.state for row in tx.scalars(select(Delivery))]
        assert sorted(kept) == sorted([*DeliveryState, DeliveryState.WAITING])
