"""`pbem mail preview`: a stored letter as the templates make it now, for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, spoken

app = typer.Typer()


@app.command()
def preview(
    name: Annotated[str, typer.Argument(metavar="MESSAGE-ID", help="Which letter; else the last.")] = "",
    kind: Annotated[str, typer.Option(help="The last of a kind, such as report.")] = "",
    game: Annotated[str, typer.Option(help="The last about a game.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="Else as it was written.")] = "",
    text: Annotated[bool, typer.Option("--text", help="Its text, not its page.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Else it is printed.")] = None,
    config: Config = HERE,
) -> None:
    """Show a letter as the templates make it now, with its pictures in the page. Nothing is stored or sent."""
    from pbem.cli.server.assembly import opened
    from pbem.server import preview as door

    with opened(config) as server:
        spoken(language or "en")
        try:
            made = door.preview(server, name, kind, game, language)
        except door.NoLetter as wrong:
            raise Stop(f"{wrong}\n`pbem mail preview --kind report` shows the last of a kind") from None
    said = f"Subject: {made.subject}\n\n{made.text}" if text else made.page
    if out is None:
        print(said)
        return
    try:
        out.write_text(said, encoding="utf-8")
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None
    print(out)
