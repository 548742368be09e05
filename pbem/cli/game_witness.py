"""`pbem game witness`: who watches the log for a game, and what he has signed; asked and let go here."""

from __future__ import annotations

from pathlib import Path

from pbem.cli.ends import Stop
from pbem.cli.games import asked
from pbem.cli.wiring import open_office, settings
from pbem.store import queries

__all__ = ["witness"]


def witness(config: Path, name: str, email: str, language: str, remove: bool) -> None:
    """Ask somebody to be a witness of a game, or let him go, or print who is one; Stop if it cannot be."""
    from pbem.campaign import witnessing
    from pbem.campaign.positions import game_named

    if remove and not email:
        raise Stop("whom? --remove goes with an address")
    with asked(open_office(settings(config))) as office, office.session() as session:
        game, now = game_named(session, name), office.clock.now()
        if email and not remove:
            witnessing.appoint(session, office, game, email, None, language, now)
        active = queries.witnesses.active(session, name) if remove else ()
        mine = [row for row in active if row.email == email.casefold()]
        if remove and not mine:
            raise Stop(f"{email} is no witness of {name}")
        for row in mine:
            witnessing.dismiss(session, office, game, row, now)
        for row in queries.witnesses.active(session, name):
            last = queries.witnesses.newest(session, row)
            seen = f"{last.size} leaves seen at {last.came:%Y-%m-%d %H:%M}" if last else "asked, no answer yet"
            print(f"{row.email}  {row.key or '-'}  {seen}")
