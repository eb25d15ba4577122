"""The games, the play of matches, schedules, scoring and records: pure, without I/O or clock."""
