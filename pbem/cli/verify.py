"""`pbem verify`: letters checked by whoever kept them, with what is installed here to do it faster and further."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.audit import bls, signing, vrf
from pbem.audit.blocks import Malformed
from pbem.audit.note import Key, parse_key
from pbem.audit.verifier.letters import items
from pbem.audit.verifier.record import Item
from pbem.audit.verifier.verify import WHAT, Verdict, verify
from pbem.cli.ends import Stop
from pbem.cli.page import page

__all__ = ["judge", "lines", "read", "write_page"]


def judge(paths: Sequence[Path], log_key: str, witnesses: Sequence[str]) -> Verdict:
    """Check everything that lies at `paths`; Stop if something cannot be read."""
    found = [item for path in paths for item in read(path)]
    pin, known = _key(log_key) if log_key else None, [_key(one) for one in witnesses]
    return verify(found, pin=pin, witnesses=known, signed=signing.verify, output=vrf.checked, check=bls.check)


def lines(verdict: Verdict) -> Iterator[str]:
    """A line for each check, below it what was found otherwise; at last one die by hand."""
    for line in verdict.lines:
        yield f"{line.status:<11}  {line.check:<11}  {line.held:>5}  {WHAT[line.check]}"
        yield from (f"{'':13}{why}" for why in line.why)
    if verdict.by_hand:
        yield f"One die by hand: {verdict.by_hand}"
    yield "Whether the rules were applied to these dice is not part of this."


def read(path: Path) -> list[Item]:
    """The letters of a file (a letter, an mbox, a saved pbemdice.txt) or of all files of a folder or Maildir."""
    try:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        return [item for file in files for item in items(str(file), file.read_bytes())]
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None


def write_page(path: Path) -> str:
    """Write the page that checks letters in a browser, and say so; Stop if it cannot be written there."""
    try:
        path.write_text(page(), "utf-8")
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
    return f"Written: {path}. Open it in a browser and give it your letters; it needs no network."


def _key(text: str) -> Key:
    try:
        return parse_key(text)
    except Malformed as wrong:
        raise Stop(str(wrong)) from None
