"""Events as sentences: what became a numbered happening of a report, and the lines of arithmetic below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.engine import couriers, deployment
from pbem.engine.commanders import telling as commanders
from pbem.engine.couriers import ARRIVES, Hearsay
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.edits import CORRECTED
from pbem.engine.orders.speech import told as told_order
from pbem.engine.reasons import Teller, arithmetic, broken_off, choice_of, says
from pbem.engine.run.steps import BROKEN_OFF
from pbem.games.africa1860.apply import told
from pbem.games.africa1860.grammar import spoken
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit
from pbem.games.africa1860.view import UNSEEN, sight


def coins(label: str, before: State, modifiers: Sequence[Sequence[Any]]) -> tuple[Msg, ...]:
    """C6 Return where the coins of a fire come from, where steps count instead of fire, or one falls at least."""
    firers = label.partition("/fire ")[2].partition(" > ")[0].split("+")
    if any(ident not in before.units for ident in firers):
        return ()
    units = [before.units[ident] for ident in firers]
    thrown = sum(min(unit.fire, unit.steps) for unit in units) + sum(row[1] for row in modifiers)
    if thrown > 0 and all(unit.steps >= unit.fire for unit in units):
        return ()
    told, more = tuple(map(_each, units)), "".join(f"{row[1]:+d}" for row in modifiers)
    if not more:
        return (msg("coins: {units}", units=told),)
    if thrown < 1:
        return (msg("coins: {units}; with {more} one at least", units=told, more=more),)
    return (msg("coins: {units}; with {more} it is {n}", units=told, more=more, n=thrown),)


def _each(unit: Unit) -> Msg:
    if unit.steps < unit.fire:
        return msg("{unit} {n} by its steps (fire {fire})", unit=unit.id, n=unit.steps, fire=unit.fire)
    return msg("{unit} {n}", unit=unit.id, n=unit.fire)


def with_modifiers(value: int, modifiers: Sequence[Sequence[Any]]) -> str:
    """C7 Return what the modifiers make of a sum, `+1-1 = 6`; nothing where there are none."""
    if not modifiers:
        return ""
    values = [row[1] for row in modifiers]
    return f"{''.join(f'{one:+d}' for one in values)} = {value + sum(values)}"


# M6 What a courier brought, line by line: who was where, who fell, what was fought, what was ordered.
#
# And fire of which a command sees one end alone.


def dispatch(data: Data, before: State) -> tuple[Msg, ...]:
    """Return the lines of a report that arrives; of what its reader sees himself, or saw later, nothing is told."""
    known = before.known or Hearsay()
    seen = sight(before, data["to"]) | {one.place for one in known.seen if one.when >= data["when"]}
    places = [(place, [Unit(*row) for row in rows]) for place, rows in data["places"] if place not in seen]
    lines = [_held(place, units) for place, units in places if units]
    if empty := tuple(place for place, units in places if not units):
        lines.append(msg("nobody in {spaces}", spaces=empty))
    if gone := tuple(ident for ident in data["gone"] if ident not in before.gone):
        lines.append(msg("out of play: {units}", units=gone))
    lines += [line for one in data["news"] for line in _news(one)]
    return tuple(lines) or (msg("nothing new to you"),)


def _held(place: str, units: Sequence[Unit]) -> Msg:
    """``Mochilas held by Morocco: 2 IL (5 steps)``."""
    side = SIDE_NAMES[units[0].side]
    kinds = Counter(unit.code for unit in units if not unit.is_leader)
    leaders = tuple(unit.id for unit in units if unit.is_leader)
    parts: list[Msg | str] = [
        msg("{n} {code}", n=n, code=msg("{code}", code=code)) for code, n in sorted(kinds.items(), key=_foot_first)
    ]
    steps = sum(unit.steps for unit in units if not unit.is_leader)
    told = msg("{place} held by {side}: {force}", place=place, side=side, force=(*parts, *leaders))
    return msg("{told} ({steps} {steps:|step|steps})", told=told, steps=steps) if steps else told


def _foot_first(one: tuple[str, int]) -> int:
    return ("IR", "NZ", "IL", "CAB", "ART", "CNV").index(one[0])


def _news(one: Sequence[str]) -> Iterable[Msg]:
    kind, *words = one
    if kind == "fight":
        target, origin, winner = words
        yield msg(
            "{space} was assaulted from {origin}: {side} won.", space=target, origin=origin, side=SIDE_NAMES[winner]
        )
    elif kind == "set":
        yield from (msg("ordered: {order}", order=told_order(line, spoken)) for line in words)


def gone(data: Data) -> Msg | None:
    """Who went where a command does not see; None if it is seen."""
    return msg("out of sight: {units}", units=tuple(data["units"])) if data["to"] == UNSEEN else None


def fire(data: Data) -> Msg:
    """Who fires at whom, as far as it is seen."""
    if data["firers"] == [UNSEEN]:
        return msg("Fire from out of sight at {target}.", target=data["target"])
    if data["target"] == UNSEEN:
        return msg("Fire of {firers} at somebody out of sight.", firers=tuple(data["firers"]))
    return msg("Fire of {firers} at {target}.", firers=tuple(data["firers"]), target=data["target"])


def entries(seen: Sequence[tuple[Event, State]]) -> tuple[Entry, ...]:
    """Return the happenings in order; moves along the same way are told as one, losses under what caused them."""
    return tuple(entry for entry, _ in happenings(seen))


def happenings(seen: Sequence[tuple[Event, State]]) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
    """Return the happenings, each with the places of its events in `seen`."""
    told = _Told()
    last: tuple[str, str, str] | None = None
    for place, (happened, before) in enumerate(seen):
        data = happened.data
        way = (happened.kind, data.get("from", ""), data.get("to", "")) if happened.kind == "moves" else None
        if way is not None and way == last:
            told.more_units(place, data["units"])
        elif happened.kind in _HEADS:
            mine = (data.get("unit", ""),) if happened.kind in ("intercepts", "sallies") else ()
            below = dispatch(data, before) if happened.kind == ARRIVES else _extra(happened)
            told.head(place, happened, _HEADS[happened.kind](data, before), below, mine)
        elif happened.kind in _DETAILS:
            line = msg("{text} [{rule}]", text=_DETAILS[happened.kind](data, before), rule=happened.cite)
            lines = (line, *_coins(happened, before), *_extra(happened))
            # The strengths of both sides are one sum.
            behind = happened.kind == "strength" and place > 0 and seen[place - 1][0].kind == "strength"
            behind = behind or happened.kind in _WHO
            if happened.kind == "volley" and data["cell"] == "none":
                told.without_effect()
            told.below(place, lines, outcome=happened.kind in _OUTCOMES or told.stood(happened), behind=behind)
        elif happened.kind == "marked":
            told.behind[tuple(data["units"])] = place, _extra(happened)
        last = way if way is not None else (last if happened.kind == "marked" else None)
    told.settle()
    return tuple((entry, tuple(places)) for entry, places in zip(told.entries, told.places, strict=True))


class _Told:
    """Happenings as they grow."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fires = False
        self.places: list[list[int]] = []
        # Who reacts is marked before his act is told: the standing order behind it belongs to the act.
        self.behind: dict[tuple[str, ...], tuple[int, tuple[Msg, ...]]] = {}

    def head(self, place: int, happened: Event, text: Msg, extra: Iterable[Msg], mine: tuple[str, ...]) -> None:
        """Begin a happening; `mine` are the units whose marks belong to it."""
        marked = self.behind.pop(mine, None)
        self.settle()
        before, why = marked or (place, ())
        self.fires = happened.kind == "fires"
        self.entries.append(Entry(happened.cite, text, (*why, *extra), outcome=happened.kind in _OUTCOMES))
        self.places.append(sorted({before, place}))

    def below(self, place: int, lines: Iterable[Msg], outcome: bool = False, behind: bool = False) -> None:
        """Add lines below the last happening, if there is one; the first of them may tell what came of it, or belong
        to those before it."""
        if self.entries:
            last = self.entries[-1]
            begin, details = len(last.details), (*last.details, *lines)
            kept = (*last.kept, begin) if outcome else last.kept
            joined = (*last.joined, *range(begin + (not behind), len(details)))
            self.entries[-1] = last._replace(details=details, kept=kept, joined=joined)
            self.places[-1].append(place)

    def without_effect(self) -> None:
        """Say of fire that nothing comes of it."""
        if self.fires:
            self.entries[-1] = self.entries[-1]._replace(text=msg("{head} No effect.", head=self.entries[-1].text))

    def stood(self, happened: Event) -> bool:
        """Whether an event tells what came of fire by which nothing is lost: who was checked for it holds."""
        return self.fires and happened.kind == "check" and bool(happened.data["passed"])

    def more_units(self, place: int, ids: Iterable[str]) -> None:
        """Let more units go the way of the last happening."""
        text, units = self.entries[-1].text, dict(self.entries[-1].text.args)["units"]
        text = msg(text.text, **{**dict(text.args), "units": (*units, *ids)})
        self.entries[-1] = self.entries[-1]._replace(text=text)
        self.places[-1].append(place)

    def settle(self) -> None:
        """What marks wait for no act of their own belongs to the happening before."""
        for place, lines in self.behind.values():
            self.below(place, lines)
        self.behind.clear()


def _extra(happened: Event) -> tuple[Msg, ...]:
    """The arithmetic under a line, and the standing order behind it if the reader may know."""
    told = happened.data["modifiers"] if happened.kind in ("volley", "recovery", "strength") else ()
    return (*arithmetic(told), *choice_of(happened.data))


def _coins(happened: Event, before: State) -> tuple[Msg, ...]:
    return coins(happened.data["label"], before, happened.data["modifiers"]) if happened.kind == "volley" else ()


def _list(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(ids)


def _side(data: Data) -> Msg:
    return SIDE_NAMES[data["side"]]


def _activates(data: Data, before: State) -> Msg:
    return msg("{side} activates {space}.", side=_side(data), space=data["space"])


def _breaks(data: Data, before: State) -> Msg:
    return msg(
        "{side} breaks: {lost} of {steps} steps are lost. From its next phase on it neither assaults nor charges.",
        side=_side(data),
        lost=data["lost"],
        steps=data["steps"],
    )


def _moves(data: Data, before: State) -> Msg:
    return msg("{units}: from {start} to {to}.", units=_list(data["units"]), start=data["from"], to=data["to"])


def _target(data: Data, before: State) -> Msg:
    if len(data["of"]) == 1:
        return msg("Fire at {space}: only {unit} is there.", space=data["space"], unit=data["unit"])
    return msg(
        "Fire at {space}: the die shows {die}, and of {units} it is {unit}.",
        space=data["space"],
        die=data["die"],
        units=_list(data["of"]),
        unit=data["unit"],
    )


def _volley(data: Data, before: State) -> Msg:
    legend = before.edition.chart("fire").legend[data["cell"]]
    return msg(
        "coins {coins}: heads {heads}, the chart reads {cell}: {effect}",
        coins=" ".join(str(coin) for coin in data["coins"]),
        heads=data["heads"],
        cell=data["cell"],
        effect=Msg(legend),
    )


def _check(data: Data, before: State) -> Msg:
    words = msg("holds") if data["passed"] else msg("fails")
    return msg(
        "{unit} checks morale: {die} against {morale}+{bonus}, {result}",
        unit=data["unit"],
        die=data["die"],
        morale=data["morale"],
        bonus=data["bonus"],
        result=words,
    )


def _loses(data: Data, before: State) -> Msg:
    if not data["left"]:
        return msg("{unit} loses {steps} and is eliminated", unit=data["unit"], steps=data["steps"])
    return msg("{unit} loses {steps}, {left} left", unit=data["unit"], steps=data["steps"], left=data["left"])


def _assault(data: Data, before: State) -> Msg:
    fight = data["fight"]
    kind, origin, target, stack = fight[1], fight[3], fight[4], fight[5]
    if kind == "assault":
        return msg("Assault on {space} from {origin}: {units}.", units=_list(stack), space=target, origin=origin)
    return msg("Charge into {space} from {origin}: {units}.", units=_list(stack), space=target, origin=origin)


def _vanguard(data: Data, before: State) -> Msg:
    if not data["unit"]:
        return msg("{side} has no vanguard left", side=_side(data))
    return msg("{side}: vanguard {unit}", side=_side(data), unit=data["unit"])


def _charge(data: Data, before: State) -> Msg:
    units, dice, factors, totals = data["units"], data["dice"], data["factors"], data["totals"]
    return msg(
        "{a} charges {b}: {x}+{p} = {m} against {y}+{q} = {n}; {winner} wins.",
        a=units[0],
        b=units[1],
        x=dice[0],
        y=dice[1],
        p=factors[0],
        q=factors[1],
        m=totals[0],
        n=totals[1],
        winner=data["winner"],
    )


def _strength(data: Data, before: State) -> Msg:
    return msg(
        "{side}: die {die}, {unit} {factor}, leader {bonus}, in all {total}",
        side=_side(data),
        die=data["die"],
        unit=data["unit"],
        factor=data["factor"],
        bonus=data["bonus"],
        total=data["total"],
    )


def _shock(data: Data, before: State) -> Msg:
    return msg("attacker {a}, defender {b}: {side} wins", a=data["totals"][0], b=data["totals"][1], side=_side(data))


def _losses(data: Data, before: State) -> Msg:
    return msg(
        "{side} loses steps: {half} (half the steps) + {dice} (dice) = {steps}",
        side=_side(data),
        half=data["half"],
        dice=data["dice"],
        steps=data["steps"],
    )


def _gives_way(data: Data, before: State) -> Msg:
    return msg("{side} gives up {space}.", side=_side(data), space=data["space"])


def _goes(sentence: Msg) -> Teller:
    """A sentence about units and a space they go to."""
    return lambda data, before: gone(data) or msg(sentence.text, to=data["to"], units=_list(data["units"]))


def _returns(data: Data, before: State) -> Msg:
    if not data["units"]:
        return msg("Nobody is left to go back to {to}.", to=data["to"])
    return msg("Back to {to}: {units}.", to=data["to"], units=_list(data["units"]))


def _refused(data: Data, before: State) -> Msg:
    return msg(
        "Not carried out: {order}. {why}.", order=told_order(data["order"], spoken), why=Msg.from_json(data["why"])
    )


def _recovery(data: Data, before: State) -> Msg:
    words = msg("recovers") if data["passed"] else msg("stays demoralised")
    return msg(
        "{unit} tries to recover: {die} against {morale}+{bonus}{more}, {result}.",
        unit=data["unit"],
        die=data["die"],
        morale=data["morale"],
        bonus=data["bonus"],
        more=with_modifiers(data["morale"] + data["bonus"], data["modifiers"]),
        result=words,
    )


def _victory(data: Data, before: State) -> Msg:
    points = data["points"]
    return msg("Victory points: Spain {spain}, Morocco {morocco}.", spain=points["spain"], morocco=points["morocco"])


def over(data: Data, before: State) -> Msg:
    """Who has won."""
    winner = data["winner"]
    if winner == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} wins.", side=SIDE_NAMES[winner])


def _waits(data: Data, before: State) -> Msg:
    if before.holder(data["space"]) == data["side"]:
        return msg("Reinforcements wait: there is no room for them in {space}.", space=data["space"])
    return msg("Reinforcements wait: {space} is held by the enemy.", space=data["space"])


def _intercepts(data: Data, before: State) -> Msg:
    if data["how"] == "CHARGE":
        return msg("{unit} intercepts at {space} with a charge.", unit=data["unit"], space=data["space"])
    return msg("{unit} intercepts at {space} with a caracole.", unit=data["unit"], space=data["space"])


def _leader(data: Data, before: State) -> Msg:
    legend = before.edition.chart("leader").legend[data["cell"]]
    return msg("{unit} has won and throws {die}: {fate}", unit=data["unit"], die=data["die"], fate=Msg(legend))


def _captured(data: Data, before: State) -> Msg:
    return msg("{side} captures {units}", side=_side(data), units=_list(data["units"]))


def _eliminated(data: Data, before: State) -> Msg:
    return msg("no way out, eliminated: {units}", units=_list(data["units"]))


_HEADS: Mapping[str, Teller] = {
    **deployment.heads(SIDE_NAMES),
    "activates": _activates,
    "moves": _moves,
    "target": _target,
    "fires": lambda d, s: fire(d),
    "assault": _assault,
    "charge": _charge,
    "dice": lambda d, s: msg("Shock: {a} against {b}.", a=d["dice"][0], b=d["dice"][1]),
    "intercepts": _intercepts,
    "caracoles": lambda d, s: msg("Caracole at {space}: {units}.", space=d["space"], units=_list(d["units"])),
    "sallies": lambda d, s: msg("{unit} caracoles at {target}.", unit=d["unit"], target=d["target"]),
    "gives way": _gives_way,
    "returns": _returns,
    "falls back": _goes(msg("Fall back to {to}: {units}.")),
    "recovery": _recovery,
    "enters": lambda d, s: msg("Enters at {space}: {unit}.", unit=d["id"], space=d["space"]),
    "waits": _waits,
    "no way in": says(msg("The successor of {unit} finds no free space and waits a turn.")),
    "breaks": _breaks,
    "victory": _victory,
    "game over": over,
    "not carried out": _refused,
    "breaks off": lambda d, s: broken_off(d, spoken),
    CORRECTED: lambda d, s: told(d),
    **commanders.HEADS,
    **couriers.HEADS,
}
"""Kinds of event that are told as a numbered happening."""

_DETAILS: Mapping[str, Teller] = {
    "volley": _volley,
    "check": _check,
    "loses": _loses,
    "demoralised": says(msg("{unit} is demoralised")),
    "casualty": says(msg("{unit} is a casualty")),
    "leads": says(msg("{unit} leads")),
    "vanguard": _vanguard,
    "screen": lambda d, s: msg("{side}: screen {unit}", side=_side(d), unit=d["unit"]),
    "rejoins": says(msg("{unit} rejoins its stack")),
    "stays": says(msg("{unit} was activated already and stays")),
    "opposed": says(msg("{unit} meets it")),
    "detached": says(msg("{unit} is detached to meet it")),
    "meets": says(msg("{unit} meets it")),
    "strength": _strength,
    "shock": _shock,
    "losses": _losses,
    "captured": _captured,
    "retreats": _goes(msg("retreat to {to}: {units}")),
    "eliminated": _eliminated,
    "occupies": _goes(msg("{to} is occupied: {units}")),
    "leader throws": _leader,
}
"""Kinds of event that are told below the happening before them."""

_WHO = frozenset(("leads", "vanguard", "screen"))
"""Kinds of event that say who fights, not what came of it."""

_OUTCOMES = frozenset(
    (
        "loses",
        "demoralised",
        "casualty",
        "leads",
        "shock",
        "captured",
        "retreats",
        "eliminated",
        "occupies",
        "leader throws",
        "vanguard",
        "screen",
        "moves",
        "caracoles",
        "charge",
        "gives way",
        "returns",
        "falls back",
        "recovery",
        "enters",
        "waits",
        "breaks",
        "victory",
        "game over",
        "not carried out",
        BROKEN_OFF,
        CORRECTED,
        *deployment.KINDS,
        *commanders.KINDS,
        *couriers.HEADS,
    )
)
"""Kinds of event that tell what came of something: they stay in a letter however short it has to be."""
