"""`pbem archive`: a game as one page to be looked through, and a list of the games whose pages lie there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, GameName, spoken

if TYPE_CHECKING:
    from pbem.engine.data.chronicle import Chronicle

app = typer.Typer()


@app.command()
def archive(
    name: GameName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for NAME.html and index.html.")],
    seat: Annotated[
        str, typer.Option(help="What this seat sees of a game that goes on, under a name that nobody can guess.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="In which language it opens; it has all.")] = "en",
    config: Config = HERE,
) -> None:
    """Write a game as one page: every step of it on the map, with dice, charts, rules and orders.

    While it goes on the page shows what everybody may see; once it is over, everything but addresses and letters.
    """
    from pbem.cli.archives import page_of, put
    from pbem.cli.server.assembly import opened
    from pbem.cli.server.database import is_there
    from pbem.cli.sites import HELD
    from pbem.pages.archive.index import INDEX
    from pbem.play.chapters import NoChronicle
    from pbem.runtime import tokens
    from pbem.server.archive_attachments import gather, story

    if f"{name}.html" == INDEX:
        raise Stop(f"{INDEX} is the list of games: a game of that name cannot have a page beside it")
    if not seat and is_there(out / HELD):
        raise Stop(f"{out} is kept by `pbem site`, whose list this would replace: name another folder")
    with opened(config) as server:
        spoken(language)
        try:
            with server.reading() as work:
                found = gather(work, name, seat)
        except NoChronicle as wrong:
            raise Stop(str(wrong)) from None
        told = story(server, found)
        file = tokens.page(server.key, name, seat) if seat else name
    page = page_of(told, language)
    try:
        out.mkdir(parents=True, exist_ok=True)
        put(out / f"{file}.html", page, 0o600 if seat else 0o644)
        if not seat:
            _list(out / INDEX, told, language)
    except OSError as wrong:
        raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    print(out / f"{file}.html")


def _list(path: Path, told: Chronicle, language: str) -> None:
    """Put a game on the list, beside those that are on it and whose pages are there."""
    from pbem.cli.archives import listed, put
    from pbem.cli.desks import says
    from pbem.pages.archive.index import index_page, listed_in

    before = listed_in(path.read_text("utf-8", errors="replace")) if path.is_file() else ()
    kept = [one for one in before if (path.parent / f"{one.game}.html").is_file()]
    put(path, index_page([*kept, listed(told)], lambda said: says("", language, said), language))
