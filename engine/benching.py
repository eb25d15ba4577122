"""Benching: who forfeits most of a block is asked no more from the next block on."""

from engine.schedule import Schedule

LEAST_FORFEITS = 5


def is_benched(forfeits: int, matches: int) -> bool:
    """Return whether so many forfeits in the matches of one block bench: at least half, and at least five."""
    return forfeits >= LEAST_FORFEITS and 2 * forfeits >= matches


def block_matches(schedule: Schedule, block: int, position: int) -> int:
    """Return how many matches of a block the entrant at this position of the field is to play."""
    return int(schedule.entrant_matches(block)[position])
