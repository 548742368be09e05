"""`pbem server`: move a server to another address, or change its token key.

Games go on meanwhile.

Both change one setting of `pbem.toml` and leave everything else as it was written.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import CommandError
from pbem.cli.options import HERE, Config, confirm_by_typing
from pbem.cli.setting_files import KEY_BYTES, Misconfigured, read_key
from pbem.lazy import lazily
from pbem.mail.address import check_address
from pbem.store import durable

with lazily():
    from pbem.cli import assembly
    from pbem.play import seating
    from pbem.store import queries


if TYPE_CHECKING:
    from pbem.runtime.transaction import Server

app = typer.Typer(no_args_is_help=True, help="The server as a whole: its address and its key.")


def with_setting(text: str, section: str, name: str, value: str | Sequence[str]) -> str:
    """Return a TOML text with one setting of a section changed or added.

    Raise CommandError if it cannot be changed.
    """
    line = f"{name} = {json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)}"
    head = re.search(rf"^\[{re.escape(section)}\][^\n]*\n", text, re.MULTILINE)
    if head is None:
        raise CommandError(f"pbem.toml has no section [{section}]: write into it by hand: {line}")
    # A section ends where the next one begins, or at the end of the text.
    end = re.compile(r"^\[", re.MULTILINE).search(text, head.end())
    body = text[head.end() : end.start() if end else len(text)]
    old = re.search(rf"^{re.escape(name)}[ \t]*=[^\n]*$", body, re.MULTILINE)
    # A function: what stands in the line is no pattern.
    new = re.sub(rf"^{re.escape(name)}[ \t]*=[^\n]*$", lambda _: line, body, count=1, flags=re.M) if old else body
    changed = text[: head.end()] + ("" if old else f"{line}\n") + new + (text[end.start() :] if end else "")
    try:
        value_found = tomllib.loads(changed)[section][name]
    except (tomllib.TOMLDecodeError, KeyError):
        # TOML was changed by its lines: it may be written in a way in which that makes nonsense of it.
        value_found = None
    if value_found != (value if isinstance(value, str) else list(value)):
        raise CommandError(f"pbem.toml cannot be changed by a command; write into [{section}] by hand: {line}")
    return changed


def rewrite_file(path: Path, text: str) -> None:
    """Replace a file in one step, keeping its owner."""
    owner = path.stat()

    def keep_owner(descriptor: int) -> None:
        if os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)

    try:
        durable.replace_file(path, text.encode("utf-8"), keep_owner)
    except OSError as wrong:
        raise CommandError(f"{path} cannot be written: {wrong.strerror}") from None


@app.command()
def move(
    address: Annotated[str, typer.Option("--address", metavar="ADDRESS", help="Where players write from now on.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Give the server another address and mail it to all players.

    Tokens, games and the log stay. The server must not run.
    """
    settings = assembly.load_settings(config)
    before, address = settings.server.address, address.casefold()
    try:
        if "+" in check_address(address):
            raise CommandError("the part behind a + is the server's to fill")
    except ValueError as wrong:
        raise CommandError(str(wrong)) from None
    if any(name in os.environ for name in ("PBEM_SERVER__ADDRESS", "PBEM_SERVER__FORMER", "PBEM_SERVER__LOG")):
        raise CommandError(
            "the address comes from the environment (PBEM_SERVER__...): it would stand above what is written"
        )
    repeated = before.casefold() == address
    if repeated and not settings.server.former:
        raise CommandError(f"the server is at {address} already")
    if not yes and not confirm_by_typing(f"Type MOVE to go to {address}", "MOVE"):
        raise CommandError("nothing was done")
    with assembly.hold_database_lock(settings):
        if not repeated:
            former = [
                address_
                for address_ in dict.fromkeys((before.casefold(), *settings.server.former))
                if address_ != address
            ]
            text = config.read_text("utf-8")
            for name, value in (("log", settings.server.origin), ("former", former), ("address", address)):
                text = with_setting(text, "server", name, value)
            rewrite_file(config, text)
        with assembly.open_for_command(config) as server:
            with server.work() as tx:
                count = seating.announce_server_address(tx, before if not repeated else settings.server.former[0])
            _print_witness_advice(server)
    print(f"The server is at {address}. Letters that say so: {count}; `pbem serve` sends them.")
    print(f"Letters to {before} are still read where they arrive: have its mail forwarded into the mailbox.")
    print("Look at [imap] and [smtp] in the settings, then: pbem doctor --letter")


def _print_witness_advice(server: Server) -> None:
    """Print which witnesses must change their settings.

    Their programs trust only their own settings, and no letter.
    """
    with server.session() as session:
        names = {
            row.email
            for game in queries.games.unfinished_games(session)
            for row in queries.log.active_witnesses(session, game.id)
        }
    for email in sorted(names):
        print(f"Tell the witness {email} to set `server` in his witness.toml to the new address.")


@app.command()
def rekey(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Replace pbem.key, and mail all players their new addresses.

    No old address of a seat works any longer. The server must not run.
    """
    settings = assembly.load_settings(config)
    with assembly.hold_database_lock(settings):
        try:
            read_key(settings.server.keys)
        except Misconfigured as wrong:
            raise CommandError(str(wrong)) from None
        asked = "Type REKEY to make all addresses that players know worthless"
        if not yes and not confirm_by_typing(asked, "REKEY"):
            raise CommandError("nothing was done")
        # Should this be cut short behind the next line, it is done once more, with another key.
        rewrite_file(settings.server.keys, secrets.token_hex(KEY_BYTES) + "\n")
        with assembly.open_for_command(config) as server, server.work() as tx:
            count = seating.announce_new_key(tx)
    print(f"{settings.server.keys} is another key: keep a copy of it, and destroy those of the old one.")
    print(f"Letters with new addresses: {count}; `pbem serve` sends them. If this was cut short, run it again.")
    print("Witnesses answer to old addresses: `pbem game witness GAME ADDRESS` asks them anew.")
