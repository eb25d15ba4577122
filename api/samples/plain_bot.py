"""A policy module without memory: one function that looks at the fields which all games share.

It takes what it can, throws away what is worth least, and does not gamble. Change `worth` to make it yours.
"""

# What is worth doing in itself; a verb that is not listed counts for nothing.
VERBS = {"follow": 1, "stop": 1, "give_up": -1, "continue": -1, "open": -20}
# The last part of a hanafuda card's code; only these are plain cards.
PLAIN = ("k1", "k2", "k3")


def act(observation):
    """Return the legal action that is worth most; among equals the first."""
    return max(observation["legal"], key=lambda action: worth(action, observation))


def worth(action, observation):
    """Return a number for an action text such as "play:3-rib", "draw+3-k1", "bid:20" or "pass"."""
    verb, _, rest = action.replace("+", ":").partition(":")
    if verb == "bid":
        return -int(rest)
    if verb not in ("play", "draw", "wild", "discard"):
        return VERBS.get(verb, 0)
    cards = rest.split(":")
    if takes(action, cards[0], observation):
        return sum(map(card_worth, cards))
    return -card_worth(cards[0])


def takes(action, card, observation):
    """Return whether an action takes something: it names a target, or the card's month lies in the middle."""
    month = card.partition("-")[0]
    middle = observation.get("table") or observation.get("ba") or []
    return "+" in action or any(other.partition("-")[0] == month for other in middle)


def card_worth(card):
    """Return about what a card is worth to its holder, from 1 to 15."""
    suit, _, name = card.partition("-")
    number = name or suit[1:]
    if number.isdigit():
        return int(number)
    return 1 if name in PLAIN else 10
