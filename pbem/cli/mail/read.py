"""`pbem mail read`: the last letter to somebody."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.mail.letter_text import readable
from pbem.cli.options import HERE, Config

__all__ = ["app"]

app = typer.Typer()


@app.command()
def read(
    email: Annotated[str, typer.Argument(help="The address that was written to.")],
    config: Config = HERE,
) -> None:
    """Print the last letter that the server wrote to somebody, sent or not."""
    from pbem.campaign.door.postman import render
    from pbem.cli.server.assembly import opened
    from pbem.store import queries

    with opened(config) as server:
        with server.session() as session:
            last = queries.outbox.last_to(session, email.casefold())
        letters = render(server, [last] if last is not None else [])
    if not letters:
        raise Stop(f"nothing was written to {email}", FINDING)
    print(readable(letters[0]))
