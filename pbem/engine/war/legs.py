"""What becomes of a leg's scenario by what went before it (K1.1, K1.2, K4), as far as no game has to be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.war.file import War
from pbem.engine.war.ledger import BROKEN, LEADER, Ledger, Listed


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
