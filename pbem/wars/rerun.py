"""Full mode through a war: the edition of each camp and each later battle made again from how the game before it ended.

Whoever gave the next game another ledger than its war had is found so: the file of the war, what its legs list and the
ledgers stand in the editions of the camps, which are opened like any other.

K8 A part of a war that is over may be taken up again by a ruling. What had followed from its first end is void then,
and cannot be held against the end that it came to at last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pbem.engine.game import AnyGame, hides, legs_of
from pbem.engine.war.chain import (
    CAMP,
    DRAW,
    Chain,
    End,
    Outcome,
    Works,
    fought_out,
    leg_in,
    leg_of,
    terms_digest,
)
from pbem.engine.war.ledger import read, rows
from pbem.verifier.record import Course
from pbem.verifier.war_checks import beginning


class PlayedOut(NamedTuple):
    """A game that was run again: its rules, its edition, and the position at its end, None where that is not known.

    `reopened` are the numbers of the rulings by which players of it were to write again.
    """

    rules: AnyGame
    edition: Any
    state: Any
    reopened: frozenset[int] = frozenset()


class Chained(NamedTuple):
    """What came of a comparison: True, False, or None where it could not be made, and why it is not true."""

    truth: bool | None
    why: str = ""


def chained(course: Course, played: Mapping[str, PlayedOut]) -> Iterator[Chained]:
    """Hold the edition of each game of a war against the end of the game that it goes on from."""
    for game, one in sorted(played.items()):
        before = _before(course, game)
        if not before:
            continue
        ended = played.get(before)
        if ended is not None and _taken_up(course, game, ended.reopened):
            yield Chained(None, f"{game}: it is void since {before} was taken up again")
            continue
        if ended is None or ended.state is None:
            yield Chained(None, f"{game}: how {before} ended, from which it goes on, is not told by these letters")
            continue
        if one.edition.PRINTING.game == CAMP:
            yield from _camp(course, game, one, ended)
        elif ended.edition.PRINTING.game == CAMP:
            yield _said(_alike(leg_of(legs_of(one.rules), _marched(ended)), one.edition), game, before)
        else:
            yield Chained(False, f"{game}: a battle goes on from a battle, {before}, and not from a camp")


def _before(course: Course, game: str) -> str:
    """The game that another goes on from; empty if it begins a chain."""
    link = course.leaves.get((game, 0))
    return link["after"] if link is not None and link.kind == "link" and link.known else ""


def _taken_up(course: Course, game: str, reopened: frozenset[int]) -> bool:
    """K8 Whether the game that another goes on from was reopened by one of these rulings after that one had begun."""
    link = course.leaves[game, 0]
    rulings = (leaf for leaf in course.history(link["after"]) if leaf.kind == "ruling" and leaf.known)
    return any(leaf.seq > link.num("seq") and leaf.num("number") in reopened for leaf in rulings)


def _alike(made: Any, edition: Any) -> bool | None:
    """Whether an edition is as it is made here; None if it was made under other errata or by another release.

    Both are in it, so it is compared with one that has them too.
    """
    told = {"errata": edition.errata, "release": edition.release}
    other = told != {"errata": made.errata, "release": made.release}
    return replace(made, **told).digest == edition.digest or (None if other else False)


def _said(same: bool | None, game: str, before: str) -> Chained:
    if same is None:
        return Chained(None, f"{game}: what goes on from {before} cannot be made here: it began under other errata")
    return Chained(same, f"{game}: it does not go on from where {before} ended: its edition is another")


def _camp(course: Course, game: str, camp: PlayedOut, battle: PlayedOut) -> Iterator[Chained]:
    """The camp follows from its battle, and the battle began with the ledger that the camp says."""
    before, chain = _before(course, game), _chain(camp)
    begun = beginning(course, game)
    if begun is not None and begun.kind == "war":
        yield Chained(begun["terms"] == terms_digest(chain), f"{game}: its war goes by another file than it began with")
    terms = {"fog": hides(battle.rules, battle.state)}
    try:
        _, between = fought_out(
            legs_of(battle.rules), chain, End(battle.state), battle.rules.seats(battle.state), terms
        )
        made = camp.rules.made_of(between).digest if between is not None else ""
        began = _alike(leg_of(legs_of(battle.rules), chain), battle.edition) if chain.number == 1 else True
    except (LookupError, TypeError, ValueError) as wrong:
        yield Chained(False, f"{game}: no camp can be made of what it says of its war: {wrong}")
        return
    yield _said(made == camp.edition.digest, game, before)
    whole = chain.number > 1 or rows(chain.ledger) == rows(chain.war.opening())
    if whole and began is None:
        yield Chained(None, f"{before}: its edition cannot be made here: it began under other errata")
    else:
        yield Chained(whole and began, f"{before}: it did not begin with the ledger of its war")


def _chain(camp: PlayedOut) -> Chain:
    """The war as a camp has it, before the battle that it follows."""
    told = camp.edition.scenario
    return Chain(
        told["file"],
        camp.edition.war,
        tuple(map(leg_in, told["legs"])),
        told.get("options", {}),
        read(told["before"]),
        (Outcome(DRAW),) * (camp.edition.number - 1),
        Works(),
        told.get("salt", ""),
    )


def _marched(camp: PlayedOut) -> Chain:
    """The war as it is after a camp."""
    chain = _chain(camp)
    outcomes = (*chain.outcomes, Outcome(DRAW))
    return chain._replace(ledger=camp.state.units, works=camp.state.works, outcomes=outcomes)
