"""`pbem doctor`: everything that a server needs, looked at once, and what to do about what is wrong.

    ok            key        /srv/pbem/pbem.key, for its owner alone
    WRONG         mailbox    LoginError: authentication failed
                             to do: look at imap.user and imap.password; many providers want a password for programs
    not checked   DNS        no resolver named: pbem doctor --resolver 9.9.9.9

Ends with 0 if nothing is wrong, 1 if something is, 2 if the settings cannot be read and so nothing could be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, USAGE, Stop
from pbem.cli.json_output import AsJson, ServerCheck, print_json
from pbem.cli.options import HERE, Config

if TYPE_CHECKING:
    from pbem.cli.server.checks_home import Found

app = typer.Typer()


@app.command()
def doctor(
    resolver: Annotated[str, typer.Option(metavar="HOST:PORT", help="Whom to ask for SPF, DKIM and DMARC.")] = "",
    dkim: Annotated[str, typer.Option(metavar="SELECTOR", help="The selector your mail server signs with.")] = "",
    letter: Annotated[bool, typer.Option("--letter", help="Send a letter to the server itself and await it.")] = False,
    alive: Annotated[
        bool, typer.Option("--alive", help="Look at the heartbeat of `pbem serve` alone, for health checks.")
    ] = False,
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """Look at everything a server needs and say what to do. Ends with 1 if something is wrong."""
    from pbem.cli.server.checks_home import Found
    from pbem.cli.server.examination import examine, pulse, resolver_of
    from pbem.cli.server.settings import load
    from pbem.cli.sources import Misconfigured

    asked = resolver_of(resolver)
    try:
        read = load(config)
    except Misconfigured as wrong:
        _tell([Found("WRONG", "settings", str(wrong))], as_json)
        raise Stop("nothing else can be looked at before the settings are mended", USAGE) from None
    if ill := _tell(pulse(read) if alive else examine(config, read, asked, dkim, letter), as_json):
        raise Stop(f"things to mend: {ill}", FINDING)


def _tell(every: Iterable[Found], as_json: bool) -> int:
    """Print what is found, each as soon as it is, or all at once as JSON; return how much is wrong."""
    told: list[ServerCheck] = []
    ill = 0
    for found in every:
        ill += found.verdict == "WRONG"
        told.append(ServerCheck(verdict=found.verdict, area=found.area, found=found.what, todo=found.todo or None))
        if not as_json:
            _say(found)
    if as_json:
        print_json({"schema": "doctor/1", "to_mend": ill, "checks": told})
    return ill


def _say(found: Found) -> None:
    first, *more = found.what.split("\n")
    print(f"{found.verdict:<13} {found.area:<10} {first}")
    for line in more:
        print(f"{'':<24} {line}")
    if found.todo:
        print(f"{'':<24} to do: {found.todo}")
