"""Cards, decks and rules of play that more than one game shares."""
