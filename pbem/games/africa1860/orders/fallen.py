"""O2 What a refused ACTIVATE takes with it: in a letter given back, the orders that would act for another space."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.orders.lex import tokens
from pbem.games.africa1860.orders.vocabulary import VOCABULARY

_ACTS = frozenset({"MOVE", "FIRE", "ASSAULT", "CHARGE", "CARACOLE"})
_NEST = frozenset({"IF", "ELSE", "ENDIF"})


def fallen(lines: Sequence[str], at: int) -> tuple[int, ...]:
    """Return which lines of a block act in the space that the refused line `at` activates; none if it is no ACTIVATE.

    They end with the next ACTIVATE, or with the case of an IF that the line stands in; within a case that begins below
    it, an ACTIVATE of that case ends them. RETIRE needs no activation.
    """
    if "ACTIVATE" not in _said(lines[at]):
        return ()
    lost, found = [True], []
    for number, line in enumerate(lines[at + 1 :], at + 1):
        said = _said(line)
        if len(lost) == 1 and said & {"ACTIVATE", "ELSE", "ENDIF"}:
            break
        if said & _NEST:
            lost = [*lost, lost[-1]] if "IF" in said else lost[:-1]
            lost = [*lost, lost[-1]] if "ELSE" in said else lost
        elif "ACTIVATE" in said:
            lost[-1] = False
        elif said & _ACTS and lost[-1]:
            found.append(number)
    return tuple(found)


def _said(line: str) -> frozenset[str]:
    """The keywords that a line begins with."""
    return frozenset(VOCABULARY.lengths(tokens(line), 0))
