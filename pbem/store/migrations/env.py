"""Run migrations for Alembic: on a connection, or as SQL for a dialect."""

from alembic import context

from pbem.store import tables


def run() -> None:
    """Run migrations online or offline.

    Online on `attributes["connection"]`, offline for the dialect in `attributes["dialect"]`.
    """
    attributes = context.config.attributes
    if context.is_offline_mode():
        context.configure(dialect_name=attributes["dialect"], target_metadata=tables.metadata(), literal_binds=True)
    else:
        context.configure(connection=attributes["connection"], target_metadata=tables.metadata(), render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


run()
