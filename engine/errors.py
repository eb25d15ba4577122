"""What can go wrong in play, each with a stable code that every layer above may rely on."""


class FudabaError(Exception):
    """Root of all errors that a caller may handle; `code` is stable, the message is for people."""

    code = "error"


class UnknownGame(FudabaError):
    """No game has this id."""

    code = "unknown_game"


class BadOptions(FudabaError):
    """A seat count or option that the game does not allow; names it, its value and what is allowed."""

    code = "bad_options"


class IllegalAction(FudabaError):
    """An action, or an action text, that is not open to the seat to move; the state is unchanged."""

    code = "illegal_action"


class UnknownSeat(FudabaError):
    """A match has no such seat; names it and the seats that there are."""

    code = "unknown_seat"


class MatchNotOver(FudabaError):
    """Scores and places were asked for before the end."""

    code = "match_not_over"


class BadRecord(FudabaError):
    """A record that cannot be read or does not replay."""

    code = "bad_record"


class BadSchedule(FudabaError):
    """A field, a number or a format for which there is no schedule."""

    code = "bad_schedule"
