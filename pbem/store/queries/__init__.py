"""Questions asked of the tables, by what they are asked about: ``queries.games.seats(session, name)``.

Nothing here writes, and nothing above asks a table in words of its own. The statements that letters ask by the thousand
are made once, with parameters: making one anew costs more than asking it. A file is read when it is first asked.
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
