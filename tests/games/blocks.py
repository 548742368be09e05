"""What a page makes of `Choices`: the block for an act that is chosen. Pages do the same in their own language.

An act is built by its verb's line, filled in, its clauses behind it in the verb's order; before it stands what it is to
come after, above it the line that orders of its place stand under.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from pbem.engine.orders.choices import BOTH, DOER, JOINED, LED, OTHER, PLAIN, SERIES, STACKS, WAY, Choices, Clause, Verb


class Table(NamedTuple):
    """What there is to choose from, where each unit stands, and who is a leader."""

    choices: Choices
    at: Mapping[str, str]
    chiefs: frozenset[str]


@dataclass(frozen=True)
class Act:
    """Who does what, where to, under whom, with which clauses, after which lines; `joined` together as one."""

    verb: Verb
    units: tuple[str, ...]
    to: str
    leader: str = ""
    clauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    before: str = ""
    joined: bool = False


def block(table: Table, act: Act) -> str:
    """The lines between the first and the last of a block."""
    verb, units = act.verb, list(act.units) if act.verb.written else sorted(act.units)
    chiefs = [unit for unit in units if unit in table.chiefs] if BOTH in verb.lines else []
    others = [unit for unit in units if unit not in chiefs]
    kind = LED if act.leader else JOINED if act.joined else BOTH if chiefs and others else PLAIN
    gaps = {"units": ", ".join(others or chiefs), "leaders": ", ".join(chiefs), "leader": act.leader, "to": act.to}
    line = verb.lines[kind].format(**gaps, joined="+".join(sorted(units)))
    for clause in verb.clauses:
        if clause.clause in act.clauses:
            line += f" {clause.clause} {_named(table, clause, act.clauses[clause.clause])}"
    lines = [*(act.before.format(units=gaps["units"]).splitlines()), line]
    if table.choices.under and not verb.alone:
        lines.insert(0, table.choices.under.format(place=table.at[units[0]]))
    return "".join(f"{line}\n" for line in lines)


def _named(table: Table, clause: Clause, names: Sequence[str]) -> str:
    if clause.many == STACKS:
        places = dict.fromkeys(table.at[name] for name in names)
        return ", ".join("+".join(sorted(name for name in names if table.at[name] == place)) for place in places)
    return ", ".join(names if clause.many == SERIES else sorted(names))


def acts(table: Table) -> Iterator[Act]:
    """Each act of one unit, in every way that is offered; of two, where they are joined or help each other."""
    choices = table.choices
    for unit, offers in choices.offers.items():
        for verb in choices.verbs:
            for to in offers.get(verb.verb, ()):
                for act in _led(table, verb, unit, to):
                    yield act
                    yield from _with_clauses(table, act)
            for to, lines in choices.after.get(unit, {}).get(verb.verb, {}).items():
                yield from (Act(verb, (unit,), to, before=line) for line in lines)
    yield from _joined(table)
    yield from _helped(table)


def _led(table: Table, verb: Verb, unit: str, to: str) -> Iterator[Act]:
    if PLAIN in verb.lines:
        yield Act(verb, (unit,), to)
    if LED in verb.lines:
        for leader in table.choices.leads:
            leads = to in table.choices.offers.get(leader, {}).get("LED BY", ())
            if leads and table.at[leader] == table.at[unit]:
                yield Act(verb, (unit,), to, leader)


def _with_clauses(table: Table, act: Act) -> Iterator[Act]:
    """The act with each clause that it may have, by itself; then with all of them that may stand together."""
    whole: dict[str, tuple[str, ...]] = {}
    for clause in act.verb.clauses:
        for names in _may(table, act, clause):
            yield Act(act.verb, act.units, act.to, act.leader, {clause.clause: names})
            taken = {unit_id for other in clause.besides for unit_id in whole.get(other, ())}
            if taken.isdisjoint(names) and not {*clause.instead} & {*whole}:
                whole.setdefault(clause.clause, names)
    if len(whole) > 1:
        yield Act(act.verb, act.units, act.to, act.leader, whole)


def _may(table: Table, act: Act, clause: Clause) -> Iterator[tuple[str, ...]]:
    """What a clause may name in an act, one thing at a time, then all that it may name at once."""
    offers = table.choices.offers
    yield from ((word,) for word in clause.words)
    if clause.names == WAY:
        for way in table.choices.may(act.verb.verb, clause.clause, act.units[0], act.to):
            yield (way,)
        return
    who = [unit for unit in act.units if clause.clause in offers.get(unit, ())] if clause.names == DOER else []
    if clause.names == OTHER:
        who = [unit_id for unit_id, targets in offers.items() if act.to in targets.get(clause.clause, ())]
    yield from ((unit_id,) for unit_id in who)
    if clause.many != "one" and len(who) > 1:
        yield tuple(who)


def _joined(table: Table) -> Iterator[Act]:
    """Two of a place who do it as one, to where both may."""
    offers = table.choices.offers
    for verb in table.choices.verbs:
        able = [offer for offer in offers if JOINED in verb.lines and verb.verb in offers[offer]]
        for unit_id, other in combinations(able, 2):
            if table.at[unit_id] == table.at[other]:
                both = {*offers[unit_id][verb.verb]} & {*offers[other][verb.verb]}
                yield from (Act(verb, (unit_id, other), to, joined=True) for to in sorted(both))


def _helped(table: Table) -> Iterator[Act]:
    """All who could do together what not all of them could alone, under the best of them."""
    choices = table.choices
    for verb in choices.verbs:
        for to in sorted({to for targets in choices.helps.values() for to in targets.get(verb.verb, ())}):
            weak = [unit_id for unit_id, targets in choices.helps.items() if to in targets.get(verb.verb, ())]
            strong = [unit_id for unit_id, targets in choices.offers.items() if to in targets.get(verb.verb, ())]
            units = tuple(sorted((*weak, *strong)))
            leader = next(lead for lead in choices.leads if lead in units) if len(units) > 1 else ""
            yield Act(verb, units, to, leader)
