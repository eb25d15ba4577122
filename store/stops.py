"""Early ends: whether the rule of a tournament ends an event at the end of a block."""

from engine.schedule import Schedule
from engine.stopping import StopRule
from store import sums
from store.database import Transaction
from store.models.tournaments import Event, Tournament


def apply(tx: Transaction, tournament: Tournament, event: Event, schedule: Schedule) -> bool:
    """Return whether an event ends after its present block, before its time; it then says so itself.

    All matches of the block must be over, and the event's row locked.
    """
    if tournament.stop is None:
        return False
    rule = StopRule.from_json(tournament.stop)
    if not rule.looks_at(event.block, schedule.blocks):
        return False
    if not rule.ends(sums.units(tx, event, sums.ranked(tx, event)), schedule.blocks):
        return False
    event.stopped_after_block = event.block
    event.matches = schedule.block_range(event.block).stop
    return True
