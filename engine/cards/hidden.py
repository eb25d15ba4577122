"""Dealing hidden cards anew, at random, where each place admits only some of them."""

from collections.abc import Mapping

from engine.rng import Stream

Place = int
Card = int


def deal_anew(
    held: Mapping[Place, list[Card]], admits: Mapping[Place, frozenset[Card]], rng: Stream
) -> dict[Place, list[Card]]:
    """Return all the cards in `held` dealt to the same places at random, as many to each, none not admitted.

    The present cards must themselves be admitted where they lie: so a deal exists, and every card finds its
    place by moving others on (augmenting paths in a bipartite matching). Without limits all deals are equally
    likely.
    """
    dealt: dict[Place, list[Card]] = {place: [] for place in held}
    room = {place: len(cards) for place, cards in held.items()}
    cards = [card for place in held for card in held[place]]
    rng.shuffle(cards)
    for card in cards:
        free = [place for place in held if room[place] and card in admits[place]]
        if free:
            place = _by_room(free, room, rng)
            dealt[place].append(card)
            room[place] -= 1
        else:
            _move_on(card, dealt, room, admits, set())
    return dealt


def _by_room(places: list[Place], room: Mapping[Place, int], rng: Stream) -> Place:
    """Return one of `places`, the likelier the more room it has."""
    left = rng.below(sum(room[place] for place in places))
    for place in places:
        left -= room[place]
        if left < 0:
            return place
    raise AssertionError("no place has room")


def _move_on(
    card: Card,
    dealt: dict[Place, list[Card]],
    room: dict[Place, int],
    admits: Mapping[Place, frozenset[Card]],
    tried: set[Place],
) -> bool:
    """Find `card` a place by moving the cards of full places on; False when none is left beyond `tried`."""
    for place, cards in dealt.items():
        if place in tried or card not in admits[place]:
            continue
        tried.add(place)
        if room[place]:
            cards.append(card)
            room[place] -= 1
            return True
        for i, other in enumerate(cards):
            if _move_on(other, dealt, room, admits, tried):
                cards[i] = card
                return True
    return False
