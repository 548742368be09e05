"""`pbem mail deliver`: one letter taken in as if it had come by mail."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.mail.letter_text import readable
from pbem.cli.options import HERE, Config
from pbem.engine.data.messages import plain

app = typer.Typer()

STDIN = Path("-")
_LIMIT = "over-budget"
NOT_DONE = frozenset({"refusal", "closed", "fault", "not-ruled", "answered-stranger", "answered-refused", _LIMIT})
"""Outcomes of a letter by which nothing, or not what its writer wanted, was done."""


@app.command()
def deliver(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A letter as mailed; - is standard input.")],
    config: Config = HERE,
) -> None:
    """Take one letter in as if it had come by mail, and print the answer. Ends with 1 if it was refused or came before.

    What had fallen due by then is done before it, and phases that close by it are resolved at once; what players are
    then written is sent by `pbem serve`.
    """
    from pbem.cli.server.assembly import opened
    from pbem.log import log_health
    from pbem.server.service import deliver as take_in
    from pbem.server.worker import run

    letter = _read(file)
    with opened(config) as server:
        run(server)
        result = take_in(server, letter)
        run(server)
        with server.work() as work:
            stopped = log_health.look(work)
    if stopped is not None and not result.answers:
        why = f"the log stands still: {plain(stopped.why)}"
        raise Stop(f"the letter was taken in ({result.outcome}), and its answer waits; {why}", FINDING)
    for answer in result.answers:
        print(readable(answer))
    if result.outcome == _LIMIT:
        raise Stop(_over(result.verdict, server.letters_an_hour), FINDING)
    if result.verdict == "copy":
        raise Stop("the letter came before and was not carried out a second time", FINDING)
    if not result.answers:
        raise Stop(f"the letter gets no answer: {result.verdict}, {result.outcome}", FINDING)
    if result.outcome in NOT_DONE:
        raise Stop(f"the letter was not carried out: {result.outcome}", FINDING)


def _read(file: Path) -> bytes:
    """The bytes of a letter; Stop if there is none."""
    try:
        return sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
    except OSError as wrong:
        raise Stop(f"cannot read {file}: {wrong.strerror}") from None


def _over(verdict: str, most: int) -> str:
    """The limit of letters an hour, as what it is: of whom, how many, what then."""
    if verdict in ("seat", "moderator", "entrant", "director"):
        return (
            f"the letter was not read: of this {verdict} {most} letters an hour are (letters_an_hour under [server]); "
            "deliver it again in an hour"
        )
    return "the letter was not answered: of this sender as many were as are answered for now; deliver it again later"
