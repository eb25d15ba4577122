"""The secret of a tournament, its commitment, and the seed of every deal."""

import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256

from engine.record import canonical

SECRET_BYTES = 32


def commitment(secret: bytes) -> str:
    """Return what is published before play: the SHA-256 of the secret, in lower-case hex."""
    return sha256(secret).hexdigest()


def entrants_hash(entrants: Sequence[Mapping[str, object]]) -> str:
    """Return the SHA-256, in lower-case hex, of the frozen entrant list as canonical JSON."""
    return sha256(canonical([dict(entrant) for entrant in entrants])).hexdigest()


def deal_seed(secret: bytes, entrants_sha256: str, event_index: int, deal: str) -> bytes:
    """Return the 32-byte seed of a deal: HMAC-SHA256(secret, "<entrants>/<event>/<deal>").

    `deal` is the decimal deal number; for a table that must not meet the deals of others it is
    "<deal>/<table>/<rotation>" (`engine.schedule.Slot.deal_name`).
    """
    message = f"{entrants_sha256}/{event_index}/{deal}".encode()
    return hmac.new(secret, message, sha256).digest()


def closing_secret(secret: bytes) -> bytes:
    """Return the secret of the tournament that closes a season whose own secret is known: for tests alone."""
    return hmac.new(secret, b"closing", sha256).digest()


def pairing_seed(secret: bytes, number: int) -> bytes:
    """Return the 32-byte seed of a ladder's pairings in a round: HMAC-SHA256(secret, "pairing/<round>")."""
    return hmac.new(secret, f"pairing/{number}".encode(), sha256).digest()
