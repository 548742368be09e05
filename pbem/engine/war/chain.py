"""K0 The chain of a war, as plain steps from leg to camp and from camp to leg; who plays them is told elsewhere.

::

    chain = opened(linked, "war", options)
    edition = leg_of(linked, chain)                                  # the first leg
    chain, between = fought_out(linked, chain, End(state), seats)    # its end; of what the camp is made, if one follows
    chain = broken_up(chain, camp.units, camp.works)                 # the camp's end; then leg_of again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.war.file import Leg, War, read_war, scenarios_of
from pbem.engine.war.ledger import Ledger, fought
from pbem.engine.war.legs import Works, changes
from pbem.engine.war.linked import Linked
from pbem.engine.war.verdict import DRAW, Outcome, Verdict, by_will, given_up, verdict

CAMP = "camp"
"""The name of the rules of what lies between two legs."""


class Chain(NamedTuple):
    """A war on its way: its file, its legs, how those fought ended, the ledger now and what the last camp ordered.

    `salt` stands in the editions of camps and of legs after the first: nobody guesses a ledger from their digests.
    """

    file: Mapping[str, Any]
    war: War
    legs: tuple[Leg, ...]
    options: Mapping[str, str]
    ledger: Ledger
    outcomes: tuple[Outcome, ...] = ()
    works: Works = Works()
    salt: str = ""

    @property
    def number(self) -> int:
        """Which leg is fought or is to be fought next, from 1."""
        return len(self.outcomes) + 1

    @property
    def over(self) -> bool:
        """K0.1 Whether all legs are fought, or one side gave up two of them running."""
        return self.number > len(self.legs) or bool(given_up(self.outcomes))


class Between(NamedTuple):
    """Of what a camp is made: the war's file and legs, its number from 1, the ledgers before and after the leg fought,
    and its terms: `seats` with their sides, who was `taken`, whether there is `fog` and the next leg `deploys`.
    """

    file: Mapping[str, Any]
    legs: tuple[Leg, ...]
    number: int
    before: Ledger
    after: Ledger
    terms: Mapping[str, Any]


class End(NamedTuple):
    """How a leg ended: the state then; if it was given up or claimed, for whom, or `DRAW` if all agreed on one."""

    state: Any
    given: str = ""


class Part(NamedTuple):
    """A game of a war as it stands: whether it is a camp, whether it is over, whether its turn 1 has closed."""

    camp: bool
    over: bool
    past_turn_1: bool


def blocks(later: Sequence[Part]) -> int:
    """K8 Return which of the games after one, from 1, forbids that it is taken up again; 0 if none does.

    That is a leg whose turn 1 has closed, or that is over; a camp never does.
    """
    return next((at for at, one in enumerate(later, 1) if not one.camp and (one.over or one.past_turn_1)), 0)


def opened(linked: Linked, name: str, options: Mapping[str, str]) -> Chain:
    """Return a war before its first leg; KeyError if there is none, SourceError if it or a leg of it is broken."""
    data, text = linked.war(name)
    file = f"{name}.toml"
    legs = tuple(_leg(linked, one, text, file) for one in scenarios_of(data, text, file))
    war = read_war(data, text, file, legs)
    return Chain(data, war, legs, options, war.opening())


def _leg(linked: Linked, scenario: str, text: str, file: str) -> Leg:
    """K0 A leg of a file; SourceError, with the line, if there is no such scenario."""
    try:
        return linked.leg(scenario)
    except SourceError:
        raise
    except ValueError as none:
        raise SourceError(file, line_of(text, f'"{scenario}"'), str(none)) from None


def leg_of(linked: Linked, chain: Chain) -> Any:
    """K0 Return the edition of the leg that is fought next."""
    leg = chain.legs[chain.number - 1]
    wanted = changes(chain.war, chain.number, leg.listed, chain.ledger, chain.works)
    edition = linked.next_leg([one.scenario for one in chain.legs], leg.scenario, wanted, chain.options)
    if chain.number == 1:
        return edition
    mark = {"leg": chain.number, "salt": chain.salt}
    return replace(edition, scenario={**edition.scenario, "war": mark})


def fought_out(
    linked: Linked, chain: Chain, end: End, seats: Mapping[str, str], terms: Mapping[str, Any] | None = None
) -> tuple[Chain, Between | None]:
    """K1, K3 Return the war after a leg that has ended, and of what its camp is made; None after the last leg.

    `seats` are those of the leg with their sides; `terms` what else the camp is told, as whether there is fog.
    """
    left = linked.left(end.state)
    after = fought(chain.ledger, left)
    done = chain._replace(ledger=after, outcomes=(*chain.outcomes, _outcome(linked, end)), works=Works())
    if done.over:
        return done, None
    # What is stored keeps a list's order, and no table's.
    told = {
        "seats": dict(seats),
        "order": [*seats],
        "taken": sorted(left.taken),
        "salt": chain.salt,
        "options": dict(chain.options),
        **(terms or {}),
    }
    return done, Between(chain.file, chain.legs, chain.number, chain.ledger, after, told)


def _outcome(linked: Linked, end: End) -> Outcome:
    stood = linked.outcome(end.state)
    if not end.given:
        return stood
    return Outcome(DRAW) if end.given == DRAW else by_will(stood, end.given)


def broken_up(chain: Chain, ledger: Ledger, works: Works) -> Chain:
    """K4 Return the war after a camp: its ledger, and what was ordered in it for the next leg."""
    return chain._replace(ledger=ledger, works=works)


def standing(chain: Chain) -> Verdict:
    """K7 Return how the war stands, or ended."""
    return verdict(sides_of(chain), chain.outcomes)


def sides_of(chain: Chain) -> tuple[str, ...]:
    """Return the sides of a war, in the order in which its file names them."""
    return tuple(dict.fromkeys(one.side for one in chain.war.formations.values()))
