"""Entry point of worker and beat: `celery -A workers.main worker`, `celery -A workers.main beat`."""

import os

from celery.signals import (
    beat_init,
    setup_logging,
    task_postrun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_shutting_down,
)

from store.settings import Settings
from workers import counters, drain, logs, presence, services, stage, traces
from workers.celery_app import make_celery
from workers.services import Services

settings = Settings.from_env(os.environ)
app = make_celery(settings)


@setup_logging.connect
def _set_up_logging(**_: object) -> None:
    logs.configure(settings.log_level)


@worker_init.connect
def _prepare(**_: object) -> None:
    """Make what all children share: the sandbox that holds, and the word that they are to stop."""
    logs.configure(settings.log_level)
    drain.prepare()
    stage.choose_sandbox(settings)


@worker_shutting_down.connect
def _drain(**_: object) -> None:
    drain.begin()


@worker_process_init.connect
@beat_init.connect
def _connect(**_: object) -> None:
    """Make the services of this process: after the fork, so that nothing is shared with the parent."""
    services.install(Services.of(settings, traces.from_env(os.environ)))


@worker_process_init.connect
def _announce(**_: object) -> None:
    """Be seen from the first moment on; beat, which plays nothing, is no worker."""
    presence.beat(services.current())


@task_postrun.connect
def _tell_counters(**_: object) -> None:
    counters.flush(services.current().redis)


@worker_process_shutdown.connect
def _disconnect(**_: object) -> None:
    stage.close()
    services.current().close()
