"""`pbem game dice`: the moderator's page on the dice of a game, with no bound on how long it may take."""

from __future__ import annotations

from pathlib import Path

from pbem.cli.games import asked
from pbem.cli.wiring import open_office, settings
from pbem.core.messages import plain

__all__ = ["show_dice"]

UNBOUNDED = 10**12
"""Steps of the rules that no game comes to."""


def show_dice(config: Path, name: str) -> None:
    """Print the faces of all dice of a game, each side's luck, and e-values against fair dice."""
    from pbem.campaign import evidence
    from pbem.campaign.positions import game_named

    with asked(open_office(settings(config))) as office:
        with office.session() as session:
            found = evidence.gathered(session, office, game_named(session, name))
        for depth, said in evidence.lines(office, found, UNBOUNDED):
            print("  " * depth + plain(said))
