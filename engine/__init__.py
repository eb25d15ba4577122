"""The games, the play of matches, schedules, scoring and records: pure, without I/O or clock."""

from engine import fresh

fresh.prefer_changed_sources()
