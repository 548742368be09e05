"""`pbem adjudicate`: one phase resolved for a moderator, without server, mail or database.

A phase is a file of a position (see `pbem.engine.saved_position`; ``--new GAME/SCENARIO`` prints a first one) or one
rule case of a file of cases, a file of orders for each seat, and the dice: thrown by hand and written down as in
cases, or derived from 64 bytes as the server does. Lines that are refused are reported, the others carried out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import pairs

SeatFiles = Annotated[list[str] | None, typer.Option(metavar="SEAT=FILE", help="May be given for each seat.")]

app = typer.Typer()


@app.command()
def adjudicate(
    position: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A position, or a file of rule cases.")
    ] = None,
    orders: SeatFiles = None,
    standing: SeatFiles = None,
    dice: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Dice thrown by hand, LABEL: VALUES a line.")
    ] = None,
    beta: Annotated[str, typer.Option(metavar="HEX", help="64 bytes that all dice are derived from.")] = "",
    case: Annotated[str, typer.Option(metavar="N", help="Which case of the file, by number or title.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Events as JSON lines.")] = False,
    step: Annotated[bool, typer.Option("--step", help="Each step as the rules take it.")] = False,
    state_out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the position after it.")] = None,
    language: Annotated[str, typer.Option(metavar="LANG", help="Of the report, en or es.")] = "en",
    new: Annotated[str, typer.Option(metavar="GAME/SCENARIO", help="Print a scenario's first position.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="With --new: rules.")] = None,
) -> None:
    """Resolve one phase without a server: a position, a file of orders for each seat, and dice.

    pbem adjudicate --new GAME/SCENARIO > state.json

    pbem adjudicate state.json --orders spain=spain.txt --beta $(openssl rand -hex 64) --state-out next.json

    With --step each step is printed as it is taken: its task, its roll or who chose what and why, its events.

    Ends with 1 if a line was refused; the others are carried out.
    """
    from pbem.cli.table.phase import Wanted, first_position
    from pbem.cli.table.resolution import resolve

    if new:
        if position is not None:
            raise Stop("--new prints a first position and resolves nothing: leave the file away")
        typer.echo(first_position(new, pairs(option or (), "an option reads NAME=VALUE")), nl=False)
        return
    if position is None:
        raise Stop("which position? A first one: pbem adjudicate --new GAME/SCENARIO > state.json")
    if option:
        raise Stop("--option goes with --new: the position has its options already")
    resolve(Wanted(position, case, orders or (), standing or (), dice, beta, as_json, state_out, language, step))
