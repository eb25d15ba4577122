"""What cards and actions are called by people: one set of words for pages and terminal."""

from collections.abc import Mapping

COLOURS: Mapping[str, str] = {"B": "blue", "O": "orange", "K": "black", "P": "purple"}
SUITS: Mapping[str, str] = {"P": "Pao", "I": "Isu", "K": "Koppu", "O": "Ouru", "G": "Guru"}

# What a seat does, by the verb of an action or of an entry in the history.
VERBS: Mapping[str, str] = {
    "play": "plays",
    "draw": "turns up",
    "draw+": "takes with the turned card",
    "takes": "takes",
    "wild": "plays the Gaji wild for",
    "stop": "stops",
    "continue": "plays on",
    "bid": "bids",
    "follow": "follows",
    "give_up": "gives up",
    "open": "opens the umbrella",
    "close": "closes the umbrella",
    "closed": "the umbrella closes by itself",
    "keep": "keeps the umbrella open",
    "discard": "lays aside",
    "pass": "passes",
    "announce": "announces the Robai",
    "indicator": "receives the indicator",
    "side": "turns up the side cards",
    "last": "plays the last card",
    "reveal": "reveals",
    "shown": "shows",
    "awarded": "is awarded",
    "lucky": "has a lucky hand",
    "redeal": "deals again",
    "out": "is out of the match",
}

# The flowers of the months: English and Japanese.
FLOWERS: tuple[tuple[str, str], ...] = (
    ("pine", "松"),
    ("plum", "梅"),
    ("cherry", "桜"),
    ("wisteria", "藤"),
    ("iris", "菖蒲"),
    ("peony", "牡丹"),
    ("bush clover", "萩"),
    ("pampas grass", "芒"),
    ("chrysanthemum", "菊"),
    ("maple", "紅葉"),
    ("willow", "柳"),
    ("paulownia", "桐"),
)

# What stands on a hanafuda card beside its flower, by the second part of its code: English and Japanese.
PICTURES: Mapping[str, tuple[str, str]] = {
    "crane": ("crane", "に鶴"),
    "curtain": ("curtain", "に幕"),
    "moon": ("moon", "に月"),
    "rainman": ("rain man", "に小野道風"),
    "phoenix": ("phoenix", "に鳳凰"),
    "nightingale": ("nightingale", "に鶯"),
    "cuckoo": ("cuckoo", "に不如帰"),
    "bridge": ("bridge", "に八橋"),
    "butterflies": ("butterflies", "に蝶"),
    "boar": ("boar", "に猪"),
    "geese": ("geese", "に雁"),
    "cup": ("sake cup", "に盃"),
    "deer": ("deer", "に鹿"),
    "swallow": ("swallow", "に燕"),
    "rib": ("ribbon", "に短冊"),
    "gaji": ("lightning", "のカス"),
    "yellow": ("yellow junk", "のカス"),
    "k1": ("junk 1", "のカス"),
    "k2": ("junk 2", "のカス"),
}
