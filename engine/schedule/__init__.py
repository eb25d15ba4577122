"""Schedules: from a match number to who sits where in which deal, by arithmetic alone."""

from engine.schedule.apart import of_owners
from engine.schedule.base import Format, Schedule, Slot, default_format
from engine.schedule.meetings import Meeting, meeting_matches

__all__ = ["Format", "Meeting", "Schedule", "Slot", "default_format", "meeting_matches", "of_owners"]
