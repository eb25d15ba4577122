"""Every page of the site, found by its routes, so that none is forgotten by what holds for all of them."""

from collections.abc import Mapping

from flask import Flask

from api.pages import site

FILES = {"pages.static", "pages.games.sheet", "pages.bots.source"}


def page_paths(examples: Mapping[str, object]) -> list[str]:
    """Return the path of every page that is read; KeyError when an argument of its route has no example."""
    app = Flask("site_map")
    site.register(app)
    found = []
    for rule in app.url_map.iter_rules():
        if (
            rule.endpoint.startswith("pages.")
            and "GET" in (rule.methods or ())
            and rule.endpoint not in FILES
        ):
            built = rule.build({name: examples[name] for name in rule.arguments})
            assert built is not None, rule.rule
            found.append(built[1])
    return sorted(found)
