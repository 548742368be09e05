"""`pbem print`: a turn, a whole game or a scenario's welcome pack as PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config
from pbem.cli.rulebooks import game_of, registry

if TYPE_CHECKING:
    from pbem.letters.catalogue import Catalogue
    from pbem.pages.printed.document import Document

app = typer.Typer()


class Printing(NamedTuple):
    """What of a game is to be printed, for whom, on what."""

    name: str
    seat: str
    turn: int | None
    language: str
    paper: str


@app.command("print")
def print_pdf(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server.")] = "",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="FILE.pdf.")] = Path("pbem.pdf"),
    turn: Annotated[int | None, typer.Option(help="That turn alone, not the whole game.")] = None,
    seat: Annotated[str, typer.Option(help="As that seat saw it; without it as onlookers did.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    welcome: Annotated[str, typer.Option(metavar="SCENARIO", help="A scenario for who is new to it.")] = "",
    config: Config = HERE,
) -> None:
    """Write a game, a turn of it or a scenario's welcome pack as PDF, for paper or an archive.

    While a game runs it tells what its seat, or who looks on, has got by letter, and nothing else; once it is over,
    everything, without --seat.
    """
    from pbem.pages.printed.document import PAPERS
    from pbem.pages.printed.pdf import Unavailable, to_pdf

    if bool(name) == bool(welcome):
        raise Stop("what is to be printed? A game of this server by its name, or --welcome SCENARIO")
    if paper not in PAPERS:
        raise Stop(f"paper is {' or '.join(PAPERS)}, not {paper!r}")
    wanted = Printing(name, seat, turn, language, paper)
    made = _pack(welcome, language, paper) if welcome else _game(wanted, config)
    try:
        out.write_bytes(to_pdf(made))
    except Unavailable as wrong:
        raise Stop(str(wrong)) from None
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None
    print(out)


def _game(wanted: Printing, config: Path) -> Document:
    """A game of the server, or a turn of it."""
    from pbem.cli.printing.games import document
    from pbem.cli.printing.sections import Desk
    from pbem.cli.server.assembly import opened
    from pbem.play.chapters import NoChronicle, chronicle, gather

    with opened(config) as server, server.reading() as work:
        try:
            read = gather(work, wanted.name, wanted.seat, own=True)
        except NoChronicle as wrong:
            raise Stop(str(wrong)) from None
    told = chronicle(read)
    if wanted.turn is not None and all(one.turn != wanted.turn for one in told.chapters):
        raise Stop(f"nothing of turn {wanted.turn} is over in {wanted.name}")
    desk = Desk(registry(told.rules), _words(wanted.language, told.rules))
    return document(desk, told, wanted.paper, wanted.turn)


def _pack(scenario: str, language: str, paper: str) -> Document:
    """The welcome pack of a scenario."""
    from pbem.cli.printing.sections import Desk
    from pbem.cli.printing.welcome import document

    rules = registry(game_of(scenario))
    return document(Desk(rules, _words(language, rules.name)), scenario, paper)


def _words(language: str, game: str) -> Catalogue:
    from pbem.letters.catalogue import load

    try:
        return load(language, game)
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
