"""Schedules: from a match number to who sits where in which deal, by arithmetic alone."""

from engine.schedule.base import Schedule, Slot

__all__ = ["Schedule", "Slot"]
