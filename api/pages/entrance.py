"""Signing in with a token, and out again."""

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.pages import sessions

blueprint = Blueprint("entrance", __name__)

Answer = str | Response | tuple[str, int]


@blueprint.get("/sign-in")
def show() -> str:
    """Ask for a token."""
    return render_template("sign_in.html", then=_local(request.args.get("then")), problem=None)


@blueprint.post("/sign-in")
def enter() -> Answer:
    """Begin a session and go on to the page that was asked for."""
    then = _local(request.form.get("then"))
    if not sessions.sign_in(request.form.get("token", "")):
        problem = "The token is unknown or revoked."
        return render_template("sign_in.html", then=then, problem=problem), 401
    return redirect(then or url_for("pages.home.show"), 303)


@blueprint.post("/sign-out")
def leave() -> Response:
    """End the session."""
    sessions.sign_out()
    return redirect(url_for("pages.home.show"), 303)


def _local(target: str | None) -> str:
    """Return a path of this site, an empty text for anything else."""
    is_local = target is not None and target.startswith("/") and not target.startswith(("//", "/\\"))
    is_clean = target is not None and target.isprintable() and "\\" not in target
    return target if target is not None and is_local and is_clean else ""
