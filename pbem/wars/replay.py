"""A war played again: the games of a server from its log (`pbem game replay`), and those of a bundle in full mode.

Every edition is made again from the end of the game before it. Whoever gave the next game another ledger than its war
had is found so: the file of the war, what its legs list and the ledgers stand in the editions of the camps, which are
opened like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.game import Game, hides
from pbem.engine.war.chain import (
    CAMP,
    DRAW,
    Chain,
    End,
    Outcome,
    Works,
    broken_up,
    chain_in,
    fought_out,
    leg_in,
    leg_of,
    terms_digest,
    written,
)
from pbem.engine.war.ledger import read, rows
from pbem.play import war_progress
from pbem.play.positions import position
from pbem.play.replay import Difference, Replayed, replay
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.verifier.record import Course
from pbem.verifier.war_checks import beginning


class _Before(NamedTuple):
    """What a game of a war is held against: the chain before it, and the digest that its edition must have."""

    chain: Chain
    edition: str


def is_war(work: Work, name: str) -> bool:
    """Whether there is a war of that name."""
    return queries.games.war(work.session, name) is not None


def replay_war(work: Work, name: str) -> Iterator[tuple[str, Replayed]]:
    """Yield the games of a war in order, each with how its replay came out, to the first that differs.

    Its edition must be the one that follows from the game before it; at the end the record of the war is compared.
    Broken if there is no such war. Nothing is written.
    """
    war = queries.games.war(work.session, name)
    if war is None:
        raise Broken(msg("There is no war {war}.", war=name))
    chain = chain_in(loads(war.opening))
    linked = work.server.games(war.system).linked
    before = _Before(chain, leg_of(linked, chain).digest)
    for place in queries.games.games_of_war(work.session, name):
        game = work.session.get_one(tables.Game, place.game_id)
        if game.edition_digest != before.edition:
            yield game.id, Replayed(0, Difference(game.id, "edition", game.edition_digest, before.edition))
            return
        done = replay(work, game.id)
        yield game.id, done
        if done.difference is not None:
            return
        if game.state == "over":
            before = _after(work, war_progress.Course(war, place, before.chain, linked), game)
    now = dumps(written(before.chain))
    if now != war.record:
        yield name, Replayed(0, Difference(name, "record", war.record, now))


def _after(work: Work, course: war_progress.Course, game: tables.Game) -> _Before:
    """The war after a game, and the digest of what must follow it; empty where nothing does."""
    chain, state = course.chain, position(work, game).state
    if course.place.camp:
        if course.place.ended:
            return _Before(chain, "")
        chain = broken_up(chain, state.units, state.works)
        return _Before(chain, leg_of(course.linked, chain).digest)
    chain, between = war_progress.left_by(work, course, game, state)
    if between is None:
        return _Before(chain, "")
    return _Before(chain, work.server.games(CAMP).made_of(between).digest)  # type: ignore[attr-defined]  # a camp's own


# Full mode. K8 A part of a war that is over may be taken up again by a ruling: what had followed from its first end is
# void then, and cannot be held against the end that it came to at last.


class PlayedOut(NamedTuple):
    """A game that was run again: its rules, its edition, and the position at its end, None where that is not known.

    `reopened` are the numbers of the rulings by which players of it were to write again.
    """

    rules: Game
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
            yield _said(_alike(leg_of(one.rules.linked, _marched(ended)), one.edition), game, before)
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
        _, between = fought_out(battle.rules.linked, chain, End(battle.state), battle.rules.seats(battle.state), terms)
        made = camp.rules.made_of(between).digest if between is not None else ""  # type: ignore[attr-defined]
        began = _alike(leg_of(battle.rules.linked, chain), battle.edition) if chain.number == 1 else True
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
