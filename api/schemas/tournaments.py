"""Tournaments, their events and entrants."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import Moment, Number, PageQuerySchema, Truth, Whole, page_of
from engine.stopping import LEAST_SEPARATION, MOST_SEPARATION, MOST_TOP
from store.entries import MOST_ENTRANTS
from store.models.bots import BotKind
from store.models.tournaments import Event, EventState, TournamentState
from store.plans import MOST_DEALS
from store.shares import MOST_WEIGHT
from store.tournaments import is_over

MOST_EVENTS = 100
_TEXT = validate.Regexp(r"^(?=.*\S)[^\x00-\x1f\x7f]+$(?!\n)", error="Expected a text in one line.")


def _bots_field(*, required: bool) -> fields.List[str]:
    more: dict[str, Any] = {"required": True} if required else {"load_default": list}
    return fields.List(
        fields.String(validate=validate.Length(min=1, max=100)),
        validate=validate.Length(min=1 if required else 0, max=MOST_ENTRANTS),
        metadata={"description": "Bots by id or by owner/name, such as house/greedy."},
        **more,
    )


def _per_owner_field(**more: Any) -> Whole:
    return Whole(
        validate=validate.Range(min=1, max=MOST_ENTRANTS),
        metadata={"description": "How many bots of one participant may enter; organisers may enter more."},
        **more,
    )


def _weight_field(**more: Any) -> Whole:
    return Whole(
        validate=validate.Range(min=1, max=MOST_WEIGHT),
        metadata={"description": "Its share of the workers beside what is played at the same time."},
        **more,
    )


class NewEventSchema(ma.Schema):
    """An event to be made; what is left out gets the default of the game."""

    game = fields.String(required=True, validate=validate.Length(max=40))
    seats = Whole(load_default=None, allow_none=True, validate=validate.Range(min=1, max=100))
    options = fields.Dict(keys=fields.String(), load_default=None, allow_none=True)
    deals = Whole(load_default=None, allow_none=True, validate=validate.Range(min=1, max=MOST_DEALS))
    schedule = fields.String(load_default=None, allow_none=True, validate=validate.Length(max=20))


class StopSchema(ma.Schema):
    """When an event ends early: once the named places are separated from those below, at a block's end."""

    separation = Number(
        required=True,
        validate=validate.Range(min=LEAST_SEPARATION, max=MOST_SEPARATION),
        metadata={"description": "The confidence, such as 0.95; a wrong end is less probable than the rest."},
    )
    top = Whole(
        required=True,
        validate=validate.Range(min=1, max=MOST_TOP),
        metadata={"description": "How many places, from the first one on."},
    )


class NewTournamentSchema(ma.Schema):
    """A tournament to be made."""

    name = fields.String(required=True, validate=[validate.Length(min=1, max=120), _TEXT])
    events = fields.List(
        fields.Nested(NewEventSchema),
        load_default=None,
        allow_none=True,
        validate=validate.Length(min=1, max=MOST_EVENTS),
        metadata={"description": "Left out: every game at its default settings."},
    )
    entrants = _bots_field(required=False)
    limits = fields.Dict(
        keys=fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Limits that bots play under; those left out have their default."},
    )
    stop = fields.Nested(
        StopSchema,
        load_default=None,
        allow_none=True,
        metadata={"description": "Left out: every event plays all its deals."},
    )
    endpoint_teams = Truth(
        load_default=True, metadata={"description": "Whether endpoints may play for a whole team."}
    )
    endpoint_duplicates = Truth(
        load_default=False,
        metadata={"description": "Whether tables with endpoints share the deals of the others."},
    )
    owners_apart = Truth(
        load_default=False,
        metadata={"description": "Whether bots of one owner never sit at one table; house bots may."},
    )
    secret_seed = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(r"^[0-9a-fA-F]{64}$(?!\n)", error="Expected 32 bytes as 64 hex digits."),
        metadata={"description": "The secret that all deals follow from; for tests, since it is then known."},
    )

    entries_close_at = Moment(
        load_default=None,
        allow_none=True,
        metadata={"description": "Until when participants may enter; left out: until the start."},
    )
    entries_per_owner = _per_owner_field(load_default=1)
    weight = _weight_field(load_default=1)


class ChangedTournamentSchema(ma.Schema):
    """What is to be changed of a draft, or the weight of one that is played; what is left out stays."""

    name = fields.String(validate=[validate.Length(min=1, max=120), _TEXT])
    entries_close_at = Moment(allow_none=True, metadata={"description": "Null takes the deadline away."})
    entries_per_owner = _per_owner_field()
    weight = _weight_field()


class CloneSchema(ma.Schema):
    """How to copy a tournament."""

    name = fields.String(
        load_default=None,
        allow_none=True,
        validate=[validate.Length(min=1, max=120), _TEXT],
        metadata={"description": "The name of the copy; left out: the same."},
    )
    with_entrants = Truth(
        load_default=True,
        metadata={
            "description": "Whether the bots come along that still can play, at their active versions."
        },
    )


class CreateQuerySchema(ma.Schema):
    """How to take a new tournament."""

    dry_run = fields.Boolean(
        load_default=False, metadata={"description": "Only say what would be played; nothing is stored."}
    )


class NewEntrantsSchema(ma.Schema):
    """Bots that enter a tournament."""

    bots = _bots_field(required=True)


class TournamentQuerySchema(PageQuerySchema):
    """Which tournaments."""

    state = fields.Enum(
        TournamentState,
        by_value=True,
        load_default=None,
        metadata={"description": "Only tournaments in this state."},
    )


class EventTotal(fields.Integer):
    """The sum of one number over the events of a tournament."""

    def __init__(self, of: str, meaning: str) -> None:
        super().__init__(attribute="events", required=True, dump_only=True, metadata={"description": meaning})
        self._of = of

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int:
        events: list[Event] = value
        return sum(getattr(event, self._of) for event in events)


class Count(fields.Integer):
    """How many items there are."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int:
        return len(value)


class SecondsLeft(fields.Float):
    """The estimated play time of what is left of a tournament that has begun and is not over."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> float | None:
        if obj.started_at is None or is_over(obj):
            return None
        events: list[Event] = value
        done = [event.played + event.set_aside + event.dropped for event in events]
        left = (one.match_seconds * (one.matches - past) for one, past in zip(events, done, strict=True))
        return round(sum(left), 3)


class RevealedSecret(fields.String):
    """The secret of a tournament in lower-case hex, once it may be shown."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        secret: bytes = value
        return secret.hex() if is_over(obj) else None


class TournamentSummarySchema(ma.Schema):
    """A tournament in short."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    organiser = fields.String(required=True, attribute="organiser.name")
    state = fields.Enum(TournamentState, by_value=True, required=True)
    matches = EventTotal("matches", "Matches in all; 0 in a draft.")
    played = EventTotal("played", "Matches that have been played.")
    set_aside = EventTotal("set_aside", "Matches that the platform could not play.")
    dropped = EventTotal("dropped", "Matches that are not played, since an entrant was dropped.")
    seconds_left = SecondsLeft(
        attribute="events",
        required=True,
        allow_none=True,
        dump_only=True,
        metadata={
            "description": "Estimated play time on one core of what is left; null unless it is played."
        },
    )
    created_at = Moment(required=True)
    started_at = Moment(required=True, allow_none=True)
    finished_at = Moment(required=True, allow_none=True)


class EventSchema(ma.Schema):
    """One game inside a tournament, and how far it is."""

    index = fields.Integer(required=True)
    game = fields.String(required=True)
    seats = fields.Integer(required=True)
    options = fields.Dict(required=True)
    schedule = fields.String(required=True)
    deals = fields.Integer(required=True)
    block_deals = fields.Integer(required=True, metadata={"description": "Deals in a block."})
    entrants = fields.List(
        fields.Integer(),
        required=True,
        attribute="field",
        metadata={"description": "Numbers of the entrants that play it; empty in a draft."},
    )
    state = fields.Enum(EventState, by_value=True, required=True)
    block = fields.Integer(required=True, metadata={"description": "The block that is being played."})
    matches = fields.Integer(required=True)
    played = fields.Integer(required=True)
    set_aside = fields.Integer(required=True)
    dropped = fields.Integer(
        required=True,
        metadata={"description": "Matches that are not played, since an entrant was dropped."},
    )
    stopped_after_block = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The block with which the rule `stop` ended it early; null otherwise."},
    )
    finished_at = Moment(required=True, allow_none=True)


class TournamentSchema(TournamentSummarySchema):
    """A tournament with its events."""

    commitment = fields.String(required=True, metadata={"description": "SHA-256 of the secret."})
    secret_seed = RevealedSecret(
        required=True,
        attribute="secret",
        allow_none=True,
        metadata={
            "description": "The secret that all deals follow from; null until nothing is played any more."
        },
    )
    limits = fields.Dict(required=True)
    stop = fields.Nested(StopSchema, required=True, allow_none=True)
    endpoint_teams = fields.Boolean(required=True)
    endpoint_duplicates = fields.Boolean(required=True)
    owners_apart = fields.Boolean(required=True)
    entries_close_at = Moment(required=True, allow_none=True)
    entries_per_owner = fields.Integer(required=True)
    weight = fields.Integer(required=True)
    entrants_sha256 = fields.String(required=True, allow_none=True)
    entrants = Count(required=True, metadata={"description": "How many bots have entered."})
    events = fields.List(fields.Nested(EventSchema), required=True)


class EntrantSchema(ma.Schema):
    """A bot version frozen into a tournament."""

    number = fields.Integer(required=True)
    name = fields.String(required=True, metadata={"description": "owner/name"})
    bot_id = fields.UUID(required=True, attribute="version.bot_id")
    kind = fields.Enum(BotKind, by_value=True, required=True, attribute="version.bot.kind")
    version = fields.Integer(required=True, attribute="version.number")
    sha256 = fields.String(required=True, attribute="version.sha256")
    is_filler = fields.Boolean(
        required=True, attribute="filler", metadata={"description": "Fills up a table; not ranked."}
    )


class EntrantsSchema(ma.Schema):
    """All entrants of a tournament."""

    items = fields.List(fields.Nested(EntrantSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class EventsSchema(ma.Schema):
    """All events of a tournament."""

    items = fields.List(fields.Nested(EventSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class DryRunEventSchema(ma.Schema):
    """What one event would play."""

    game = fields.String(required=True)
    seats = fields.Integer(required=True)
    options = fields.Dict(required=True)
    entrants = fields.Integer(required=True)
    fillers = fields.Integer(required=True)
    tables = fields.Integer(required=True)
    deals = fields.Integer(required=True)
    matches = fields.Integer(required=True)
    seconds = fields.Float(required=True, metadata={"description": "Estimated play time on one core."})


class DryRunSchema(ma.Schema):
    """What a tournament would play."""

    events = fields.List(fields.Nested(DryRunEventSchema), required=True)
    matches = fields.Integer(required=True)
    seconds = fields.Float(required=True, metadata={"description": "Estimated play time on one core."})


TournamentPageSchema = page_of(TournamentSummarySchema)
