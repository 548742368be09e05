"""What the rules installed here would change in stored games, before anything is changed; and applying it to one."""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.messages import msg
from pbem.play.replay import Difference, differences
from pbem.play.rulings import ruling_lines
from pbem.play.rulings.ruling_lines import Ruled
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables


class Checked(NamedTuple):
    """A game held against the rules of today: how many phases it came by, and those that come out otherwise."""

    game: str
    state: str
    phases: int
    differences: tuple[Difference, ...]


def look(work: Work, name: str) -> Checked:
    """Resolve every phase of a game again, each from its stored state; Broken if there is no such game."""
    found = differences(work, name)
    row = work.session.get_one(tables.Game, name)
    return Checked(name, row.state, len(queries.phases.resolved(work.session, name)), found)


def apply(work: Work, name: str, because: str) -> Ruled:
    """READJUDICATE the first phase that comes out otherwise, with its reason and letters; Broken if there is none."""
    found = look(work, name).differences
    if not found:
        raise Broken(msg("Nothing of {game} comes out otherwise; there is nothing to apply.", game=name))
    line = f"READJUDICATE {found[0].phase} BECAUSE {because}"
    return ruling_lines.rule(work, name, ruling_lines.read(line))
