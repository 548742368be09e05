"""The commands that need no server and no database: rule cases, a phase at the table, letters checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.ends import Stop

__all__ = ["register"]

SeatFiles = Annotated[list[str] | None, typer.Option(metavar="SEAT=FILE", help="May be given for each seat.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(cases)
    app.command()(adjudicate)
    app.command()(verify)


def cases(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Cases as TOML.")],
    game: Annotated[str, typer.Option(help="The game of files that name none.")] = "",
) -> None:
    """Run files of rule cases: a line for each that fails, at last N passed, N failed. Ends with 1 if any failed."""
    from pbem.cli.cases import run_cases

    run_cases(files, game)


def adjudicate(
    position: Annotated[
        Path | None, typer.Argument(metavar="STATE.json|CASES.toml", help="A position, or a file of rule cases.")
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
    language: Annotated[str, typer.Option(help="Of the report, en or es.")] = "en",
    new: Annotated[str, typer.Option(metavar="GAME/SCENARIO", help="Print a scenario's first position.")] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="With --new: rules.")] = None,
) -> None:
    """Resolve one phase without a server: a position, a file of orders for each seat, and dice.

    pbem adjudicate --new GAME/SCENARIO > state.json

    pbem adjudicate state.json --orders spain=spain.txt --beta $(openssl rand -hex 64) --state-out next.json

    With --step each step is printed as it is taken: its task, its roll or who chose what and why, its events.

    Ends with 1 if a line was refused; the others are carried out.
    """
    from pbem.cli.adjudicate import Wanted, first_position
    from pbem.cli.adjudicate import adjudicate as resolve

    if new:
        if position is not None:
            raise Stop("--new prints a first position and resolves nothing: leave the file away")
        typer.echo(first_position(new, _pairs(option or [])), nl=False)
        return
    if position is None:
        raise Stop("which position? A first one: pbem adjudicate --new GAME/SCENARIO > state.json")
    if option:
        raise Stop("--option goes with --new: the position has its options already")
    resolve(Wanted(position, case, orders or (), standing or (), dice, beta, as_json, state_out, language, step))


def verify(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE|MBOX|DIR...", help="Letters, mboxes, folders.")
    ] = None,
    log_key: Annotated[str, typer.Option(metavar="KEY", help="The log's key, if you know it from elsewhere.")] = "",
    witness: Annotated[list[str] | None, typer.Option(metavar="KEY", help="A witness that you believe.")] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="OUT.html", help="Write a page that does the same in a browser, and end.")
    ] = None,
    pyz: Annotated[
        Path | None, typer.Option(metavar="OUT.pyz", help="Write a file that does the same with bare Python, and end.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Run the rules again too, over what letters open.")] = False,
) -> None:
    """Check kept letters: log, orders, beacon, every die. Ends with 1 if something is false, 2 if not checkable."""
    from pbem.cli.checking import judge, lines
    from pbem.cli.verify import FAST, write_page, write_pyz

    if page is not None or pyz is not None:
        written = [write_page(page)] if page is not None else []
        for line in [*written, write_pyz(pyz)] if pyz is not None else written:
            typer.echo(line)
        return
    if not paths:
        raise Stop("which letters? Name files, mboxes or folders, or write a page for browsers: --page OUT.html")
    verdict = judge(paths, log_key, witness or (), full, FAST)
    for line in lines(verdict):
        typer.echo(line)
    raise typer.Exit(verdict.code)


def _pairs(options: list[str]) -> dict[str, str]:
    pairs = [option.partition("=") for option in options]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise Stop(f"an option reads NAME=VALUE, got {name + equals + value!r}")
    return {name: value for name, _, value in pairs}
