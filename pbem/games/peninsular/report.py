"""The report of a seat: what happened line by line, what came of it in a few lines, the map, the counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.engine import deployment
from pbem.engine.commanders import telling as commanders
from pbem.engine.commanders.telling import block as commands
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Entry, Report, Table
from pbem.engine.data.stakes import situation, uneventful
from pbem.engine.deployment import DEPLOYMENT
from pbem.engine.deployment import blocks as zones
from pbem.engine.edits import CORRECTED
from pbem.engine.orders.speech import order_text as told_order
from pbem.engine.reasons import Teller, arithmetic, broken_off, choice_of, fill_gaps
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular import assault, cavalry, end_phase, fire, morale, movement, shock, victory
from pbem.games.peninsular.apply import words_of
from pbem.games.peninsular.assault import does_not_charge
from pbem.games.peninsular.edition import SIDE_NAMES, camp
from pbem.games.peninsular.end_phase import tell_arrival
from pbem.games.peninsular.morale import LOST_BECAUSE
from pbem.games.peninsular.movement import RUNS
from pbem.games.peninsular.orders import spoken
from pbem.games.peninsular.picture import rows, signs
from pbem.games.peninsular.shock import all_gone, strengths_in_words, sum_up, worded
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import FORMATION_NAMES, NORMAL, ORDER_NAMES, STATE_NAMES, Unit
from pbem.games.peninsular.victory import Seen, over, stakes, taken, won, wording

# Events as happenings: numbered lines, with what came of them and the dice below.


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
        elif happened.kind in RUNS and out and _same_stack(seen, out[-1], place):
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
        details = [*strengths_in_words(head, before), *details]
    marched = [one for one in events if one[0].kind in RUNS]
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
    kept, behind = tuple(range(len(prizes))), tuple(len(prizes) + at for at in joined)
    told = bool(effects) or head.kind not in _ANNOUNCED
    return Entry(head.cite, text, (*prizes, *details), kept, told, behind)


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
            yield RUNS[first.kind](first.data, before)
            first, before = happened, then
    yield RUNS[first.kind](first.data, before)


def _effect(happened: Event, then: State) -> Msg:
    """What came of it; of what is eliminated, why."""
    told = _EFFECTS[happened.kind](happened.data, then)
    if happened.kind != "eliminated":
        return told
    return msg("{text}: {why}", text=told, why=LOST_BECAUSE[happened.cite])


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


def _cited(text: Msg, rule: str) -> Msg:
    return msg("{text} [{rule}]", text=text, rule=rule)


def _same_stack(seen: Sequence[tuple[Event, State]], places: Sequence[int], now: int) -> bool:
    """Return whether a movement is by the stack that the happening at `places` tells of, in the hex it has come to."""
    (happened, then), (last, before) = seen[now], seen[places[-1]]
    if any(seen[at][0].kind not in RUNS for at in places) or happened.data["side"] != last.data["side"]:
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


def _refused(data: Data, before: State) -> Msg:
    return fill_gaps(
        msg("Not carried out: {order}: {why}."),
        data,
        order=told_order(data["order"], spoken),
        why=Msg.from_json(data["why"]),
    )


_HEADS: Mapping[str, Teller] = {
    **deployment.heads(SIDE_NAMES),
    **commanders.HEADS,
    **movement.HEADS,
    **assault.HEADS,
    **fire.HEADS,
    **shock.HEADS,
    **end_phase.HEADS,
    **victory.HEADS,
    "not carried out": _refused,
    "breaks off": lambda d, s: broken_off(d, spoken),
    CORRECTED: lambda d, s: words_of(d, {**STATE_NAMES, **FORMATION_NAMES}),
}
"""Kinds of event that are told as a numbered happening."""

_ANNOUNCED = frozenset(("assault", "charge", "fires", "rested", "victory"))
"""Those of them that tell no outcome by themselves: a letter that has to be short leaves them out."""

_DETAILS: Mapping[str, Teller] = {**fire.DETAILS, **cavalry.DETAILS, **morale.DETAILS}
"""Kinds of event that are told below the happening before them: dice and what was read."""

_EFFECTS: Mapping[str, Teller] = {
    **fire.EFFECTS,
    **shock.EFFECTS,
    **cavalry.EFFECTS,
    **morale.EFFECTS,
    **end_phase.EFFECTS,
}
"""Kinds of event that tell what came of the happening before them."""


def came_of(seen: Seen) -> list[Msg]:
    """Return a line for each shock, each division that gave way, each rout and loss besides, each commander who fell,
    each group that came; first what fire cost."""
    lines: list[Msg] = []
    shot: dict[str, int] = {}
    for _, places in happenings(seen):
        told = [seen[place] for place in sorted(places)]
        first = seen[places[0]][0]
        for happened, before in told:
            data = happened.data
            if happened.kind == "shock":
                lines.append(sum_up(happened, before, told))
            elif happened.kind == "loses" and first.kind == "fires":
                shot[data["unit"]] = shot.get(data["unit"], 0) + data["pf"]
            elif happened.kind in _ONE_LINE:
                lines.append(_ONE_LINE[happened.kind](data))
            elif happened.kind == "falls back":
                lines.append(_division(msg("Division {division} gave ground: {units}."), data["division"], told))
            elif happened.kind == "arrives":
                lines.append(tell_arrival(data, before))
            elif happened.kind == "test" and does_not_charge(first, happened, before):
                lines.append(msg("{unit} did not charge: it failed its test.", unit=data["unit"]))
        lines += _fates(told, fought=first.kind == "shock")
    if shot:
        lost = tuple(msg("{unit} {pf}", unit=unit, pf=pf) for unit, pf in shot.items())
        lines.insert(0, msg("PF lost by fire: {units}.", units=lost))
    return lines


_ONE_LINE: Mapping[str, Callable[[Mapping[str, Json]], Msg]] = {
    "no shock": lambda data: msg("{hex}: no assault, the attackers are too weak.", hex=data["at"]),
    "commander lost": lambda data: msg("The commander {unit} fell.", unit=data["unit"]),
    "game over": over,
}


def _fates(told: Seen, fought: bool) -> list[Msg]:
    """Who was routed, eliminated or captured in a happening: all of a division at once, or each by himself.

    Of a shock the line on it tells already who is out of play.
    """
    routed = tuple(dict.fromkeys(happened.data["unit"] for happened, _ in told if happened.kind == "routed"))
    gone = () if fought else _lost_to(told, ("eliminated",))
    shot = () if fought else tuple(one.data["unit"] for one, _ in told if one.kind == "loses" and not one.data["left"])
    lines = []
    tested = [happened.data["division"] for happened, _ in told if happened.kind == "division"]
    if routed and tested:
        lines.append(msg("Division {division} was routed: {units}.", division=tested[0], units=routed))
        routed = ()
    for unit in routed:
        lines.append(
            msg("{unit} was routed and eliminated.", unit=unit)
            if unit in gone
            else msg("{unit} was routed.", unit=unit)
        )
    rest = tuple(dict.fromkeys(unit for unit in (*shot, *gone) if unit not in routed))
    if rest and not any(happened.kind == "falls back" for happened, _ in told):
        lines.append(msg("{units} {units:|was|were} eliminated.", units=rest))
    taken = () if fought else _lost_to(told, ("captured",))
    if taken:
        lines.append(msg("{units} {units:|was|were} captured.", units=taken))
    return lines


def _lost_to(told: Seen, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for one, _ in told if one.kind in kinds for unit in one.data["units"]))


def _division(sentence: Msg, name: str, told: Seen) -> Msg:
    """Where the counters of a division went from and to."""
    gone = [happened.data for happened, _ in told if happened.kind == "retreats"]
    back = tuple(msg("{unit} from {start} to {to}", unit=d["units"][0], start=d["from"], to=d["to"]) for d in gone)
    lost = tuple(msg("{unit} eliminated", unit=unit) for unit in all_gone(told))
    return msg(sentence.text, division=name, units=(*back, *lost) or msg("none"))


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two camps and no chores."""
    told = entries(seen)
    before = seen[0][1] if seen and not _is_first(view) else None
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        _losses(seen, view),
        _taken(view),
        _map(view),
        *(_of_all(view, before) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat], before)),
    )
    head = situation(stakes(view, seat, seen), wording(view))
    return Report(
        title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines or block.table), (head,)
    )


def _of_side(view: State, side: str, before: State | None) -> tuple[Block, ...]:
    enemy = "allied" if camp(side) == "french" else "french"
    return (
        _forces(view, camp(side), msg("Your forces"), before, orders=True),
        _forces(view, enemy, msg("The enemy"), before),
        _warnings(view, side),
    )


def _of_all(view: State, before: State | None) -> tuple[Block, ...]:
    allied, french = msg("The allied forces"), msg("The French forces")
    return _forces(view, "allied", allied, before), _forces(view, "french", french, before)


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Fights with what came of them, who fell or was routed."""
    return (*came_of(seen), *(() if told else uneventful(seen, _is_first(view))))


def _is_first(view: State) -> bool:
    """Return whether nothing was played yet."""
    return view.turn <= 1 and view.phase in (view.edition.phases[0], DEPLOYMENT)


def _map(view: State) -> Block:
    """The rows of the map that anybody stands in, as they are drawn, and what is in them."""
    drawn = rows(view, (unit.at for unit in view.units.values()))
    who = msg("B British, P Portuguese, S Spanish, F French: PF, g guns, o commander")
    legend = msg("{signs}", signs=(*signs(view.edition.map), who))
    return Block(
        msg("The map (MAP shows all hexes, signs, streams, slopes and roads)"),
        (*drawn, *([(0, legend)] if _is_first(view) else ())),
        whole=view.phase == DEPLOYMENT,
    )


def _taken(view: State) -> Block:
    """S14 Colours and guns that are lost so far, who stands at the exit, and the points for them."""
    return Block(msg("Colours, guns, the exit"), tuple((0, line) for line in won(view)))


def _losses(seen: Seen, view: State) -> Block:
    """What each side lost, counted as the points count it (S14): guns and counters eliminated with all their PF."""
    before = seen[0][1] if seen else view
    gone: dict[str, dict[str, None]] = {}
    for happened, then in seen:
        data = happened.data
        for ident in data.get("units", [data.get("unit", "")]) if happened.kind in _FATAL else ():
            # Another takes over from a commander under the same name: he who fell is lost all the same (S13).
            if ident in then.units and (ident in view.gone or happened.kind == "commander lost"):
                gone.setdefault(then.units[ident].camp, {})[ident] = None
    lines = []
    for side in view.edition.phases:
        pf, lost = _dead(view, side) - _dead(before, side), tuple(gone.get(camp(side), ()))
        if pf or lost:
            told = msg("{side}: {pf} PF; out of play: {units}", side=SIDE_NAMES[side], pf=pf, units=lost or msg("none"))
            lines.append((0, told))
    return Block(msg("Losses"), tuple(lines), whole=True)


def _dead(state: State, side: str) -> int:
    return sum(pf for one, pf in state.dead.items() if camp(one) == camp(side))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _forces(view: State, ours: str, title: Msg, before: State | None, orders: bool = False) -> Block:
    """Return a paragraph a division, then those without one; `orders` tells the orders in force as well.

    In lines only counters that are not as `before`, where that is given: where they went the happenings tell.
    """
    chiefs = {division.commander: name for name, division in view.divisions.items()}
    groups: dict[str, list[Unit]] = {}
    for ident, unit in sorted(view.units.items()):
        if unit.camp == ours:
            groups.setdefault(unit.division or chiefs.get(ident, ""), []).append(unit)
    lines, rows = [], []
    for name, units in sorted(groups.items(), key=lambda group: (not group[0], group[0])):
        units.sort(key=lambda unit: unit.is_combat)
        division = _division_line(view, name, orders)
        rows.append((division, tuple(_row(view, unit) for unit in units)))
        was = {} if before is None else before.units
        changed = [unit for unit in units if _condition(was.get(unit.id)) != _condition(unit)]
        if changed:
            told = tuple(_unit_line(view, unit) for unit in changed)
            lines.append((0, msg("{division}: {units}", division=division, units=told)))
    if before is not None:
        title = msg("{forces}, what has changed (MAP lists all)", forces=title)
    return Block(title, tuple(lines), whole=True, table=Table(_COLUMNS, tuple(rows)) if rows else None)


def _condition(unit: Unit | None) -> tuple[object, ...] | None:
    """Return a counter's PF, formation and state; None for one that was not seen."""
    return None if unit is None else (unit.pf, unit.formation, unit.limbered, unit.state, unit.fatigue)


_COLUMNS = (msg("Unit"), msg("Arm"), msg("PF"), msg("Will"), msg("Hex"), msg("Front"))


def standing_at(view: State, ident: str) -> tuple[tuple[int, Msg], ...]:
    """Who stands in a hex, of both camps: what a question about it is decided by."""
    return tuple((0, _unit_line(view, unit)) for unit in view.at(ident))


def _division_line(view: State, name: str, orders: bool) -> Msg:
    """A division's name and, for its owner, its morale and orders."""
    division = view.divisions.get(name)
    if division is None:
        return msg("{division}", division=name) if name else msg("In no division")
    if not orders:
        return msg("{division}", division=name)
    now = ORDER_NAMES[division.order]
    if division.pending:
        later = ORDER_NAMES[division.pending]
        return msg("{d} (morale {m}; {now}; from next turn {later})", d=name, m=division.morale, now=now, later=later)
    return msg("{d} (morale {m}; {now})", d=name, m=division.morale, now=now)


_KINDS = {"inf": msg("inf"), "cav": msg("cav"), "art": msg("art"), "cmd": msg("cmd")}


def _unit_line(view: State, unit: Unit) -> Msg:
    """Id, kind, what it is worth, where it is and what is not as usual: ``2/87 inf 5/7 B 0408 facing N disordered``."""
    words: list[Msg | str] = [unit.id, _KINDS[unit.kind]]
    if unit.kind == "cmd":
        words.append(msg("{m}/{s} range {r} {at}", m=unit.morale, s=unit.shock, r=unit.range, at=unit.at))
        return _joined(words)
    if unit.kind == "art":
        words.append(msg("factor {f}", f=unit.fire))
    words.append(f"{unit.pf}/{unit.full} {unit.will} {unit.at}")
    words += _ground(view, unit)
    if unit.faces:
        words.append(msg("facing {facing}", facing=unit.facing))
    return _joined([*words, *_marks(unit)])


def _row(view: State, unit: Unit) -> tuple[Arg, ...]:
    """A unit in columns: who, what, its PF, its will, where it is, where it looks, and what is not as usual."""
    if unit.kind == "cmd":
        worth = msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)
        return (unit.id, _KINDS["cmd"], "", "", unit.at, "", (worth,))
    factor = (msg("factor {f}", f=unit.fire),) if unit.kind == "art" else ()
    front = msg("{facing}", facing=unit.facing) if unit.faces else ""
    state = (*factor, *_ground(view, unit), *_marks(unit))
    return (unit.id, _KINDS[unit.kind], f"{unit.pf}/{unit.full}", unit.will, unit.at, front, state)


def _ground(view: State, unit: Unit) -> list[Msg]:
    """The terrain of its hex, if it is not clear."""
    terrain = view.edition.map.terrain(unit.at)
    return [] if terrain == "clear" else [Msg(terrain)]


def _marks(unit: Unit) -> list[Msg]:
    """What is not as usual with a unit."""
    words = []
    if unit.square:
        words.append(msg("in square"))
    elif unit.skirmishing:
        words.append(msg("in skirmish order"))
    elif unit.limbered:
        words.append(msg("limbered"))
    if unit.state != NORMAL:
        words.append(STATE_NAMES[unit.state])
    if unit.fatigue:
        words.append(msg("fatigue {level}", level=unit.fatigue))
    if unit.fired:
        words.append(msg("fired"))
    return words


def _joined(words: Sequence[Msg | str]) -> Msg:
    """Words with blanks between them."""
    first, *rest = words
    said = first if isinstance(first, Msg) else msg("{word}", word=first)
    for word in rest:
        said = msg("{a} {b}", a=said, b=word)
    return said


def _warnings(view: State, side: str) -> Block:
    """What a player may want to look after: divisions without a commander. Who is shaken the situation says."""
    divisions = {unit.division for unit in view.units.values() if unit.camp == camp(side)}
    lines = [
        (0, msg("division {division} has no commander: its orders wait a turn", division=name))
        for name in sorted(divisions & view.divisions.keys())
        if view.divisions[name].commander not in view.units
    ]
    return Block(msg("To look after"), tuple(lines))
