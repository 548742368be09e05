"""`pbem game start`: a game begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pbem.cli.game.show import show
from pbem.cli.options import HERE, Config, GameName

if TYPE_CHECKING:
    from datetime import datetime

    from pbem.cli.server.settings import Settings

__all__ = ["app"]

app = typer.Typer()


@app.command()
def start(name: GameName, config: Config = HERE) -> None:
    """Start a game all of whose seats are taken: the first reports go out."""
    from pbem.campaign.door.service import start_game
    from pbem.campaign.turn import beacons
    from pbem.cli.server.assembly import opened, settings

    read = settings(config)
    with opened(read) as server:
        with server.work() as work:
            waits = beacons.will_wait(work, name)
        # Nobody waits in a transaction for what is far away.
        dark = waits and not _answers(read, server.clock.now())
        with server.work() as work:
            start_game(work, name, dark=dark)
    if dark:
        print(f"No relay of the beacon answered: the dice of {name} wait for none (grade C), and all are told so.")
    show(name, config)


def _answers(read: Settings, now: datetime) -> bool:
    """Whether a relay has a round of the beacon that came out a while ago."""
    from pbem.audit import bls
    from pbem.cli.server.checks_beacon import recent
    from pbem.cli.server.relays import fetch, http

    return fetch(read.beacon.relays, *recent(now), http, bls.check).signature is not None
