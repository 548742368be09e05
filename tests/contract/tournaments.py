"""Letters of tournaments that are played by seed, from JOIN to the prizes: one of each format.

Those of teams are letters of sessions (``event-teams.txt``).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from sqlmodel import Session, col, select

from pbem.store import tables
from pbem.store.engine import open_engine
from tests.contract.kept import Texts
from tests.contract.letters import shown
from tests.tournaments.seeds.play import play

SEEDS = {"swiss": 1, "robin": 2, "knockout": 4, "double": 5, "ladder": 6, "league": 7}
"""A seed of each format."""


def tournament_texts(formats: Sequence[str] = tuple(SEEDS)) -> Texts:
    """Return the letters of a tournament of each format, in the order in which they were queued."""
    return {name: _letters(SEEDS[name]) for name in formats}


def _letters(seed: int) -> str:
    played = play(seed)
    engine = open_engine(f"sqlite:///{played.folder}/pbem.db")
    try:
        assert played.wrong == ()
        with Session(engine) as session:
            rows = session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id)))
            return shown(row.body for row in rows if row.body is not None)
    finally:
        engine.dispose()
        shutil.rmtree(played.folder)
