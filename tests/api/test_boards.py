"""Drawn tables: where the cards of an observation lie."""

from api.pages import boards
from api.pages.boards import Position
from engine import games


def test_captured_cards_lie_kind_by_kind() -> None:
    state = games.get("hana_awase").new_match(seats=3, options={"rounds": 1}, seed=bytes(32))
    views = [state.observation(seat) for seat in range(3)]
    for view in views:
        view["captured"] = [["1-k1", "3-rib", "1-rib", "8-moon", "2-k2"], [], []]
    drawn = boards.draw(Position(observations=views, to_move=0, legal=[], chosen=None), None)
    chairs = sorted((chair for side in drawn.around.values() for chair in side), key=lambda chair: chair.seat)
    [pile] = chairs[0].groups
    lying = [(piece.symbol.id, piece.mark) for piece in pile.pieces if piece.symbol is not None]
    assert lying == [
        ("c-8-moon", "apart"),
        ("c-3-rib", "apart"),
        ("c-1-rib", ""),
        ("c-1-k1", "apart"),
        ("c-2-k2", ""),
    ]
    assert chairs[1].groups == []
