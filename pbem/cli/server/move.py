"""`pbem server move`: the server at another address, in the middle of its games."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed

if TYPE_CHECKING:
    from pbem.runtime.transaction import Server

app = typer.Typer()


@app.command()
def move(
    address: Annotated[str, typer.Option("--address", metavar="ADDRESS", help="Where players write from now on.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Give the server another address and mail it to all players. Tokens, games and the log stay; it must not run."""
    from pbem.cli.server.assembly import alone_here, opened, settings
    from pbem.cli.server.rewriting import rewrite, with_setting
    from pbem.mail.address import check_address
    from pbem.play import relocation

    read = settings(config)
    before, address = read.server.address, address.casefold()
    try:
        if "+" in check_address(address):
            raise Stop("the part behind a + is the server's to fill")
    except ValueError as wrong:
        raise Stop(str(wrong)) from None
    if any(name in os.environ for name in ("PBEM_SERVER__ADDRESS", "PBEM_SERVER__FORMER", "PBEM_SERVER__LOG")):
        raise Stop("the address comes from the environment (PBEM_SERVER__...): it would stand above what is written")
    again = before.casefold() == address
    if again and not read.server.former:
        raise Stop(f"the server is at {address} already")
    if not yes and not typed(f"Type MOVE to go to {address}", "MOVE"):
        raise Stop("nothing was done")
    with alone_here(read):
        if not again:
            former = [one for one in dict.fromkeys((before.casefold(), *read.server.former)) if one != address]
            text = config.read_text("utf-8")
            for name, value in (("log", read.server.origin), ("former", former), ("address", address)):
                text = with_setting(text, "server", name, value)
            rewrite(config, text)
        with opened(config) as server:
            with server.work() as work:
                count = relocation.moved(work, before if not again else read.server.former[0])
            _tell_of_witnesses(server)
    print(f"The server is at {address}. Letters that say so: {count}; `pbem serve` sends them.")
    print(f"Letters to {before} are still read where they arrive: have its mail forwarded into the mailbox.")
    print("Look at [imap] and [smtp] in the settings, then: pbem doctor --letter")


def _tell_of_witnesses(server: Server) -> None:
    """Their programs believe the address that they were told in their own settings, and nobody's letter."""
    from pbem.store import queries

    with server.session() as session:
        names = {
            row.email
            for game in queries.games.unfinished(session)
            for row in queries.witnesses.active(session, game.id)
        }
    for email in sorted(names):
        print(f"Tell the witness {email} to set `server` in his witness.toml to the new address.")
