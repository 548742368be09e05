"""`pbem mail block`: senders of whom nothing is read."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def block(
    sender: Annotated[str, typer.Argument(metavar="ADDRESS|DOMAIN", help="Whom; without it the list is shown.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Read him again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Even if somebody who plays here is among them.")] = False,
    config: Config = HERE,
) -> None:
    """Leave letters from an address, or from a whole domain, unread and unanswered; from the next letter on."""
    from pbem.cli.server.assembly import opened
    from pbem.runtime.blocklist import checked
    from pbem.store import queries

    with opened(config) as server:
        blocked = server.blocked
        if blocked is None:
            raise Stop("this server keeps no list")
        listed = blocked.listed()
        if not sender:
            for one in listed:
                print(one)
            return
        try:
            wanted = checked(sender)
        except ValueError:
            raise Stop(f"neither an address nor a domain: {sender!r}") from None
        if remove:
            if wanted not in listed:
                raise Stop(f"{wanted} is not on the list")
            blocked.put(tuple(one for one in listed if one != wanted))
            print(f"{wanted} is read again")
            return
        with server.reading() as work:
            known = queries.people.registered(work.session, wanted)
        if known and not yes:
            raise Stop(f"people who play here write from there ({len(known)}): --yes blocks them all the same")
        blocked.put((*(one for one in listed if one != wanted), wanted))
    print(f"{wanted} is not read any more")
