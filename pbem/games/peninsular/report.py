"""Write a seat's report: results in brief, single events, the map, the counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pbem.engine import deployment
from pbem.engine.commanders import report as commanders
from pbem.engine.commanders.report import commands_block as commands
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import Block, Entry, Report
from pbem.engine.data.score_sheet import join_parts, no_events_text, situation_block
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.deployment import zone_blocks as zones
from pbem.engine.edits import CORRECTED_EVENT
from pbem.engine.orders.speech import order_text as told_order
from pbem.engine.reasons import Teller, choice_reason, fill_gaps, modifier_line, sentence_teller, stop_if_notice
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular import assault, cavalry, end_phase, fire, morale, movement, shock, victory
from pbem.games.peninsular.apply import correction_sentence
from pbem.games.peninsular.assault import does_not_charge
from pbem.games.peninsular.edition import SIDE_NAMES, alliance_of
from pbem.games.peninsular.end_phase import arrival_text
from pbem.games.peninsular.forces import forces_block
from pbem.games.peninsular.morale import LOSS_REASONS
from pbem.games.peninsular.movement import MERGED_SENTENCES
from pbem.games.peninsular.orders import translate_orders
from pbem.games.peninsular.picture import crossing_lines, map_rows, sign_lines
from pbem.games.peninsular.shock import all_losses, shock_summary, signed_modifiers, strengths_in_words
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import FORMATION_NAMES, STATE_NAMES
from pbem.games.peninsular.victory import Seen, prize_lines, score_sheet, score_words, trophy_lines, winner_text

# Events as happenings: numbered lines, with what came of them and the dice below.


def report_entries(seen: Sequence[tuple[Event, State]]) -> tuple[Entry, ...]:
    """Return the entries of a report, with results below their causes."""
    return tuple(entry for entry, _ in indexed_entries(seen))


def indexed_entries(
    seen: Sequence[tuple[Event, State]], brief: bool = False
) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
    """Return the entries, each with the indexes of its events in `seen`.

    `brief` leaves dice and arithmetic without an effect to WHY.
    """
    out: list[list[int]] = []
    early: list[int] = []
    for place, (event, _) in enumerate(seen):
        if event.kind == "leads":
            early.append(place)
        elif event.kind in MERGED_SENTENCES and out and _same_stack(seen, out[-1], place):
            out[-1].append(place)
        elif event.kind in _ENTRY_SENTENCES and (
            event.kind not in _EFFECTS or not out or _is_apart(seen, out[-1], event)
        ):
            out.append([place, *early])
            early = []
        elif event.kind in (*_EFFECTS, *_DETAILS) and out:
            out[_cause(seen, [places[0] for places in out], event)].append(place)
    return tuple((_entry([seen[place] for place in places], brief), tuple(places)) for places in out)


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


def _entry(events: Sequence[tuple[Event, State]], brief: bool) -> Entry:
    """Return an entry: its event and results in one paragraph, dice below.

    The dice come with their arithmetic; if `brief`, only those with an effect.
    """
    (head, before), rest = events[0], events[1:]
    text, details = _ENTRY_SENTENCES[head.kind](head.data, before), list(_arithmetic(head))
    is_end = head.kind == "victory" and before.turn >= before.edition.scenario.get("turns", 0)
    prizes = [_with_rule(line, head.cite) for line in prize_lines(before)] if is_end else []
    if head.kind == "shock":
        details = [*strengths_in_words(head, before), *details]
    march_events = [pair for pair in events if pair[0].kind in MERGED_SENTENCES]
    if len(march_events) > 1:
        text, rest = msg("{parts}.", parts=tuple(_march_sentences(march_events))), events[len(march_events) :]
    missed = any(event.kind == "volley" for event, _ in rest)
    rest = [pair for pair in rest if not brief or pair[0].data.get("cell") != _NO_EFFECT]
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
    text = _with_effects(text, effects, missed or head.kind == "shock")
    kept_indexes, behind = tuple(range(len(prizes))), tuple(len(prizes) + hex_id for hex_id in joined_indexes)
    ours = head.data.get("side")
    is_new = head.kind not in _WITHOUT_RESULT or any(
        event.kind in _EFFECTS and (event.kind != "follows" or event.data["side"] != ours) for event, _ in rest
    )
    elsewhere = not effects and not prizes and not is_end and all(event.kind in _TOLD_ELSEWHERE for event, _ in events)
    return Entry(head.cite, text, (*prizes, *details), kept_indexes, is_new and not elsewhere, behind, elsewhere)


def _with_effects(text: Msg, effects: Iterable[Msg], is_fight: bool) -> Msg:
    """Return a sentence with its results; a fight without any says so."""
    joined = (*_name_once(_join_alike(effects)),)
    if joined:
        return msg("{head} {effects:A}.", head=text, effects=joined)
    return msg("{head} No effect.", head=text) if is_fight else text


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
            yield MERGED_SENTENCES[first.kind](first.data, before)
            first, before = event, then
    yield MERGED_SENTENCES[first.kind](first.data, before)


def _effect(event: Event, state_after: State) -> Msg:
    """Return the result of an event, with the reason for eliminations."""
    text = _EFFECTS[event.kind](event.data, state_after)
    if event.kind != "eliminated":
        return text
    return msg(_WITH_REASON.text, text=text, why=LOSS_REASONS[event.cite])


_NO_EFFECT = "SE"
"""The cell of T2 and T5 for a die without effect."""

_WITH_REASON = msg("{text}: {why}")


def _retreat_follows(event: Event, after: Sequence[tuple[Event, State]]) -> bool:
    """Return whether a unit that gives way retreats or is lost in the next events."""
    return event.kind == "gives way" and any(
        later_event.kind in ("retreats", "eliminated") and event.data["unit"] in later_event.data["units"]
        for later_event, _ in after
    )


_AGAIN: Mapping[str, Msg] = {
    "{unit} is disordered": msg("is disordered"),
    "{unit} is routed": msg("is routed"),
    "{unit} is spent": msg("is spent"),
    "{unit}: fatigue {level}": msg("fatigue {level}"),
    "{units} {units:|is|are} halted": msg("{units:|is|are} halted"),
    "{units} {units:|is|are} eliminated": msg("{units:|is|are} eliminated"),
    "{units} {units:|retreats|retreat} to {to}": msg("{units:|retreats|retreat} to {to}"),
    "{units} {units:|goes back|go back} to {to}": msg("{units:|goes back|go back} to {to}"),
    "{units} {units:|rides on|ride on}": msg("{units:|rides on|ride on}"),
}
"""The sentences of results without the units, for a result of the same units as the one before it."""


def _name_once(effects: Iterable[Msg]) -> Iterator[Msg]:
    """Yield results; those of the same units as the one before leave them out."""
    before: Arg = ""
    for effect in effects:
        if effect.text == _WITH_REASON.text:
            gaps = dict(effect.args)
            inner, units = _omit_units(gaps["text"], before)
            yield msg(effect.text, **{**gaps, "text": inner})
        else:
            inner, units = _omit_units(effect, before)
            yield inner
        before = units


def _omit_units(effect: Msg, before: Arg) -> tuple[Msg, Arg]:
    """Return a result and its units, which it omits if the result before had them."""
    gaps = dict(effect.args)
    units = gaps.get("units", (gaps["unit"],) if "unit" in gaps else "")
    again = _AGAIN.get(effect.text) if units == before else None
    return (effect if again is None else msg(again.text, **gaps)), units


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
    if (
        any(seen[hex_id][0].kind not in MERGED_SENTENCES for hex_id in places)
        or event.data["side"] != last.data["side"]
    ):
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
    return (*modifier_line(signed_modifiers(event.data.get("modifiers", ()))), *choice_reason(event.data))


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
    "follows": sentence_teller(msg("{units}, alone next to the enemy, {units:|goes|go} to {to}.")),
    "advances": sentence_teller(msg("{units} {units:|advances|advance} to {to}, which is empty now.")),
    "not carried out": _refusal_text,
    "breaks off": lambda d, s: stop_if_notice(d, translate_orders),
    CORRECTED_EVENT: lambda d, s: correction_sentence(d, {**STATE_NAMES, **FORMATION_NAMES}),
}
"""The sentences of the events that a report numbers, by kind."""

_WITHOUT_RESULT = frozenset(("arrival", "assault", "charge", "division", "fires", "rally", "rested", "victory"))
"""Numbered kinds of event that are no results by themselves: a letter that has to be short leaves them out."""

_MARCHES = frozenset(("moves", "faces"))
"""Kinds of event whose results the forces tell: who has moved or turned."""
_TOLD_ELSEWHERE = _MARCHES | {"assault", "charge", "limbers", "ordered", "victory"}
"""Kinds of event that, without more, other parts tell: the forces, the form, the fights, the points."""

_DETAILS: Mapping[str, Teller] = {**fire.DETAIL_SENTENCES, **cavalry.DETAIL_SENTENCES, **morale.DETAIL_SENTENCES}
"""The sentences of dice and readings that stand below the numbered event before them, by kind."""

_EFFECTS: Mapping[str, Teller] = {
    **fire.EFFECT_SENTENCES,
    **shock.EFFECT_SENTENCES,
    **cavalry.EFFECT_SENTENCES,
    **morale.EFFECT_SENTENCES,
    **end_phase.EFFECT_SENTENCES,
}
"""The sentences of the results of the numbered event before them, by kind."""


def summary_lines(seen: Seen) -> list[Msg]:
    """Return a line for each important result.

    They are the losses by fire, then shocks, divisions that gave way, other routs and losses, lost commanders, and
    arrivals. Shocks without losses that ended alike share a line.
    """
    lines: list[Msg] = []
    shot: dict[str, int] = {}
    alike: dict[tuple[Msg, Msg], tuple[int, list[str]]] = {}
    for _, places in indexed_entries(seen):
        happening_events = [seen[place] for place in sorted(places)]
        first = seen[places[0]][0]
        for event, before in happening_events:
            data = event.data
            if event.kind == "shock":
                side, end, losses = shock_summary(event, before, happening_events)
                place, hexes = (len(lines), []) if losses else alike.setdefault((side, end), (len(lines), []))
                hexes.append(data["at"])
                fight = msg("Assault by {side} on {hexes}: {end}.", hexes=(*hexes,), side=side, end=end)
                lines[place : place + 1] = [msg("{fight} Lost: {lost}.", fight=fight, lost=losses) if losses else fight]
            elif event.kind == "loses" and first.kind == "fires":
                shot[data["unit"]] = shot.get(data["unit"], 0) + data["pf"]
            elif event.kind in _ONE_LINE:
                lines.append(_ONE_LINE[event.kind](data))
            elif event.kind == "falls back":
                lines.append(_division_text(data["division"], all_losses(happening_events)))
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


def _division_text(name: str, lost: tuple[str, ...]) -> Msg:
    """Return that a division gave ground, with the counters it lost by that."""
    if lost:
        return msg("Division {division} gave ground; eliminated: {units}.", division=name, units=lost)
    return msg("Division {division} gave ground.", division=name)


def write_report(view: State, seat: str, seen: Seen) -> Report:
    """Return a seat's report and the position after it; onlookers see both camps."""
    # Onlookers cannot ask WHY, and worked examples of rules are made of what they get.
    numbered = tuple(entry for entry, _ in indexed_entries(seen, brief=seat != ONLOOKER))
    before = seen[0][1] if seen and not _nothing_played(view) else None
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        *((_map(view),) if seat == ONLOOKER or _draws(view, seat) else ()),
        *(_of_all(view, before) if seat == ONLOOKER else _of_side(view, seat, before, seen)),
    )
    sheet = score_sheet(view, seat, seen)
    if seen and view.phase != "over":
        # Those for whom a die is thrown each turn are told before the first, BRIEF tells them later.
        due = tuple(arrival for arrival in sheet.expected if not (arrival.late and arrival.needs > 1))
        waits = seat != ONLOOKER and not _draws(view, seat)
        # Who waits is told what changed; what he decides by is told when he is to move.
        sheet = sheet._replace(expected=(), goals=(), armies=()) if waits else sheet._replace(expected=due)
    head = situation_block(sheet, score_words(view))
    if lost := tuple(_losses(seen, view)):
        head = head._replace(lines=(*head.lines, (0, msg("Losses: {losses}.", losses=join_parts(lost)))))
    return Report(
        title,
        _summary(view, seen, numbered),
        numbered,
        tuple(block for block in blocks if block.lines or block.table),
        (head,),
    )


def _of_side(view: State, seat: str, before: State | None, seen: Seen) -> tuple[Block, ...]:
    side = view.edition.seats[seat]
    enemy = "allied" if alliance_of(side) == "french" else "french"
    # Who alone orders a side knows where he sent its counters.
    sent_ids = _counters_where_sent(view, side, seen) if len(view.edition.seats_of(side)) == 1 else ()
    return (
        forces_block(view, alliance_of(side), msg("Your forces"), before, orders=True, known_ids=sent_ids),
        forces_block(view, enemy, msg("The enemy"), before),
        _warnings(view, side),
    )


def _counters_where_sent(view: State, side: str, seen: Seen) -> frozenset[str]:
    """Return the counters of a side that stand where its orders sent them."""
    ends: dict[str, tuple[str, str]] = {}
    for data in (event.data for event, _ in seen if event.kind in _MARCHES and event.data["side"] == side):
        ends |= dict.fromkeys(data["units"], (data.get("to", data.get("at", "")), data["facing"]))
    places = {ident: (unit.at, unit.facing if unit.faces else "") for ident, unit in view.units.items()}
    return frozenset(
        ident for ident, (hex_id, facing) in ends.items() if places.get(ident) in ((hex_id, facing), (hex_id, ""))
    )


def _of_all(view: State, before: State | None) -> tuple[Block, ...]:
    allied, french = msg("The allied forces"), msg("The French forces")
    return forces_block(view, "allied", allied, before), forces_block(view, "french", french, before)


def _summary(view: State, seen: Seen, entries: Sequence[Entry]) -> tuple[Msg, ...]:
    """Return fights and their results, and the units lost or routed."""
    # In a half that waits for an answer, assaults are still to come.
    called_off = () if view.assaults else _called_off(seen)
    none = (msg("No assault took place at {hexes}.", hexes=called_off),) if called_off else ()
    return (*summary_lines(seen), *none, *(() if entries else no_events_text(seen, _nothing_played(view))))


def _called_off(seen: Seen) -> tuple[str, ...]:
    """Return the hexes to be assaulted that were neither fought for nor entered.

    Charges of which each counter failed its test are left out, because the summary names those counters.
    """
    heads = [(seen[places[0]][0], [seen[place] for place in places]) for _, places in indexed_entries(seen)]
    settled = {event.data["at"] for event, _ in heads if event.kind in ("shock", "no shock")}
    entered = {event.data["to"] for event, _ in seen if event.kind in ("advances", "pursues")}
    hexes = []
    for head, events in heads:
        tests = [(event, then) for event, then in events if event.kind == "test"]
        failed = {test.data["unit"] for test, then in tests if does_not_charge(head, test, then)}
        if head.kind in ("assault", "charge") and not failed.issuperset(head.data["units"]):
            hexes.append(head.data["at"])
    return tuple(dict.fromkeys(hex_id for hex_id in hexes if hex_id not in settled | entered))


def _nothing_played(view: State) -> bool:
    """Return whether no half has been played yet."""
    return view.turn <= 1 and view.phase in (view.edition.phases[0], DEPLOYMENT_PHASE)


def _draws(view: State, seat: str) -> bool:
    """Return whether a seat's report draws the map.

    It does at first, at the end, and when the seat is to move.
    """
    waits = alliance_of(view.phase) != alliance_of(view.edition.seats[seat])
    return _nothing_played(view) or view.phase == "over" or not waits


def _map(view: State) -> Block:
    """Return the occupied map rows as drawn, and their contents."""
    drawn, first = map_rows(view, (unit.at for unit in view.units.values())), _nothing_played(view)
    even = msg("The map around the units; even columns stand half a hex lower (MAP: all)")
    who = msg("B British, P Portuguese, S Spanish, F French: PF; g guns alone, o commander alone")
    legend = msg("{signs}", signs=(*sign_lines(view.edition.map), who))
    return Block(
        even if first else msg("The map around the units (MAP: all)"),
        (*drawn, *((0, line) for line in (legend, *crossing_lines(view.edition.map)) if first)),
        whole=view.phase == DEPLOYMENT_PHASE,
    )


def _losses(seen: Seen, view: State) -> Iterator[Msg]:
    """Yield each side's losses as the points count them, at full PF (S14)."""
    before = seen[0][1] if seen else view
    units_gone: dict[str, dict[str, None]] = {}
    for event, then in seen:
        data = event.data
        for ident in data.get("units", [data.get("unit", "")]) if event.kind in _FATAL else ():
            # Another takes over from a commander under the same name: he who fell or was taken is lost (S13).
            if ident in then.units and (ident in view.gone or then.units[ident].kind == "cmd"):
                units_gone.setdefault(then.units[ident].camp, {})[ident] = None
    for side in view.edition.phases:
        pf, units_lost = _dead(view, side) - _dead(before, side), tuple(units_gone.get(alliance_of(side), ()))
        if pf or units_lost:
            lost = msg("{side} {pf} PF", side=SIDE_NAMES[side], pf=pf)
            yield msg("{lost} (out of play: {units})", lost=lost, units=units_lost) if units_lost else lost


def _dead(state: State, side: str) -> int:
    return sum(pf for army, pf in state.dead.items() if alliance_of(army) == alliance_of(side))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _warnings(view: State, side: str) -> Block:
    """Return warnings of shaken counters and divisions without a commander."""
    divisions = {unit.division for unit in view.units.values() if unit.camp == alliance_of(side)}
    lines = [
        (0, msg("division {division} has no commander: its orders wait a turn", division=name))
        for name in sorted(divisions & view.divisions.keys())
        if view.divisions[name].commander not in view.units
    ]
    return Block(msg("To look after"), tuple(lines))
