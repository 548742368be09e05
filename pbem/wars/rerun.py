"""Check a war in full: rebuild each edition from the end of the game before.

This finds a next game that began with a false ledger: the file of the war, the list of its legs and the
ledgers are in the editions of the camps, which are opened like any other.

K8 A part of a finished war may be resumed by a ruling. The parts after its first end are void then, and
cannot be checked against its last end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pbem.engine.game import AnyGame, has_secrets, war_parts_of
from pbem.engine.war.chain import (
    CAMP,
    DRAW,
    Chain,
    End,
    Outcome,
    Works,
    finish_leg,
    leg_from_json,
    leg_of,
    terms_digest,
)
from pbem.engine.war.ledger import read, rows
from pbem.verifier.record import LogView
from pbem.verifier.war_checks import first_leaf_of_war


class GameRerun(NamedTuple):
    """A game that was run again: rules, edition, last position (None if unknown).

    `reopened` are the numbers of the rulings that asked its players for new orders.
    """

    rules: AnyGame
    edition: Any
    state: Any
    reopened: frozenset[int] = frozenset()


class EditionCheck(NamedTuple):
    """The result of a check: True, False, or None if impossible; `why` is the fault."""

    truth: bool | None
    why: str = ""


def check_editions(view: LogView, reruns: Mapping[str, GameRerun]) -> Iterator[EditionCheck]:
    """Check the edition of each game of a war against the end of the game before."""
    for game, rerun in sorted(reruns.items()):
        game_before = _before(view, game)
        if not game_before:
            continue
        rerun_before = reruns.get(game_before)
        if rerun_before is not None and _is_void(view, game, rerun_before.reopened):
            yield EditionCheck(None, f"{game}: it is void since {game_before} was taken up again")
            continue
        if rerun_before is None or rerun_before.state is None:
            yield EditionCheck(
                None, f"{game}: how {game_before} ended, from which it goes on, is not told by these letters"
            )
            continue
        if rerun.edition.PRINTING.game == CAMP:
            yield from _check_camp(view, game, rerun, rerun_before)
        elif rerun_before.edition.PRINTING.game == CAMP:
            yield _edition_check(
                _is_same_edition(leg_of(war_parts_of(rerun.rules), _chain_after_camp(rerun_before)), rerun.edition),
                game,
                game_before,
            )
        else:
            yield EditionCheck(False, f"{game}: a battle goes on from a battle, {game_before}, and not from a camp")


def _before(view: LogView, game: str) -> str:
    """Return the game before another; empty if it begins a chain."""
    link = view.leaves.get((game, 0))
    return link["after"] if link is not None and link.kind == "link" and link.known else ""


def _is_void(view: LogView, game: str, reopened: frozenset[int]) -> bool:
    """K8 Return whether the game before was reopened after this one began."""
    link = view.leaves[game, 0]
    rulings = (leaf for leaf in view.history(link["after"]) if leaf.kind == "ruling" and leaf.known)
    return any(leaf.seq > link.num("seq") and leaf.num("number") in reopened for leaf in rulings)


def _is_same_edition(rebuilt: Any, edition: Any) -> bool | None:
    """Return whether an edition equals the rebuilt one; None under other versions.

    Errata and release are part of an edition, so the rebuilt one is compared with the same ones.
    """
    versions = {"errata": edition.errata, "release": edition.release}
    differs = versions != {"errata": rebuilt.errata, "release": rebuilt.release}
    return replace(rebuilt, **versions).digest == edition.digest or (None if differs else False)


def _edition_check(is_same: bool | None, game: str, game_before: str) -> EditionCheck:
    if is_same is None:
        return EditionCheck(
            None, f"{game}: what goes on from {game_before} cannot be made here: it began under other errata"
        )
    return EditionCheck(is_same, f"{game}: it does not go on from where {game_before} ended: its edition is another")


def _check_camp(view: LogView, game: str, camp: GameRerun, battle: GameRerun) -> Iterator[EditionCheck]:
    """Check that a camp follows from its battle, which began with its ledger."""
    game_before, chain = _before(view, game), _chain(camp)
    opening_leaf = first_leaf_of_war(view, game)
    if opening_leaf is not None and opening_leaf.kind == "war":
        yield EditionCheck(
            opening_leaf["terms"] == terms_digest(chain), f"{game}: its war goes by another file than it began with"
        )
    terms = {"fog": has_secrets(battle.rules, battle.state)}
    try:
        _, ledgers = finish_leg(
            war_parts_of(battle.rules), chain, End(battle.state), battle.rules.seats(battle.state), terms
        )
        rebuilt = camp.rules.made_of(ledgers).digest if ledgers is not None else ""
        is_same_start = (
            _is_same_edition(leg_of(war_parts_of(battle.rules), chain), battle.edition) if chain.number == 1 else True
        )
    except (LookupError, TypeError, ValueError) as fault:
        # The chain comes from the letters that are checked: one that does not hold together is a finding about them.
        yield EditionCheck(False, f"{game}: no camp can be made of what it says of its war: {fault}")
        return
    yield _edition_check(rebuilt == camp.edition.digest, game, game_before)
    is_ledger_plausible = chain.number > 1 or rows(chain.ledger) == rows(chain.war.opening())
    if is_ledger_plausible and is_same_start is None:
        yield EditionCheck(None, f"{game_before}: its edition cannot be made here: it began under other errata")
    else:
        yield EditionCheck(
            is_ledger_plausible and is_same_start, f"{game_before}: it did not begin with the ledger of its war"
        )


def _chain(camp: GameRerun) -> Chain:
    """Return the war in a camp's edition, before the battle that it follows."""
    scenario = camp.edition.scenario
    return Chain(
        scenario["file"],
        camp.edition.war,
        tuple(map(leg_from_json, scenario["legs"])),
        scenario.get("options", {}),
        read(scenario["before"]),
        (Outcome(DRAW),) * (camp.edition.number - 1),
        Works(),
        scenario.get("salt", ""),
    )


def _chain_after_camp(camp: GameRerun) -> Chain:
    """Return the war after a camp."""
    chain = _chain(camp)
    outcomes = (*chain.outcomes, Outcome(DRAW))
    return chain._replace(ledger=camp.state.units, works=camp.state.works, outcomes=outcomes)
