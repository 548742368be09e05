"""K0 The chain of a war: plain steps from leg to camp and from camp to leg.

::

    chain = open_war(linked, "war", options)
    edition = leg_of(linked, chain)                                  # the first leg
    chain, between = finish_leg(linked, chain, End(state), seats)    # its end; data of the camp, if one follows
    chain = finish_camp(chain, camp.units, camp.works)               # the camp's end; then leg_of again
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.canon import Json, dumps
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.war.file import Leg, War, read_war, scenarios_of
from pbem.engine.war.ledger import BROKEN, LEADER, Ledger, LegResult, ListedUnit, after_leg, read, rows

# Changes of a leg's scenario by earlier legs (K1.1, K1.2, K4), without the game.


class Works(NamedTuple):
    """Orders of a camp for the next leg: replacements, formations, works, scouts."""

    replaced: Mapping[str, str] = {}
    brought: tuple[str, ...] = ()
    trenches: tuple[str, ...] = ()
    roads: tuple[str, ...] = ()
    scouted: tuple[str, ...] = ()


class Changes(NamedTuple):
    """A game's changes of a leg's scenario and map.

    `steps` has each unit that is not whole; `absent` are listed and do not come; `successors` replace leaders, as
    the game writes them, or as `NAME-2` without any gift; `replaced` replace other units; `brought` enter at the
    place and turn given. `trenches` are spaces, `roads` edges ``A-B``. `chiefs` are the commanders-in-chief, by
    side, in place of lost ones; `turns` is the leg's last turn, `needs` the least lead with which each side wins
    it, if they are not those of its scenario. `sees` is the side that deploys with the other's deployment in sight,
    if one does.
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


def changes(war: War, number: int, listed: Sequence[ListedUnit], ledger: Ledger, works: Works) -> Changes:
    """Return the changes of leg `number` (from 1) by ledger and works before it."""
    arrivals = {
        unit: war.formations[formation].enters[number - 1]
        for formation in works.brought
        for unit in war.formations[formation].units
    }
    present = {*(listed_unit.id for listed_unit in listed), *works.replaced.values(), *arrivals} - {*works.replaced}
    lost = frozenset(ident for ident in present if ledger[ident].standing == BROKEN)
    leaders = {ident for ident in lost if ledger[ident].role == LEADER}
    return Changes(
        steps={ident: ledger[ident].now for ident in sorted(present - lost) if ledger[ident].lacks},
        absent=lost - leaders,
        successors={ident: war.successors.get(ident, f"{ident}-2 0/0") for ident in sorted(leaders)},
        replaced=works.replaced,
        brought={unit: where for unit, where in arrivals.items() if unit not in lost},
        trenches=works.trenches,
        roads=works.roads,
        chiefs=dict(_chiefs(war, present, leaders)),
        turns=war.turns.get(war.legs[number - 1], 0),
        # K4 Where both sides' scouts see, neither can come before the other: they deploy at once.
        sees=works.scouted[0] if len(works.scouted) == 1 else "",
        needs=war.needs.get(war.legs[number - 1], {}),
    )


def _chiefs(war: War, present: Collection[str], lost: Collection[str]) -> Iterator[tuple[str, str]]:
    """K1.2 Yield the present commander-in-chief, the next by rank, where one is lost."""
    for side, order in war.chiefs.items():
        ranked = [leader for leader in order if leader in present]
        remaining = [leader for leader in ranked if leader not in lost]
        if remaining and ranked[0] != remaining[0]:
            yield side, remaining[0]


# K7 The winner of a war: by legs won, each worth its place in the chain; then by margins.


DRAW = "draw"
# A choice (K7): of three battles, two won and one lost suffice only if they are the last two.
DECISIVE = 4
"""The lead in points by which a war is won decisively."""
# A choice (K7): one rout does not outweigh the margins of all other legs.
CLEAR = 6
"""The most that a leg's margin counts."""


class Outcome(NamedTuple):
    """How a leg ended: the winner, ``draw`` if there is none, and the margin.

    The margin is how far the winner's lead exceeds the lead needed. `conceded` is whether the other side gave up,
    or the win was claimed.
    """

    winner: str
    margin: int = 0
    conceded: bool = False


class Verdict(NamedTuple):
    """The state or end of a war: the leader, ``draw`` if there is none; sums by side.

    The sums are of legs and of margins; `decisive` is whether the lead is decisive, `level` whether the sums of
    legs are equal.
    """

    winner: str
    legs: Mapping[str, int]
    margins: Mapping[str, int]
    decisive: bool = False
    level: bool = False


def verdict(sides: Sequence[str], outcomes: Sequence[Outcome]) -> Verdict:
    """K7 Return the state of a war after these legs; more may follow."""
    legs, margins = dict.fromkeys(sides, 0), dict.fromkeys(sides, 0)
    for place, outcome in enumerate(outcomes, start=1):
        if outcome.winner != DRAW:
            legs[outcome.winner] += place
            margins[outcome.winner] += min(outcome.margin, CLEAR)
    if (victor := conceded_to(outcomes)) and victor in legs:
        return Verdict(victor, legs, margins, decisive=True)
    return _compare_sums(sides, legs, margins)


def _compare_sums(sides: Sequence[str], legs: Mapping[str, int], margins: Mapping[str, int]) -> Verdict:
    """Return the verdict by the sums of legs and, if equal, those of margins."""
    first, second = sides
    by_legs, by_margins = legs[first] - legs[second], margins[first] - margins[second]
    lead = by_legs or by_margins
    winner = DRAW if not lead else first if lead > 0 else second
    return Verdict(winner, legs, margins, abs(by_legs) >= DECISIVE, not by_legs)


def conceded_to(outcomes: Sequence[Outcome]) -> str:
    """K0.1 Return the winner if the other side conceded two legs in a row.

    Empty if neither did.
    """
    for first, second in pairwise(outcomes):
        if first.conceded and second.conceded and first.winner == second.winner:
            return first.winner
    return ""


def by_will(outcome: Outcome, winner: str) -> Outcome:
    """K0.1 Return the outcome of a leg conceded to `winner` or claimed by him."""
    return Outcome(winner, outcome.margin if outcome.winner == winner else 0, conceded=True)


def peace(sides: Sequence[str], outcomes: Sequence[Outcome], sued: Sequence[str]) -> Verdict:
    """K7.1 Return the end of a war by peace that these sides asked for.

    If both asked, it is a draw. If one asked, the other side's sum grows by one; nobody wins decisively.
    """
    present = verdict(sides, outcomes)
    if len(sued) != 1:
        return present._replace(winner=DRAW, decisive=False, level=False)
    legs = {side: count + (side not in sued) for side, count in present.legs.items()}
    return _compare_sums(sides, legs, present.margins)._replace(decisive=False)


# A game's parts for a war: listed units, results of a leg, and the edition of a leg after a camp.


S = TypeVar("S")
E = TypeVar("E")


@dataclass(frozen=True, kw_only=True, eq=False)
class WarParts(Generic[S, E]):
    """A game's parts for wars: war files, legs, and what is left after them."""

    war: Callable[[str], tuple[Mapping[str, Json], str]]
    """The file of a war as data and as text; a KeyError if there is none, a SourceError if it is broken."""
    leg: Callable[[str], Leg]
    """The units, spaces and edges that a scenario brings to a war.

    Raise ValueError if there is none, SourceError if it is broken."""
    left: Callable[[S], LegResult]
    """K1 The units left to both sides at the end of a leg, including those that have yet to enter."""
    outcome: Callable[[S], Outcome]
    """K7 How a leg ended."""
    next_leg: Callable[[Sequence[str], str, Changes, Mapping[str, str]], E]
    """K0 The edition of a leg after a camp: of all legs, its scenario, what changes, its options.

    Raise ValueError if none can be made.
    """


CAMP = "camp"
"""The name of the rules of the camp between two legs."""


class Chain(NamedTuple):
    """A war under way: file, legs, outcomes, present ledger, orders of the last camp.

    `salt` is in the editions of camps and of legs after the first, so that no ledger can be guessed from their
    digests.
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
        """Return the present or next leg, from 1."""
        return len(self.outcomes) + 1

    @property
    def over(self) -> bool:
        """K0.1 Return whether all legs are fought, or two in a row were conceded."""
        return self.number > len(self.legs) or bool(conceded_to(self.outcomes))


class CampData(NamedTuple):
    """The data of a camp.

    It has the war's file and legs, the camp's number from 1, the ledgers before and after the leg, and the terms:
    `seats` with their sides, the units `taken`, whether there is `fog` and the next leg `deploys`.
    """

    file: Mapping[str, Json]
    legs: tuple[Leg, ...]
    number: int
    before: Ledger
    after: Ledger
    terms: Mapping[str, Json]


class End(NamedTuple):
    """The end of a leg: its state, and the winner if it was conceded.

    `given` is also set if the win was claimed; it is `DRAW` if all agreed on a draw.
    """

    state: object
    given: str = ""


class Part(NamedTuple):
    """A game of a war: is it a camp, is it over, has its turn 1 closed."""

    camp: bool
    over: bool
    past_turn_1: bool


def blocks(later: Sequence[Part]) -> int:
    """K8 Return the later game, from 1, that forbids resuming one; 0 if none does.

    A leg forbids it once its turn 1 has closed or it is over; a camp never does.
    """
    return next(
        (number for number, part in enumerate(later, 1) if not part.camp and (part.over or part.past_turn_1)), 0
    )


def open_war(linked: WarParts[S, E], name: str, options: Mapping[str, str]) -> Chain:
    """Return a war before its first leg.

    Raise KeyError if there is none, SourceError if its file, or a leg, is broken.
    """
    data, text = linked.war(name)
    file = f"{name}.toml"
    legs = tuple(_leg(linked, scenario, text, file) for scenario in scenarios_of(data, text, file))
    war = read_war(data, text, file, legs)
    # The record holds the needs of all legs: a war goes on by them when a later version ships other scenarios.
    needs = {leg.scenario: leg.needs for leg in legs if leg.needs} | dict(war.needs)
    return Chain({**data, "needs": needs}, war._replace(needs=needs), legs, options, war.opening())


def _leg(linked: WarParts[S, E], scenario: str, text: str, file: str) -> Leg:
    """K0 Return a leg of a file.

    Raise SourceError, with the line, for an unknown scenario.
    """
    try:
        return linked.leg(scenario)
    except SourceError:
        # It is a ValueError too, but has its file and line already.
        raise
    except ValueError as error:
        raise SourceError(file, line_number_of(text, f'"{scenario}"'), str(error)) from None


def leg_of(linked: WarParts[Any, Any], chain: Chain) -> Any:
    """K0 Return the edition of the leg that is fought next."""
    leg = chain.legs[chain.number - 1]
    leg_changes = changes(chain.war, chain.number, leg.listed, chain.ledger, chain.works)
    edition = linked.next_leg([each_leg.scenario for each_leg in chain.legs], leg.scenario, leg_changes, chain.options)
    if chain.number == 1:
        return edition
    mark = {"leg": chain.number, "salt": chain.salt}
    return replace(edition, scenario={**edition.scenario, "war": mark})


def finish_leg(
    linked: WarParts[Any, Any],
    chain: Chain,
    end: End,
    seats: Mapping[str, str],
    terms: Mapping[str, Json] | None = None,
) -> tuple[Chain, CampData | None]:
    """K1, K3 Return the war after a leg, and the data of its camp.

    There is none after the last leg. `seats` are those of the leg with their sides; `terms` are further terms
    of the camp, such as fog.
    """
    result = linked.left(end.state)
    after = after_leg(chain.ledger, result)
    next_chain = chain._replace(ledger=after, outcomes=(*chain.outcomes, _outcome(linked, end)), works=Works())
    if next_chain.over:
        return next_chain, None
    # What is stored keeps a list's order, and no table's.
    camp_terms = {
        "seats": dict(seats),
        "order": [*seats],
        "taken": sorted(result.taken),
        "salt": chain.salt,
        "options": dict(chain.options),
        **(terms or {}),
    }
    return next_chain, CampData(chain.file, chain.legs, chain.number, chain.ledger, after, camp_terms)


def _outcome(linked: WarParts[object, object], end: End) -> Outcome:
    outcome = linked.outcome(end.state)
    if not end.given:
        return outcome
    return Outcome(DRAW) if end.given == DRAW else by_will(outcome, end.given)


def finish_camp(chain: Chain, ledger: Ledger, works: Works) -> Chain:
    """K4 Return the war after a camp: its ledger, and its orders for the next leg."""
    return chain._replace(ledger=ledger, works=works)


def present_verdict(chain: Chain) -> Verdict:
    """K7 Return the state of the war, or its end."""
    return verdict(sides_of(chain), chain.outcomes)


def sides_of(chain: Chain) -> tuple[str, ...]:
    """Return the sides of a war, in the order of its file."""
    return tuple(dict.fromkeys(formation.side for formation in chain.war.formations.values()))


# A war on its way as JSON: its file and what its legs list stand in it whole, so that it is read back for ever.


def leg_to_json(leg: Leg) -> list[Json]:
    """Return a leg's lists as JSON."""
    return [leg.scenario, [list(unit) for unit in leg.listed], list(leg.spaces), dict(leg.edges)]


def leg_from_json(value: Sequence[Json]) -> Leg:
    """Read the output of `leg_to_json`."""
    name, listed, spaces, edges = value
    return Leg(name, tuple(ListedUnit(*row) for row in listed), tuple(spaces), dict(edges))


def chain_to_json(chain: Chain) -> dict[str, Json]:
    """Return a war as JSON."""
    works = chain.works
    return {
        "file": chain.file,
        "legs": [leg_to_json(leg) for leg in chain.legs],
        "options": dict(chain.options),
        "ledger": rows(chain.ledger),
        "outcomes": [list(outcome) for outcome in chain.outcomes],
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
    """Return the digest of a war's fixed terms: file, lists of legs, options."""
    text = dumps([chain.file, [leg_to_json(leg) for leg in chain.legs], dict(chain.options)])
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def chain_from_json(value: Json) -> Chain:
    """Read the output of `chain_to_json`."""
    legs = tuple(map(leg_from_json, value["legs"]))
    war = read_war(value["file"], "", "the war's file", legs)
    replaced, *lists = value["works"]
    return Chain(
        value["file"],
        war,
        legs,
        value["options"],
        read(value["ledger"]),
        tuple(Outcome(*row) for row in value["outcomes"]),
        Works(replaced, *map(tuple, lists)),
        value["salt"],
    )
