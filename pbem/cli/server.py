"""`pbem server`: move a server to another address in the middle of its games, or give it another key for all tokens.

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

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed
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
    """The text of a TOML file with one setting of a section changed, or added at its head; Stop if it cannot be."""
    line = f"{name} = {json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)}"
    head = re.search(rf"^\[{re.escape(section)}\][^\n]*\n", text, re.MULTILINE)
    if head is None:
        raise Stop(f"pbem.toml has no section [{section}]: write into it by hand: {line}")
    end = re.compile(r"^\[", re.MULTILINE).search(text, head.end())
    body = text[head.end() : end.start() if end else len(text)]
    old = re.search(rf"^{re.escape(name)}[ \t]*=[^\n]*$", body, re.MULTILINE)
    # A function: what stands in the line is no pattern.
    new = re.sub(rf"^{re.escape(name)}[ \t]*=[^\n]*$", lambda _: line, body, count=1, flags=re.M) if old else body
    made = text[: head.end()] + ("" if old else f"{line}\n") + new + (text[end.start() :] if end else "")
    try:
        found = tomllib.loads(made)[section][name]
    except (tomllib.TOMLDecodeError, KeyError):
        found = None
    if found != (value if isinstance(value, str) else list(value)):
        raise Stop(f"pbem.toml cannot be changed by a command; write into [{section}] by hand: {line}")
    return made


def rewrite(path: Path, text: str) -> None:
    """Put a text in the place of a file at once, as its owner's."""
    owner = path.stat()

    def made(descriptor: int) -> None:
        if os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)

    try:
        durable.put(path, text.encode("utf-8"), made)
    except OSError as wrong:
        raise Stop(f"{path} cannot be written: {wrong.strerror}") from None


@app.command()
def move(
    address: Annotated[str, typer.Option("--address", metavar="ADDRESS", help="Where players write from now on.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Give the server another address and mail it to all players. Tokens, games and the log stay; it must not run."""
    read = assembly.settings(config)
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
    with assembly.alone_here(read):
        if not again:
            former = [one for one in dict.fromkeys((before.casefold(), *read.server.former)) if one != address]
            text = config.read_text("utf-8")
            for name, value in (("log", read.server.origin), ("former", former), ("address", address)):
                text = with_setting(text, "server", name, value)
            rewrite(config, text)
        with assembly.opened(config) as server:
            with server.work() as tx:
                count = seating.announce_move(tx, before if not again else read.server.former[0])
            _tell_of_witnesses(server)
    print(f"The server is at {address}. Letters that say so: {count}; `pbem serve` sends them.")
    print(f"Letters to {before} are still read where they arrive: have its mail forwarded into the mailbox.")
    print("Look at [imap] and [smtp] in the settings, then: pbem doctor --letter")


def _tell_of_witnesses(server: Server) -> None:
    """Their programs believe the address that they were told in their own settings, and nobody's letter."""
    with server.session() as session:
        names = {
            row.email for game in queries.games.unfinished(session) for row in queries.log.active(session, game.id)
        }
    for email in sorted(names):
        print(f"Tell the witness {email} to set `server` in his witness.toml to the new address.")


@app.command()
def rekey(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Replace pbem.key: every address of a seat is worthless, and all players are mailed new ones. It must not run."""
    read = assembly.settings(config)
    with assembly.alone_here(read):
        try:
            read_key(read.server.keys)
        except Misconfigured as wrong:
            raise Stop(str(wrong)) from None
        asked = "Type REKEY to make all addresses that players know worthless"
        if not yes and not typed(asked, "REKEY"):
            raise Stop("nothing was done")
        # Should this be cut short behind the next line, it is done once more, with another key.
        rewrite(read.server.keys, secrets.token_hex(KEY_BYTES) + "\n")
        with assembly.opened(config) as server, server.work() as tx:
            count = seating.announce_new_key(tx)
    print(f"{read.server.keys} is another key: keep a copy of it, and destroy those of the old one.")
    print(f"Letters with new addresses: {count}; `pbem serve` sends them. If this was cut short, run it again.")
    print("Witnesses answer to old addresses: `pbem game witness GAME ADDRESS` asks them anew.")
