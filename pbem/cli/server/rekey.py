"""`pbem server rekey`: another key for all tokens, when somebody may have seen the old one."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed

app = typer.Typer()


@app.command()
def rekey(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Replace pbem.key: every address of a seat is worthless, and all players are mailed new ones. It must not run."""
    from pbem.cli.server.assembly import alone_here, opened, settings
    from pbem.cli.server.key_files import KEY_BYTES, read_key
    from pbem.cli.server.rewriting import rewrite
    from pbem.cli.sources import Misconfigured
    from pbem.play import relocation

    read = settings(config)
    with alone_here(read):
        try:
            read_key(read.server.keys)
        except Misconfigured as wrong:
            raise Stop(str(wrong)) from None
        asked = "Type REKEY to make all addresses that players know worthless"
        if not yes and not typed(asked, "REKEY"):
            raise Stop("nothing was done")
        # Should this be cut short behind the next line, it is done once more, with another key.
        rewrite(read.server.keys, secrets.token_hex(KEY_BYTES) + "\n")
        with opened(config) as server, server.work() as work:
            count = relocation.rekeyed(work)
    print(f"{read.server.keys} is another key: keep a copy of it, and destroy those of the old one.")
    print(f"Letters with new addresses: {count}; `pbem serve` sends them. If this was cut short, run it again.")
    print("Witnesses answer to old addresses: `pbem game witness GAME ADDRESS` asks them anew.")
