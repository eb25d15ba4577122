"""All pages as one part of the application."""

from flask import Blueprint, Flask, request

from api.pages import (
    accounts,
    bots,
    climbing,
    comparison,
    entrance,
    events,
    frame,
    games,
    home,
    invitations,
    ladders,
    matches,
    operating,
    organising,
    planning,
    reruns,
    sessions,
    submit,
    tournaments,
)

PAGES = (
    home,
    tournaments,
    events,
    matches,
    ladders,
    climbing,
    games,
    comparison,
    bots,
    entrance,
    accounts,
    invitations,
    submit,
    organising,
    planning,
    operating,
    reruns,
)


class _Pages(Blueprint):
    """Pages with their files, which may be kept for ever when they are asked for by their content."""

    def get_send_file_max_age(self, filename: str | None) -> int | None:
        """Return for how many seconds a file may be kept."""
        return frame.KEEP_SECONDS if "v" in request.args else None


def register(app: Flask) -> None:
    """Serve the pages, and sessions for those who sign in."""
    sessions.register(app)
    pages = _Pages(
        "pages", "api.pages", static_folder="static", static_url_path="/static", template_folder="templates"
    )
    frame.furnish(pages)
    for page in PAGES:
        pages.register_blueprint(page.blueprint)
    app.register_blueprint(pages)
    app.register_error_handler(404, frame.not_found)
