"""Games: what is played, by which rules, with which cards; and the sheets that the cards are drawn on."""

import sys
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, render_template
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from api.pages import cards
from api.pages.frame import KEEP_SECONDS
from engine import games
from store.errors import NotFound

blueprint = Blueprint("games", __name__)

# The rules pages in a checkout, and where an installation puts them.
_FOLDERS = (Path(__file__).parents[2] / "docs/games", Path(sys.prefix) / "share/fudaba/games")
_PACK_PAGES = {"hanafuda": "hanafuda"}
_COMMENT = "<!--"
SAMPLES = 4


@blueprint.get("/games")
def index() -> str:
    """List the games with some of their cards."""
    return render_template("games.html", games=games.all_games(), samples=_samples())


@blueprint.get("/games/<game_id>")
def show(game_id: str) -> str:
    """Show the rules of a game, or of a pack that several are played with, and its deck."""
    known = {game.id: game for game in games.all_games()}
    game = known.get(game_id)
    if game is None and game_id not in _PACK_PAGES:
        raise NotFound(f"there is no game {game_id[:40]!r}")
    pack = _PACK_PAGES.get(game_id) or _pack(game_id)
    return render_template(
        "game.html", game=game, pack=cards.title(pack), deck=cards.deck(pack), rules=_rules(game_id)
    )


@blueprint.get("/cards/<name>.svg")
def sheet(name: str) -> Response:
    """Send all cards of a pack as symbols of one file, compressed as every browser takes it."""
    drawn = cards.sheet(name)
    answer = Response(drawn.packed, content_type="image/svg+xml", headers={"Content-Encoding": "gzip"})
    answer.cache_control.public = True
    answer.cache_control.max_age = KEEP_SECONDS
    answer.set_etag(drawn.digest)
    return answer


@lru_cache
def _samples() -> dict[str, list[cards.Symbol]]:
    """Return a few cards of each game, for its place in the list; games of one pack show others."""
    samples = {}
    for number, game in enumerate(games.all_games()):
        deck = cards.deck(_pack(game.id))
        places = (5 * number + i * len(deck) // SAMPLES for i in range(SAMPLES))
        samples[game.id] = [deck[place % len(deck)] for place in places]
    return samples


@lru_cache
def _pack(game_id: str) -> str:
    """Return the pack that a game is played with: that of the cards in a first hand."""
    state = games.get(game_id).new_match(seed=bytes(32))
    return cards.pack_of(state.observation(state.to_move or 0)["hand"])


@lru_cache
def _rules(name: str) -> Markup:
    """Return a rules page as HTML; raw HTML in it stays text."""
    path = next((path for folder in _FOLDERS if (path := folder / f"{name}.md").is_file()), None)
    if path is None:
        raise NotFound(f"the rules page of {name} is not installed")
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith(_COMMENT))
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        _link(token)
    _lower(tokens)
    rendered = markdown.renderer.render(tokens, markdown.options, {})
    for tag in ("pre", "table"):  # they scroll where the screen is narrow, so keys must reach them
        rendered = rendered.replace(f"<{tag}>", f'<{tag} tabindex="0">')
    return Markup(rendered)  # trusted: our own text, raw HTML escaped


def _lower(tokens: list[Token]) -> None:
    """Let the page have one heading of the first level: from the second one on, all are one level lower."""
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    later = [number for number, token in enumerate(headings) if token.tag == "h1"][2:]
    for token in headings[later[0] :] if later else []:
        token.tag = f"h{int(token.tag[1]) + 1}"


def _link(token: Token) -> None:
    """Let links to other rules pages lead to their pages here."""
    for inner in token.children or []:
        href = str(inner.attrGet("href") or "")
        if inner.type == "link_open" and href.endswith(".md"):
            inner.attrSet("href", f"/games/{href.removesuffix('.md')}")
