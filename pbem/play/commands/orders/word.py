"""LUCK: the word that a block gives for the dice, which is sealed with its orders."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import luck
from pbem.engine.terms import Rejected
from pbem.letters.command_lines import Block
from pbem.letters.content import Mistake


def of(block: Block) -> str:
    """The word of a block that has no mistakes of words; empty if it gives none."""
    return block.luck[0][1] if block.luck else ""


def mistakes(block: Block) -> list[Mistake]:
    """What is wrong with the words of a block."""
    return block.mistakes(_rejected(block))


def _rejected(block: Block) -> Iterator[Rejected]:
    before = 0
    for line, word in block.luck:
        why = _objection(block, word, before)
        if why is not None:
            yield Rejected(line, -1, word or block.lines[line - 1].strip(), why, "")
        before = before or block.first + line - 1


def _objection(block: Block, word: str, before: int) -> Msg | None:
    if block.standing:
        return msg("LUCK stands between ORDERS and END, not among standing orders alone.")
    if before:
        return msg("A block has one LUCK, and it stands in line {line}.", line=before)
    return luck.objection(word)
