"""The cards that pages show: which pack a code is of, what it is called, the sheet it is drawn on."""

import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from api.pages.drawing import hanafuda, seiten, unsun
from api.words import COLOURS, FLOWERS, PICTURES, SUITS
from engine.cards.hanafuda import CARDS, KINDS
from store.errors import NotFound

VIEW_BOX = "0 0 60 98"
BACK = "back"
_INFO = {card.code: card for card in CARDS}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A card on the sheet of its pack; `label` is for everybody, `title` adds the Japanese name."""

    pack: str
    id: str
    label: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """One pack: the shape of its codes, what a code is called (label, title), and how all of it is drawn."""

    id: str
    title: str
    shape: re.Pattern[str]
    names: Callable[[re.Match[str]], tuple[str, str]]
    draw: Callable[[], Mapping[str, str]]
    back: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """All cards of a pack as symbols of one SVG file, compressed; `digest` is of its content."""

    packed: bytes
    digest: str


def _hanafuda(found: re.Match[str]) -> tuple[str, str]:
    flower, kanji = FLOWERS[int(found["month"]) - 1]
    picture, suffix = PICTURES.get(found["picture"], (found["picture"], ""))
    kind = _INFO[found[0]].kind if found[0] in _INFO else ""
    label = f"{flower}, {picture}"
    return label, f"{label} ({kind}, month {found['month']}) · {kanji}{suffix}"


def _unsun(found: re.Match[str]) -> tuple[str, str]:
    label = f"{SUITS[found['suit']]} {found['rank']}"
    return label, "Tenka, the Robai of Pao" if found[0] == "P-Robai" else label


def _seiten(found: re.Match[str]) -> tuple[str, str]:
    label = f"{COLOURS[found['colour']]} {found['number'] or 'umbrella'}"
    return label, label


PACKS: tuple[Pack, ...] = (
    Pack(
        id="hanafuda",
        title="The hanafuda pack · 花札",
        shape=re.compile(r"(?P<month>1[0-2]|[1-9])-(?P<picture>[a-z]+\d?)"),
        names=_hanafuda,
        draw=hanafuda.cards,
        back=hanafuda.back,
    ),
    Pack(
        id="unsun",
        title="The Unsun pack · うんすんカルタ",
        shape=re.compile(r"(?P<suit>[PIKOG])-(?P<rank>Sun|Un|Sota|Robai|Rei|Kaba|[1-9])"),
        names=_unsun,
        draw=unsun.cards,
        back=unsun.back,
    ),
    Pack(
        id="seiten",
        title="Number cards and umbrellas · 晴天",
        shape=re.compile(r"(?P<colour>[BOKP])(?P<number>1[0-5]|[1-9]|)"),
        names=_seiten,
        draw=seiten.cards,
        back=seiten.back,
    ),
)
_BY_ID = {pack.id: pack for pack in PACKS}


def find(code: str) -> Symbol | None:
    """Return the card with this code, None when no pack has such codes. A lone colour is an umbrella."""
    for pack in PACKS:
        if found := pack.shape.fullmatch(code):
            label, title = pack.names(found)
            return Symbol(pack.id, f"c-{code}", label, title)
    return None


def kind(code: str) -> int:
    """Return the place of a card's kind among those of its pack; 0 where a pack has no kinds."""
    return KINDS.index(_INFO[code].kind) if code in _INFO else 0


def back(pack: str) -> Symbol:
    """Return the back of a pack's cards."""
    return Symbol(pack, BACK, "a card face down", "a card face down")


def pack_of(codes: Iterable[str]) -> str:
    """Return the pack of the first code that is a card's, umbrellas aside; without any, the first pack."""
    for code in codes:
        symbol = find(code)
        if symbol is not None and len(code) > 1:
            return symbol.pack
    return PACKS[0].id


def deck(pack: str) -> list[Symbol]:
    """Return all cards of a pack in canonical order."""
    return [symbol for code in _BY_ID[pack].draw() if (symbol := find(code)) is not None]


def title(pack: str) -> str:
    """Return the name of a pack."""
    return _BY_ID[pack].title


@lru_cache
def sheet(pack: str) -> Sheet:
    """Return the sheet of a pack; raises NotFound."""
    if pack not in _BY_ID:
        raise NotFound(f"there is no pack {pack[:40]!r}")
    drawings = {f"c-{code}": art for code, art in _BY_ID[pack].draw().items()} | {BACK: _BY_ID[pack].back()}
    symbols = "".join(
        f'<symbol id="{id_}" viewBox="{VIEW_BOX}">{art}</symbol>' for id_, art in drawings.items()
    )
    content = f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>'.encode()
    return Sheet(gzip.compress(content, mtime=0), sha256(content).hexdigest()[:12])
