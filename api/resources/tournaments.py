"""Tournaments: planning, entering, starting, and how far they are."""

from dataclasses import fields
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response, jsonify
from flask.views import MethodView

from api import auth, paging
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.conditional import require_match
from api.paging import Page
from api.schemas.tournaments import (
    ChangedTournamentSchema,
    CreateQuerySchema,
    DryRunSchema,
    EntrantsSchema,
    EventsSchema,
    NewEntrantsSchema,
    NewTournamentSchema,
    TournamentPageSchema,
    TournamentQuerySchema,
    TournamentSchema,
)
from store import access, audit, controls, tournaments
from store.controls import Change
from store.models.accounts import Role
from store.models.tournaments import Tournament
from store.plans import EventPlan, Plan
from workers import dispatch, services

blueprint = Blueprint("tournaments", "Competitions over one or more games")


def plan_of(new: dict[str, Any]) -> Plan:
    """Return the plan that the fields of NewTournamentSchema write."""
    events, seed = new["events"], new["secret_seed"]
    return Plan(
        name=new["name"],
        events=None if events is None else tuple(EventPlan(**event) for event in events),
        entrants=tuple(new["entrants"]),
        limits=new["limits"],
        stop=new["stop"],
        endpoint_teams=new["endpoint_teams"],
        endpoint_duplicates=new["endpoint_duplicates"],
        owners_apart=new["owners_apart"],
        secret_seed=None if seed is None else bytes.fromhex(seed),
        entries_close_at=new["entries_close_at"],
        entries_per_owner=new["entries_per_owner"],
        weight=new["weight"],
    )


def change_of(tournament: Tournament, change: dict[str, Any]) -> Change:
    """Return what a draft is to become by the fields of ChangedTournamentSchema."""
    now = {field.name: getattr(tournament, field.name) for field in fields(Change)}
    return Change(**{**now, **change})


@blueprint.resource("/tournaments")
class Tournaments(MethodView):
    """All tournaments."""

    @blueprint.takes(TournamentQuerySchema, "query")
    @blueprint.answers(200, TournamentPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Tournament]:
        """List tournaments, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(tournaments.page, tx, state=query["state"])
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(Role.ORGANISER)
    @blueprint.takes(CreateQuerySchema, "query")
    @blueprint.takes(NewTournamentSchema)
    @blueprint.also_answers(200, DryRunSchema)
    @blueprint.answers(201, TournamentSchema)
    def post(self, query: dict[str, Any], new: dict[str, Any]) -> Tournament | Response:
        """Create a draft; with `dry_run=true` only say (200) what would be played."""
        plan, by, now = plan_of(new), auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            if query["dry_run"]:
                return jsonify(DryRunSchema().dump(tournaments.dry_run(tx, plan)))
            made = tournaments.create(tx, plan, organiser_id=by.id, now=now)
            audit.note(tx, by, "tournament.create", now, tournament_id=made.id, name=made.name)
            return made


@blueprint.resource("/tournaments/<uuid:tournament_id>")
class OneTournament(MethodView):
    """One tournament."""

    @blueprint.answers(200, TournamentSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> Tournament:
        """Show a tournament and how far it is."""
        with services.current().database.reading() as tx:
            return tournaments.outline(tx, tournament_id)

    @requires(Role.ORGANISER)
    @blueprint.takes(ChangedTournamentSchema)
    @blueprint.answers(200, TournamentSchema)
    @blueprint.problems(404, 409, 412)
    def patch(self, change: dict[str, Any], tournament_id: UUID) -> Tournament:
        """Change the name of a draft, who may enter it until when, or its weight; what is left out stays."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            tournament = tournaments.locked(tx, tournament_id)
            require_match(TournamentSchema(), tournament)
            wanted = ChangedTournamentSchema().dump(change)
            audit.note(tx, by, "tournament.change", now, tournament_id=tournament_id, wanted=wanted)
            return controls.change(tx, tournament, change_of(tournament, change))


@blueprint.resource("/tournaments/<uuid:tournament_id>/entrants")
class Entrants(MethodView):
    """The entrants of a tournament."""

    @blueprint.answers(200, EntrantsSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> dict[str, Any]:
        """List the entrants, in order of entry."""
        with services.current().database.reading() as tx:
            return {"items": tournaments.get(tx, tournament_id).entrants, "next_cursor": None}

    @requires(*SIGNED_IN)
    @blueprint.takes(NewEntrantsSchema)
    @blueprint.answers(201, EntrantsSchema)
    @blueprint.problems(404, 409)
    def post(self, new: dict[str, Any], tournament_id: UUID) -> dict[str, Any]:
        """Enter bots into a draft, each with its active version; participants enter their own bots alone."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            access.require_enterable(tx, new["bots"], by)
            entered = tournaments.enter(tx, tournament_id, new["bots"], by, now)
            audit.note(tx, by, "entrants.enter", now, tournament_id=tournament_id, bots=new["bots"])
        return {"items": entered.entrants, "next_cursor": None}


@blueprint.resource("/tournaments/<uuid:tournament_id>/events")
class Events(MethodView):
    """The events of a tournament."""

    @blueprint.answers(200, EventsSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> dict[str, Any]:
        """List the events and how far each is."""
        with services.current().database.reading() as tx:
            return {"items": tournaments.get(tx, tournament_id).events, "next_cursor": None}


@blueprint.resource("/tournaments/<uuid:tournament_id>/start")
class Start(MethodView):
    """The start of a tournament."""

    @requires(Role.ORGANISER)
    @blueprint.answers(202, TournamentSchema)
    @blueprint.problems(404, 409)
    def post(self, tournament_id: UUID) -> Tournament:
        """Start a tournament that is still a draft."""
        now, settings = services.current().clock(), services.current().settings
        with services.current().database.transaction() as tx:
            tournament = tournaments.start(tx, tournament_id, now, settings.batch_seconds)
            audit.note(tx, auth.caller(), "tournament.start", now, tournament_id=tournament_id)
            tx.after_commit(dispatch.tournament, tournament.id)
        return tournament


@blueprint.resource("/tournaments/<uuid:tournament_id>/cancel")
class Cancel(MethodView):
    """The end of a tournament before its time."""

    @requires(Role.ORGANISER)
    @blueprint.answers(200, TournamentSchema)
    @blueprint.problems(404, 409)
    def post(self, tournament_id: UUID) -> Tournament:
        """End a tournament for good that is not over; what was played stays."""
        now = services.current().clock()
        with services.current().database.transaction() as tx:
            cancelled = tournaments.cancel(tx, tournament_id, now)
            audit.note(tx, auth.caller(), "tournament.cancel", now, tournament_id=tournament_id)
        return cancelled
