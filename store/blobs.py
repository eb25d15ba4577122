"""The bytes of uploads, kept once for each content."""

import hashlib

from store.database import Transaction
from store.errors import NotFound
from store.models.bots import Blob
from store.upserts import insert_missing


def put(tx: Transaction, content: bytes) -> str:
    """Keep `content` and return its SHA-256 in hex; the same content again changes nothing."""
    sha256 = hashlib.sha256(content).hexdigest()
    insert_missing(tx, Blob, [{"sha256": sha256, "content": content}])
    return sha256


def get(tx: Transaction, sha256: str) -> bytes:
    """Return the content with this SHA-256; raises NotFound."""
    blob = tx.get(Blob, sha256)
    if blob is None:
        raise NotFound(f"there is no upload with the SHA-256 {sha256!r}")
    return blob.content
