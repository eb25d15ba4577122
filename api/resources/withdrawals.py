"""Withdrawals: entrants that leave a tournament."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.schemas.withdrawals import NewWithdrawalSchema, WithdrawalSchema, WithdrawalsSchema
from store import audit, withdrawals
from store.withdrawals import View
from workers import dispatch, services

blueprint = Blueprint("withdrawals", "Entrants that leave")


@blueprint.resource("/tournaments/<uuid:tournament_id>/withdrawals")
class Withdrawals(MethodView):
    """The entrants that have left a tournament."""

    @blueprint.answers(200, WithdrawalsSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> dict[str, Any]:
        """List who has left since the start, by which rule, and from which block on."""
        with services.current().database.reading() as tx:
            return {"items": withdrawals.of_tournament(tx, tournament_id), "next_cursor": None}

    @requires(*SIGNED_IN)
    @blueprint.takes(NewWithdrawalSchema)
    @blueprint.answers(201, WithdrawalSchema)
    @blueprint.problems(404, 409)
    def post(self, new: dict[str, Any], tournament_id: UUID) -> View:
        """Withdraw an entrant: from a draft at once, otherwise from every event when its block is complete.

        Owners take their bots out of a draft; once a tournament has started, organisers alone withdraw.
        """
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            left = withdrawals.withdraw(tx, tournament_id, new["entrant"], new["rule"], by, now)
            rule = None if left.rule is None else left.rule.value
            audit.note(
                tx, by, "entrants.withdraw", now, tournament_id=tournament_id, name=left.name, rule=rule
            )
            tx.after_commit(dispatch.tournament, tournament_id)
        return left
