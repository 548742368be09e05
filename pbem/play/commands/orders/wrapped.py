"""Blocks whose lines a mail program broke, made whole before anything else is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.orders.wrapped import BlockReader, whole
from pbem.letters.command_lines import Block, Understood
from pbem.play.commands.answer import Answer
from pbem.play.positions import Position


def made_whole(answer: Answer, said: Understood) -> Understood:
    """The letter with the lines of its blocks as they were before they were broken."""
    here = answer.here
    if here is None:
        return said
    block = said.block if said.block is None else _whole(here, answer.seat.name, said.block)
    return said._replace(block=block, later=tuple(_whole(here, answer.seat.name, one) for one in said.later))


def _whole(here: Position, seat: str, block: Block) -> Block:
    def begins(line: str, standing: bool) -> bool:
        return line[:1] in "@\uff20" or here.rules.aids.begins(line, standing)

    def refused(lines: Sequence[str]) -> Mapping[int, bool]:
        text = block._replace(lines=tuple(lines)).text
        found = here.rules.parse(text, here.rules.view(here.state, seat), seat).rejected
        return {bad.line: bool(bad.suggestions) for bad in found}

    bare = block.orders_alone
    lines = whole(bare.lines, BlockReader(begins, refused))
    given = {*block.done, *(number for number, _ in block.luck)}
    return block._replace(lines=tuple(block.lines[at] if at + 1 in given else line for at, line in enumerate(lines)))
