"""Events as sentences: what became a numbered happening of a report, and the lines of arithmetic below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.engine import deployment
from pbem.engine.commanders import telling as commanders
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.edits import CORRECTED
from pbem.engine.orders.speech import told as told_order
from pbem.engine.reasons import arithmetic, broken_off, choice_of
from pbem.engine.run.steps import BROKEN_OFF
from pbem.games.peninsular.apply import words_of
from pbem.games.peninsular.orders import spoken
from pbem.games.peninsular.shock import clash_of, made_of, mixed, worded
from pbem.games.peninsular.state import State
from pbem.games.peninsular.victory import SIDE_NAMES, over, taken, won

STATE_NAMES: Mapping[str, Msg] = {"normal": msg("steady"), "D": msg("disordered"), "DE": msg("routed")}
ORDER_NAMES: Mapping[str, Msg] = {
    "": msg("no order"),
    "NONE": msg("no order"),
    "ATTACK": msg("Attack"),
    "MANOEUVRE": msg("Manoeuvre"),
    "HOLD": msg("Hold"),
    "REORGANISE": msg("Reorganise"),
}
_FORMATIONS: Mapping[str, Msg] = {
    "formed": msg("formed"),
    "skirmish": msg("in skirmish order"),
    "square": msg("in square"),
}
Teller = Callable[[Data, State], Msg]


def entries(seen: Sequence[tuple[Event, State]]) -> tuple[Entry, ...]:
    """Return the happenings in order; what followed from one stands below it."""
    return tuple(entry for entry, _ in happenings(seen))


def happenings(seen: Sequence[tuple[Event, State]]) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
    """Return the happenings, each with the places of its events in `seen`."""
    out: list[list[int]] = []
    early: list[int] = []
    for place, (happened, _) in enumerate(seen):
        if happened.kind == "leads":
            early.append(place)
        elif happened.kind in _RUNS and out and _same_stack(seen, out[-1], place):
            out[-1].append(place)
        elif happened.kind in _HEADS:
            out.append([place, *early])
            early = []
        elif happened.kind in (*_EFFECTS, *_DETAILS) and out:
            out[-1].append(place)
    return tuple((_entry([seen[place] for place in places]), tuple(places)) for places in out)


def _entry(events: Sequence[tuple[Event, State]]) -> Entry:
    """A happening: its head and what came of it in one paragraph, dice and arithmetic below."""
    (head, before), rest = events[0], events[1:]
    text, details = _HEADS[head.kind](head.data, before), list(_extra(head))
    prizes = [_cited(line, head.cite) for line in won(before)] if head.kind == "victory" else []
    if head.kind == "shock":
        prizes, details = [*_strengths(head, before), *details], []
    sums = range(len(prizes)) if head.kind == "shock" else ()
    marched = [one for one in events if one[0].kind in _RUNS]
    if len(marched) > 1:
        text, rest = msg("{parts}.", parts=tuple(_marches(marched))), events[len(marched) :]
    effects: list[Msg] = []
    joined: list[int] = []
    for place, (happened, then) in enumerate(rest):
        if happened.kind in _EFFECTS and not _told_by_its_retreat(happened, rest[place + 1 :]):
            effects.append(_cited(_effect(happened, then), happened.cite))
        elif happened.kind in _DETAILS:
            details.append(_cited(_DETAILS[happened.kind](happened.data, then), happened.cite))
        if happened.kind == "test":
            effects += _tested(head, happened, then)
        extra = _extra(happened)
        if happened.kind in _DETAILS:
            joined += range(len(details), len(details) + len(extra))
        details += extra
        prizes += [_cited(line, "S14") for line in taken(happened, then)]
    if effects:
        text = msg("{head} {effects:A}.", head=text, effects=tuple(effects))
    elif head.kind == "fires":
        text = msg("{head} No effect.", head=text)
    kept, behind = tuple(range(len(prizes))), (*sums, *(len(prizes) + at for at in joined))
    told = bool(effects) or head.kind in _OUTCOMES
    return Entry(head.cite, text, (*prizes, *details), kept, told, behind)


def _strengths(shock: Event, before: State) -> tuple[Msg, ...]:
    """How the strengths of a shock came about."""
    clash = clash_of(shock.data, before)
    return tuple(made_of(clash)) if clash is not None else ()


def _marches(marched: Sequence[tuple[Event, State]]) -> Iterator[Msg]:
    """Say what a stack did on its march; the facing at the end of a way, and further ways, are said with the way."""
    first, before = marched[0]
    for happened, then in marched[1:]:
        same = first.kind == "moves" and happened.data.get("units") == first.data["units"]
        if same and happened.kind == "faces":
            first = first._replace(data={**first.data, "facing": happened.data["facing"]})
        elif same and happened.kind == "moves":
            first = happened._replace(data={**happened.data, "from": first.data["from"]})
        else:
            yield _RUNS[first.kind](first.data, before)
            first, before = happened, then
    yield _RUNS[first.kind](first.data, before)


def ways(events: Sequence[Event]) -> tuple[Msg, ...]:
    """Return the way of each move among the events, hex by hex."""
    moves = (happened.data for happened in events if happened.kind == "moves")
    return tuple(msg("way: {path}", path=" ".join((data["from"], *data["path"]))) for data in moves)


def _effect(happened: Event, then: State) -> Msg:
    """What came of it; of what is eliminated, why."""
    told = _EFFECTS[happened.kind](happened.data, then)
    if happened.kind != "eliminated":
        return told
    return msg("{text}: {why}", text=told, why=_LOST_BECAUSE[happened.cite])


_LOST_BECAUSE: Mapping[str, Msg] = {
    "T5": msg("unlimbered guns cannot retreat"),
    "T6": msg("unlimbered guns cannot retreat with their stack"),
    "S6": msg("unlimbered guns are lost when they are routed"),
    "S12": msg("no way to retreat"),
}
"""By the rule under which a counter is eliminated that has not lost all its PF."""


def _told_by_its_retreat(happened: Event, after: Sequence[tuple[Event, State]]) -> bool:
    """Whether somebody gives way who is told a moment later to retreat, or to be lost for want of a way."""
    return happened.kind == "gives way" and any(
        one.kind in ("retreats", "eliminated") and happened.data["unit"] in one.data["units"] for one, _ in after
    )


def _tested(head: Event, test: Event, then: State) -> Iterator[Msg]:
    """Who passes a test; who charges no more because of it (S6)."""
    if test.data["cell"] == "SE":
        yield _cited(msg("{unit} passes its test", unit=test.data["unit"]), test.cite)
    elif does_not_charge(head, test, then):
        yield _cited(msg("{unit} does not charge", unit=test.data["unit"]), "S6")


def does_not_charge(head: Event, test: Event, then: State) -> bool:
    """S6 Whether a test was failed before a charge, which so is off; `head` is the happening that it follows."""
    unit = then.units.get(test.data["unit"])
    return test.data["cell"] != "SE" and unit is not None and bool(unit.charge) and head.kind not in _FOUGHT


_FOUGHT = frozenset(("fires", "shock", "no shock", "rally", "division"))
"""Happenings that come after the tests before a charge (S1)."""


def _cited(text: Msg, rule: str) -> Msg:
    return msg("{text} [{rule}]", text=text, rule=rule)


def _same_stack(seen: Sequence[tuple[Event, State]], places: Sequence[int], now: int) -> bool:
    """Return whether a movement is by the stack that the happening at `places` tells of, in the hex it has come to."""
    (happened, then), (last, before) = seen[now], seen[places[-1]]
    if any(seen[at][0].kind not in _RUNS for at in places) or happened.data["side"] != last.data["side"]:
        return False
    if happened.kind == "moves":
        return last.kind == "moves" and last.data["units"] == happened.data["units"]
    hexes = {then.units[ident].at for ident in _of_run(happened) if ident in then.units}
    ours = {before.units[ident].at for ident in _of_run(last) if ident in before.units}
    return hexes == ({last.data["to"]} if last.kind == "moves" else ours)


def _of_run(happened: Event) -> Sequence[str]:
    """Return the counters that a movement is of."""
    return happened.data["units"] if "units" in happened.data else (happened.data["unit"],)


def _extra(happened: Event) -> tuple[Msg, ...]:
    """The arithmetic under a line, and the standing order behind it if the reader may know."""
    return (*arithmetic(worded(happened.data.get("modifiers", ()))), *choice_of(happened.data))


_KEYS = {"hex": "at", "start": "from", "foes": "defenders"}
"""Gaps of sentences that are filled by what stands under another name in an event."""
_GAP = re.compile(r"\{(\w+)\}")


def _filled(sentence: Msg, data: Data, **more: object) -> Msg:
    """Fill the gaps of a sentence with what the event holds under their names, but for those that are given."""
    gaps = {gap: data[_KEYS.get(gap, gap)] for gap in _GAP.findall(sentence.text) if gap not in more}
    return msg(sentence.text, **{gap: tuple(v) if isinstance(v, list) else v for gap, v in gaps.items()}, **more)


def _says(sentence: Msg) -> Teller:
    """Tell an event by one sentence."""
    return lambda data, before: _filled(sentence, data)


def _read(chart: str, sentence: Msg) -> Teller:
    """Tell a roll on a chart: `effect` is what the chart's legend says of the cell."""
    return lambda data, before: _filled(sentence, data, effect=Msg(before.edition.chart(chart).legend[data["cell"]]))


def _ordered(data: Data, before: State) -> Msg:
    words = ORDER_NAMES[data["order"]]
    if data["now"]:
        return msg("Division {division}: {order}, in force now.", division=data["division"], order=words)
    return msg("Division {division}: {order}, from next turn.", division=data["division"], order=words)


def _fronted(data: Data, before: State) -> bool:
    """S3 Whether anybody of those who go has a front: commanders and skirmishers have none."""
    return any(ident in before.units and before.units[ident].faces for ident in data["units"])


def _forms(data: Data, before: State) -> Msg:
    return msg("{unit} is now {formation}.", unit=data["unit"], formation=_FORMATIONS[data["formation"]])


def _limbers(data: Data, before: State) -> Msg:
    return _filled(msg("{unit} limbers.") if data["limbered"] else msg("{unit} unlimbers."), data)


def _shock(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    told = msg(
        "Shock at {hex}, {units} against {foes}: {a} to {b}, column {column}; die {die}, with modifiers {total}: "
        "{cell}, {effect}."
    )
    effect = Msg(before.edition.chart("shock").legend[data["cell"]])
    return _filled(told, data, units=tuple(data["attackers"]), a=mixed(attack), b=mixed(defence), effect=effect)


def _no_shock(data: Data, before: State) -> Msg:
    attack, defence = data["strengths"]
    told = msg("{units} {units:|does|do} not assault {hex}: {a} to {b} is below 1 to 4.")
    return _filled(told, data, units=tuple(data["attackers"]), a=mixed(attack), b=mixed(defence))


def _rally(data: Data, before: State) -> Msg:
    """S10 What came of it: what T2 calls a disorder leaves things as they are here."""
    state = before.units[data["unit"]].state if data["unit"] in before.units else ""
    if data["cell"] == "SE":
        result = msg("it rallies")
    elif data["cell"] == "DE" and state == "D":
        result = msg("it fails")
    else:
        result = msg("it fails, and stays {state}", state=STATE_NAMES.get(state, Msg(state)))
    told = msg("{unit} tries to rally: die {die}, with modifiers {total}, column {column}: {result}.")
    return _filled(told, data, result=result)


def _loses(data: Data, before: State) -> Msg:
    some, all_of_it = msg("{unit} loses {pf} PF, {left} left"), msg("{unit} loses {pf} PF and is eliminated")
    return _filled(some if data["left"] else all_of_it, data)


def _thrown(data: Data, before: State) -> Msg:
    fate = msg("he is lost") if data["lost"] else msg("he is unharmed")
    return _filled(msg("{unit} is under fire: the dice show {dice}, {fate}"), data, fate=fate)


def arrived(data: Data, before: State) -> Msg:
    """S1 Who has come, and where."""
    places = zip(data["units"], data["counters"], strict=True)
    units = tuple(msg("{unit} in {hex}", unit=ident, hex=at) for ident, (_, at) in places)
    return msg("{name} arrives: {units}.", name=data["name"], units=units)


def _refused(data: Data, before: State) -> Msg:
    return _filled(
        msg("Not carried out: {order}: {why}."),
        data,
        order=told_order(data["order"], spoken),
        why=Msg.from_json(data["why"]),
    )


def _points(data: Data, before: State) -> Msg:
    (first, one), (second, two) = data["points"].items()
    return msg("Victory points: {one} {a}, {two} {b}.", one=SIDE_NAMES[first], a=one, two=SIDE_NAMES[second], b=two)


_HEADS: Mapping[str, Teller] = {
    **deployment.heads(SIDE_NAMES),
    "ordered": _ordered,
    "moves": lambda d, s: msg("{text}.", text=_went(d, s)),
    "forms": _forms,
    "limbers": _limbers,
    "faces": _says(msg("{units} {units:|turns|turn} to {facing}.")),
    "assault": _says(msg("{units} will assault {hex}, led by {unit}.")),
    "charge": _says(msg("{units} will charge {hex}, led by {unit}.")),
    "fires": _says(msg("{unit} fires at {hex}, fire points {points}.")),
    "shock": _shock,
    "no shock": _no_shock,
    "rally": lambda data, before: _rally(data, before),
    "division": _read(
        "division",
        msg("Division {division} tests its morale: die {die}, with modifiers {total}, column {column}: {effect}."),
    ),
    "rested": _says(msg("{unit} has rested.")),
    "replaced": _says(msg("A new commander takes over from {unit} in {hex}.")),
    "arrival": _says(msg("{name} is awaited: die {die}, needed {needs} or more.")),
    "arrives": arrived,
    "no room": _says(msg("{name} finds no room and waits.")),
    "victory": _points,
    "game over": lambda d, s: over(d),
    "not carried out": _refused,
    "breaks off": lambda d, s: broken_off(d, spoken),
    CORRECTED: lambda d, s: words_of(d, {**STATE_NAMES, **_FORMATIONS}),
    **commanders.HEADS,
}
"""Kinds of event that are told as a numbered happening."""


def _went(data: Data, before: State) -> Msg:
    """Say where a stack went, and the front of those who have one; WHY tells the way."""
    told = (
        msg("{units}: {start} to {to}, facing {facing}") if _fronted(data, before) else msg("{units}: {start} to {to}")
    )
    return _filled(told, data)


_RUNS: Mapping[str, Teller] = {
    "moves": _went,
    "faces": lambda d, s: msg("{units} facing {facing}", units="+".join(d["units"]), facing=d["facing"]),
    "forms": lambda d, s: msg("{unit} {formation}", unit=d["unit"], formation=_FORMATIONS[d["formation"]]),
    "limbers": lambda d, s: (
        msg("{unit} limbered", unit=d["unit"]) if d["limbered"] else msg("{unit} unlimbered", unit=d["unit"])
    ),
}
"""Kinds of event that are told together when they follow one another: what each says in such a row."""

_DETAILS: Mapping[str, Teller] = {
    "volley": _read(
        "fire", msg("{unit} at {target}: die {die}, with modifiers {total}, column {column}: {cell}, {effect}")
    ),
    "test": _read("will", msg("{unit} tests its will: die {die}, with modifiers {total}, column {column}: {effect}")),
    "commander throws": _thrown,
    "control": _read("control", msg("{unit}: control, die {die}, with modifiers {total}, column {column}: {effect}")),
}
"""Kinds of event that are told below the happening before them: dice and what was read."""

_EFFECTS: Mapping[str, Teller] = {
    "shaken": _says(msg("{unit} is disordered")),
    "routed": _says(msg("{unit} is routed")),
    "halted": _says(msg("{units} {units:|is|are} halted")),
    "no fire": _says(msg("{unit} may not fire in the next turn")),
    "gives way": _says(msg("{unit} gives way by {hexes}")),
    "retreats": _says(msg("{units} {units:|retreats|retreat} from {start} to {to}")),
    "withdraws": _says(msg("{units} {units:|goes back|go back} from {start} to {to}")),
    "follows": _says(msg("{units} {units:|goes along|go along} from {start} to {to}")),
    "advances": _says(msg("{units} {units:|advances|advance} from {start} to {to}")),
    "pursues": _says(msg("{units} {units:|rides on|ride on} from {start} to {to}")),
    "stands": _says(msg("{unit} does not advance")),
    "leads": _says(msg("{unit} leads the defence")),
    "loses": _loses,
    "eliminated": _says(msg("{units} {units:|is|are} eliminated")),
    "captured": _says(msg("{units} {units:|is|are} captured")),
    "commander lost": _says(msg("the commander {unit} has fallen")),
    "spent": _says(msg("{unit} is spent")),
    "fatigue": _says(msg("{unit}: fatigue {level}")),
    "rallies": lambda d, s: msg("{unit} is now {state}", unit=d["unit"], state=STATE_NAMES[d["state"]]),
    "falls back": _says(msg("division {division} gives ground, each of its counters a hex")),
}
"""Kinds of event that tell what came of the happening before them."""

_OUTCOMES = frozenset(
    (
        "shock",
        "no shock",
        "rally",
        "division",
        "replaced",
        "arrival",
        "arrives",
        "no room",
        "victory",
        "game over",
        "not carried out",
        BROKEN_OFF,
        CORRECTED,
        *deployment.KINDS,
        *commanders.KINDS,
        *_RUNS,
        "ordered",
    )
)
"""Kinds of event that tell an outcome by themselves: they stay in a letter however short it has to be."""
