"""What holds for every page of the site, whichever there are: found by the routes, signed in and not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient
from support import arena
from support import ladders as build
from support.browsing import browser_of, sign_in
from support.callers import Caller
from support.ladders import TWO
from support.site_map import page_paths
from werkzeug.test import TestResponse

from engine import games
from store import matches
from workers.services import Services

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
SHORT = {"sutda": {"rounds": 1}, "seiten": {}, "hachinin_meri": {"rounds": 1}}
MOST_BYTES = 200_000
VOID = {"meta", "link", "input", "br", "img", "hr", "path", "circle", "use"}


@dataclass(frozen=True, slots=True)
class Seen:
    """A page as one of the callers got it."""

    path: str
    who: str
    answer: TestResponse

    @property
    def text(self) -> str:
        """Its HTML."""
        return self.answer.text


@pytest.fixture
def pages(services: Services, anybody: Caller) -> Iterator[list[Seen]]:
    """Every page, with something on it, to nobody and to the organiser."""
    events = [
        {"game": game.id, "options": SHORT.get(game.id, {"rounds": 1}), "deals": 1}
        for game in games.all_games()
    ]
    tournament = arena.started(services.database, *events)
    arena.play_all(services)
    tournament = arena.again(services.database, tournament)
    ladder = build.made(services.database, arena.HOUSE, events=(TWO,))
    build.play_rounds(services, ladder.id, 2)
    examples = {
        "tournament_id": tournament.id,
        "index": 0,
        "match_id": matches.match_id_of(tournament.events[0].id, 0),
        "bot_id": tournament.entrants[0].version.bot_id,
        "ladder_id": ladder.id,
        "game_id": "sakura",
    }
    more = [f"/games/{game.id}" for game in games.all_games()] + [
        "/games/hanafuda",
        "/bots/compare?bot=house/greedy&bot=house/random",
        f"/ladders/{ladder.id}?season=1",
    ]
    nobody, organiser = browser_of(anybody), sign_in(browser_of(anybody), arena.TOKEN)
    yield [
        Seen(path, who, client.get(path))
        for path in [*page_paths(examples), *more]
        for who, client in (("nobody", nobody), ("organiser", organiser))
    ]


def test_every_page_keeps_the_rules_of_all_pages(anybody: Caller, pages: list[Seen]) -> None:
    shown = [page for page in pages if page.answer.status_code != 303]
    assert {page.path for page in shown} == {page.path for page in pages}
    for page in shown:
        assert page.answer.status_code == 200, (page.path, page.who)
        _has_headers(page)
        _loads_nothing_from_elsewhere(page)
        _has_one_title_and_heading(page)
        _is_well_formed(page)
    assert {page.who for page in pages if page.answer.status_code == 303} == {"nobody"}
    _files_are_small_and_kept(browser_of(anybody), pages)


def _has_headers(page: Seen) -> None:
    headers = page.answer.headers
    assert page.answer.content_type == "text/html; charset=utf-8", page.path
    assert headers["Content-Security-Policy"].startswith(POLICY), page.path
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Cookie" in page.answer.vary
    assert len(page.answer.data) < MOST_BYTES, page.path


def _loads_nothing_from_elsewhere(page: Seen) -> None:
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"|javascript:|@import", page.text), page.path
    assert re.findall(r"<script(?![^>]+src=\"/static/)", page.text) == [], page.path
    assert re.findall(r'(?:src|href|action)="(?:https?:)?//', page.text) == [], page.path


def _has_one_title_and_heading(page: Seen) -> None:
    assert '<html lang="en">' in page.text
    assert len(re.findall(r"<h1\b", page.text)) == 1, page.path
    assert re.search(r"<title>[^<]+ · Fudaba</title>", page.text), page.path


class _Tags(HTMLParser):
    """Notes what is not closed, or closed without having been opened, and every id."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, (tag, self.getpos())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]


def _is_well_formed(page: Seen) -> None:
    tags = _Tags()
    tags.feed(page.text)
    tags.close()
    assert tags.open == [], page.path
    assert len(tags.ids) == len(set(tags.ids)), (page.path, sorted(tags.ids))


def _files_are_small_and_kept(client: FlaskClient, pages: list[Seen]) -> None:
    needed = {
        path.replace("&amp;", "&")
        for page in pages
        for path in re.findall(r'(?:href|src)="(/(?:static|cards)/[^"#]+)', page.text)
    }
    assert len(needed) >= 7
    for path in sorted(needed):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "max-age=31536000" in answer.headers["Cache-Control"]
        assert len(answer.data) < 60_000, path
        answer.close()
