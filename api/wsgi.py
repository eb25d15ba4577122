"""The entry point of the API under a WSGI server, such as `gunicorn api.wsgi:application`."""

import os

from api.app import create_app
from store.settings import Settings
from workers import logs, traces
from workers.services import Services

_settings = Settings.from_env(os.environ)
logs.configure(_settings.log_level)
application = create_app(Services.of(_settings, traces.from_env(os.environ)))
