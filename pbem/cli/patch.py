"""`pbem patch`: what the rules installed here would change in stored games, and applying it to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pbem.cli.ends import FINDING, Stop
from pbem.cli.games import asked
from pbem.cli.wiring import open_office, settings
from pbem.core.messages import plain
from pbem.store import queries

if TYPE_CHECKING:
    from pbem.campaign.patching import Checked

__all__ = ["patch_games"]

MOST = 100
"""Characters of what was and of what would be that a line shows."""


def patch_games(config: Path, names: Sequence[str], to: str, because: str) -> None:
    """List what comes out otherwise, and end with a finding if anything does; or apply it to the game `to`."""
    from pbem.campaign import patching

    if to and names:
        raise Stop("--apply names the one game that it is about; without it all games named are only looked at")
    if to:
        _apply(config, to, because)
        return
    with asked(open_office(settings(config))) as office:
        with office.session() as session:
            wanted = names or tuple(queries.games.begun(session))
        found = []
        for name in wanted:
            # A transaction each: a server that runs is kept waiting by one game at a time.
            with office.session() as session:
                found.append(patching.look(session, office, name))
    for one in found:
        _show(one)
    differing = [one.game for one in found if one.differences]
    if differing:
        raise Stop(f"{len(differing)} of {len(found)} games come out otherwise: {', '.join(differing)}", FINDING)
    print(f"nothing differs: {sum(one.phases for one in found)} phases of {len(found)} games resolved again")


def _apply(config: Path, name: str, because: str) -> None:
    from pbem.campaign import patching

    with asked(open_office(settings(config))) as office, office.session() as session:
        ruled = patching.apply(session, office, name, because, office.clock.now())
    for sentence in ruled.sentences:
        typer.echo(plain(sentence))


def _show(one: Checked) -> None:
    """A line for each phase that differs: game, phase, what differs, as stored, as it would be; parted by tabs."""
    for difference in one.differences:
        parts = (one.game, difference.phase, difference.what, _short(difference.stored), _short(difference.now))
        typer.echo("\t".join(parts))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST else text[: MOST - 3] + "..."
