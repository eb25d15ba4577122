"""Early ends: whether the rule of a tournament ends an event at the end of a block."""

from engine.intervals import UnitSums
from engine.schedule import Schedule
from engine.stopping import StopRule
from store import gaps, sums, totals
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
    if not rule.ends(_units(tx, event, schedule), schedule.blocks):
        return False
    event.stopped_after_block = event.block
    event.matches = schedule.block_range(event.block).stop
    return True


def _units(tx: Transaction, event: Event, schedule: Schedule) -> UnitSums:
    """Return what the ranked entrants did in the units of deals, up to the end of the present block."""
    ranked = sums.ranked(tx, event)
    if not gaps.is_behind(event, schedule):
        return sums.units(tx, event, ranked)
    so_far = range(schedule.block_range(event.block).stop)
    units = totals.tally(tx, event, [so_far], without=sums.dropped(tx, event)).units()
    return UnitSums.of([one for one in units if one.entrant in ranked], event.sides)
