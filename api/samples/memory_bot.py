"""A policy module with memory: a class, of which there is one object for each match and seat.

It remembers which cards it has seen in a round, so that it knows what cannot come any more.
"""

PLAIN = ("k1", "k2", "k3")


class Bot:
    """Remembers the match that it plays."""

    def __init__(self, game, seat, seats, options):
        self.seat = seat
        self.seen = set()
        self.round = 0

    def act(self, observation):
        """Return an index in `observation["legal"]`; the action text would do as well."""
        self.remember(observation)
        legal = observation["legal"]
        return max(range(len(legal)), key=lambda index: self.score(legal[index], observation))

    def remember(self, observation):
        """Note the cards in sight; a new round is dealt from a new pack."""
        if observation["round"] != self.round:
            self.seen.clear()
            self.round = observation["round"]
        for _, event in observation["history"]:
            for card in event.replace("+", ":").replace(",", ":").split(":")[1:]:
                self.seen.add(card)
        self.seen.update(observation["hand"])

    def score(self, action, observation):
        """Return how good an action is: what it takes, and how safe the card is that it leaves behind."""
        verb, *cards = action.replace("+", ":").split(":")
        if verb == "bid":
            return -int(cards[0])
        if verb not in ("play", "draw", "wild", "discard"):
            return {"follow": 1, "stop": 1, "open": -20}.get(verb, 0)
        suit = cards[0].partition("-")[0]
        gone = sum(card.partition("-")[0] == suit for card in self.seen) / 4
        middle = observation.get("table") or observation.get("ba") or []
        if len(cards) > 1 or any(card.partition("-")[0] == suit for card in middle):
            return sum(map(self.worth, cards)) + gone
        return gone - self.worth(cards[0])

    def worth(self, card):
        """Return about what a card is worth to its holder."""
        suit, _, name = card.partition("-")
        number = name or suit[1:]
        return int(number) if number.isdigit() else 1 if name in PLAIN else 10
