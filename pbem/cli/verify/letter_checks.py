"""Letters checked, a line for each check: what `pbem verify` and `verify.pyz` have in common. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.audit.blocks import Malformed
from pbem.audit.bundle import parse
from pbem.audit.note import COSIGNATURE, Key, parse_key
from pbem.audit.verifier.letters import items
from pbem.audit.verifier.proof import Output
from pbem.audit.verifier.record import Board, Item
from pbem.audit.verifier.record import read as read_letters
from pbem.audit.verifier.recovery import courses
from pbem.audit.verifier.verify import FALSE, NOT_CHECKED, OK, WHAT, Line, Means, Verdict, verify
from pbem.campaign.proofs.rerun import again
from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import games, registry
from pbem.core.game import Registry

__all__ = ["RULES", "Means", "judge", "lines", "read", "rules_line"]

RULES = "rules"
SAYS = {**WHAT, RULES: "the rules, run again on what was opened, give the same rolls, events and positions"}


def judge(
    paths: Sequence[Path], log_key: str, witnesses: Sequence[str], full: bool = False, means: Means | None = None
) -> Verdict:
    """Check everything that lies at `paths`, with `full` the rules too; Stop if something cannot be read."""
    by = means or Means()
    found = [item for path in paths for item in read(path)]
    pin, known = _key(log_key) if log_key else None, [_key(one) for one in witnesses]
    if any(key.kind != COSIGNATURE for key in known):
        raise Stop("a key after --witness is no witness's: its owner prints the right one with `pbem witness key`")
    verdict = verify(found, pin=pin, witnesses=known, by=by)
    return verdict._replace(lines=(*verdict.lines, rules_line(found, by.output))) if full else verdict


def rules_line(found: Sequence[Item], output: Output, rules: Registry = registry, names: Sequence[str] = ()) -> Line:
    """Full mode: the rules run again, by `rules`, which knows the games `names` (by default those shipped)."""
    record = courses(read_letters(found, Board(), parse), Board())[-1].record
    genesis = record.genesis()
    if genesis is None:
        return Line(RULES, NOT_CHECKED, 0, ("no letter here shows the first leaf of the log: add the welcome letter",))
    vrf = bytes.fromhex(genesis.leaf("vrf"))
    came = list(again(record, vrf, output, rules, tuple(names) or games()))
    wrong, blind = ([one.why for one in came if one.truth is truth] for truth in (False, None))
    if not came:
        blind = ["no phase of a game is in letters here"]
    status = FALSE if wrong else NOT_CHECKED if blind else OK
    return Line(RULES, status, sum(one.truth is True for one in came), tuple(dict.fromkeys([*wrong, *blind])))


def lines(verdict: Verdict) -> Iterator[str]:
    """A line for each check, below it what was found otherwise; at last one die by hand."""
    for line in verdict.lines:
        yield f"{line.status:<11}  {line.check:<11}  {line.held:>5}  {SAYS[line.check]}"
        yield from (f"{'':13}{why}" for why in line.why)
    if verdict.by_hand:
        yield f"One die by hand: {verdict.by_hand}"
    if all(line.check != RULES for line in verdict.lines):
        yield "Whether the rules were applied to these dice is not part of this: --full runs them again."


def read(path: Path) -> list[Item]:
    """The letters of a file (a letter, an mbox, a saved pbemdice.txt) or of all files of a folder or Maildir."""
    try:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        return [item for file in files for item in items(str(file), file.read_bytes())]
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None


def _key(text: str) -> Key:
    try:
        return parse_key(text)
    except Malformed as wrong:
        raise Stop(str(wrong)) from None
