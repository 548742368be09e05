"""`pbem log`: show, check and restart the signed log, change keys, write files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.audit.blocks import Malformed
from pbem.audit.note import decode64
from pbem.cli.exit_codes import FINDING, CommandError, escape_unprintable
from pbem.cli.options import HERE, Config, confirm_by_typing
from pbem.cli.output import moment_as_cell, print_table
from pbem.cli.setting_files import former_keys, read_key, write_key
from pbem.engine.data.messages import plain_english
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


def print_tree(label: str, tree: Checkpoint) -> None:
    """Print a tree's label, size and root."""
    print(f"{label}: {tree.size} leaves of {tree.origin}, root {tree.root.hex()}")


@app.command()
def show(
    game: Annotated[str, typer.Argument(metavar="GAME", help="List the leaves of this game.")] = "",
    config: Config = HERE,
) -> None:
    """Show the newest signed tree of the log.

    Also shows the leaves that wait and how many each game has, or those of one game.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        if game:
            rows = log_check.leaves_of(tx.session, game)
            if not rows:
                raise CommandError(f"the log has no leaf of {game!r}")
            print_table([("leaf", "seq", "kind", "phase", "written"), *rows])
            return
        standstill, counts = recovery.look(tx), queries.log.count_by_game(tx.session)
    print_tree("the newest signed tree", standstill.here)
    print(f"  signed {moment_as_cell(standstill.signed)}; leaves that wait to be signed: {standstill.waiting}")
    print_table([("game", "leaves"), *((name, str(count)) for name, count in counts)])
    if standstill.trouble is not None:
        raise CommandError(
            f"the log stands still: {plain_english(standstill.trouble.why)} Next: pbem log recover", FINDING
        )


@app.command()
def check(config: Config = HERE) -> None:
    """Recompute the log's tree from the stored leaves.

    All that was signed is compared with it. Ends with 1 if anything differs.
    """
    with assembly.open_for_command(config) as server:
        result, letters = log_check.check(server), log_check.check_letters(server)
        with server.reading() as tx:
            standstill = recovery.look(tx)
    wrong = [*result.wrong, *letters.wrong, *([plain_english(standstill.trouble.why)] if standstill.trouble else [])]
    for line in wrong:
        print(escape_unprintable(line))
    print(f"leaves {result.leaves}, nodes {result.nodes}, signed trees {result.trees}, games {result.games}")
    print(f"letters of orders that are as they came: {letters.whole}")
    if letters.erased:
        print(f"raw letter erased: NOT CHECKED ({letters.erased})")
    if wrong:
        raise CommandError(f"things that are not as they were signed: {len(wrong)}", FINDING)
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
    """Begin the log anew after the database was restored from a backup.

    Says first what is gone, and the new log says so too.
    """
    if bool(size) != bool(root):
        raise CommandError("--size and --root go together: both stand in the line SEEN of a player's template")
    with assembly.open_for_command(config) as server:
        with server.work() as tx:
            standstill = recovery.look(tx)
            seen_tree = checkpoint.Checkpoint(standstill.here.origin, size, _root_of(root)) if size else None
            if intact:
                recovery.record_intact(tx)
                print(f"{server.keys.signed.place if server.keys.signed else ''} is written anew; the log goes on")
                return
        _print_standstill(standstill, seen_tree)
        # Nobody is asked for what cannot be done.
        recovery.largest_signed(standstill, seen_tree)
        if not yes and not confirm_by_typing("Type RECOVER to begin the log anew", "RECOVER"):
            raise CommandError("nothing was done")
        with server.work() as tx:
            admitted, now = recovery.recover(tx, seen_tree)
        if server.keys.signed is not None:
            server.keys.signed.begin(now)
    print(
        f"The log goes on as {now.origin}, with {now.size} leaves; its leaf `rotate` admits to {admitted.size} before."
    )
    print(
        "All seats of these games are written to. Phases whose time is past close after the next look into the mailbox."
    )


def _print_standstill(standstill: Standstill, seen_tree: Checkpoint | None) -> None:
    print_tree("the database has", standstill.here)
    print(f"  signed {moment_as_cell(standstill.signed)}; it knows nothing later")
    if standstill.trouble is not None:
        print(plain_english(standstill.trouble.why))
    last = seen_tree or (standstill.trouble.known if standstill.trouble else None)
    if last is not None:
        print_tree("signed last were", last)
        if last.origin == standstill.here.origin and last.size > standstill.here.size:
            gone = last.size - standstill.here.size
            print(f"gone are {gone} leaves, number {standstill.here.size} to {last.size - 1}")
    print("Games that they may be about, as the database has them. Players may have later letters than those listed.")
    print("`pbem mail retake` moves back into the inbox what players have sent since.")
    for game in standstill.games:
        print(f"{game.game}  {game.phase}  {game.state}")
        for name, shown_size, kind, moment_shown in game.seats:
            print(f"  {name}: was shown {shown_size} leaves; last letter known: {kind}, {moment_as_cell(moment_shown)}")


def _root_of(text: str) -> bytes:
    """Parse a root from a line SEEN, or from hex."""
    try:
        digest = bytes.fromhex(text) if len(text) == 64 else decode64(text)
    except (ValueError, Malformed):
        # No root has this length, so that the complaint below is the only one.
        digest = b""
    if len(digest) != 32:
        raise CommandError(f"a root has 32 bytes, in base64 as in a line SEEN or in hex, got {text!r}")
    return digest


@app.command()
def rotate(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Let the log go on with new keys.

    Use it when somebody may have read the keys it has. Stop `pbem serve` before.
    """
    settings = assembly.load_settings(config)
    with assembly.hold_database_lock(settings):
        if not yes and not confirm_by_typing("Type ROTATE to change the keys", "ROTATE"):
            raise CommandError("nothing was done")
        _rotate(settings)


def _rotate(settings: Settings) -> None:
    paths = (settings.server.log_key, settings.server.dice_key)
    new = tuple(path.with_name(f"{path.name}.new") for path in paths)
    # A run that was cut short has left new keys, and maybe the leaf that names them.
    if not (any(path.exists() for path in new) and _is_logged(settings, new)):
        try:
            for path in new:
                if not path.exists():
                    write_key(path)
        except OSError as wrong:
            raise CommandError(f"cannot write the new keys: {wrong.strerror}") from None
        with assembly.open_for_command(settings) as server:
            with server.work() as tx:
                new_tree = keyring.rotate(tx, *_public_keys(settings, new))
            if server.keys.signed is not None:
                server.keys.signed.begin(new_tree)
    kept = [_replace_keys(path, fresh) for path, fresh in zip(paths, new, strict=True)]
    print(f"{paths[0]} and {paths[1]} are new; {kept[0].name} and {kept[1].name} open what came before: keep them.")
    print("The new key of the log, for players and witnesses, by another way than the letters of this server:")
    with assembly.open_for_command(settings) as server, server.work() as tx:
        print(server.keys.secrets.log._replace(name=sequencer.current_name(tx)).text)


def _public_keys(settings: Settings, new: Sequence[Path]) -> tuple[bytes, bytes]:
    """Return the public halves of the keys in two files."""
    return signing.make_signer(settings.server.origin, read_key(new[0]))[0].public, vrf.expand_key(
        read_key(new[1])
    ).public


def _is_logged(settings: Settings, new: Sequence[Path]) -> bool:
    """Return whether the log already names the new keys.

    Some of them may already be in place.
    """
    places = (settings.server.log_key, settings.server.dice_key)
    log, dice = _public_keys(
        settings, [path if path.exists() else place for path, place in zip(new, places, strict=True)]
    )
    server = assembly.server_on_engine(engine.open_engine(settings.database.url), settings)
    try:
        with server.work() as tx:
            return keyring.present_keys(tx) == (log, dice.hex())
    finally:
        server.engine.dispose()


def _replace_keys(path: Path, fresh: Path) -> Path:
    """Replace a key; return the file in which the old one is kept.

    It has the next number.
    """
    before = former_keys(path)
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
    """Write the log as files that anybody may read and watch.

    They follow C2SP tlog-tiles; only what is new is written.
    """
    with assembly.open_for_command(config) as server:
        try:
            new = published.publish(server, out)
        except OSError as wrong:
            raise CommandError(f"cannot write in {out}: {wrong.strerror}") from None
    print(f"{out}: {new} leaves more")
