"""Ladders: made, entered, read, and closed."""

from functools import partial
from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth, paging
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.paging import Page
from api.schemas.fields import PageQuerySchema
from api.schemas.ladders import (
    BoardSchema,
    HistoryQuerySchema,
    LadderMatchPageSchema,
    LadderOverviewSchema,
    LadderPageSchema,
    LadderSchema,
    MembersSchema,
    NewLadderSchema,
    NewMembersSchema,
    RatingStepPageSchema,
    SeasonPageQuerySchema,
    SeasonQuerySchema,
    SeasonsSchema,
)
from store import access, audit, boards, bots, climbs, ladders, members, overviews
from store.climbs import LadderMatch, Step
from store.ladders import NewLadder
from store.models.accounts import Role
from store.models.ladders import Ladder
from store.overviews import Overview
from store.plans import EventPlan
from workers import services

blueprint = Blueprint("ladders", "Competitions without end")


def new_ladder_of(new: dict[str, Any]) -> NewLadder:
    """Return the ladder that the fields of NewLadderSchema write."""
    settings, seed = new.pop("settings"), new.pop("secret_seed")
    return NewLadder(
        **new,
        events=None if settings is None else tuple(EventPlan(**setting) for setting in settings),
        secret_seed=None if seed is None else bytes.fromhex(seed),
    )


@blueprint.resource("/ladders")
class Ladders(MethodView):
    """All ladders."""

    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, LadderPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Ladder]:
        """List ladders, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(ladders.page, tx)
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(Role.ORGANISER)
    @blueprint.takes(NewLadderSchema)
    @blueprint.answers(201, LadderSchema)
    def post(self, new: dict[str, Any]) -> Ladder:
        """Make a ladder; its first season begins at once, and is played while two bots are on it."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            made = ladders.create(tx, new_ladder_of(new), organiser_id=by.id, now=now)
            audit.note(tx, by, "ladder.create", now, ladder=str(made.id), name=made.name)
            return made


@blueprint.resource("/ladders/<uuid:ladder_id>")
class OneLadder(MethodView):
    """One ladder."""

    @blueprint.answers(200, LadderOverviewSchema)
    @blueprint.problems(404)
    def get(self, ladder_id: UUID) -> Overview:
        """Show a ladder, its last season, and whether it stands still."""
        with services.current().database.reading() as tx:
            return overviews.of_ladder(tx, ladder_id, services.current().clock())


@blueprint.resource("/ladders/<uuid:ladder_id>/seasons")
class Seasons(MethodView):
    """The seasons of a ladder."""

    @blueprint.answers(200, SeasonsSchema)
    @blueprint.problems(404)
    def get(self, ladder_id: UUID) -> dict[str, Any]:
        """List the seasons, the first one first."""
        with services.current().database.reading() as tx:
            return {"items": ladders.get(tx, ladder_id).seasons, "next_cursor": None}

    @requires(Role.ORGANISER)
    @blueprint.answers(202, SeasonsSchema)
    @blueprint.problems(404, 409)
    def post(self, ladder_id: UUID) -> dict[str, Any]:
        """Let the present season close with its round, and the next one begin."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            ladder = ladders.end_season(tx, ladder_id)
            audit.note(tx, by, "ladder.end_season", now, ladder=str(ladder_id))
            return {"items": ladder.seasons, "next_cursor": None}


@blueprint.resource("/ladders/<uuid:ladder_id>/close")
class Close(MethodView):
    """The end of a ladder."""

    @requires(Role.ORGANISER)
    @blueprint.answers(202, LadderSchema)
    @blueprint.problems(404, 409)
    def post(self, ladder_id: UUID) -> Ladder:
        """Let the present season close with its round, and no other begin."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            audit.note(tx, by, "ladder.close", now, ladder=str(ladder_id))
            return ladders.close(tx, ladder_id)


@blueprint.resource("/ladders/<uuid:ladder_id>/members")
class Members(MethodView):
    """The members of a ladder."""

    @blueprint.answers(200, MembersSchema)
    @blueprint.problems(404)
    def get(self, ladder_id: UUID) -> dict[str, Any]:
        """List the bots on a ladder, in order of joining, and why some do not play."""
        with services.current().database.reading() as tx:
            ladders.get(tx, ladder_id)
            return {"items": members.of_ladder(tx, ladder_id), "next_cursor": None}

    @requires(*SIGNED_IN)
    @blueprint.takes(NewMembersSchema)
    @blueprint.answers(201, MembersSchema)
    @blueprint.problems(404, 409)
    def post(self, new: dict[str, Any], ladder_id: UUID) -> dict[str, Any]:
        """Enter bots, which always play with their active version; participants enter their own alone."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            ladder = ladders.locked(tx, ladder_id)
            access.require_enterable(tx, new["bots"], by)
            members.join(tx, ladder, new["bots"], by, now)
            audit.note(tx, by, "ladder.join", now, ladder=str(ladder_id), bots=new["bots"])
            return {"items": members.of_ladder(tx, ladder_id), "next_cursor": None}


@blueprint.resource("/ladders/<uuid:ladder_id>/members/<uuid:bot_id>")
class OneMember(MethodView):
    """One member of a ladder."""

    @requires(*SIGNED_IN)
    @blueprint.answers(204)
    @blueprint.problems(404)
    def delete(self, ladder_id: UUID, bot_id: UUID) -> None:
        """Take a bot off a ladder; its owner and organisers may. What it has played stays."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            ladders.get(tx, ladder_id)
            members.leave(tx, ladder_id, bot_id, by)
            audit.note(tx, by, "ladder.leave", now, ladder=str(ladder_id), bot=str(bot_id))


@blueprint.resource("/ladders/<uuid:ladder_id>/standings")
class Board(MethodView):
    """The standings of a ladder."""

    @blueprint.takes(SeasonQuerySchema, "query")
    @blueprint.answers(200, BoardSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], ladder_id: UUID) -> dict[str, Any]:
        """Show who stands where in a season: now, or for ever once it is over."""
        with services.current().database.reading() as tx:
            season = ladders.season(ladders.get(tx, ladder_id), query["season"])
            return {"season": season, "rows": boards.rows(tx, season)}


@blueprint.resource("/ladders/<uuid:ladder_id>/history")
class History(MethodView):
    """The history of a bot on a ladder."""

    @blueprint.takes(HistoryQuerySchema, "query")
    @blueprint.answers(200, RatingStepPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], ladder_id: UUID) -> Page[Step]:
        """List the online ratings of a bot in a season, round by round, all its versions in one line."""
        after, limit = paging.after_number(query["cursor"]), query["limit"]
        with services.current().database.reading() as tx:
            season = ladders.season(ladders.get(tx, ladder_id), query["season"])
            bot = bots.by_reference(tx, query["bot"])
            rows = climbs.history(tx, season, bot.id, limit=limit + 1, after=after)
        return paging.cut(rows, limit, lambda step: (step.round,))


@blueprint.resource("/ladders/<uuid:ladder_id>/matches")
class LadderMatches(MethodView):
    """The matches of a ladder."""

    @blueprint.takes(SeasonPageQuerySchema, "query")
    @blueprint.answers(200, LadderMatchPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], ladder_id: UUID) -> Page[LadderMatch]:
        """List the matches of a season that are in the ratings, the last first, with what they moved."""
        before, limit = paging.after_match(query["cursor"]), query["limit"]
        with services.current().database.reading() as tx:
            season = ladders.season(ladders.get(tx, ladder_id), query["season"])
            rows = climbs.page(tx, season, limit=limit + 1, before=before)
        return paging.cut(rows, limit, lambda match: (match.round, match.number))
