"""`pbem witness init`: the first files of a witness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.witness.options import FILE_NAME
from pbem.data import data

app = typer.Typer()


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the witness is to live; made if missing.")] = Path(),
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Your own mail address.")] = "friend@example.net",
    server: Annotated[str, typer.Option(metavar="ADDRESS", help="The server to watch.")] = "pbem@example.org",
    name: Annotated[str, typer.Option(help="What you sign as; made of your address if left out.")] = "",
    log: Annotated[str, typer.Option(metavar="KEY", help="The key of its log, if you know it.")] = "",
) -> None:
    """Write witness.toml, to be filled in, and your secret key; print the key that you are known by."""
    from pbem.cli.server.key_files import write_key, write_new
    from pbem.cli.witness.home import Witness, open_home

    settings, key = folder / FILE_NAME, folder / "witness.key"
    local, _, domain = address.rpartition("@")
    given = {
        "name": ("example.net/friend", name or f"{domain}/{local}"),
        "address": ("friend@example.net", address),
        "server": ("pbem@example.org", server),
        "log": ("", log),
    }
    for path in (settings, key):
        if path.exists():
            raise Stop(f"{path} exists already, and is left as it is")
    try:
        Witness(name=given["name"][1], address=address, server=server, log=log)
    except ValueError as wrong:
        raise Stop(f"these settings cannot be used: {wrong}") from None
    text = data("config", FILE_NAME).read_text("utf-8")
    for word, (shipped, own) in given.items():
        text = text.replace(f'\n{word} = "{shipped}"', f'\n{word} = "{own}"')
    text = text.replace('user = "friend@example.net"', f'user = "{address}"')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new(settings, text)
        write_key(key)
    except OSError as wrong:
        raise Stop(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the servers of your mailbox and the passwords")
    print(f"{key}   your secret: nobody else's eyes, and no copy that you might put back later")
    print("Your key, for everybody who is to believe you:")
    print(open_home(settings).key.text)
