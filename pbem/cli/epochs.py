"""What `pbem log` does: the signed log shown, recomputed, and begun anew after a restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pbem.cli.ends import FINDING, Stop
from pbem.cli.games import asked, moment, print_table
from pbem.cli.wiring import open_office, settings
from pbem.core.messages import plain
from pbem.store import queries

if TYPE_CHECKING:
    from pbem.audit.checkpoint import Checkpoint
    from pbem.campaign.recovering import Found

__all__ = ["check", "recover", "show"]


def show(config: Path, game: str) -> None:
    """Print the newest signed tree and how many leaves each game has, or the leaves of one."""
    from pbem.campaign import checking, recovering

    with asked(open_office(settings(config))) as office, office.session() as session:
        if game:
            rows = checking.leaves_of(session, game)
            if not rows:
                raise Stop(f"the log has no leaf of {game!r}")
            print_table([("leaf", "seq", "kind", "phase", "written"), *rows])
            return
        found, counts = recovering.look(session, office), queries.log.count_by_game(session)
    _print_tree("the newest signed tree", found.here)
    print(f"  signed {moment(found.signed)}; leaves that wait to be signed: {found.waiting}")
    print_table([("game", "leaves"), *((name, str(count)) for name, count in counts)])
    if found.trouble is not None:
        raise Stop(f"the log stands still: {plain(found.trouble.why)} Next: pbem log recover", FINDING)


def check(config: Path) -> None:
    """Print what is not as it was signed, and end with a finding if anything is."""
    from pbem.campaign import checking, recovering

    with asked(open_office(settings(config))) as office, office.session() as session:
        result, found = checking.check(session, office), recovering.look(session, office)
    wrong = [*result.wrong, *([plain(found.trouble.why)] if found.trouble else [])]
    for line in wrong:
        print(line)
    print(f"leaves {result.leaves}, nodes {result.nodes}, signed trees {result.trees}, games {result.games}")
    if wrong:
        raise Stop(f"things that are not as they were signed: {len(wrong)}", FINDING)
    print("all is as it was signed")


def recover(config: Path, size: int, root: str, intact: bool, yes: bool) -> None:
    """Print what is gone, ask, and begin the log anew; with `intact` only the file beside the keys."""
    from pbem.audit.checkpoint import Checkpoint
    from pbem.campaign import recovering

    if bool(size) != bool(root):
        raise Stop("--size and --root go together: both stand in the line SEEN of a player's template")
    with asked(open_office(settings(config))) as office:
        with office.session() as session:
            found = recovering.look(session, office)
            known = Checkpoint(found.here.origin, size, _root(root)) if size else None
            if intact:
                recovering.again(session, office)
                print(f"{office.signed.path if office.signed else ''} is written anew; the log goes on")
                return
        _tell(found, known)
        if not yes and typer.prompt("Type RECOVER to begin the log anew", default="", show_default=False) != "RECOVER":
            raise Stop("nothing was done")
        with office.session() as session:
            admitted, now = recovering.recover(session, office, known)
        if office.signed is not None:
            office.signed.begin(now)
    print(
        f"The log goes on as {now.origin}, with {now.size} leaves; its leaf `rotate` admits to {admitted.size} before."
    )
    print(
        "All seats of these games are written to. Phases whose time is past close after the next look into the mailbox."
    )


def _tell(found: Found, known: Checkpoint | None) -> None:
    _print_tree("the database has", found.here)
    print(f"  signed {moment(found.signed)}; whatever came and went later it does not know")
    if found.trouble is not None:
        print(plain(found.trouble.why))
    last = known or (found.trouble.known if found.trouble else None)
    if last is not None:
        _print_tree("signed last were", last)
        if last.origin == found.here.origin and last.size > found.here.size:
            gone = last.size - found.here.size
            print(f"gone are {gone} leaves, number {found.here.size} to {last.size - 1}")
    print("Games that they may be about, as they stand in the database. Letters of later than those listed here your")
    print("players have, and the server does not; move what they have sent since from Processed back to the inbox.")
    for game in found.games:
        print(f"{game.game}  {game.phase}  {game.state}")
        for name, shown, kind, at in game.seats:
            print(f"  {name}: was shown {shown} leaves; last letter known: {kind}, {moment(at)}")


def _print_tree(what: str, tree: Checkpoint) -> None:
    print(f"{what}: {tree.size} leaves of {tree.origin}, root {tree.root.hex()}")


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
