"""`pbem game show`: what there is to know of one game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.json_output import AsJson, DueJson, GameJson, SeatJson, VoidJson, instant, print_json
from pbem.cli.options import HERE, Config, GameName
from pbem.cli.terminal import on_one_line

if TYPE_CHECKING:
    from pbem.server.service import GameCard

app = typer.Typer()


@app.command()
def show(name: GameName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one game: its seats, what it waits for, and what is due."""
    from pbem.cli.server.assembly import opened
    from pbem.server.service import show_game

    with opened(config) as server, server.reading() as work:
        card = show_game(work, name)
    if as_json:
        print_json(_as_json(card))
        return
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


def _as_json(card: GameCard) -> GameJson:
    line = card.line
    seats = [
        SeatJson(
            seat=seat.seat,
            side=seat.side,
            person=seat.person or None,
            email=seat.email or None,
            address=seat.address if seat.person else None,
            language=seat.language,
            awaited=seat.active and not seat.revision,
            revision=seat.revision,
            missed=seat.strikes,
            letters_come_back=instant(seat.unreachable),
        )
        for seat in card.seats
    ]
    return GameJson(
        schema="game/1",
        name=line.name,
        game=line.game,
        scenario=line.scenario,
        state=line.state,
        phase=line.phase or None,
        deadline=instant(line.deadline),
        edition=card.edition,
        dice=card.scheme,
        held_because=card.held_why or None,
        moderator=card.moderator[0] if card.moderator else None,
        seats=seats,
        due=[DueJson(at=instant(at), kind=kind, cause=cause) for at, kind, cause in card.dues],
        void=[VoidJson(phase=phase, ruling=ruling) for phase, ruling in card.void],
    )
