"""`pbem verify`: letters checked by whoever kept them, with what is installed here to do it faster and further.

It also writes what does the same elsewhere: a page for browsers, a file for bare Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.output import AsJson, print_json
from pbem.lazy import lazily

with lazily():
    from pbem.cli import letter_checks, libraries
    from pbem.cli import pyz as verify_pyz
    from pbem.pages import dice
    from pbem.verifier import build, main


if TYPE_CHECKING:
    from pbem.verifier.judge import Verdict

app = typer.Typer()


@app.command()
def verify(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE|MBOX|DIR...", help="Letters, mboxes, folders.")
    ] = None,
    log_key: Annotated[str, typer.Option(metavar="KEY", help="The log's key, if you know it from elsewhere.")] = "",
    witness: Annotated[list[str] | None, typer.Option(metavar="KEY", help="A witness that you believe.")] = None,
    quorum: Annotated[int, typer.Option(metavar="N", help="How many of these witnesses must agree for an A.")] = 1,
    language: Annotated[str, typer.Option(metavar="LANG", help="The language of what is found.")] = "en",
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page that does the same in a browser, and end.")
    ] = None,
    script: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one file of Python to read and run alone, and end.")
    ] = None,
    pyz: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a file that does the same with bare Python, and end.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Run the rules again too, over what letters open.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check kept letters: log, orders, beacon, every die. Ends with 1 if something is false, 2 if not checkable."""
    if page is not None or script is not None or pyz is not None:
        written = [_write_page(page)] if page is not None else []
        written += [_write_script(script)] if script is not None else []
        written += [_write_pyz(pyz)] if pyz is not None else []
        for line in written:
            typer.echo(line)
        return
    if not paths:
        raise Stop("which letters? Name files, mboxes or folders, or write a page for browsers: --page OUT.html")
    if language not in ("en", "es"):
        raise Stop("--language is en or es")
    verdict = letter_checks.judge(
        paths, letter_checks.Asked(log_key, tuple(witness or ()), quorum, full), libraries.FAST
    )
    if as_json:
        _print_verdict(verdict)
        raise typer.Exit(verdict.code)
    main.print_lines(letter_checks.lines(verdict, language))
    raise typer.Exit(verdict.code)


class CheckLine(NamedTuple):
    """A check of letters: ok, FALSE or NOT CHECKED, how many facts held, and in English what was found otherwise."""

    check: str
    status: str
    held: int
    why: tuple[str, ...]


class PhaseLine(NamedTuple):
    """What letters prove of a phase: its grade A, B or C, or FALSE."""

    game: str
    phase: str
    grade: str
    attempts: int


def _print_verdict(verdict: Verdict) -> None:
    """Print what was found; log, leaves and root are what is to be compared with others."""
    log, leaves, root = verdict.compare or (None, None, None)
    print_json(
        "verdict/1",
        status={0: "ok", 1: "FALSE", 2: "NOT CHECKED"}[verdict.code],
        checks=[CheckLine(line.check, line.status, line.held, line.why) for line in verdict.lines],
        phases=[PhaseLine(phase.game, phase.name, phase.grade, phase.attempts) for phase in verdict.phases],
        log=log or None,
        leaves=leaves,
        root=root,
    )


def _write_page(path: Path) -> str:
    """Write the page that checks letters in a browser, and say so; Stop if it cannot be written there."""
    _write(path, dice.page().encode("utf-8"))
    return f"Written: {path}. Open it in a browser and give it your letters; it needs no network."


def _write_script(path: Path) -> str:
    """Write the one file of Python that checks letters, and say so; Stop if it cannot be written there."""
    _write(path, build.script().encode("utf-8"))
    return f"Written: {path}. Read it, then anybody with Python 3.11 runs it: python3 {path.name} LETTERS"


def _write_pyz(path: Path) -> str:
    """Write the program that checks letters and runs the rules again with bare Python, and say so; Stop if not."""
    _write(path, verify_pyz.archive())
    return f"Written: {path}. Anybody with Python 3.11 runs it: python3 {path.name} --full LETTERS"


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
