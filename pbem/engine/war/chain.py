"""K0 The chain of a war, as plain steps from leg to camp and from camp to leg; who plays them is told elsewhere.

::

    chain = opened(linked, "war", options)
    edition = leg_of(linked, chain)                                  # the first leg
    chain, between = fought_out(linked, chain, End(state), seats)    # its end; of what the camp is made, if one follows
    chain = broken_up(chain, camp.units, camp.works)                 # the camp's end; then leg_of again
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.war.file import Leg, War, read_war, scenarios_of
from pbem.engine.war.ledger import BROKEN, LEADER, Fought, Ledger, Listed, fought, read, rows

# What becomes of a leg's scenario by what went before it (K1.1, K1.2, K4), as far as no game has to be asked.


class Works(NamedTuple):
    """What was ordered in a camp for the next leg: who takes whose place, which formations come, what was built, and
    which sides' scouts saw anything."""

    replaced: Mapping[str, str] = {}
    brought: tuple[str, ...] = ()
    trenches: tuple[str, ...] = ()
    roads: tuple[str, ...] = ()
    scouted: tuple[str, ...] = ()


class Changes(NamedTuple):
    """What a game has to change in a leg's scenario and map.

    `steps` has each unit that is not whole; `absent` are listed and do not come; `successors` stand in the place of
    leaders, as the game writes them, or take `NAME-2` without any gift; `replaced` stand in the place of others;
    `brought` come where and when is said. `trenches` are spaces, `roads` edges ``A-B``. `chiefs` command in chief, by
    side, where who would is lost; `turns` is the leg's last turn, `needs` the least lead with which each side wins it,
    if they are not its scenario's. `sees` is the side that deploys with the other's deployment in sight, if one does.
    """

    steps: Mapping[str, int]
    absent: frozenset[str]
    successors: Mapping[str, str]
    replaced: Mapping[str, str]
    brought: Mapping[str, tuple[str, int]]
    trenches: tuple[str, ...]
    roads: tuple[str, ...]
    chiefs: Mapping[str, str] = {}
    turns: int = 0
    sees: str = ""
    needs: Mapping[str, int] = {}


def changes(war: War, number: int, listed: Sequence[Listed], ledger: Ledger, works: Works) -> Changes:
    """Return what is changed of leg `number` (from 1) by the ledger before it and the works of the camp before it."""
    came = {unit: war.formations[one].enters[number - 1] for one in works.brought for unit in war.formations[one].units}
    here = {*(one.id for one in listed), *works.replaced.values(), *came} - {*works.replaced}
    lost = frozenset(ident for ident in here if ledger[ident].standing == BROKEN)
    leaders = {ident for ident in lost if ledger[ident].role == LEADER}
    return Changes(
        steps={ident: ledger[ident].now for ident in sorted(here - lost) if ledger[ident].lacks},
        absent=lost - leaders,
        successors={ident: war.successors.get(ident, f"{ident}-2 0/0") for ident in sorted(leaders)},
        replaced=works.replaced,
        brought={unit: where for unit, where in came.items() if unit not in lost},
        trenches=works.trenches,
        roads=works.roads,
        chiefs=dict(_chiefs(war, here, leaders)),
        turns=war.turns.get(war.legs[number - 1], 0),
        # K4 Where both sides' scouts see, neither can come before the other: they deploy at once.
        sees=works.scouted[0] if len(works.scouted) == 1 else "",
        needs=war.needs.get(war.legs[number - 1], {}),
    )


def _chiefs(war: War, here: Collection[str], lost: Collection[str]) -> Iterator[tuple[str, str]]:
    """K1.2 Who commands in chief, of those who are there, where who would do so is lost: the next by rank."""
    for side, order in war.chiefs.items():
        there = [leader for leader in order if leader in here]
        left = [leader for leader in there if leader not in lost]
        if left and there[0] != left[0]:
            yield side, left[0]


# K7 Who has won a war: by the legs won, each worth its place in the chain; then by how clearly they were won.


DRAW = "draw"
DECISIVE = 4
"""By how much a side has to lead to have won decisively."""
CLEAR = 6
"""What a leg's margin counts at most."""


class Outcome(NamedTuple):
    """How a leg ended: who won, ``draw`` if nobody did, by how many points more than he needed.

    `conceded` if the other gave up, or it was claimed against him.
    """

    winner: str
    margin: int = 0
    conceded: bool = False


class Verdict(NamedTuple):
    """How a war stands or ended: the leader, ``draw`` if there is none; each side's sum of legs and of margins; whether
    it is decisive, and whether the sums of legs alone say so."""

    winner: str
    legs: Mapping[str, int]
    margins: Mapping[str, int]
    decisive: bool = False
    level: bool = False


def verdict(sides: Sequence[str], outcomes: Sequence[Outcome]) -> Verdict:
    """K7 Return how a war stands after these legs, of which there may be more to come."""
    legs, margins = dict.fromkeys(sides, 0), dict.fromkeys(sides, 0)
    for place, one in enumerate(outcomes, start=1):
        if one.winner != DRAW:
            legs[one.winner] += place
            margins[one.winner] += min(one.margin, CLEAR)
    if (victor := given_up(outcomes)) and victor in legs:
        return Verdict(victor, legs, margins, decisive=True)
    return _weighed(sides, legs, margins)


def _weighed(sides: Sequence[str], legs: Mapping[str, int], margins: Mapping[str, int]) -> Verdict:
    """The higher sum of legs, of equal ones that of margins."""
    first, second = sides
    by_legs, by_margins = legs[first] - legs[second], margins[first] - margins[second]
    lead = by_legs or by_margins
    winner = DRAW if not lead else first if lead > 0 else second
    return Verdict(winner, legs, margins, abs(by_legs) >= DECISIVE, not by_legs)


def given_up(outcomes: Sequence[Outcome]) -> str:
    """K0.1 Return who has won because the other conceded two legs running; empty if nobody has."""
    for one, after in pairwise(outcomes):
        if one.conceded and after.conceded and one.winner == after.winner:
            return one.winner
    return ""


def by_will(outcome: Outcome, winner: str) -> Outcome:
    """K0.1 Return how a leg ended that was given up to `winner`, or claimed by him: `outcome` is how it stood then."""
    return Outcome(winner, outcome.margin if outcome.winner == winner else 0, conceded=True)


def peace(sides: Sequence[str], outcomes: Sequence[Outcome], sued: Sequence[str]) -> Verdict:
    """K7.1 Return how a war ends by peace that these sides sued for.

    Both: a draw. One: the sums as they are and one more for the other side; nobody wins decisively.
    """
    now = verdict(sides, outcomes)
    if len(sued) != 1:
        return now._replace(winner=DRAW, decisive=False, level=False)
    legs = {side: count + (side not in sued) for side, count in now.legs.items()}
    return _weighed(sides, legs, now.margins)._replace(decisive=False)


# What a game brings for a war: what its scenarios list, what a leg leaves, and the edition of a leg after a camp.


S = TypeVar("S")
E = TypeVar("E")


@dataclass(frozen=True, kw_only=True, eq=False)
class Linked(Generic[S, E]):
    """The legs of a war, in one game."""

    war: Callable[[str], tuple[Mapping[str, Json], str]]
    """The file of a war as data and as text; KeyError if there is none, SourceError if it is broken."""
    leg: Callable[[str], Leg]
    """What a scenario brings to a war; ValueError if there is none, SourceError if it is broken."""
    left: Callable[[S], Fought]
    """K1 What is left of everybody at the end of a leg, those who have yet to enter among them."""
    outcome: Callable[[S], Outcome]
    """K7 How a leg ended."""
    next_leg: Callable[[Sequence[str], str, Changes, Mapping[str, str]], E]
    """K0 The edition of a leg after a camp: of all legs, its scenario, what changes, its options.

    ValueError if none can be made.
    """


CAMP = "camp"
"""The name of the rules of what lies between two legs."""


class Chain(NamedTuple):
    """A war on its way: its file, its legs, how those fought ended, the ledger now and what the last camp ordered.

    `salt` stands in the editions of camps and of legs after the first: nobody guesses a ledger from their digests.
    """

    file: Mapping[str, Json]
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

    file: Mapping[str, Json]
    legs: tuple[Leg, ...]
    number: int
    before: Ledger
    after: Ledger
    terms: Mapping[str, Json]


class End(NamedTuple):
    """How a leg ended: the state then; if it was given up or claimed, for whom, or `DRAW` if all agreed on one."""

    state: object
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


def opened(linked: Linked[S, E], name: str, options: Mapping[str, str]) -> Chain:
    """Return a war before its first leg; KeyError if there is none, SourceError if it or a leg of it is broken."""
    data, text = linked.war(name)
    file = f"{name}.toml"
    legs = tuple(_leg(linked, one, text, file) for one in scenarios_of(data, text, file))
    war = read_war(data, text, file, legs)
    return Chain(data, war, legs, options, war.opening())


def _leg(linked: Linked[S, E], scenario: str, text: str, file: str) -> Leg:
    """K0 A leg of a file; SourceError, with the line, if there is no such scenario."""
    try:
        return linked.leg(scenario)
    except SourceError:
        raise
    except ValueError as none:
        raise SourceError(file, line_of(text, f'"{scenario}"'), str(none)) from None


def leg_of(linked: Linked[Any, Any], chain: Chain) -> Any:
    """K0 Return the edition of the leg that is fought next."""
    leg = chain.legs[chain.number - 1]
    wanted = changes(chain.war, chain.number, leg.listed, chain.ledger, chain.works)
    edition = linked.next_leg([one.scenario for one in chain.legs], leg.scenario, wanted, chain.options)
    if chain.number == 1:
        return edition
    mark = {"leg": chain.number, "salt": chain.salt}
    return replace(edition, scenario={**edition.scenario, "war": mark})


def fought_out(
    linked: Linked[Any, Any], chain: Chain, end: End, seats: Mapping[str, str], terms: Mapping[str, Json] | None = None
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


def _outcome(linked: Linked[object, object], end: End) -> Outcome:
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


# A war on its way as JSON: its file and what its legs list stand in it whole, so that it is read back for ever.


def leg_written(leg: Leg) -> list[Json]:
    """Return what a leg lists as JSON."""
    return [leg.scenario, [list(one) for one in leg.listed], list(leg.spaces), dict(leg.edges)]


def leg_in(value: Sequence[Json]) -> Leg:
    """Read what `leg_written` wrote."""
    name, listed, spaces, edges = value
    return Leg(name, tuple(Listed(*row) for row in listed), tuple(spaces), dict(edges))


def written(chain: Chain) -> dict[str, Json]:
    """Return a war as JSON."""
    works = chain.works
    return {
        "file": chain.file,
        "legs": [leg_written(leg) for leg in chain.legs],
        "options": dict(chain.options),
        "ledger": rows(chain.ledger),
        "outcomes": [list(one) for one in chain.outcomes],
        "salt": chain.salt,
        "works": [
            dict(works.replaced),
            list(works.brought),
            list(works.trenches),
            list(works.roads),
            list(works.scouted),
        ],
    }


def terms_digest(chain: Chain) -> str:
    """Return the digest of what a war goes by from its beginning: its file, what its legs list, its options."""
    text = dumps([chain.file, [leg_written(leg) for leg in chain.legs], dict(chain.options)])
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def chain_in(value: Json) -> Chain:
    """Read what `written` wrote."""
    legs = tuple(map(leg_in, value["legs"]))
    war = read_war(value["file"], "", "the war's file", legs)
    replaced, *lists = value["works"]
    return Chain(
        value["file"],
        war,
        legs,
        value["options"],
        read(value["ledger"]),
        tuple(Outcome(*one) for one in value["outcomes"]),
        Works(replaced, *map(tuple, lists)),
        value["salt"],
    )
