"""`pbem person`: print all that is kept about somebody, or blank it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.options import HERE, Config, confirm_by_typing
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.play import privacy
    from pbem.store import erasure


app = typer.Typer(no_args_is_help=True, help="What is kept about somebody: tell it, or blank it.")


@app.command()
def export(
    address: Annotated[str, typer.Argument(help="An address of his.")],
    also: Annotated[list[str] | None, typer.Option(metavar="ADDRESS", help="Another one that he wrote from.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it there; without, it is printed.")] = None,
    config: Config = HERE,
) -> None:
    """Print all that is kept about somebody, as JSON.

    It has addresses, seats, letters as they came and went, orders and press.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        try:
            text = privacy.export_person(tx, privacy.find_person(tx, address, also or ()))
        except privacy.UnknownAddress as nobody:
            raise CommandError(str(nobody)) from None
    if out is None:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            out.chmod(0o600)
            file.write(text)
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None
    print(f"Written: {out}. It has addresses and letters in it: send it to nobody but him.")


_WAYS_OUT = {
    "seat": "is the player of {seat} in {game}: `pbem seat vacate {game} {seat}` takes it from him, and"
    " `pbem seat invite {game} {seat} ADDRESS` hands it to another; or the game ends, by RESIGN in a letter of his or"
    ' by  `pbem game rule {game} "ADJUDICATE ... BECAUSE ..."`',
    "moderator": "moderates {game}: `pbem game moderator {game}` with another address, or with --remove",
    "witness": "is a witness of {game}: `pbem game witness {game} ADDRESS --remove` lets him go",
    "entrant": "is e{seat} of the tournament {game}: he leaves it by WITHDRAW in a letter of his, or by"
    ' `pbem event rule {game} "EXPEL {seat} BECAUSE ..."`',
}


@app.command()
def erase(
    address: Annotated[str, typer.Argument(help="An address of his.")],
    also: Annotated[list[str] | None, typer.Option(metavar="ADDRESS", help="Another one that he wrote from.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Blank all that is kept about somebody who has left all games.

    It blanks addresses, name, letters in and out, and press.
    """
    with assembly.open_for_command(config) as server:
        try:
            with server.reading() as tx:
                person = privacy.find_person(tx, address, also or ())
                roles = privacy.active_roles(tx, person)
        except privacy.UnknownAddress as nobody:
            raise CommandError(str(nobody)) from None
        if roles:
            advice = "".join(f"\n  {_WAYS_OUT[role.what].format(game=role.game, seat=role.seat)}" for role in roles)
            raise CommandError(f"nothing was done, for {address}{advice}")
        print(f"Of {', '.join(person.emails)} goes for good: name, letters as they came and went, press to others.")
        print("What his seats ordered, what happened and the log stay, and name seats alone. Backups have him yet.")
        if not yes and not confirm_by_typing(f"Type {address} to erase him", address):
            raise CommandError("nothing was done")
        with server.work() as tx:
            privacy.blank_person(tx, person)
        whole = erasure.compact_database(server.engine)
    print(f"Erased; where he was named stands {person.pseudonym}.")
    if not whole:
        raise CommandError(
            "a program that is running still has old pages of the database open: stop `pbem serve`, start it again",
            FINDING,
        )
