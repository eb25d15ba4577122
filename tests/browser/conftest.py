"""A real installation with a finished and a running tournament, and chromium to look at it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from support import installation
from support.installation import Installation, wait_finished
from support.misbehaving import module

from api.client import Client
from engine import games

Scheme = Literal["light", "dark"]

CHROMIUM = "/usr/bin/chromium"
SIZES = {"wide": (1360, 900), "phone": (390, 844)}
SHORT = {"seiten": {}, "hachinin_meri": {"rounds": 1}}
ROUNDS = 4
HOUSE = ["house/random", "house/greedy", "house/first"]


@dataclass(frozen=True, slots=True)
class Served:
    """An installation: a finished tournament with matches of every game, a bot with faults, a ladder."""

    up: Installation
    tournament_id: str
    matches: dict[str, str]
    bot_id: str
    ladder_id: str

    @property
    def url(self) -> str:
        """Return the address of the home page."""
        return self.up.url

    def client(self) -> Client:
        """Return a client of the organiser."""
        return Client(self.up.url, self.up.token)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("browser")
    with installation.running(home, "--workers", "1") as up, Client(up.url, up.token) as client:
        bot = client.submit_module("turncoat", "bot.py", module("return 'play:nothing'"), ["hana_awase"])
        client.wait_qualified(bot["id"], 1)
        events = [
            {"game": game.id, "deals": 1, "options": SHORT.get(game.id, {"rounds": 2})}
            for game in games.all_games()
        ]
        plan = {"name": "Autumn cup", "events": events, "entrants": [*HOUSE, "organiser/turncoat"]}
        tournament = client.create_tournament(plan)
        client.start(tournament["id"])
        wait_finished(client, tournament["id"])
        found = {
            event["game"]: next(iter(client.matches(tournament["id"], event=event["index"])))["id"]
            for event in client.events(tournament["id"])
        }
        ladder = client.create_ladder(
            {"name": "Long stair", "settings": [{"game": "minhwatu"}], "deals": 1, "round_seconds": 0}
        )
        client.join_ladder(ladder["id"], HOUSE)
        while client.ladder(ladder["id"])["season"]["applied"] < ROUNDS:
            time.sleep(0.2)
        client.close_ladder(ladder["id"])
        yield Served(up, tournament["id"], found, bot["id"], ladder["id"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@dataclass(slots=True)
class Visit:
    """A page in a browser, what it complained of, and what it has fetched."""

    page: Page
    complaints: list[str]
    fetched: dict[str, int]

    def look(self, size: str = "wide", scheme: Scheme = "light") -> None:
        """Show the page at another size and in other colours, without loading it anew."""
        self.resize(size)
        self.page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="reduce")

    def resize(self, size: str) -> None:
        """Show the page at another size."""
        width, height = SIZES[size]
        self.page.set_viewport_size({"width": width, "height": height})

    def forget(self) -> None:
        """Forget what was complained of and fetched so far."""
        self.complaints.clear()
        self.fetched.clear()


def open_page(browser: Browser, **more: Any) -> Visit:
    """Return an empty page that notes what goes wrong on it and how much it fetches."""
    visit = Visit(browser.new_context(**more).new_page(), [], {})
    visit.look()
    visit.page.on("console", lambda message: visit.complaints.extend(_complaint(message)))
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("requestfinished", lambda request: visit.fetched.update(_weight(request)))
    return visit


@pytest.fixture(scope="module")
def signed_in(browser: Browser, served: Served) -> Iterator[Visit]:
    """The page of an organiser, shared by the tests since signing in and new contexts are dear."""
    visit = open_page(browser)
    page = visit.page
    page.goto(f"{served.url}/sign-in")
    page.get_by_label("Token").fill(served.up.token)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    yield visit
    page.context.close()


@pytest.fixture
def visit(signed_in: Visit) -> Visit:
    """The page of an organiser, wide and light, with nothing of the test before it."""
    signed_in.page.goto("about:blank")
    signed_in.look()
    signed_in.forget()
    return signed_in


def _complaint(message: ConsoleMessage) -> list[str]:
    return [message.text] if message.type in ("error", "warning") else []


def _weight(request: Any) -> dict[str, int]:
    sizes = request.sizes()
    return {request.url: sizes["responseBodySize"] + sizes["responseHeadersSize"]}
