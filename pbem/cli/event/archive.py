"""`pbem event archive`: a tournament as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.event.show import EventName
from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, spoken

app = typer.Typer()


@app.command()
def archive(
    name: EventName,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder for NAME.html.")],
    language: Annotated[
        str, typer.Option(metavar="LANG", help="In which language NAME.html is; others beside.")
    ] = "en",
    config: Config = HERE,
) -> None:
    """Write a tournament as a page: how all stand, crosstable, rounds; linked to the pages of games that lie there."""
    from pbem.cli.contests import file_of, write_event
    from pbem.cli.server.assembly import opened
    from pbem.engine.data.languages import known

    with opened(config) as server:
        spoken(language)
        try:
            out.mkdir(parents=True, exist_ok=True)
            games = [path.stem for path in out.glob(f"{name}-*.html")]
            write_event(server, name, out, (language, games, ""))
        except OSError as wrong:
            raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    for one in known():
        print(out / file_of(name, one, language))
