"""`pbem event new`: a tournament founded by its file of rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.event.show import EventName, show
from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config
from pbem.cli.rulebooks import games, lay_beside

if TYPE_CHECKING:
    from pbem.runtime.transaction import Server
    from pbem.tournaments.arithmetic.rules.records import Rules

app = typer.Typer()


@app.command()
def new(
    name: EventName,
    file: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Its rules, as cup60.toml.")],
    director: Annotated[str, typer.Option(metavar="ADDRESS", help="Who directs it by letter.")],
    language: Annotated[str, typer.Option(help="en or es: of the letters to the director.")] = "en",
    config: Config = HERE,
) -> None:
    """Found a tournament: entrants come by letter (JOIN), and the rest goes by itself."""
    from pbem.cli.server.assembly import opened, settings
    from pbem.tournaments import founding

    read = settings(config)
    lay_beside(read.games.folder)
    with opened(read) as server:
        rules = _rules(server, file)
        conduct = _conduct(file, rules.code)
        wanted = founding.NewTournament(name, rules, conduct, director, language, games())
        with server.work() as work:
            event = founding.found(work, wanted)
            _say_the_price(rules, event.phases)
    show(name, config=config)


def _rules(server: Server, file: Path) -> Rules:
    """The rules of a file; Stop with every fault, its line and the way out."""
    from pbem.tournaments import founding
    from pbem.tournaments.arithmetic.rules.reading import RulesRefused, read_rules

    try:
        return read_rules(file.read_text("utf-8"), file.name, founding.against_here(server, games()))
    except RulesRefused as refused:
        raise Stop(str(refused)) from refused
    except UnicodeDecodeError as wrong:
        raise Stop(f"{file.name} is no text in UTF-8") from wrong


def _conduct(file: Path, named: str) -> str:
    """The text of the code of conduct, which lies beside the rules; Stop if it is not there."""
    if not named:
        return ""
    path = file.parent / named
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as missing:
        raise Stop(f'{path} cannot be read: write the code of conduct there, or code = "" where there is none') from (
            missing
        )


def _say_the_price(rules: Rules, phases: int) -> None:
    """How long rounds may take, told before anybody enters."""
    from pbem.tournaments import record
    from pbem.tournaments.arithmetic.rules import ends

    for at, stage in enumerate(rules.stage):
        end = ends.certain_end(rules, phases, at)
        print(
            f"stage {at + 1}, {stage.format}: a game of {phases} phases a side is over after {end.days} days for "
            "certain"
        )
        if end.tables > 1:
            price = ends.price_of(rules, phases, at)
            print(f"    sides {stage.sides}: {price.board} days where one table would take {price.alone}")
        if not record.can_be_taken_over(rules, stage):
            print("    no seat is offered to those who wait: who leaves or falls silent loses his games")
    print(f"all of it takes {ends.length_in_days(rules, phases)} days at most")
