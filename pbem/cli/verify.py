"""Check kept letters with the installed libraries: `pbem verify`.

It also writes what does the same elsewhere: a page for browsers, a file for bare Python.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

import pbem
from pbem.audit import beacon, signing, vrf
from pbem.cli.exit_codes import CommandError
from pbem.cli.output import AsJson, print_json
from pbem.installed import GROUP, PackagedGame, packaged_games
from pbem.lazy import lazily
from pbem.verifier.bls import is_bls_signature_valid
from pbem.verifier.notes import VerifyingFunctions

with lazily():
    from pbem.cli import letter_checks
    from pbem.pages import dice
    from pbem.verifier import build, main

if TYPE_CHECKING:
    from pbem.verifier.verification import Verdict


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
    """Check kept letters: log, orders, beacon, every die.

    Ends with 1 if something is false, 2 if not checkable.
    """
    if page is not None or script is not None or pyz is not None:
        written = [_write_page(page)] if page is not None else []
        written += [_write_script(script)] if script is not None else []
        written += [_write_pyz(pyz)] if pyz is not None else []
        for line in written:
            typer.echo(line)
        return
    if not paths:
        raise CommandError(
            "which letters? Name files, mboxes or folders, or write a page for browsers: --page OUT.html"
        )
    if language not in ("en", "es"):
        raise CommandError("--language is en or es")
    verdict = letter_checks.verify_files(
        paths, letter_checks.VerificationRequest(log_key, tuple(witness or ()), quorum, full), FAST
    )
    if as_json:
        _print_verdict(verdict)
        raise typer.Exit(verdict.code)
    main.print_lines(letter_checks.verdict_lines(verdict, language))
    raise typer.Exit(verdict.code)


class CheckLine(NamedTuple):
    """A check of letters: its status, number of true facts, and reasons in English.

    The status is ok, FALSE or NOT CHECKED.
    """

    check: str
    status: str
    held: int
    why: tuple[str, ...]


class PhaseLine(NamedTuple):
    """The result for a phase: its grade A, B or C, or FALSE."""

    game: str
    phase: str
    grade: str
    attempts: int


def _print_verdict(verdict: Verdict) -> None:
    """Print the verdict as JSON; log, leaves and root are for comparison with others."""
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
    """Write the page that checks letters in a browser; return a sentence about it."""
    _write(path, dice.dice_page().encode("utf-8"))
    return f"Written: {path}. Open it in a browser and give it your letters; it needs no network."


def _write_script(path: Path) -> str:
    """Write the one file of Python that checks letters; return a sentence about it."""
    _write(path, build.build_script().encode("utf-8"))
    return f"Written: {path}. Read it, then anybody with Python 3.11 runs it: python3 {path.name} LETTERS"


def _write_pyz(path: Path) -> str:
    """Write the program that checks letters with bare Python; return a sentence.

    It runs the rules again too.
    """
    _write(path, verifier_archive())
    return f"Written: {path}. Anybody with Python 3.11 runs it: python3 {path.name} --full LETTERS"


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as wrong:
        raise CommandError(f"cannot write {path}: {wrong.strerror}") from None


# `verify.pyz` made: engine, games and verifier in one file that bare Python runs, the same bytes each time.
#
# Games that packages bring are in it as an installer leaves them, with what tells their package and version, so that
# the file finds them as the program does.
#
#     archive() -> b'#!/usr/bin/env python3\nPK...'
#
# Games read charts and maps from the folders they lie in, so the file unpacks itself into a folder of its own while it
# runs. Nothing is compressed: how it is would depend on the machine.


_HEAD = b"#!/usr/bin/env python3\n"
# The earliest date that a ZIP file can have: with one fixed date equal reports are equal bytes.
_WHEN = (1980, 1, 1, 0, 0, 0)
_LIBRARIES = {"pbem/audit/beacon.py", "pbem/audit/signing.py", "pbem/audit/vrf.py"}
"""The modules that need libraries, left out of the file; `verifier` does the same in plain Python."""
_SINGLE = (
    "pbem/installed.py",
    "pbem/lazy.py",
    "pbem/names_of_1_0.py",
    "pbem/play/adjudication.py",
    "pbem/runtime/bot_versions.py",
    "pbem/play/corrected.py",
    "pbem/server/score_rerun.py",
    "pbem/server/rerun.py",
    "pbem/tournaments/rerun.py",
    "pbem/wars/rerun.py",
    "pbem/cli/exit_codes.py",
    "pbem/cli/rulebooks.py",
    "pbem/cli/letter_checks.py",
)
_WHOLE = ("pbem/audit", "pbem/engine", "pbem/games", "pbem/tournaments/arithmetic")
_VERIFIER = "pbem/verifier"

_METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"

_MAIN = b"""\
import sys
import tempfile
import zipfile

if sys.version_info < (3, 11):
    sys.stderr.write("verify.pyz needs Python 3.11 or newer; nothing was looked at: NOT CHECKED.\\n")
    sys.exit(2)
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.path[0]) as own:
        own.extractall(folder)
    sys.path[0] = folder
    sys.dont_write_bytecode = True
    from pbem.cli.letter_checks import main

    main()
"""


def verifier_archive() -> bytes:
    """Return the bytes of verify.pyz."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as packed:
        for name, body in [("__main__.py", _MAIN), *sorted({**dict(_files()), **dict(_brought_files())}.items())]:
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed.writestr(entry, body)
    return _HEAD + out.getvalue()


def _files() -> Iterator[tuple[str, bytes]]:
    """Return the packed files by path, in the order of the paths."""
    top = Path(pbem.__file__).parents[1]
    paths = {path for folder in _WHOLE for path in (top / folder).rglob("*") if path.is_file()}
    paths |= set((top / _VERIFIER).glob("*.py"))
    paths |= {top / name for name in _SINGLE}
    packages = {
        folder / "__init__.py" for path in paths for folder in path.parents if folder.is_relative_to(top / "pbem")
    }
    for path in sorted(paths | {path for path in packages if path.is_file()}):
        name = path.relative_to(top)
        if name.as_posix() not in _LIBRARIES and _is_needed(name):
            yield name.as_posix(), path.read_bytes()


def _is_needed(name: PurePath) -> bool:
    """Return whether a file is needed: neither compiled code nor a catalogue."""
    return not {"__pycache__", "locale"} & set(name.parts)


def _brought_files() -> Iterator[tuple[str, bytes]]:
    """Return the files of packages' games, if playable, by path."""
    packages: dict[tuple[str, str], list[PackagedGame]] = {}
    for game_brought in packaged_games().values():
        if not game_brought.fault:
            packages.setdefault((game_brought.package, game_brought.version), []).append(game_brought)
    for (package, version), games in packages.items():
        for game in games:
            yield from ((name, path.read_bytes()) for name, path in game.files() if _is_needed(PurePath(name)))
        info_folder = f"{package.replace('-', '_')}-{version}.dist-info"
        yield f"{info_folder}/METADATA", _METADATA.format(package, version).encode()
        lines = [f"[{GROUP}]", *(f"{game.name} = {game.value}" for game in games), ""]
        yield f"{info_folder}/entry_points.txt", "\n".join(lines).encode()


# What is installed here to check letters faster than plain Python does; what it says is the same.


def _verify_beacon(public: bytes, message: bytes, signature: bytes) -> bool:
    verified = beacon.verify_bls(public, message, signature)
    return is_bls_signature_valid(public, message, signature) if verified is None else verified


FAST = VerifyingFunctions(signing.verify, vrf.verify_proof, _verify_beacon)
"""The functions of libsodium and, if it is installed, of the library of the extra `beacon`."""
