"""`pbem patch`: what the rules installed here would change in stored games, and applying it to one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config
from pbem.engine.data.messages import plain

if TYPE_CHECKING:
    from pbem.play.rulings.patches import Checked

app = typer.Typer()

MOST = 100
"""Characters of what was and of what would be that a line shows."""


@app.command()
def patch(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="Games; all that have begun.")] = None,
    to: Annotated[str, typer.Option("--apply", metavar="GAME", help="Resolve its first such phase once more.")] = "",
    because: Annotated[str, typer.Option(metavar="REASON", help="With --apply: what its players are told.")] = (
        "the rules as they are read here were corrected"
    ),
    config: Config = HERE,
) -> None:
    """List which phases of stored games come out otherwise by the rules installed here; nothing is changed.

    A line for each phase, parted by tabs: game, phase, what differs first, as stored, as it would be. Ends with 1 if
    anything differs. With --apply the first such phase of one game is resolved once more, as READJUDICATE does.
    """
    from pbem.cli.server.assembly import opened
    from pbem.play.rulings import patches
    from pbem.store import queries

    if to and games:
        raise Stop("--apply names the one game that it is about; without it all games named are only looked at")
    if to:
        _apply(config, to, because)
        return
    with opened(config) as server:
        with server.session() as session:
            wanted = games or tuple(queries.games.begun(session))
        found = []
        for name in wanted:
            # A transaction each: a server that runs is kept waiting by one game at a time.
            with server.work() as work:
                found.append(patches.look(work, name))
    for one in found:
        _show(one)
    differing = [one.game for one in found if one.differences]
    if differing:
        raise Stop(f"{len(differing)} of {len(found)} games come out otherwise: {', '.join(differing)}", FINDING)
    print(f"nothing differs: {sum(one.phases for one in found)} phases of {len(found)} games resolved again")


def _apply(config: Path, name: str, because: str) -> None:
    from pbem.cli.server.assembly import opened
    from pbem.play.rulings import patches

    with opened(config) as server, server.work() as work:
        ruled = patches.apply(work, name, because)
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
