"""Write a seat's report: results in brief, single events, the units.

This module orders and nests the sentences; the modules of the chapters write them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pbem.engine import couriers, deployment
from pbem.engine.commanders import report as commanders
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Arg, Msg, by_number, msg
from pbem.engine.data.report import Block, Entry, Report, Table
from pbem.engine.data.score_sheet import no_events_text, situation_block
from pbem.engine.deployment import DEPLOYMENT_PHASE
from pbem.engine.edits import CORRECTED_EVENT
from pbem.engine.orders.speech import order_text as told_order
from pbem.engine.reasons import Teller, choice_reason, modifier_line
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860 import apply, assault, cavalry, end_phase, fire, morale, movement, sequence, shock, victory
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.form import leaderless_spaces, position_for_orders
from pbem.games.africa1860.orders import translate_orders
from pbem.games.africa1860.picture import draw_places, way_lines
from pbem.games.africa1860.state import SIDE_NAMES, Fight, State, Unit, enemy_of
from pbem.games.africa1860.victory import Seen, score_sheet, score_words
from pbem.games.africa1860.view import seen_spaces, sightings_by_space


@dataclass
class _Fight:
    """A fight: steps lost and units gone by side, the dice of the shock, its result."""

    lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    gone: dict[str, list[str]] = field(default_factory=lambda: {side: [] for side in SIDES})
    dice: Sequence[int] = ()
    totals: Sequence[int] = ()


_ASSAULT_WON = msg("{space} was assaulted from {origin}: {side} won.")
_CHARGE_WON = msg("{space} was charged from {origin}: {side} won.")
_ASSAULT_FAILED = msg("{space} was assaulted from {origin}: it came to no shock.")
_CHARGE_FAILED = msg("{space} was charged from {origin}: it came to no shock.")


def summary_lines(seen: Sequence[tuple[Event, State]]) -> list[Msg]:
    """Return a line for each fight, capture, fallen leader and broken side."""
    lines: list[Msg] = []
    fights: list[_Fight] = []
    for event, before in seen:
        data = event.data
        if event.kind == "assault":
            fights.append(_Fight())
        elif event.kind == "assault over":
            fight = fights.pop() if fights else _Fight()
            if before.fight is not None:
                lines.append(_fight_sentence(fight, data["winner"], before.fight))
        elif event.kind == "captured":
            lines.append(msg("{side} took {units}.", side=SIDE_NAMES[data["side"]], units=tuple(data["units"])))
        elif event.kind == "casualty":
            lines.append(msg("{side} lost the leader {unit}.", side=SIDE_NAMES[data["side"]], unit=data["unit"]))
        elif event.kind == "breaks":
            lines.append(msg("{side} breaks.", side=SIDE_NAMES[data["side"]]))
        elif event.kind == "game over":
            lines.append(victory.winner_text(data, before))
        if fights:
            _add_to_fight(fights[-1], event, before)
    return lines


def _add_to_fight(fight: _Fight, event: Event, before: State) -> None:
    """Add the results of an event to the summary of its fight."""
    data = event.data
    if event.kind == "loses":
        fight.lost[data["side"]] += data["steps"]
        if not data["left"]:
            fight.gone[data["side"]].append(data["unit"])
    elif event.kind in ("casualty", "eliminated", "captured"):
        for ident in data.get("units") or [data["unit"]]:
            if ident in before.units:
                fight.gone[before.units[ident].side].append(ident)
    elif event.kind == "dice":
        fight.dice = data["dice"]
    elif event.kind == "shock":
        fight.totals = data["totals"]


def _fight_sentence(fight: _Fight, winner: str, attack: Fight) -> Msg:
    """Return how a fight went; without a winner it broke down before the shock."""
    is_assault = attack.kind == "assault"
    places: dict[str, Msg | str] = {"space": attack.target, "origin": attack.origin}
    if winner:
        head = msg((_ASSAULT_WON if is_assault else _CHARGE_WON).text, side=SIDE_NAMES[winner], **places)
    else:
        head = msg((_ASSAULT_FAILED if is_assault else _CHARGE_FAILED).text, **places)
    lost = tuple(_losses_sentence(fight, side) for side in SIDES if fight.lost[side] or fight.gone[side])
    sentence = msg("{fight} Lost: {lost}.", fight=head, lost=lost or msg("nothing"))
    if not (fight.totals and fight.dice):
        return sentence
    (a, b), (x, y) = fight.totals, fight.dice
    return msg("{fight} Shock {a} to {b} (dice {x} and {y}).", fight=sentence, a=a, b=b, x=x, y=y)


def _losses_sentence(fight: _Fight, side: str) -> Msg:
    steps = fight.lost[side]
    many = msg("{side} {steps} steps", side=SIDE_NAMES[side], steps=steps)
    sentence = by_number(steps, msg("{side} 1 step", side=SIDE_NAMES[side]), many)
    gone = tuple(dict.fromkeys(fight.gone[side]))
    if not steps:
        sentence = msg("{side}", side=SIDE_NAMES[side])
    return msg("{lost} (out of play: {units})", lost=sentence, units=gone) if gone else sentence


def write_report(view: State, seat: str, seen: Seen) -> Report:
    """Return a seat's report and the position after it.

    An observer sees both sides, without warnings and requests for orders.
    """
    numbered = report_entries(seen)
    first = view.turn <= 1 and view.phase in (SIDES[0], DEPLOYMENT_PHASE)
    before = seen[0][1] if seen and not first else None
    title = Msg(view.edition.scenario.get("title", "Africa 1859-60"))
    blocks = (
        *deployment.zone_blocks(view, SIDE_NAMES, "K6"),
        *commanders.commands_block(view, seat),
        _losses(seen, view),
        Block(
            msg("The map (MAP shows all spaces, signs and ways)"),
            draw_places(view, legend=first),
            whole=view.phase == DEPLOYMENT_PHASE,
        ),
        *_from_zones(view, seat),
        *(_of_all(view, before) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat], before)),
    )
    head = situation_block(score_sheet(view, seat, seen), score_words(view))
    quiet = () if numbered else no_events_text(seen, first)
    return Report(
        title,
        (*summary_lines(seen), *quiet),
        numbered,
        tuple(block for block in blocks if block.lines or block.table),
        (head,),
    )


def _from_zones(view: State, seat: str) -> tuple[Block, ...]:
    """K6 Return where the ways of one's zones lead during deployment.

    An onlooker sees all zones.
    """
    if view.phase != DEPLOYMENT_PHASE:
        return ()
    side = view.edition.seats.get(seat, "")
    # Whose a zone is anybody knows, be its units in sight or not.
    whose = {words[2]: words[0] for words in map(str.split, view.edition.scenario["units"])}
    own_units = (zone for zone in view.edition.zones if side in ("", whose[zone.units[0]]))
    places = {place for zone in own_units for place in zone.places}
    return (
        Block(
            msg("Where the ways of your zones lead"), tuple((0, line) for line in way_lines(view, places)), whole=True
        ),
    )


def _of_side(view: State, side: str, before: State | None) -> tuple[Block, ...]:
    own, enemy = msg("Your forces"), msg("The enemy")
    return _forces(view, side, own, before), _forces(view, enemy_of(side), enemy, before), _warnings(view, side)


def _of_all(view: State, before: State | None) -> tuple[Block, ...]:
    return tuple(_forces(view, side, msg("Forces: {side}", side=SIDE_NAMES[side]), before) for side in SIDES)


def _losses(seen: Seen, view: State) -> Block:
    lost: dict[str, int] = dict.fromkeys(SIDES, 0)
    gone: dict[str, dict[str, None]] = {side: {} for side in SIDES}
    for event, before in seen:
        data = event.data
        if event.kind == "loses":
            lost[data["side"]] += data["steps"]
        for ident in data.get("units", [data.get("unit", "")]):
            if ident in before.units and ident in view.gone and event.kind in _FATAL:
                # A unit may be hit more than once before it goes.
                gone[before.units[ident].side].setdefault(ident)
    lines = [
        (
            0,
            msg("{lost}; out of play: {units}", lost=_steps_lost(s, lost[s]), units=tuple(gone[s]))
            if gone[s]
            else _steps_lost(s, lost[s]),
        )
        for s in SIDES
        if lost[s] or gone[s]
    ]
    return Block(msg("Losses"), tuple(lines), whole=True)


def _steps_lost(side: str, steps: int) -> Msg:
    return msg("{side}: {steps} {steps:|step|steps}", side=SIDE_NAMES[side], steps=steps)


_FATAL = ("loses", "casualty", "captured", "eliminated")


def _forces(view: State, side: str, title: Msg, before: State | None) -> Block:
    """Return a side's units by space.

    If `before` is given, the lines hold only units that differ from it.
    """
    lines: list[tuple[int, Msg]] = []
    groups = []
    older = sightings_by_space(view, view.commanding)
    as_old = sightings_by_space(before, before.commanding) if before is not None else {}
    for ident, space in sorted(view.edition.map.spaces.items()):
        units = view.own(ident, side)
        if not units:
            continue
        place = msg("{space} ({terrain})", space=ident, terrain=Msg(space.terrain))
        place = couriers.dated_place(place, older[ident]) if ident in older else place
        groups.append((place, tuple(map(_row, units))))
        was = {} if before is None or older.get(ident) != as_old.get(ident) else before.units
        changed = [unit for unit in units if _condition(was.get(unit.id)) != _condition(unit)]
        if changed:
            lines.append((0, msg("{place}: {units}", place=place, units=tuple(map(_unit_line, changed)))))
        came = tuple(unit.id for unit in units if unit not in changed and was[unit.id].at != ident)
        if came and before is not None:
            lines.append((0, msg("moved to {place}: {units}", place=place, units=came)))
    if before is not None:
        title = msg("{forces}, what has changed (MAP lists all)", forces=title)
    return Block(title, tuple(lines), whole=True, table=Table(_COLUMNS, tuple(groups)) if groups else None)


def _condition(unit: Unit | None) -> tuple[int, bool] | None:
    """Return a unit's steps and whether it is demoralised; None if unseen."""
    return None if unit is None else (unit.steps, unit.demoralised)


_COLUMNS = (msg("Unit"), msg("Type"), msg("Fire"), msg("Assault"), msg("Morale"), msg("Steps"))


def units_in_space(view: State, space: str) -> tuple[tuple[int, Msg], ...]:
    """Return the units of both sides in a space, for a question about it."""
    units_here = [unit for side in SIDES for unit in view.own(space, side)]
    if not units_here:
        return ()
    head = msg("{space} ({terrain})", space=space, terrain=Msg(view.edition.map.spaces[space].terrain))
    return ((0, head), *((1, _unit_line(unit)) for unit in units_here))


def _marks(unit: Unit) -> tuple[Msg, ...]:
    """Return a unit's unusual states."""
    marks = (
        (msg("demoralised"), unit.demoralised),
        (msg("has been activated") if unit.is_leader else msg("activated"), unit.activated),
        (msg("fired"), unit.fired),
    )
    return tuple(word for word, on in marks if on)


def _row(unit: Unit) -> tuple[Arg, ...]:
    """Return a unit in columns; a leader has no fire and no steps."""
    if unit.is_leader:
        return (unit.id, msg("Leader"), "", unit.assault, unit.bonus, "", _marks(unit))
    strength = f"{unit.steps}/{unit.full}"
    return (unit.id, msg("{code}", code=unit.code), unit.fire, unit.assault, unit.morale, strength, _marks(unit))


def _unit_line(unit: Unit) -> Msg:
    marks = _marks(unit)
    state = msg(" ({marks})", marks=marks) if marks else ""
    if unit.is_leader:
        return msg("{unit} leader {a}/{m}{state}", unit=unit.id, a=unit.assault, m=unit.bonus, state=state)
    ratings = f"{unit.fire}-{unit.assault}-{unit.morale} {unit.steps}/{unit.full}"
    return msg("{unit} {code} {ratings}{state}", unit=unit.id, code=unit.code, ratings=ratings, state=state)


def _warnings(view: State, side: str) -> Block:
    """Warn the side to move of infantry without a leader.

    Demoralised units are in the situation.
    """
    lines: list[tuple[int, Msg]] = []
    if view.phase != side:
        return Block(msg("To look after"))
    if side in view.broken:
        lines.append((0, msg("your side is broken: it neither assaults nor charges")))
    shut = leaderless_spaces(position_for_orders(view, side, False))
    older = sightings_by_space(view, view.commanding)
    unled = []
    for space in sorted(set(view.edition.map.spaces) - set(older)):
        units = view.own(space, side)
        foot = any(u.is_combat and u.code != "CAB" for u in units)
        if foot and space not in shut and not any(u.is_leader for u in units):
            unled.append(space)
    if unled:
        lines.append((0, msg("no leader, so the infantry cannot assault: {spaces}", spaces=tuple(unled))))
    return Block(msg("To look after"), tuple(lines))


# Happenings: events as the sentences of their chapters, a number for each act, dice and arithmetic below it.


ENTRY_SENTENCES: Mapping[str, Teller] = {
    **deployment.event_sentences(SIDE_NAMES),
    **sequence.ENTRY_SENTENCES,
    **movement.ENTRY_SENTENCES,
    **fire.ENTRY_SENTENCES,
    **morale.ENTRY_SENTENCES,
    **assault.ENTRY_SENTENCES,
    **cavalry.ENTRY_SENTENCES,
    **shock.ENTRY_SENTENCES,
    **end_phase.ENTRY_SENTENCES,
    **victory.ENTRY_SENTENCES,
    **commanders.ENTRY_SENTENCES,
    **couriers.ENTRY_SENTENCES,
    **apply.ENTRY_SENTENCES,
}
"""The sentences of the events that a report numbers, by kind."""
DETAIL_SENTENCES: Mapping[str, Teller] = {
    **fire.DETAIL_SENTENCES,
    **morale.DETAIL_SENTENCES,
    **assault.DETAIL_SENTENCES,
    **cavalry.DETAIL_SENTENCES,
    **shock.DETAIL_SENTENCES,
}
"""The sentences of the events that stand below the numbered event before them, by kind."""
OUTCOME_KINDS = frozenset().union(
    sequence.OUTCOME_KINDS,
    movement.OUTCOME_KINDS,
    morale.OUTCOME_KINDS,
    assault.OUTCOME_KINDS,
    cavalry.OUTCOME_KINDS,
    shock.OUTCOME_KINDS,
    end_phase.OUTCOME_KINDS,
    victory.OUTCOME_KINDS,
    deployment.EVENT_KINDS,
    commanders.EVENT_KINDS,
    couriers.ENTRY_SENTENCES,
    (CORRECTED_EVENT,),
)
"""Kinds of event that are results, and stay in a letter however short it has to be."""


def report_entries(seen: Sequence[tuple[Event, State]]) -> tuple[Entry, ...]:
    """Return the entries of a report.

    Moves along one way, arrivals at one space and tries to recover are merged; losses stand below their causes.
    """
    return tuple(entry for entry, _ in indexed_entries(seen))


def indexed_entries(seen: Sequence[tuple[Event, State]]) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
    """Return the entries, each with the indexes of its events in `seen`."""
    collected = _Happenings()
    last: tuple[str, ...] | None = None
    for place, (event, before) in enumerate(seen):
        data = event.data
        way = (event.kind, *(data.get(key, "") for key in _MERGED[event.kind])) if event.kind in _MERGED else None
        if way is not None and way == last:
            if event.kind == "recovery":
                collected.more_recoveries(place, event, before)
            else:
                collected.more_units(place, data["units"] if event.kind == "moves" else (data["id"],))
        elif event.kind in ENTRY_SENTENCES:
            mine = (data.get("unit", ""),) if event.kind in ("intercepts", "sallies") else ()
            below = _dispatch(data, before) if event.kind == couriers.ARRIVAL_EVENT else _arithmetic(event)
            collected.head(place, event, ENTRY_SENTENCES[event.kind](data, before), below, mine)
            collected.recoveries = [(event, before)]
        elif event.kind in DETAIL_SENTENCES:
            line = msg("{text} [{rule}]", text=DETAIL_SENTENCES[event.kind](data, before), rule=event.cite)
            coins = fire.explain_coins(data, before) if event.kind == "volley" else ()
            lines = (line, *coins, *_arithmetic(event))
            # The strengths of both sides are one sum.
            behind = event.kind == "strength" and place > 0 and seen[place - 1][0].kind == "strength"
            behind = behind or event.kind in assault.ROLE_SENTENCES
            if event.kind == "volley" and data["cell"] == "none":
                collected.without_effect()
            collected.below(place, lines, outcome=event.kind in OUTCOME_KINDS, behind=behind)
        elif event.kind == "marked":
            collected.behind[tuple(data["units"])] = place, _arithmetic(event)
        last = way if way is not None else (last if event.kind in ("marked", "recovers") else None)
    collected.settle()
    return tuple((entry, tuple(places)) for entry, places in zip(collected.entries, collected.places, strict=True))


_MERGED: Mapping[str, tuple[str, ...]] = {"moves": ("from", "to"), "enters": ("space", "replaces"), "recovery": ()}
"""The kinds of event that are one entry with those before them, if all these data are the same."""


class _Happenings:
    """The entries of a report while they are built."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fires = False
        self.places: list[list[int]] = []
        # Who reacts is marked before his act is told: the standing order behind it belongs to the act.
        self.behind: dict[tuple[str, ...], tuple[int, tuple[Msg, ...]]] = {}
        self.recoveries: list[tuple[Event, State]] = []

    def head(self, place: int, event: Event, text: Msg, extra: Iterable[Msg], mine: tuple[str, ...]) -> None:
        """Begin an entry; `mine` are the units whose markers belong to it."""
        marked = self.behind.pop(mine, None)
        self.settle()
        before, why = marked or (place, ())
        self.fires = event.kind == "fires"
        details = (*why, *extra)
        kept = tuple(range(len(details))) if event.kind == couriers.ARRIVAL_EVENT else ()
        # A gun that answers has fired: its next order depends on it.
        answers = event.kind == "fires" and event.cite == "O7.1.7"
        self.entries.append(Entry(event.cite, text, details, kept, answers or event.kind in OUTCOME_KINDS))
        self.places.append(sorted({before, place}))

    def below(self, place: int, lines: Iterable[Msg], outcome: bool = False, behind: bool = False) -> None:
        """Add lines below the last entry.

        The first line may be its result, or belong to the lines before.
        """
        if self.entries:
            last = self.entries[-1]
            begin, details = len(last.details), (*last.details, *lines)
            kept = (*last.kept, begin) if outcome else last.kept
            joined = (*last.joined, *range(begin + (not behind), len(details)))
            self.entries[-1] = last._replace(details=details, kept=kept, joined=joined)
            self.places[-1].append(place)

    def without_effect(self) -> None:
        """Say that fire had no effect."""
        if self.fires:
            self.entries[-1] = self.entries[-1]._replace(text=msg("{head} No effect.", head=self.entries[-1].text))

    def more_units(self, place: int, ids: Iterable[str]) -> None:
        """Add units to the move of the last entry."""
        text, units = self.entries[-1].text, dict(self.entries[-1].text.args)["units"]
        text = msg(text.text, **{**dict(text.args), "units": (*units, *ids)})
        self.entries[-1] = self.entries[-1]._replace(text=text)
        self.places[-1].append(place)

    def more_recoveries(self, place: int, event: Event, before: State) -> None:
        """Add a try to recover to the last entry, with the arithmetic of each below it."""
        self.recoveries.append((event, before))
        lines = [(ENTRY_SENTENCES["recovery"](tried.data, was), *_arithmetic(tried)) for tried, was in self.recoveries]
        details = tuple(line for unit_lines in lines for line in unit_lines)
        text = end_phase.recoveries_text([tried.data for tried, _ in self.recoveries])
        self.entries[-1] = self.entries[-1]._replace(text=text, details=details)
        self.places[-1].append(place)

    def settle(self) -> None:
        """Add lines that waited for their own event to the entry before."""
        for place, lines in self.behind.values():
            self.below(place, lines)
        self.behind.clear()


def _arithmetic(event: Event) -> tuple[Msg, ...]:
    """Return the arithmetic below a line, and the standing order if visible."""
    modifiers = event.data["modifiers"] if event.kind in ("volley", "recovery", "strength") else ()
    return (*modifier_line(modifiers), *choice_reason(event.data))


# M6 What a courier brought, line by line: who was where, who fell, what was fought, what was ordered.


def _dispatch(data: Data, before: State) -> tuple[Msg, ...]:
    """Return the lines of a report that arrives.

    Spaces that the reader sees himself, or saw later, are left out.
    """
    known = before.known or couriers.LastKnownPositions()
    seen = seen_spaces(before, data["to"]) | {
        sighting.place for sighting in known.seen if sighting.when >= data["when"]
    }
    places = [(place, [Unit(*row) for row in rows]) for place, rows in data["places"] if place not in seen]
    lines = [_holder_sentence(place, units) for place, units in places if units]
    if empty := tuple(place for place, units in places if not units):
        lines.append(msg("nobody in {spaces}", spaces=empty))
    if gone := tuple(ident for ident in data["gone"] if ident not in before.gone):
        lines.append(msg("out of play: {units}", units=gone))
    lines += [line for row in data["news"] for line in _news(row)]
    return tuple(lines) or (msg("nothing new to you"),)


def _holder_sentence(place: str, units: Sequence[Unit]) -> Msg:
    """Return ``Mochilas held by Morocco: 2 IL (5 steps)``."""
    side = SIDE_NAMES[units[0].side]
    kinds = Counter(unit.code for unit in units if not unit.is_leader)
    leaders = tuple(unit.id for unit in units if unit.is_leader)
    parts: list[Msg | str] = [
        msg("{n} {code}", n=n, code=msg("{code}", code=code)) for code, n in sorted(kinds.items(), key=_foot_first)
    ]
    steps = sum(unit.steps for unit in units if not unit.is_leader)
    sentence = msg("{place} held by {side}: {force}", place=place, side=side, force=(*parts, *leaders))
    return msg("{told} ({steps} {steps:|step|steps})", told=sentence, steps=steps) if steps else sentence


def _foot_first(entry: tuple[str, int]) -> int:
    """Return a sort key by kind: infantry, cavalry, guns, trains."""
    return ("IR", "NZ", "IL", "CAB", "ART", "CNV").index(entry[0])


def _news(row: Sequence[str]) -> Iterable[Msg]:
    kind, *words = row
    if kind == "fight":
        target, origin, winner = words
        yield msg(_ASSAULT_WON.text, space=target, origin=origin, side=SIDE_NAMES[winner])
    elif kind == "set":
        yield from (msg("ordered: {order}", order=told_order(line, translate_orders)) for line in words)
