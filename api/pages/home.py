"""The first page: what is being played, what was played last, and how to take part."""

from flask import Blueprint, render_template, request

from api.pages import frame
from api.pages.ladders import leaders as board_leaders
from store import ladders, podiums, tournaments
from store.models.tournaments import TournamentState
from workers import services

blueprint = Blueprint("home", __name__)

MOST_RUNNING, MOST_DRAFTS, MOST_FINISHED, MOST_LADDERS = 6, 4, 5, 4
_SHOWN = (
    (TournamentState.RUNNING, MOST_RUNNING),
    (TournamentState.PAUSED, MOST_RUNNING),
    (TournamentState.DRAFT, MOST_DRAFTS),
    (TournamentState.FINISHED, MOST_FINISHED),
)


@blueprint.get("/")
def show() -> str:
    """Show tournaments by state, with the first places of those that are over."""
    with services.current().database.reading() as tx:
        by_state = {state.value: tournaments.page(tx, limit=most, state=state) for state, most in _SHOWN}
        finished = [tournament.id for tournament in by_state[TournamentState.FINISHED.value]]
        first = podiums.of_tournaments(tx, finished)
        climbed = ladders.page(tx, limit=MOST_LADDERS)
        leaders = board_leaders(tx, climbed)
    if request.args.get("part") == "live":
        return frame.part("home_parts.html", "going_on", by_state)
    return render_template("home.html", by_state=by_state, first=first, ladders=climbed, leaders=leaders)
