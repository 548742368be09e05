"""Query the tables by subject: ``queries.games.seats(session, name)``.

Nothing here writes, and no layer above queries tables itself. The statements that letters use by the thousand
are made once, with parameters: making one anew costs more than running it. A file is read at its first use.
"""

from __future__ import annotations

from pbem.lazy import lazily

with lazily():
    from pbem.store.queries import (
        counts,
        games,
        inbox,
        log,
        orders,
        outbox,
        persons,
        phases,
        rulings,
        schedule,
        seats,
        tournaments,
    )

__all__ = [
    "counts",
    "games",
    "inbox",
    "log",
    "orders",
    "outbox",
    "persons",
    "phases",
    "rulings",
    "schedule",
    "seats",
    "tournaments",
]
