"""Submitting a bot with a form: a module as a file, or an endpoint by its address."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.sessions import SIGNED_IN, requires
from api.resources.bots import submit
from api.schemas.bots import NewEndpointSchema, NewModuleSchema
from api.submissions import Module, Remote, Submission
from engine import games
from engine.errors import FudabaError
from store import uploads
from store.bots import Endpoint
from store.errors import BadRequest
from workers import services
from workers.runtimes import addresses
from workers.runtimes.addresses import AddressRules

blueprint = Blueprint("submit", __name__)

Answer = str | Response | tuple[str, int]


@blueprint.get("/submit")
@requires(*SIGNED_IN)
def show() -> str:
    """Show the form; `name` fills in the name of a bot that gets another version."""
    return _form({"name": request.args.get("name", "")})


@blueprint.post("/submit")
@requires(*SIGNED_IN)
def send() -> Answer:
    """Take a bot, or say what is wrong with it."""
    try:
        submission = _KINDS.get(request.form.get("kind", ""), _module)()
        with services.current().database.transaction() as tx:
            made = submit(tx, submission.meta["name"], submission)
    except FudabaError as error:
        return _form(request.form, error), status_of(type(error))
    if made["secret"] is not None:
        return _secret(made)
    return redirect(url_for("pages.bots.show", bot_id=made["bot"].id), 303)


def _secret(made: Mapping[str, Any]) -> str:
    return render_template(
        "shown_once.html",
        heading=f"{made['bot'].name}, version {made['number']}",
        meaning="Requests to your endpoint are signed with this secret.",
        text=made["secret"],
        next_path=url_for("pages.bots.show", bot_id=made["bot"].id),
        next_label="Watch its qualification",
    )


def _form(values: Mapping[str, Any], error: FudabaError | None = None) -> str:
    chosen = request.form.getlist("games")
    field = getattr(error, "field", None) or ""
    return render_template(
        "submit.html",
        values=values,
        chosen=chosen,
        games=games.all_games(),
        problem=error,
        field=field.partition(".")[0],
        account=sessions.viewer(),
    )


def _module() -> Submission:
    """Return the module of the form; raises InvalidInput, BadRequest, BadUpload."""
    meta = form_values.loaded(
        NewModuleSchema(), {"name": request.form.get("name", ""), "games": request.form.getlist("games")}
    )
    file = request.files.get("file")
    if file is None or not file.filename:
        raise BadRequest("choose a file: one .py, or a .zip with bot.py", field="file")
    content = file.read()
    return Module(meta=meta, upload=uploads.inspect(content, file.filename), content=content)


def _endpoint() -> Submission:
    """Return the endpoint of the form; raises InvalidInput, BadUrl."""
    data: dict[str, Any] = {
        "name": request.form.get("name", ""),
        "url": request.form.get("url", "").strip(),
        "games": request.form.getlist("games"),
        **form_values.numbers("max_batch", "max_in_flight"),
    }
    meta = form_values.loaded(NewEndpointSchema(), data)
    rules = AddressRules(allow_private=services.current().settings.allow_private_endpoints)
    addresses.check_url(meta["url"], rules)
    endpoint = Endpoint(url=meta["url"], max_batch=meta["max_batch"], max_in_flight=meta["max_in_flight"])
    return Remote(meta=meta, endpoint=endpoint)


_KINDS: Mapping[str, Callable[[], Submission]] = {"module": _module, "endpoint": _endpoint}
