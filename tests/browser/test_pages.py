"""The web pages in a real browser on a real installation: sizes, schemes, keys, forms, live progress, axe."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.conftest import SIZES, Scheme, Served, Visit, open_page
from playwright.sync_api import Browser, Page, expect
from support.site_map import page_paths

from engine import games

pytestmark = [pytest.mark.integration, pytest.mark.needs("chromium"), pytest.mark.timeout(600)]

MOST_BYTES = 300_000
# The bytes of a page and of all that it loads, also of what the browser had already.
WEIGHT = """[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
QUICK_GAME = "sutda"
GAMES = [
    game.id if game.id == QUICK_GAME else pytest.param(game.id, marks=pytest.mark.slow)
    for game in games.all_games()
]
AXE_OPTIONS = {"resultTypes": ["violations"], "preload": False}
LOOKS: dict[str, Scheme] = {"phone": "dark", "wide": "light"}


def all_paths(served: Served) -> list[str]:
    """Return the path of every page, most of them with something on it, and of one that there is not."""
    examples = {
        "tournament_id": served.tournament_id,
        "index": 4,
        "match_id": served.matches["sakura"],
        "bot_id": served.bot_id,
        "ladder_id": served.ladder_id,
        "game_id": "seiten",
    }
    return [
        *page_paths(examples),
        f"/matches/{served.matches['hachinin_meri']}?step=4",
        "/bots/compare?bot=house/greedy&bot=house/random",
        "/games/chess",
    ]


def serious(page: Page) -> list[tuple[str, str]]:
    """Return what axe finds that keeps people from using a page: the rule and the first element."""
    found = Axe().run(page, options=AXE_OPTIONS).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in grave]


def can_be_used(visit: Visit, served: Served, paths: list[str]) -> bool:
    """Let axe look at pages as wide as a screen in light colours, and as narrow as a phone in dark ones."""
    for path in paths:
        visit.page.goto(served.url + path)
        for size, scheme in LOOKS.items():
            visit.look(size, scheme)
            assert serious(visit.page) == [], (path, size, scheme)
    return True


def test_every_page_fits_and_is_light(visit: Visit, served: Served) -> None:
    page, sizes = visit.page, [*SIZES]
    for path in all_paths(served):
        visit.forget()
        page.goto(served.url + path)
        assert "/sign-in?" not in page.url, path
        assert visit.complaints == [] or path == "/games/chess", (path, visit.complaints)
        assert all(url.startswith(served.url) for url in visit.fetched), path
        assert 2_000 < page.evaluate(WEIGHT) < MOST_BYTES, path
        for size in sizes:
            visit.resize(size)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, size)
        sizes.reverse()  # the next page is loaded at the size of this one


def test_tables_forms_and_replays_can_be_used_by_everybody(visit: Visit, served: Served) -> None:
    table, replay = f"/tournaments/{served.tournament_id}/events/4", f"/matches/{served.matches['sutda']}"
    assert can_be_used(visit, served, [table, replay, "/tournaments/new"])


@pytest.mark.slow
def test_every_page_can_be_used_by_everybody(visit: Visit, served: Served) -> None:
    assert can_be_used(visit, served, all_paths(served))


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_stepped_through_by_keyboard(visit: Visit, served: Served, game: str) -> None:
    page = visit.page
    page.goto(f"{served.url}/matches/{served.matches[game]}")
    last = int(page.locator("#player").get_attribute("data-last") or "0")
    view = page.locator("#view")
    assert last > 4
    for step in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        expect(view).to_have_attribute("data-step", str(step))
    expect(view).to_contain_text("the match is over")
    page.keyboard.press("ArrowLeft")
    expect(view).to_have_attribute("data-step", str(last - 1))
    page.keyboard.press("Home")
    expect(view).to_have_attribute("data-step", "0")
    assert "step=0&seat=all" in page.url
    assert visit.complaints == []
    drawn = page.locator("#view .felt svg.card").first.bounding_box()
    assert drawn is not None and drawn["width"] > 20


def test_the_slider_the_view_and_playing_work(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/matches/{served.matches['sakura']}")
    view = page.locator("#view")
    page.get_by_role("slider").fill("9")
    expect(view).to_have_attribute("data-step", "9")
    page.get_by_label("View").select_option("1")
    expect(view.get_by_role("img", name="a card face down").first).to_be_visible()
    page.get_by_label("Speed").select_option("fast")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play").click()
    expect(view).not_to_have_attribute("data-step", "9", timeout=20_000)
    page.get_by_role("button", name="Stop").click()
    page.reload()
    expect(page.locator("#view")).to_have_attribute("data-step", re.compile(r"[1-9]\d"))
    expect(page.get_by_label("View")).to_have_value("1")


def test_faults_are_marked_and_lead_to_their_step(visit: Visit, served: Served) -> None:
    page = visit.page
    with served.client() as client:
        fault = next(iter(client.faults(served.bot_id)))
    page.goto(f"{served.url}/matches/{fault['match_id']}")
    page.get_by_role("link", name=f"step {fault['step']}, seat {fault['seat']}, illegal").click()
    expect(page.locator("#view")).to_contain_text(f"Fault of seat {fault['seat']}: illegal")
    assert page.locator("#faults option").count() >= 1


def test_pages_work_without_scripts(browser: Browser, served: Served) -> None:
    visit = open_page(browser, java_script_enabled=False)
    page = visit.page
    page.goto(f"{served.url}/matches/{served.matches['seiten']}?step=3&seat=2")
    page.get_by_role("link", name="Forward").click()
    expect(page.locator("#view")).to_have_attribute("data-step", "4")
    expect(page.get_by_label("View")).to_have_value("2")
    expect(page.get_by_role("button", name="Go")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
    page.goto(f"{served.url}/tournaments/{served.tournament_id}")
    expect(page.get_by_role("rowheader", name="house/greedy")).to_be_visible()
    page.context.close()


def test_a_table_is_printed_without_what_is_for_screens(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/tournaments/{served.tournament_id}")
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Site")).to_be_hidden()
    expect(page.get_by_role("rowheader", name="house/greedy")).to_be_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"


def test_bots_on_a_ladder_are_looked_at_and_compared(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/ladders")
    page.get_by_role("link", name="Long stair").click()
    expect(page.get_by_role("img", name="How the ratings of the first went")).to_be_visible()
    page.get_by_role("link", name="Compare the first two").click()
    expect(page.get_by_role("heading", name="Head to head")).to_be_visible()
    page.get_by_label("Another bot").fill("house/first")
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="house/first").first).to_be_visible()
    assert visit.complaints == []


def test_an_organiser_makes_a_tournament_and_sees_it_move(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/tournaments")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Name", exact=True).fill("Winter league")
    for game in games.all_games():
        page.get_by_role("checkbox", name=game.title, exact=True).set_checked(game.id == "minhwatu")
    page.get_by_text("Settings of Minhwatu").click()
    page.get_by_role("spinbutton", name="Deals").last.fill("400")
    for name in ("house/random", "house/first", "house/greedy"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Dry run").click()
    expect(page.get_by_role("table")).to_contain_text("1,200")
    page.get_by_role("button", name="Create the draft").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("running").first).to_be_visible()
    progress = page.get_by_label("Matches played").first
    seen = set()
    for _ in range(3):
        expect(progress).not_to_have_attribute("value", max(seen, key=int, default="x"), timeout=20_000)
        seen.add(progress.get_attribute("value") or "0")
    assert len(seen) == 3
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("cancelled").first).to_be_visible()
    assert visit.complaints == []


def test_the_owner_reads_faults_and_reports(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/bots/{served.bot_id}")
    expect(page.get_by_role("heading", name="Version 1 qualified plays")).to_be_visible()
    page.get_by_text("Qualification report").click()
    expect(page.get_by_text('"accepted": true')).to_be_visible()
    expect(page.locator("#faults ~ article").first).to_contain_text("illegal")


def test_a_bot_is_submitted_with_the_form(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.url}/submit")
    form = page.locator("form", has_text="Submit the module")
    form.get_by_label("Name").fill("from-a-form")
    form.get_by_label("Minhwatu").check()
    source = b"def act(observation):\n    return 0\n"
    form.get_by_label("File").set_input_files(
        {"name": "bot.py", "mimeType": "text/x-python", "buffer": source}
    )
    form.get_by_role("button", name="Submit the module").click()
    expect(page.get_by_role("heading", name="from-a-form")).to_be_visible()
    expect(page.get_by_role("heading", name="Version 1 qualified plays")).to_be_visible(timeout=60_000)
