"""Schedules: from a match number to who sits where in which deal, by arithmetic alone."""

from engine.schedule.base import Format, Schedule, Slot, default_format

__all__ = ["Format", "Schedule", "Slot", "default_format"]
