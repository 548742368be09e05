"""Write a seat's report: results in brief, single events, the map, the counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pbem.engine import deployment
from pbem.engine.commanders import report as commanders
from pbem.engine.commanders.report import block as commands
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Entry, Report, Table
from pbem.engine.data.score_sheet import one_line, situation, uneventful
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.deployment import zone_blocks as zones
from pbem.engine.edits import CORRECTED_EVENT
from pbem.engine.orders.speech import order_text as told_order
from pbem.engine.reasons import Teller, arithmetic, choice_of, fill_gaps, says, stop_if_notice
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular import assault, cavalry, end_phase, fire, morale, movement, shock, victory
from pbem.games.peninsular.apply import correction_sentence
from pbem.games.peninsular.assault import does_not_charge
from pbem.games.peninsular.edition import SIDE_NAMES, camp
from pbem.games.peninsular.end_phase import arrival_text
from pbem.games.peninsular.morale import LOST_BECAUSE
from pbem.games.peninsular.movement import RUNS
from pbem.games.peninsular.orders import translate_orders
from pbem.games.peninsular.picture import crossings, rows, signs
from pbem.games.peninsular.shock import all_losses, signed_modifiers, strengths_in_words, sum_up
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import FORMATION_NAMES, NORMAL, ORDER_NAMES, STATE_NAMES, Unit
from pbem.games.peninsular.victory import Seen, prize_lines, score_sheet, trophy_lines, winner_text, wording

# Events as happenings: numbered lines, with what came of them and the dice below.


def entries(seen: Sequence[tuple[Event, State]]) -> tuple[Entry, ...]:
    """Return the entries of a report, with results below their causes."""
    return tuple(entry for entry, _ in happenings(seen))


def happenings(seen: Sequence[tuple[Event, State]]) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
    """Return the entries, each with the indexes of its events in `seen`."""
    out: list[list[int]] = []
    early: list[int] = []
    for place, (event, _) in enumerate(seen):
        if event.kind == "leads":
            early.append(place)
        elif event.kind in RUNS and out and _same_stack(seen, out[-1], place):
            out[-1].append(place)
        elif event.kind in _ENTRY_SENTENCES and (
            event.kind not in _EFFECTS or not out or _is_apart(seen, out[-1], event)
        ):
            out.append([place, *early])
            early = []
        elif event.kind in (*_EFFECTS, *_DETAILS) and out:
            out[_cause(seen, [places[0] for places in out], event)].append(place)
    return tuple((_entry([seen[place] for place in places]), tuple(places)) for places in out)


def _is_apart(seen: Sequence[tuple[Event, State]], places: Sequence[int], event: Event) -> bool:
    """Return whether a move has nothing to do with the happening before it.

    So it is when units enter a hex other than the one fought for, and when commanders leave a hex that nobody of
    that happening left.
    """
    if event.kind == "follows":
        return all(seen[place][0].data.get("from") != event.data["from"] for place in places)
    return bool(event.data["to"] != seen[places[0]][0].data.get("at", event.data["to"]))


def _cause(seen: Sequence[tuple[Event, State]], heads: Sequence[int], event: Event) -> int:
    """Return the index of an event's entry: the last one, or its counter's charge."""
    ident = event.data.get("unit", "")
    for index in range(len(heads) - 1, -1, -1):
        head, before = seen[heads[index]]
        if head.kind not in ("assault", "charge", "forms"):
            break
        if head.kind == "forms":
            continue
        unit = before.units.get(ident)
        if ident in head.data["units"] or (unit is not None and unit.at == head.data["at"]):
            return index
    return len(heads) - 1


def _entry(events: Sequence[tuple[Event, State]]) -> Entry:
    """Return an entry: its event and results in one paragraph, dice below.

    The dice come with their arithmetic.
    """
    (head, before), rest = events[0], events[1:]
    text, details = _ENTRY_SENTENCES[head.kind](head.data, before), list(_arithmetic(head))
    is_end = head.kind == "victory" and before.turn >= before.edition.scenario.get("turns", 0)
    prizes = [_with_rule(line, head.cite) for line in prize_lines(before)] if is_end else []
    if head.kind == "shock":
        details = [*strengths_in_words(head, before), *details]
    march_events = [pair for pair in events if pair[0].kind in RUNS]
    if len(march_events) > 1:
        text, rest = msg("{parts}.", parts=tuple(_march_sentences(march_events))), events[len(march_events) :]
    effects: dict[Msg, None] = {}
    joined_indexes: list[int] = []
    for place, (event, then) in enumerate(rest):
        if event.kind in _EFFECTS and not _retreat_follows(event, rest[place + 1 :]):
            effects[_effect(event, then)] = None
        elif event.kind in _DETAILS:
            details.append(_with_rule(_DETAILS[event.kind](event.data, then), event.cite))
        if event.kind == "test" and does_not_charge(head, event, then):
            effects[msg("{unit} does not charge", unit=event.data["unit"])] = None
        extra = _arithmetic(event)
        if event.kind in _DETAILS:
            joined_indexes += range(len(details), len(details) + len(extra))
        details += extra
        prizes += [_with_rule(line, "S14") for line in trophy_lines(event, then)]
    if effects:
        text = msg("{head} {effects:A}.", head=text, effects=_join_alike(effects))
    elif head.kind == "shock" or any(event.kind == "volley" for event, _ in rest):
        text = msg("{head} No effect.", head=text)
    kept_indexes, behind = tuple(range(len(prizes))), tuple(len(prizes) + hex_id for hex_id in joined_indexes)
    ours = head.data.get("side")
    is_new = head.kind not in _ANNOUNCED or any(
        event.kind in _EFFECTS and (event.kind != "follows" or event.data["side"] != ours) for event, _ in rest
    )
    return Entry(head.cite, text, (*prizes, *details), kept_indexes, is_new, behind)


def _march_sentences(marched: Sequence[tuple[Event, State]]) -> Iterator[Msg]:
    """Yield a stack's march; turns and further ways join the first way."""
    first, before = marched[0]
    for event, then in marched[1:]:
        same = first.kind == "moves" and event.data.get("units") == first.data["units"]
        if same and event.kind == "faces":
            first = first._replace(data={**first.data, "facing": event.data["facing"]})
        elif same and event.kind == "moves":
            first = event._replace(data={**event.data, "from": first.data["from"]})
        else:
            yield RUNS[first.kind](first.data, before)
            first, before = event, then
    yield RUNS[first.kind](first.data, before)


def _effect(event: Event, state_after: State) -> Msg:
    """Return the result of an event, with the reason for eliminations."""
    text = _EFFECTS[event.kind](event.data, state_after)
    if event.kind != "eliminated":
        return text
    return msg("{text}: {why}", text=text, why=LOST_BECAUSE[event.cite])


def _retreat_follows(event: Event, after: Sequence[tuple[Event, State]]) -> bool:
    """Return whether a unit that gives way retreats or is lost in the next events."""
    return event.kind == "gives way" and any(
        later_event.kind in ("retreats", "eliminated") and event.data["unit"] in later_event.data["units"]
        for later_event, _ in after
    )


def _join_alike(effects: Iterable[Msg]) -> tuple[Msg, ...]:
    """Merge successive results that differ only in their units."""
    joined: list[Msg] = []
    for effect in effects:
        (text, gaps), (before, earlier) = effect, joined[-1] if joined else ("", ())
        both, rest = dict(gaps), dict(earlier)
        units = (*rest.pop("units", ()), *both.pop("units", ()))
        if text == before and units and both == rest:
            joined[-1] = msg(text, units=tuple(dict.fromkeys(units)), **both)
        else:
            joined.append(effect)
    return tuple(joined)


def _with_rule(text: Msg, rule: str) -> Msg:
    return msg("{text} [{rule}]", text=text, rule=rule)


def _same_stack(seen: Sequence[tuple[Event, State]], places: Sequence[int], now: int) -> bool:
    """Return whether a movement is by the same stack as the entry at `places`."""
    (event, then), (last, before) = seen[now], seen[places[-1]]
    if any(seen[hex_id][0].kind not in RUNS for hex_id in places) or event.data["side"] != last.data["side"]:
        return False
    if event.kind == "moves":
        return last.kind == "moves" and last.data["units"] == event.data["units"]
    hexes = {then.units[ident].at for ident in _moving_units(event) if ident in then.units}
    ours = {before.units[ident].at for ident in _moving_units(last) if ident in before.units}
    return hexes == ({last.data["to"]} if last.kind == "moves" else ours)


def _moving_units(event: Event) -> Sequence[str]:
    """Return the counters of a movement."""
    return event.data["units"] if "units" in event.data else (event.data["unit"],)


def _arithmetic(event: Event) -> tuple[Msg, ...]:
    """Return the arithmetic of a line, and its standing order if the reader may know."""
    return (*arithmetic(signed_modifiers(event.data.get("modifiers", ()))), *choice_of(event.data))


def _refusal_text(data: Data, before: State) -> Msg:
    return fill_gaps(
        msg("Not carried out: {order}: {why}."),
        data,
        order=told_order(data["order"], translate_orders),
        why=Msg.from_json(data["why"]),
    )


_ENTRY_SENTENCES: Mapping[str, Teller] = {
    **deployment.event_sentences(SIDE_NAMES),
    **commanders.ENTRY_SENTENCES,
    **movement.ENTRY_SENTENCES,
    **assault.ENTRY_SENTENCES,
    **fire.ENTRY_SENTENCES,
    **shock.ENTRY_SENTENCES,
    **end_phase.ENTRY_SENTENCES,
    **victory.ENTRY_SENTENCES,
    "follows": says(msg("{units}, alone next to the enemy, {units:|goes|go} to {to}.")),
    "advances": says(msg("{units} {units:|advances|advance} to {to}, which is empty now.")),
    "not carried out": _refusal_text,
    "breaks off": lambda d, s: stop_if_notice(d, translate_orders),
    CORRECTED_EVENT: lambda d, s: correction_sentence(d, {**STATE_NAMES, **FORMATION_NAMES}),
}
"""The sentences of the events that a report numbers, by kind."""

_ANNOUNCED = frozenset(("assault", "charge", "fires", "rested", "victory"))
"""Numbered kinds of event that are no results by themselves: a letter that has to be short leaves them out."""

_DETAILS: Mapping[str, Teller] = {**fire.DETAILS, **cavalry.DETAILS, **morale.DETAILS}
"""The sentences of dice and readings that stand below the numbered event before them, by kind."""

_EFFECTS: Mapping[str, Teller] = {
    **fire.EFFECTS,
    **shock.EFFECTS,
    **cavalry.EFFECTS,
    **morale.EFFECTS,
    **end_phase.EFFECTS,
}
"""The sentences of the results of the numbered event before them, by kind."""


def summary_lines(seen: Seen) -> list[Msg]:
    """Return a line for each important result.

    They are the losses by fire, then shocks, divisions that gave way, other routs and losses, lost commanders, and
    arrivals.
    """
    lines: list[Msg] = []
    shot: dict[str, int] = {}
    for _, places in happenings(seen):
        happening_events = [seen[place] for place in sorted(places)]
        first = seen[places[0]][0]
        for event, before in happening_events:
            data = event.data
            if event.kind == "shock":
                lines.append(sum_up(event, before, happening_events))
            elif event.kind == "loses" and first.kind == "fires":
                shot[data["unit"]] = shot.get(data["unit"], 0) + data["pf"]
            elif event.kind in _ONE_LINE:
                lines.append(_ONE_LINE[event.kind](data))
            elif event.kind == "falls back":
                lines.append(
                    _division(msg("Division {division} gave ground: {units}."), data["division"], happening_events)
                )
            elif event.kind == "arrives":
                lines.append(arrival_text(data, before))
            elif event.kind == "test" and does_not_charge(first, event, before):
                lines.append(msg("{unit} did not charge: it failed its test.", unit=data["unit"]))
        lines += _fate_lines(happening_events, fought=first.kind == "shock")
    if shot:
        lost = tuple(msg("{unit} {pf}", unit=unit, pf=pf) for unit, pf in shot.items())
        lines.insert(0, msg("PF lost by fire: {units}.", units=lost))
    return lines


_ONE_LINE: Mapping[str, Callable[[Mapping[str, Json]], Msg]] = {
    "no shock": lambda data: msg("{hex}: no assault, the attackers are too weak.", hex=data["at"]),
    "commander lost": lambda data: msg("The commander {unit} fell.", unit=data["unit"]),
    "game over": winner_text,
}


def _fate_lines(seen: Seen, fought: bool) -> list[Msg]:
    """Return the units routed, eliminated or captured.

    Units of one division share a line. Units lost in a shock are left out, because the shock's own line names them.
    """
    gone_ids = _units_of_events(seen, ("eliminated",))
    told_ids, eliminated_ids = (gone_ids, ()) if fought else ((), gone_ids)
    routed_ids = tuple(
        dict.fromkeys(
            event.data["unit"] for event, _ in seen if event.kind == "routed" and event.data["unit"] not in told_ids
        )
    )
    shot = (
        ()
        if fought
        else tuple(event.data["unit"] for event, _ in seen if event.kind == "loses" and not event.data["left"])
    )
    lines = []
    tested = [event.data["division"] for event, _ in seen if event.kind == "division"]
    if routed_ids and tested:
        lines.append(msg("Division {division} was routed: {units}.", division=tested[0], units=routed_ids))
        routed_ids = ()
    for unit in routed_ids:
        lines.append(
            msg("{unit} was routed and eliminated.", unit=unit)
            if unit in eliminated_ids
            else msg("{unit} was routed.", unit=unit)
        )
    rest = tuple(dict.fromkeys(unit for unit in (*shot, *eliminated_ids) if unit not in routed_ids))
    if rest and not any(event.kind == "falls back" for event, _ in seen):
        lines.append(msg("{units} {units:|was|were} eliminated.", units=rest))
    captured_ids = () if fought else _units_of_events(seen, ("captured",))
    if captured_ids:
        lines.append(msg("{units} {units:|was|were} captured.", units=captured_ids))
    return lines


def _units_of_events(seen: Seen, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for event, _ in seen if event.kind in kinds for unit in event.data["units"]))


def _division(sentence: Msg, name: str, seen: Seen) -> Msg:
    """Return the retreats of a division's counters, from and to."""
    retreats = [event.data for event, _ in seen if event.kind == "retreats"]
    back = tuple(msg("{unit} from {start} to {to}", unit=d["units"][0], start=d["from"], to=d["to"]) for d in retreats)
    eliminations = tuple(msg("{unit} eliminated", unit=unit) for unit in all_losses(seen))
    return msg(sentence.text, division=name, units=(*back, *eliminations) or msg("none"))


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return a seat's report and the position after it; onlookers see both camps."""
    report_entries = entries(seen)
    before = seen[0][1] if seen and not _nothing_played(view) else None
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        _losses(seen, view),
        _trophies(view, seen),
        _map(view),
        *(_of_all(view, before) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat], before)),
    )
    head = situation(score_sheet(view, seat, seen), wording(view))
    return Report(
        title,
        _summary(view, seen, report_entries),
        report_entries,
        tuple(block for block in blocks if block.lines or block.table),
        (head,),
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


def _summary(view: State, seen: Seen, entries: Sequence[Entry]) -> tuple[Msg, ...]:
    """Return fights and their results, and the units lost or routed."""
    return (*summary_lines(seen), *(() if entries else uneventful(seen, _nothing_played(view))))


def _nothing_played(view: State) -> bool:
    """Return whether no half has been played yet."""
    return view.turn <= 1 and view.phase in (view.edition.phases[0], DEPLOYMENT_PHASE)


def _map(view: State) -> Block:
    """Return the occupied map rows as drawn, and their contents."""
    drawn = rows(view, (unit.at for unit in view.units.values()))
    who = msg("B British, P Portuguese, S Spanish, F French: PF; g guns alone, o commander alone")
    legend = msg("{signs}", signs=(*signs(view.edition.map), who))
    return Block(
        msg("The map around the units; even columns stand half a hex lower (MAP: all)"),
        (*drawn, *((0, line) for line in (legend, *crossings(view.edition.map)) if _nothing_played(view))),
        whole=view.phase == DEPLOYMENT_PHASE,
    )


def _trophies(view: State, seen: Seen) -> Block:
    """Return lost colours and guns, units at the exit, and their points (S14).

    Empty unless some were lost or the game is over.
    """
    is_news = view.phase == "over" or any(next(trophy_lines(*happening), None) for happening in seen)
    return Block(msg("Colours, guns, the exit"), tuple((0, line) for line in prize_lines(view)) if is_news else ())


def _losses(seen: Seen, view: State) -> Block:
    """Return each side's losses as the points count them, at full PF (S14)."""
    before = seen[0][1] if seen else view
    units_gone: dict[str, dict[str, None]] = {}
    for event, then in seen:
        data = event.data
        for ident in data.get("units", [data.get("unit", "")]) if event.kind in _FATAL else ():
            # Another takes over from a commander under the same name: he who fell or was taken is lost (S13).
            if ident in then.units and (ident in view.gone or then.units[ident].kind == "cmd"):
                units_gone.setdefault(then.units[ident].camp, {})[ident] = None
    lines = []
    for side in view.edition.phases:
        pf, units_lost = _dead(view, side) - _dead(before, side), tuple(units_gone.get(camp(side), ()))
        if pf or units_lost:
            sentence = msg("{side}: {pf} PF", side=SIDE_NAMES[side], pf=pf)
            lines.append(
                (0, msg("{lost}; out of play: {units}", lost=sentence, units=units_lost) if units_lost else sentence)
            )
    return Block(msg("Losses"), tuple(lines), whole=True)


def _dead(state: State, side: str) -> int:
    return sum(pf for army, pf in state.dead.items() if camp(army) == camp(side))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _forces(view: State, ours: str, title: Msg, before: State | None, orders: bool = False) -> Block:
    """Return the counters by division and hex, as lines and as a table.

    `orders` adds the orders in force. With `before` the lines have only counters that differ from it, by hex alone;
    the entries tell their moves.
    """
    chiefs = {division.commander: name for name, division in view.divisions.items()}
    groups: dict[str, list[Unit]] = {}
    for ident, unit in sorted(view.units.items()):
        if unit.camp == ours:
            groups.setdefault(unit.division or chiefs.get(ident, ""), []).append(unit)
    was = {} if before is None else before.units
    changed = [unit for units in groups.values() for unit in units if _condition(was.get(unit.id)) != _condition(unit)]
    lines, rows = [(0, _hex_lines(view, changed))] if changed and before is not None else [], []
    for name, units in sorted(groups.items(), key=lambda group: (not group[0], group[0])):
        units.sort(key=lambda unit: unit.is_combat)
        division = _division_line(view, name, orders)
        rows.append((division, tuple(_row(view, unit) for unit in units)))
        if before is None:
            lines.append((0, _division_hexes(view, division, units)))
    moved = [
        unit
        for units in groups.values()
        for unit in units
        if unit not in changed and unit.at != getattr(was.get(unit.id), "at", unit.at)
    ]
    lines += [(0, msg("Moved: {stacks}", stacks=one_line(_stack_names(moved))))] if moved else []
    if before is not None:
        title = msg("{forces}, what has changed (MAP lists all)", forces=title)
    return Block(title, tuple(lines), whole=True, table=Table(_COLUMNS, tuple(rows)) if rows else None)


def _division_hexes(view: State, division: Msg, units: Sequence[Unit]) -> Msg:
    """Return a division's counters by hex; a front that all have is told once."""
    fronts = [unit.facing for unit in units if unit.is_combat and unit.faces]
    if len(fronts) < 2 or len({*fronts}) > 1:
        return msg("{division}: {units}", division=division, units=_hex_lines(view, units))
    stacks = _hex_lines(view, [unit._replace(facing="") for unit in units])
    return msg("{division}, facing {facing}: {units}", division=division, facing=fronts[0], units=stacks)


def _hex_lines(view: State, units: Sequence[Unit]) -> Msg:
    """Return counters by hex, in one line."""
    hexes = sorted({unit.at for unit in units})
    return one_line([_hex_line(view, [unit for unit in units if unit.at == hex_id]) for hex_id in hexes])


def _stack_names(units: Sequence[Unit]) -> list[Msg]:
    """Return each hex of counters with their names."""
    return [
        msg("{at} {units}", at=hex_id, units=tuple(unit.id for unit in units if unit.at == hex_id))
        for hex_id in sorted({unit.at for unit in units})
    ]


def _condition(unit: Unit | None) -> tuple[object, ...] | None:
    """Return a counter's PF, formation and state; None for an unseen one."""
    return None if unit is None else (unit.pf, unit.formation, unit.limbered, unit.state, unit.fatigue)


_COLUMNS = (msg("Unit"), msg("Arm"), msg("PF"), msg("Will"), msg("Hex"), msg("Front"))


def units_in_hex(view: State, ident: str) -> tuple[tuple[int, Msg], ...]:
    """Return the units of both camps in a hex, for a question about it."""
    units = view.at(ident)
    return ((0, _hex_line(view, units)),) if units else ()


def _hex_line(view: State, units: Sequence[Unit]) -> Msg:
    """Return the counters of a hex, commanders first; a common front is named once.

    ``0408 facing N: Leval cmd 0/0 range 3, 2/87 inf 5/7 B disordered``.
    """
    fronts = {unit.facing if unit.faces else "" for unit in units if unit.is_combat}
    front = fronts.pop() if len(fronts) == 1 else ""
    place = msg("{hex}", hex=units[0].at)
    place = msg("{place} facing {facing}", place=place, facing=front) if front else place
    ordered = sorted(units, key=lambda unit: unit.is_combat)
    return msg("{place}: {units}", place=place, units=tuple(_unit_words(unit, facing=not front) for unit in ordered))


def _division_line(view: State, name: str, orders: bool) -> Msg:
    """Return a division's name and, for its owner, its morale and orders."""
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


def _unit_words(unit: Unit, facing: bool) -> Msg:
    """Return id, arm, values and exceptions; ``2/87 inf 5/7 B disordered``."""
    words: list[Msg | str] = [unit.id, _arm(unit)]
    if unit.kind == "cmd":
        return _join_words([*words, msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)])
    if unit.kind == "art":
        words.append(msg("factor {f}", f=unit.fire))
    words.append(f"{unit.pf}/{unit.full} {unit.will}")
    if facing and unit.faces and unit.facing:
        words.append(msg("facing {facing}", facing=unit.facing))
    return _join_words([*words, *_marks(unit)])


def _arm(unit: Unit) -> Msg:
    """Return the arm of a counter; of cavalry also whether it is heavy (T6)."""
    return msg("heavy cav") if unit.kind == "cav" and unit.size == "heavy" else _KINDS[unit.kind]


def _row(view: State, unit: Unit) -> tuple[Arg, ...]:
    """Return a unit's table row: id, kind, PF, will, hex, facing and exceptions."""
    if unit.kind == "cmd":
        values = msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)
        return (unit.id, _KINDS["cmd"], "", "", unit.at, "", (values,))
    factor = (msg("factor {f}", f=unit.fire),) if unit.kind == "art" else ()
    front = msg("{facing}", facing=unit.facing) if unit.faces else ""
    state = (*factor, *_ground(view, unit), *_marks(unit))
    return (unit.id, _arm(unit), f"{unit.pf}/{unit.full}", unit.will, unit.at, front, state)


def _ground(view: State, unit: Unit) -> list[Msg]:
    """Return the terrain of a unit's hex, if it is not clear."""
    terrain = view.edition.map.terrain(unit.at)
    return [] if terrain == "clear" else [Msg(terrain)]


def _marks(unit: Unit) -> list[Msg]:
    """Return the exceptional states of a unit."""
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


def _join_words(words: Sequence[Msg | str]) -> Msg:
    """Join words with spaces."""
    first, *rest = words
    text = first if isinstance(first, Msg) else msg("{word}", word=first)
    for word in rest:
        text = msg("{a} {b}", a=text, b=word)
    return text


def _warnings(view: State, side: str) -> Block:
    """Return warnings of shaken counters and divisions without a commander."""
    divisions = {unit.division for unit in view.units.values() if unit.camp == camp(side)}
    lines = [
        (0, msg("division {division} has no commander: its orders wait a turn", division=name))
        for name in sorted(divisions & view.divisions.keys())
        if view.divisions[name].commander not in view.units
    ]
    return Block(msg("To look after"), tuple(lines))
