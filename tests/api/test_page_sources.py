"""The sources of bots on their pages: who gets them, and as what."""

import io
import zipfile

import pytest
from flask.testing import FlaskClient
from support import arena
from support.browsing import sign_in
from support.callers import MODULE, Caller

from store import bots
from workers.services import Services


def _zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", MODULE)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "filename", "kind"),
    [(MODULE, "mine.py", "text/plain; charset=utf-8"), (_zipped(), "mine.zip", "application/zip")],
)
def test_a_source_is_saved_by_its_owner_and_organisers_alone(
    client: FlaskClient, participant: Caller, stranger: Caller, content: bytes, filename: str, kind: str
) -> None:
    bot_id = participant.submit({"name": "mine"}, content, filename).json["id"]
    shown, path = f"/bots/{bot_id}", f"/bots/{bot_id}/versions/1/source"
    for token in (participant.token, arena.TOKEN):
        sign_in(client, token)
        assert f'href="{path}" download>{filename}</a>' in client.get(shown).text
        answer = client.get(path)
        assert (answer.status_code, answer.data, answer.content_type) == (200, content, kind)
        assert answer.headers["Content-Disposition"] == f"attachment; filename={filename}"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert client.get(f"/bots/{bot_id}/versions/2/source").status_code == 404
        answer.close()
    sign_in(client, stranger.token)
    assert path not in client.get(shown).text
    assert client.get(path).status_code == 403


def test_what_was_not_uploaded_has_no_source(client: FlaskClient, services: Services) -> None:
    sign_in(client, arena.TOKEN)
    with services.database.reading() as tx:
        bot_id = bots.by_reference(tx, "house/first").id
    assert client.get(f"/bots/{bot_id}/versions/1/source").status_code == 409
