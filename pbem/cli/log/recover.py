"""`pbem log recover`: the log begun anew after a restore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.columns import moment
from pbem.cli.exit_codes import Stop
from pbem.cli.log.trees import print_tree
from pbem.cli.options import HERE, Config, typed
from pbem.engine.data.messages import plain

if TYPE_CHECKING:
    from pbem.audit.checkpoint import Checkpoint
    from pbem.log.recovery import Standstill

app = typer.Typer()


@app.command()
def recover(
    size: Annotated[
        int, typer.Option(min=0, metavar="N", help="Leaves of the newest tree that somebody has seen.")
    ] = 0,
    root: Annotated[str, typer.Option(metavar="ROOT", help="Its root, in base64 or hex, from a line SEEN.")] = "",
    intact: Annotated[
        bool, typer.Option("--intact", help="The database was not put back: only what was signed last was forgotten.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """After the database was put back from a backup: say what is gone, and begin the log anew, which it says."""
    from pbem.audit.checkpoint import Checkpoint
    from pbem.cli.server.assembly import opened
    from pbem.log import recovery

    if bool(size) != bool(root):
        raise Stop("--size and --root go together: both stand in the line SEEN of a player's template")
    with opened(config) as server:
        with server.work() as work:
            found = recovery.look(work)
            known = Checkpoint(found.here.origin, size, _root(root)) if size else None
            if intact:
                recovery.again(work)
                print(f"{server.signed.place if server.signed else ''} is written anew; the log goes on")
                return
        _tell(found, known)
        # Nobody is asked for what cannot be done.
        recovery.largest_signed(found, known)
        if not yes and not typed("Type RECOVER to begin the log anew", "RECOVER"):
            raise Stop("nothing was done")
        with server.work() as work:
            admitted, now = recovery.recover(work, known)
        if server.signed is not None:
            server.signed.begin(now)
    print(
        f"The log goes on as {now.origin}, with {now.size} leaves; its leaf `rotate` admits to {admitted.size} before."
    )
    print(
        "All seats of these games are written to. Phases whose time is past close after the next look into the mailbox."
    )


def _tell(found: Standstill, known: Checkpoint | None) -> None:
    print_tree("the database has", found.here)
    print(f"  signed {moment(found.signed)}; whatever came and went later it does not know")
    if found.trouble is not None:
        print(plain(found.trouble.why))
    last = known or (found.trouble.known if found.trouble else None)
    if last is not None:
        print_tree("signed last were", last)
        if last.origin == found.here.origin and last.size > found.here.size:
            gone = last.size - found.here.size
            print(f"gone are {gone} leaves, number {found.here.size} to {last.size - 1}")
    print("Games that they may be about, as they stand in the database. Letters of later than those listed here your")
    print("players have, and the server does not; move what they have sent since from Processed back to the inbox.")
    for game in found.games:
        print(f"{game.game}  {game.phase}  {game.state}")
        for name, shown, kind, at in game.seats:
            print(f"  {name}: was shown {shown} leaves; last letter known: {kind}, {moment(at)}")


def _root(text: str) -> bytes:
    """A root as it stands in a line SEEN, or in hex."""
    from pbem.audit.blocks import Malformed
    from pbem.audit.note import decode64

    try:
        found = bytes.fromhex(text) if len(text) == 64 else decode64(text)
    except (ValueError, Malformed):
        found = b""
    if len(found) != 32:
        raise Stop(f"a root has 32 bytes, in base64 as in a line SEEN or in hex, got {text!r}")
    return found
