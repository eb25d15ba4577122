"""What the store refuses, and why; no layer below the API knows a status code."""

from engine.errors import FudabaError


class NotFound(FudabaError):
    """There is no such thing, or the caller may not know of it; `field` names where it was asked for."""

    code = "not_found"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Conflict(FudabaError):
    """The state of a thing does not allow this."""

    code = "conflict"


class Forbidden(FudabaError):
    """The caller may not do this."""

    code = "forbidden"


class BadRequest(FudabaError):
    """A value that cannot be used; `field` names where it stands in the input."""

    code = "bad_request"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class ArchiveUnavailable(FudabaError):
    """What was archived cannot be read: its folder or file is not there, or damaged."""

    code = "archive_unavailable"
