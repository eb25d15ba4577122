"""Every task: one message turned into one call. Running one twice changes nothing."""

from uuid import UUID

from celery import shared_task

from workers import advance, batch, ladder, probe, qualification, services, sweep, webhooks


@shared_task(name="fudaba.advance_tournament")
def advance_tournament(tournament_id: str) -> None:
    """Open and send the first batches of a tournament."""
    advance.tournament(services.current(), UUID(tournament_id))


@shared_task(name="fudaba.play_batch")
def play_batch(batch_id: int) -> None:
    """Play one batch, if nobody else does."""
    batch.play(services.current(), batch_id)


@shared_task(name="fudaba.qualify")
def qualify(version_id: str) -> None:
    """Try a bot version out, if it still waits for it."""
    qualification.run(services.current(), UUID(version_id))


@shared_task(name="fudaba.deliver")
def deliver(delivery_id: str) -> None:
    """Tell a webhook once, if that is still to be done."""
    webhooks.deliver(services.current(), UUID(delivery_id))


@shared_task(name="fudaba.sweep")
def sweep_lost_work() -> None:
    """Send again what was lost."""
    sweep.run(services.current())


@shared_task(name="fudaba.tend_ladders")
def tend_ladders() -> None:
    """Open the rounds of ladders that are due."""
    ladder.tend(services.current())


@shared_task(name="fudaba.rate_season")
def rate_season(tournament_id: str) -> None:
    """Compute the ratings of a season, if they are out of date."""
    ladder.rate(services.current(), UUID(tournament_id))


@shared_task(name="fudaba.probe_member")
def probe_member(ladder_id: str, bot_id: str) -> None:
    """Try a benched member of a ladder out, if it is still benched."""
    probe.run(services.current(), UUID(ladder_id), UUID(bot_id))
