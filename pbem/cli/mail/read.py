"""`pbem mail read`: the last letter to somebody, or all of them as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.mail.letter_text import as_read, readable
from pbem.cli.options import HERE, Config

if TYPE_CHECKING:
    from pbem.runtime.transaction import Server

app = typer.Typer()


@app.command()
def read(
    email: Annotated[str, typer.Argument(help="The address that was written to.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all letters to it as mailed, for `pbem verify FOLDER`.")
    ] = None,
    config: Config = HERE,
) -> None:
    """Print the last letter that the server wrote to somebody, sent or not; or keep all of them as files."""
    from pbem.cli.server.assembly import opened
    from pbem.server.outbox_sender import render
    from pbem.store import queries

    with opened(config) as server:
        with server.reading() as work:
            names = queries.outbox.all_to(work.session, email.casefold())
        if not names:
            raise Stop(f"nothing was written to {email}", FINDING)
        if out is None:
            print(_text(server, names[-1]))
            return
        # All that waits is rendered in its order, so that each letter's proofs go on from those before it.
        letters = render(server, names)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for number, letter in enumerate(letters, 1):
            (out / f"{number:06}.eml").write_bytes(letter)
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None
    print(f"{len(letters)} letters to {email} in {out}; check their dice with: pbem verify {out}")


def _text(server: Server, name: str) -> str:
    """Return the text of a letter as it was mailed, or as it will be; nothing is drawn for that."""
    from pbem.server.preview import text_of
    from pbem.store import queries

    with server.reading() as work:
        (row,) = queries.outbox.by_names(work.session, [name])
    return readable(row.body) if row.body is not None else as_read(row.recipient, *text_of(server, row))
