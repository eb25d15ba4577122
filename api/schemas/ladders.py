"""Ladders: their seasons, members, boards, histories and matches."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import ExactRatio, Moment, PageQuerySchema, Ratio, Whole, page_of
from store import ladders
from store.members import MOST_MEMBERS
from store.models.ladders import LadderState, MemberState, SeasonPhase
from store.shares import MOST_WEIGHT
from store.tournaments import is_over

MOST_SETTINGS = 100
_TEXT = validate.Regexp(r"^(?=.*\S)[^\x00-\x1f\x7f]+$(?!\n)", error="Expected a text in one line.")


def _whole(default: int, most: int, meaning: str, least: int = 1) -> Whole:
    return Whole(
        load_default=default,
        validate=validate.Range(min=least, max=most),
        metadata={"description": meaning},
    )


class NewSettingSchema(ma.Schema):
    """A game that a ladder is played in; what is left out gets the default of the game."""

    game = fields.String(required=True, validate=validate.Length(max=40))
    seats = Whole(load_default=None, allow_none=True, validate=validate.Range(min=1, max=100))
    options = fields.Dict(keys=fields.String(), load_default=None, allow_none=True)


class NewLadderSchema(ma.Schema):
    """A ladder to be made."""

    name = fields.String(required=True, validate=[validate.Length(min=1, max=100), _TEXT])
    settings = fields.List(
        fields.Nested(NewSettingSchema),
        load_default=None,
        allow_none=True,
        validate=validate.Length(min=1, max=MOST_SETTINGS),
        metadata={"description": "One game, or several in turn; left out: every game at its defaults."},
    )
    limits = fields.Dict(
        keys=fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Limits that bots play under; those left out have their default."},
    )
    deals = _whole(ladders.DEALS, ladders.MOST_DEALS, "Deals of a meeting, each played in every rotation.")
    round_seconds = _whole(
        ladders.ROUND_SECONDS, ladders.MOST_ROUND_SECONDS, "Least time from one round to the next.", least=0
    )
    season_rounds = _whole(ladders.SEASON_ROUNDS, ladders.MOST_SEASON_ROUNDS, "Rounds until a season closes.")
    closing_deals = _whole(ladders.CLOSING_DEALS, 10_000, "Deals of the round robin that closes a season.")
    entries_per_owner = _whole(1, MOST_MEMBERS, "How many bots of one participant may be on the ladder.")
    weight = _whole(1, MOST_WEIGHT, "Its share of the workers beside what is played at the same time.")
    secret_seed = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(r"^[0-9a-fA-F]{64}$(?!\n)", error="Expected 32 bytes as 64 hex digits."),
        metadata={"description": "The secret of the first season; for tests, since it is then known."},
    )


class NewMembersSchema(ma.Schema):
    """Bots that enter a ladder."""

    bots = fields.List(
        fields.String(validate=validate.Length(min=1, max=100)),
        required=True,
        validate=validate.Length(min=1, max=MOST_MEMBERS),
        metadata={"description": "Bots by id or by owner/name, such as house/greedy."},
    )


class SeasonQuerySchema(ma.Schema):
    """Which season of a ladder."""

    season = fields.Integer(
        load_default=None,
        validate=validate.Range(min=1, max=(1 << 31) - 1),
        metadata={"description": "Its number; left out: the last one."},
    )


class SeasonPageQuerySchema(PageQuerySchema, SeasonQuerySchema):
    """Which page, of which season."""


class HistoryQuerySchema(SeasonPageQuerySchema):
    """Whose history."""

    bot = fields.String(
        required=True,
        validate=validate.Length(min=1, max=140),
        metadata={"description": "A bot by id or by owner/name."},
    )


class SettingSchema(ma.Schema):
    """A game that a ladder is played in."""

    game = fields.String(required=True)
    seats = fields.Integer(required=True)
    options = fields.Dict(required=True)


class SeasonSecret(fields.String):
    """The secret of a season in lower-case hex, once its rounds are over."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return value.secret.hex() if is_over(value) else None


class SeasonSchema(ma.Schema):
    """A season of a ladder."""

    number = fields.Integer(required=True)
    phase = fields.Enum(SeasonPhase, by_value=True, required=True)
    is_ending = fields.Boolean(
        required=True, metadata={"description": "Whether it closes when the present round is over."}
    )
    rounds = fields.Integer(required=True, metadata={"description": "Rounds that have been paired."})
    applied = fields.Integer(required=True, metadata={"description": "Rounds that are in the ratings."})
    tournament_id = fields.UUID(
        required=True, metadata={"description": "The tournament that holds its entrants and matches."}
    )
    closing_id = fields.UUID(
        required=True,
        allow_none=True,
        metadata={"description": "The tournament that closed it: a round robin of all who were left."},
    )
    commitment = fields.String(
        required=True, attribute="tournament.commitment", metadata={"description": "SHA-256 of the secret."}
    )
    closing_commitment = fields.String(
        required=True, metadata={"description": "SHA-256 of the secret of the tournament that will close it."}
    )
    secret_seed = SeasonSecret(
        required=True,
        attribute="tournament",
        allow_none=True,
        metadata={"description": "The secret that all deals and pairings follow from; null until the end."},
    )
    sha256 = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "SHA-256 of the frozen standings as canonical JSON; null until then."},
    )
    started_at = Moment(required=True, attribute="tournament.started_at")
    finished_at = Moment(required=True, allow_none=True, attribute="tournament.finished_at")


class LadderSchema(ma.Schema):
    """A ladder."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    organiser = fields.String(required=True, attribute="organiser.name")
    state = fields.Enum(LadderState, by_value=True, required=True)
    settings = fields.List(fields.Nested(SettingSchema), required=True)
    limits = fields.Dict(required=True)
    deals = fields.Integer(required=True)
    round_seconds = fields.Integer(required=True)
    season_rounds = fields.Integer(required=True)
    closing_deals = fields.Integer(required=True)
    entries_per_owner = fields.Integer(required=True)
    weight = fields.Integer(required=True)
    created_at = Moment(required=True)


class MemberCountsSchema(ma.Schema):
    """How many members of a ladder there are in each state."""

    active = fields.Integer(required=True)
    benched = fields.Integer(required=True)
    off = fields.Integer(required=True)


class LadderOverviewSchema(ma.Schema):
    """A ladder, its last season and how it fares."""

    ladder = fields.Nested(LadderSchema, required=True)
    season = fields.Nested(SeasonSchema, required=True)
    members = fields.Nested(MemberCountsSchema, required=True)
    coverage = Ratio(
        required=True,
        allow_none=True,
        metadata={"description": "Share of the pairs on the board that have met; null without a pair."},
    )
    idle_since = Moment(required=True, allow_none=True)
    idle_reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why nothing is played though two bots could play; null when all is well."},
    )


class SeasonsSchema(ma.Schema):
    """All seasons of a ladder."""

    items = fields.List(fields.Nested(SeasonSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class MemberSchema(ma.Schema):
    """A bot on a ladder."""

    bot_id = fields.UUID(required=True)
    owner = fields.String(required=True, attribute="bot.owner.name")
    name = fields.String(required=True, attribute="bot.name")
    state = fields.Enum(MemberState, by_value=True, required=True)
    reason = fields.String(
        required=True, metadata={"description": "Why it does not play; empty when it does."}
    )
    joined_at = Moment(required=True)


class MembersSchema(ma.Schema):
    """All members of a ladder."""

    items = fields.List(fields.Nested(MemberSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class BoardRowSchema(ma.Schema):
    """One line of a ladder's board."""

    place = fields.Integer(required=True)
    entrant = fields.Integer(required=True, metadata={"description": "Its number in the season's matches."})
    bot_id = fields.UUID(required=True)
    name = fields.String(required=True, metadata={"description": "owner/name"})
    version = fields.Integer(required=True)
    mu = fields.Float(required=True, metadata={"description": "The online rating."})
    sigma = fields.Float(required=True, metadata={"description": "How unsure it is."})
    order = fields.Float(required=True, metadata={"description": "mu - 3 sigma; ranks a running season."})
    matches = fields.Integer(required=True)
    rating = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "The published rating: by maximum likelihood over the season, as Elo's."},
    )
    rating_low = fields.Float(
        required=True, allow_none=True, metadata={"description": "Of its 95% interval."}
    )
    rating_high = fields.Float(required=True, allow_none=True)
    closing_points = ExactRatio(
        required=True,
        allow_none=True,
        metadata={"description": "Mean points in the closing tournament; ranks a season that is over."},
    )


class BoardSchema(ma.Schema):
    """The standings of a season; frozen once it is over."""

    season = fields.Nested(SeasonSchema, required=True)
    rows = fields.List(fields.Nested(BoardRowSchema), required=True)


class RatingStepSchema(ma.Schema):
    """The online rating of a bot after one of its meetings."""

    round = fields.Integer(required=True)
    version = fields.Integer(required=True)
    game = fields.String(required=True)
    mu = fields.Float(required=True)
    sigma = fields.Float(required=True)
    applied_at = Moment(required=True)


class SkillSchema(ma.Schema):
    """An online rating."""

    mu = fields.Float(required=True)
    sigma = fields.Float(required=True)


class MoveSchema(ma.Schema):
    """What a match did to the online rating of one entrant."""

    entrant = fields.Integer(required=True)
    before = fields.Nested(SkillSchema, required=True)
    after = fields.Nested(SkillSchema, required=True)


class LadderMatchSchema(ma.Schema):
    """A match of a ladder; lists are by seat, but for `moves`."""

    id = fields.String(required=True, metadata={"description": "For /matches/{id} and its replay."})
    round = fields.Integer(required=True)
    event = fields.Integer(required=True, attribute="event_index")
    game = fields.String(required=True)
    number = fields.Integer(required=True)
    is_rated = fields.Boolean(
        required=True, metadata={"description": "False when bots of one owner met: it moves no rating."}
    )
    entrants = fields.List(fields.Integer(), required=True)
    names = fields.List(fields.String(), required=True)
    scores = fields.List(fields.Integer(), required=True)
    places = fields.List(fields.Integer(), required=True)
    forfeits = fields.List(fields.Integer(), required=True, metadata={"description": "Seats that forfeited."})
    faults = fields.Integer(required=True)
    decisions = fields.Integer(required=True)
    played_at = Moment(required=True)
    moves = fields.List(fields.Nested(MoveSchema), required=True)


LadderPageSchema = page_of(LadderSchema)
RatingStepPageSchema = page_of(RatingStepSchema)
LadderMatchPageSchema = page_of(LadderMatchSchema)
