"""What each kind of fault means: whose it is, what happened, what it costs, what its author is shown."""

from dataclasses import dataclass
from enum import StrEnum

from engine.policies import FaultCode


class Culprit(StrEnum):
    """Whose fault a fault is."""

    BOT = "bot"
    PLATFORM = "platform"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """One kind of fault, in words for the author of the bot.

    `costs` says which decisions are answered in the bot's place with the lowest legal action; keys of the
    evidence are in backquotes in `shows`.
    """

    code: FaultCode
    culprit: Culprit = Culprit.BOT
    happened: str
    costs: str
    shows: str


_DECISION = "that decision"
_CALL = "every decision of the call"
_PROCESS = "that decision; a new process goes on"

_TABLE = (
    FaultKind(
        code=FaultCode.ILLEGAL,
        happened="the answer is not among the legal actions",
        costs=_DECISION,
        shows="the answer (`reply`)",
    ),
    FaultKind(
        code=FaultCode.BAD_REPLY,
        happened="the answer is no text and no index, or the whole reply is not of the agreed form",
        costs="that decision; every decision of the call if the whole reply is wrong",
        shows="the reply, cut (`reply`)",
    ),
    FaultKind(
        code=FaultCode.EXCEPTION,
        happened="the bot's code raised",
        costs=_DECISION,
        shows="`phase`, `traceback`",
    ),
    FaultKind(
        code=FaultCode.TIMEOUT,
        happened="a decision took too long, or the bank was used up",
        costs=f"module: {_PROCESS}; endpoint: {_CALL}",
        shows="`phase`, `limit_ms`, `used_ms`, `clock`",
    ),
    FaultKind(
        code=FaultCode.START_TIMEOUT,
        happened="start-up took too long",
        costs="every decision that waited for it",
        shows="`phase`, `limit_ms`, `used_ms`, `clock`",
    ),
    FaultKind(
        code=FaultCode.MEMORY,
        happened="the memory limit was met",
        costs="that decision; a new process goes on if that one did not survive",
        shows="`phase`",
    ),
    FaultKind(
        code=FaultCode.CRASH,
        happened="the process ended",
        costs=_PROCESS,
        shows="`phase`, `exit_code` or `signal`, what was `printed` last",
    ),
    FaultKind(
        code=FaultCode.LOG_FLOOD,
        happened="far more was printed than the log may hold",
        costs=_PROCESS,
        shows="`limit_bytes`, `used_bytes`",
    ),
    FaultKind(
        code=FaultCode.CONNECT,
        happened="the endpoint's name or port does not answer, twice in a row",
        costs=_CALL,
        shows="the system's error",
    ),
    FaultKind(
        code=FaultCode.TLS,
        happened="the certificate or the encryption is not in order",
        costs=_CALL,
        shows="the error",
    ),
    FaultKind(
        code=FaultCode.HTTP_STATUS,
        happened="another status than 200",
        costs=_CALL,
        shows="`status`, `retry_after` if it was sent",
    ),
    FaultKind(
        code=FaultCode.TOO_LARGE,
        happened="the reply, or its headers, are too large",
        costs=_CALL,
        shows="the limit, `status`",
    ),
    FaultKind(
        code=FaultCode.REDIRECT,
        happened="the endpoint answered with a redirect",
        costs=_CALL,
        shows="where it points to (`location`): register that URL",
    ),
    FaultKind(
        code=FaultCode.REFUSED_ADDRESS,
        happened="the name leads to an address that is not allowed",
        costs=_CALL,
        shows="the address",
    ),
    FaultKind(
        code=FaultCode.PLATFORM,
        culprit=Culprit.PLATFORM,
        happened="the arena failed",
        costs="nothing: the match is played again",
        shows="nothing: it is not among the bot's faults",
    ),
)

FAULTS: dict[FaultCode, FaultKind] = {kind.code: kind for kind in _TABLE}


def kind_of(code: str) -> FaultKind | None:
    """Return the kind of fault with this code; None for one that only a newer service knows."""
    return FAULTS[FaultCode(code)] if code in FAULTS else None


def markdown() -> str:
    """Return all kinds as the table of the documentation."""
    headings = ("code", "whose", "what happened", "what it costs", "what the author sees")
    rows = [(f"`{kind.code}`", kind.culprit.value, kind.happened, kind.costs, kind.shows) for kind in _TABLE]
    lines = [" | ".join(row) for row in (headings, ("--",) * len(headings), *rows)]
    return "".join(f"| {line} |\n" for line in lines).replace(
        "| -- | -- | -- | -- | -- |", "|--|--|--|--|--|"
    )
