# Small because a group of commands is one file, and this group has one command.
"""`pbem page`: write pages for players that need no server.

Each is one file for a browser.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import CommandError
from pbem.lazy import lazily

with lazily():
    from pbem.cli import pages
    from pbem.pages import desk as desk_pages


app = typer.Typer(no_args_is_help=True, help="Pages for players, each one file for a browser.")


@app.callback()
def page() -> None:
    pass


@app.command()
def desk(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write it.")] = Path("desk.html"),
) -> None:
    """Write the page on which players choose their orders.

    It holds no secrets, and anybody may have it.
    """
    try:
        out.write_text(desk_pages.desk_page(pages.page_words()), "utf-8")
    except OSError as wrong:
        raise CommandError(f"cannot write {out}: {wrong.strerror}") from None
    typer.echo(f"Written: {out}. Open it in a browser and give it a letter that has pbemdesk.txt; it needs no network.")
