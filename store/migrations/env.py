"""What Alembic runs to migrate: on the connection that store.schema hands over."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import JSON

from store.columns import UtcTime
from store.models import Base


def _render(kind: str, item: Any, autogen: AutogenContext) -> str | Literal[False]:
    """Write our column types out in SQLAlchemy's own, so that a migration never changes with our code."""
    if kind == "type" and isinstance(item, UtcTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, JSON):
        autogen.imports.add("from sqlalchemy.dialects import postgresql")
        return "sa.JSON().with_variant(postgresql.JSONB(), 'postgresql')"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    render_item=_render,
)
with context.begin_transaction():
    context.run_migrations()
