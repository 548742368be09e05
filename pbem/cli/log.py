"""`pbem log`: show and check the signed log, begin it anew, change its keys, write it as static files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.audit.blocks import Malformed
from pbem.audit.note import decode64
from pbem.cli.exit_codes import FINDING, Stop, harmless
from pbem.cli.options import HERE, Config, typed
from pbem.cli.output import moment, print_table
from pbem.cli.setting_files import former, read_key, write_key
from pbem.engine.data.messages import plain
from pbem.lazy import lazily

with lazily():
    from pbem.audit import checkpoint, signing, vrf
    from pbem.cli import assembly
    from pbem.log import keyring, log_check, published, recovery, sequencer
    from pbem.store import engine, queries


if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbem.audit.checkpoint import Checkpoint
    from pbem.cli.settings import Settings
    from pbem.log.recovery import Standstill

app = typer.Typer(no_args_is_help=True, help="The signed log of what the server does.")


def print_tree(what: str, tree: Checkpoint) -> None:
    """Print whose tree it is, its size and root."""
    print(f"{what}: {tree.size} leaves of {tree.origin}, root {tree.root.hex()}")


@app.command()
def show(
    game: Annotated[str, typer.Argument(metavar="GAME", help="List the leaves of this game.")] = "",
    config: Config = HERE,
) -> None:
    """Show the newest signed tree, the leaves that wait, and how many each game has; or those of one game."""
    with assembly.opened(config) as server, server.reading() as tx:
        if game:
            rows = log_check.leaves_of(tx.session, game)
            if not rows:
                raise Stop(f"the log has no leaf of {game!r}")
            print_table([("leaf", "seq", "kind", "phase", "written"), *rows])
            return
        found, counts = recovery.look(tx), queries.log.count_by_game(tx.session)
    print_tree("the newest signed tree", found.here)
    print(f"  signed {moment(found.signed)}; leaves that wait to be signed: {found.waiting}")
    print_table([("game", "leaves"), *((name, str(count)) for name, count in counts)])
    if found.trouble is not None:
        raise Stop(f"the log stands still: {plain(found.trouble.why)} Next: pbem log recover", FINDING)


@app.command()
def check(config: Config = HERE) -> None:
    """Recompute the tree from the stored leaves; hold all that was signed against it. Ends with 1 if it is not so."""
    with assembly.opened(config) as server:
        result, letters = log_check.check(server), log_check.check_letters(server)
        with server.reading() as tx:
            found = recovery.look(tx)
    wrong = [*result.wrong, *letters.wrong, *([plain(found.trouble.why)] if found.trouble else [])]
    for line in wrong:
        print(harmless(line))
    print(f"leaves {result.leaves}, nodes {result.nodes}, signed trees {result.trees}, games {result.games}")
    print(f"letters of orders that are as they came: {letters.whole}")
    if letters.erased:
        print(f"raw letter erased: NOT CHECKED ({letters.erased})")
    if wrong:
        raise Stop(f"things that are not as they were signed: {len(wrong)}", FINDING)
    print("all is as it was signed")


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
    if bool(size) != bool(root):
        raise Stop("--size and --root go together: both stand in the line SEEN of a player's template")
    with assembly.opened(config) as server:
        with server.work() as tx:
            found = recovery.look(tx)
            known = checkpoint.Checkpoint(found.here.origin, size, _root_of(root)) if size else None
            if intact:
                recovery.record_intact(tx)
                print(f"{server.keys.signed.place if server.keys.signed else ''} is written anew; the log goes on")
                return
        _tell_standstill(found, known)
        # Nobody is asked for what cannot be done.
        recovery.largest_signed(found, known)
        if not yes and not typed("Type RECOVER to begin the log anew", "RECOVER"):
            raise Stop("nothing was done")
        with server.work() as tx:
            admitted, now = recovery.recover(tx, known)
        if server.keys.signed is not None:
            server.keys.signed.begin(now)
    print(
        f"The log goes on as {now.origin}, with {now.size} leaves; its leaf `rotate` admits to {admitted.size} before."
    )
    print(
        "All seats of these games are written to. Phases whose time is past close after the next look into the mailbox."
    )


def _tell_standstill(found: Standstill, known: Checkpoint | None) -> None:
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


def _root_of(text: str) -> bytes:
    """A root as it stands in a line SEEN, or in hex."""
    try:
        found = bytes.fromhex(text) if len(text) == 64 else decode64(text)
    except (ValueError, Malformed):
        found = b""
    if len(found) != 32:
        raise Stop(f"a root has 32 bytes, in base64 as in a line SEEN or in hex, got {text!r}")
    return found


@app.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Let the log go on with new keys, after somebody may have read those it has. Stop `pbem serve` before."""
    read = assembly.settings(config)
    with assembly.alone_here(read):
        if not yes and not typed("Type ROTATE to change the keys", "ROTATE"):
            raise Stop("nothing was done")
        _rotate(read)


def _rotate(read: Settings) -> None:
    paths = (read.server.log_key, read.server.dice_key)
    new = tuple(path.with_name(f"{path.name}.new") for path in paths)
    # A run that was cut short has left new keys, and maybe the leaf that names them.
    if not (any(path.exists() for path in new) and _is_said(read, new)):
        try:
            for path in new:
                if not path.exists():
                    write_key(path)
        except OSError as wrong:
            raise Stop(f"cannot write the new keys: {wrong.strerror}") from None
        with assembly.opened(read) as server:
            with server.work() as tx:
                made = keyring.rotate(tx, *_public_keys(read, new))
            if server.keys.signed is not None:
                server.keys.signed.begin(made)
    kept = [_replace_keys(path, fresh) for path, fresh in zip(paths, new, strict=True)]
    print(f"{paths[0]} and {paths[1]} are new; {kept[0].name} and {kept[1].name} open what came before: keep them.")
    print("The new key of the log, for players and witnesses, by another way than the letters of this server:")
    with assembly.opened(read) as server, server.work() as tx:
        print(server.keys.secrets.log._replace(name=sequencer.current_name(tx)).text)


def _public_keys(read: Settings, new: Sequence[Path]) -> tuple[bytes, bytes]:
    """The public halves of the keys in two files."""
    return signing.signer(read.server.origin, read_key(new[0]))[0].public, vrf.key(read_key(new[1])).public


def _is_said(read: Settings, new: Sequence[Path]) -> bool:
    """Whether the log already goes on with the new keys, some of which may be in their places."""
    places = (read.server.log_key, read.server.dice_key)
    log, dice = _public_keys(read, [path if path.exists() else place for path, place in zip(new, places, strict=True)])
    server = assembly.server_over(engine.open_engine(read.database.url), read)
    try:
        with server.work() as tx:
            return keyring.next_keys(tx) == (log, dice.hex())
    finally:
        server.engine.dispose()


def _replace_keys(path: Path, fresh: Path) -> Path:
    """Put a new key in the place of the old, which is kept under the next number; that one."""
    before = former(path)
    if not fresh.exists():
        return before[-1]
    if before and before[-1].read_bytes() == path.read_bytes():
        kept = before[-1]
    else:
        kept = path.with_name(f"{path.name}.{len(before) + 1}")
        kept.hardlink_to(path)
    fresh.replace(path)
    return kept


@app.command()
def tiles(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; what is there already is kept.")],
    config: Config = HERE,
) -> None:
    """Write the log as files that anybody may read and watch (C2SP tlog-tiles); only what is new is written."""
    with assembly.opened(config) as server:
        try:
            new = published.publish(server, out)
        except OSError as wrong:
            raise Stop(f"cannot write in {out}: {wrong.strerror}") from None
    print(f"{out}: {new} leaves more")
