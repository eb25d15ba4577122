"""A slow and obvious twin of hachinin_meri: what may be played, who wins, what passes, what a deal scores.

It works on card codes and on the orders of docs/games/hachinin_meri.md §2, written out card by card.
"""

_TRUMP_ORDER = {
    "P": "P-Sun P-Un P-Sota P-Robai P-Rei P-Kaba P-9 P-8 P-7 P-6 P-5 P-4 P-3 P-2 P-1",
    "I": "I-Sun I-Un I-Sota P-Robai I-Robai I-Rei I-Kaba I-9 I-8 I-7 I-6 I-5 I-4 I-3 I-2 I-1",
    "K": "K-Sun K-Un K-Sota P-Robai K-Robai K-Rei K-Kaba K-1 K-2 K-3 K-4 K-5 K-6 K-7 K-8 K-9",
    "O": "O-Sun O-Un O-Sota P-Robai O-Robai O-Rei O-Kaba O-1 O-2 O-3 O-4 O-5 O-6 O-7 O-8 O-9",
    "G": "G-Sun G-Un G-Sota P-Robai G-Robai G-Rei G-Kaba G-1 G-2 G-3 G-4 G-5 G-6 G-7 G-8 G-9",
}
_PLAIN_ORDER = {
    "P": "P-Sun P-Un P-Rei P-Kaba P-Sota P-9 P-8 P-7 P-6 P-5 P-4 P-3 P-2 P-1",
    "I": "I-Sun I-Un I-Rei I-Kaba I-Sota I-9 I-8 I-7 I-6 I-5 I-4 I-3 I-2 I-Robai I-1",
    "K": "K-Sun K-Un K-Rei K-Kaba K-Sota K-Robai K-1 K-2 K-3 K-4 K-5 K-6 K-7 K-8 K-9",
    "O": "O-Sun O-Un O-Rei O-Kaba O-Sota O-Robai O-1 O-2 O-3 O-4 O-5 O-6 O-7 O-8 O-9",
    "G": "G-Sun G-Un G-Rei G-Kaba G-Sota G-Robai G-1 G-2 G-3 G-4 G-5 G-6 G-7 G-8 G-9",
}
TRUMP_ORDER = {suit: order.split() for suit, order in _TRUMP_ORDER.items()}
PLAIN_ORDER = {suit: order.split() for suit, order in _PLAIN_ORDER.items()}
COMBINATIONS = ("Sun-Un", "Un-Sota", "Sota-Robai", "Robai-Rei")

Plays = list[tuple[int, str]]


def is_trump(code: str, trump: str) -> bool:
    return code in TRUMP_ORDER[trump]


def may_play(hand: list[str], lead: str, trump: str, *, meri_before: bool, lone_sun: bool) -> list[str]:
    """Return the cards of `hand` that may answer `lead`, in the order of the hand (§3.5)."""
    trumps = [code for code in hand if is_trump(code, trump)]
    if is_trump(lead, trump):
        if not trumps or (lone_sun and trumps == [f"{trump}-Sun"]):
            return hand
        return trumps
    followers = [code for code in hand if code[0] == lead[0] and not is_trump(code, trump)]
    if not meri_before or not followers:
        return hand
    return [code for code in hand if code in followers or code in trumps]


def winner(plays: Plays, trump: str, led: str) -> tuple[int, str]:
    """Return the seat and the card that win: the highest trump, or else the highest card of `led` (§3.5)."""
    for order in (TRUMP_ORDER[trump], PLAIN_ORDER[led]):
        for code in order:
            for seat, played in plays:
                if played == code:
                    return seat, code
    raise AssertionError("no card can win")


def combination(plays: Plays, trump: str, won_by: int, winning: str) -> str | None:
    """Return the combination of a trick that is no Meri (§4)."""
    rivals = [code for seat, code in plays if (seat - won_by) % 2 == 1]
    strongest = next((code for code in TRUMP_ORDER[trump] if code in rivals), None)
    if strongest is None or not is_trump(winning, trump):
        return None
    if trump != "P" and "P-Robai" in (winning, strongest):
        return None
    name = f"{winning[2:]}-{strongest[2:]}"
    lowest = "2-1" if trump in "PI" else "8-9"
    return name if name in (*COMBINATIONS, lowest) else None


def transfer(name: str | None, *, ninth: bool, concealed: bool) -> int:
    """Return how many points pass to the winner's team (§4)."""
    if name is None:
        return 0
    return 5 if ninth or (concealed and "Robai" in name) else 2


def deal_scores(tricks: list[tuple[int, int]]) -> list[int]:
    """Return the points of even and odd seats from (winner, transfer) of each trick (§4)."""
    scores = [0, 0]
    for won_by, passed in tricks:
        scores[won_by % 2] += 1 + passed
        scores[1 - won_by % 2] -= passed
    return scores
