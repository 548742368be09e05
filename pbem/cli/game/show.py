"""`pbem game show`: what there is to know of one game."""

from __future__ import annotations

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.options import HERE, Config, GameName
from pbem.cli.terminal import on_one_line

__all__ = ["app"]

app = typer.Typer()


@app.command()
def show(name: GameName, config: Config = HERE) -> None:
    """Show one game: its seats, what it waits for, and what is due."""
    from pbem.campaign.door.service import show_game
    from pbem.cli.server.assembly import opened

    with opened(config) as server, server.reading() as work:
        card = show_game(work, name)
    line = card.line
    print(f"{line.name}: {line.game}, {line.scenario}, {line.state}")
    print(f"edition {card.edition}, dice {card.scheme}")
    if card.held_why:
        print(f"held because of: {on_one_line(card.held_why)}")
    if line.phase:
        print(f"phase {line.phase}, until {moment(line.deadline)}")
    if card.moderator:
        print("moderated by {}, who writes to {}".format(*card.moderator))
    rows = [("SEAT", "PLAYER", "MAIL", "LANGUAGE", "ORDERS", "MISSED", "WRITES TO")]
    for seat in card.seats:
        orders = f"revision {seat.revision}" if seat.revision else "awaited" if seat.active else "-"
        rows.append(
            (
                seat.seat,
                seat.person or "nobody yet",
                f"{seat.email} (letters come back)" if seat.unreachable else seat.email or "-",
                seat.language,
                orders,
                str(seat.strikes),
                seat.address if seat.person else "-",
            )
        )
    print_table(rows)
    for phase, ruling in card.void:
        print(f"{phase} is void by ruling {ruling}")
    for at, kind, cause in card.dues:
        print(on_one_line(f"{moment(at)}  {kind} ({cause})"))
