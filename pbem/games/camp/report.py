"""Report a camp line by line, its ledger as a table, points, prices and help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.languages import in_each_language
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.data.report import Block, Entry, Line, Report, Table
from pbem.engine.orders.refusals import NOT_CARRIED_OUT
from pbem.engine.parts import Reporting
from pbem.engine.run.questions import Question
from pbem.engine.run.steps import Choice, Window
from pbem.engine.standard import entry_per_event, explain_entry
from pbem.engine.terms import ONLOOKER
from pbem.engine.war.chain import changes
from pbem.engine.war.file import Formation
from pbem.engine.war.ledger import AWAY, BROKEN, LEADER, READY, of_side
from pbem.engine.war.ledger import Entry as LedgerEntry
from pbem.games.camp.orders import DISPLAY_NAMES, GRAMMAR, translate_orders
from pbem.games.camp.state import State


def order_in_words(order: str) -> Msg:
    """Return a canonical line for a sentence's gap, in the reader's language."""
    return in_each_language(lambda language: translate_orders(order, language))


_HEADS = (msg("Unit"), msg("Type"), msg("Full"), msg("Now"), msg("Come back"))
_STANDS = {BROKEN: msg("broken"), AWAY: msg("away")}
_GUNS = msg("Guns and trains")


def ledger_block(view: State, side: str) -> Block:
    """Return a side's ledger by formation: steps, full steps, and steps returned.

    Rule: K1.
    """
    lines: list[Line] = [(0, msg("Steps now of all, in brackets those that came back [K2]:"))]
    groups: list[tuple[Msg, tuple[tuple[object, ...], ...]]] = []
    units = [unit for unit in of_side(view.units, side) if unit.role != LEADER]
    for formation in dict.fromkeys((*view.edition.war.formations, "")):
        rows = [unit for unit in units if unit.formation == formation]
        come = tuple(_unit_line(view, unit) for unit in rows if unit.standing != AWAY)
        head = msg("{formation}", formation=formation) if formation else _GUNS
        if come:
            lines.append((1, msg("{formation}: {units}", formation=head, units=come)))
        if rows:
            groups.append((head, tuple(_unit_row(view, unit) for unit in rows)))
    away = tuple(
        msg("{unit} {code} {full}", unit=unit.id, code=unit.code, full=unit.full)
        for unit in units
        if unit.standing == AWAY
    )
    if away:
        lines.append((0, msg("Away and whole, to REPLACE others or to be brought [K1.1, K4]: {units}", units=away)))
    lines += [(0, line) for line in _leaders(view, side)]
    lines.append((0, msg("{points} {points:|point|points} left", points=view.points.get(side, 0))))
    return Block(msg("The ledger: {side}", side=side), tuple(lines), whole=True, table=Table(_HEADS, tuple(groups)))


def _unit_line(view: State, unit: LedgerEntry) -> Msg:
    gaps = {"unit": unit.id, "code": unit.code, "now": unit.now, "full": unit.full}
    if unit.standing == BROKEN:
        return msg("{unit} {code} 0/{full} broken", unit=unit.id, code=unit.code, full=unit.full)
    if back := view.fed.get(unit.id, 0):
        return msg("{unit} {code} {now}/{full} (+{back})", **gaps, back=back)
    return msg("{unit} {code} {now}/{full}", **gaps)


def _unit_row(view: State, unit: LedgerEntry) -> tuple[object, ...]:
    return (unit.id, unit.code, unit.full, unit.now, view.fed.get(unit.id, 0), _STANDS.get(unit.standing, ""))


def _leaders(view: State, side: str) -> Iterator[Msg]:
    """Yield the leaders of the next battle, successors included (K1.2)."""
    edition = view.edition
    listed = [unit for unit in edition.listed_units if unit.role == LEADER and unit.side == side]
    own = [unit for unit in edition.listed_units if unit.side == side]
    successors = changes(edition.war, edition.number + 1, own, view.units, view.works).successors
    led = []
    for unit in listed:
        if view.units[unit.id].standing == READY:
            led.append(msg("{unit} {factors}", unit=unit.id, factors=unit.factors))
        else:
            name, _, gifts = successors[unit.id].partition(" ")
            led.append(msg("{new} {factors} in place of {unit}", new=name, factors=gifts, unit=unit.id))
    if led:
        yield msg("Leaders: {units}", units=tuple(led))


def offer_block(view: State, sides: Sequence[str]) -> Block:
    """Return what the sides can order in the camp, and the prices (K3, K4)."""
    war, edition = view.edition.war, view.edition
    lines = [
        (0, msg("REFIT unit number: {price} a step", price=war.prices["REFIT"])),
        (0, msg("REBUILD unit: {price}, for half its steps", price=war.prices["REBUILD"])),
        (0, msg("REPLACE unit WITH unit: {price}", price=war.prices["REPLACE"])),
    ]
    mine = [formation for formation in war.formations.values() if formation.side in sides]
    if any(unit.sickness for unit in mine):
        lines.append((0, msg("HOSPITAL formation: {price}", price=war.prices["HOSPITAL"])))
    lines += [(0, _formation_line(view, unit)) for unit in mine if edition.number in unit.enters]
    camp = edition.camp
    if camp.entrenches in sides and camp.spaces:
        lines.append(
            (
                0,
                msg(
                    "ENTRENCH space: {price}; at most {most} of {spaces}",
                    price=war.prices["ENTRENCH"],
                    most=camp.most,
                    spaces=camp.spaces,
                ),
            )
        )
    if camp.builds in sides and camp.edges:
        lines.append(
            (
                0,
                msg(
                    "ROAD space TO space: {price}; {ways}",
                    price=war.prices["ROAD"],
                    ways=tuple(_edge_name(edge) for edge in camp.edges),
                ),
            )
        )
    if edition.deploys:
        lines.append((0, msg("SCOUT: {price}", price=war.prices["SCOUT"])))
    for side in sides:
        if more := war.fleet.get(side, 0):
            lines.append(
                (0, msg("{side} has {more} more if the fleet comes: a die of 3 or more [K3]", side=side, more=more))
            )
    return Block(msg("What can be had, and its price in points [K4]"), tuple(lines))


def _formation_line(view: State, formation: Formation) -> Msg:
    space, turn = formation.enters[view.edition.number]
    units = tuple(msg("{unit} {full}", unit=unit, full=view.units[unit].full) for unit in formation.units)
    return msg(
        "{order}: {price}; it comes on turn {turn} at {space}: {units}",
        order=order_in_words(f"BRING {formation.id}"),
        price=formation.price,
        turn=turn,
        space=space,
        units=units,
    )


def _edge_name(edge: str) -> Msg:
    start, _, end = edge.partition("-")
    return msg("{start}-{end}", start=start, end=end)


def _fed_units(units: Mapping[str, int]) -> tuple[Msg, ...]:
    return tuple(msg("{unit} {steps}", unit=unit, steps=steps) for unit, steps in units.items())


def _return_sentence(data: Data) -> Msg:
    if not data["steps"]:
        return msg("{side}: nobody comes back.", side=data["side"])
    return msg(
        "{side}: {steps} {steps:|step comes|steps come} back: {units}.",
        side=data["side"],
        steps=data["steps"],
        units=_fed_units(data["units"]),
    )


def _points_sentence(data: Data) -> Msg:
    if "die" not in data:
        return msg("{side} has {points} points.", side=data["side"], points=data["points"])
    if data["fleet"]:
        return msg("The fleet comes: {side} has {points} points.", side=data["side"], points=data["points"])
    return msg("A storm keeps the fleet away: {side} has {points} points.", side=data["side"], points=data["points"])


def _sickness_sentence(data: Data) -> Msg:
    cholera = data["kind"] == "cholera"
    if "unit" not in data:
        spared = msg("Cholera spares {formation}.", formation=data["formation"])
        return spared if cholera else msg("The levies of {formation} stay.", formation=data["formation"])
    if cholera:
        return msg("Cholera strikes {formation}: {unit} loses a step.", formation=data["formation"], unit=data["unit"])
    return msg("The harvest calls {formation}: {unit} goes home.", formation=data["formation"], unit=data["unit"])


def _refusal_sentence(data: Data) -> Msg:
    return msg(
        "Line {line} is not carried out: {why} ({order})",
        line=data["line"],
        why=Msg.from_json(data["why"]),
        order=order_in_words(data["order"]),
    )


_SEEN, _UNSEEN = msg("Your scouts see how the enemy deploys."), msg("Your scouts see nothing.")
EVENT_TELLERS: Mapping[str, Callable[[Data], Msg]] = {
    "returned": _return_sentence,
    "points": _points_sentence,
    "follows": lambda d: msg(
        "{unit} is lost: {new} ({gifts}) stands in the same place.", unit=d["unit"], new=d["new"], gifts=d["gifts"]
    ),
    "in chief": lambda d: msg("{side}: {unit} commands in chief.", side=d["side"], unit=d["unit"]),
    "nothing ordered": lambda d: msg("{side} orders nothing: what lacks most is fed.", side=d["side"]),
    "refitted": lambda d: by_number(
        d["steps"],
        msg("{unit} gets a step.", unit=d["unit"]),
        msg("{unit} gets {steps} steps.", unit=d["unit"], steps=d["steps"]),
    ),
    "rebuilt": lambda d: msg("{unit} is there again, with {steps} steps.", unit=d["unit"], steps=d["steps"]),
    "replaced": lambda d: msg("{new} takes the place of {unit}.", new=d["new"], unit=d["unit"]),
    "brought": lambda d: msg("{formation} comes to the next battle.", formation=d["formation"]),
    "hospital": lambda d: msg("{formation} has a hospital.", formation=d["formation"]),
    "entrenched": lambda d: msg("{space} is entrenched.", space=d["space"]),
    "road": lambda d: msg(
        "A road is built from {start} to {end}.", start=d["edge"].split("-")[0], end=d["edge"].split("-")[1]
    ),
    "scouted": lambda d: _SEEN if d["seen"] else _UNSEEN,
    "cholera": _sickness_sentence,
    "harvest": _sickness_sentence,
    "fed": lambda d: msg(
        "{side} would come too weak and is fed: {units}.", side=d["side"], units=_fed_units(d["units"])
    ),
    NOT_CARRIED_OUT: _refusal_sentence,
}


def _details(data: Data) -> tuple[Msg, ...]:
    """Return the die, its modifiers and its target."""
    if "limit" in data and data["care"]:
        return (msg("die {die} + {care} for the hospital, against {limit} or less", **_gaps(data, "die care limit")),)
    if "limit" in data:
        return (msg("die {die}, against {limit} or less", **_gaps(data, "die limit")),)
    return (msg("die {die}", die=data["die"]),) if "die" in data else ()


def _costs(data: Data) -> tuple[Msg, ...]:
    """Return a line's cost and the remaining points."""
    return (msg("{cost} {cost:|point|points}, {left} left", **_gaps(data, "cost left")),) if "cost" in data else ()


def _gaps(data: Data, names: str) -> dict[str, Json]:
    return {name: data[name] for name in names.split()}


def event_entry(event: Event) -> Entry | None:
    """Return an event as an entry of the report; None for the camp's end."""
    if event.kind not in EVENT_TELLERS:
        return None
    data = {**event.data, "kind": event.kind}
    dice, paid = _details(data), _costs(data)
    kept = tuple(range(len(dice), len(dice) + len(paid)))
    return Entry(event.cite, EVENT_TELLERS[event.kind](data), (*dice, *paid), kept, outcome=True)


def refuse_question(view: State, window: Window, silence: Choice) -> Question:
    """Raise LookupError: a camp asks no questions."""
    raise LookupError("nobody is asked anything in a camp")


def write_report(view: State, seat: str, seen: Sequence[tuple[Event, State]]) -> Report:
    """Return the report on a camp: its events, then the ledgers the seat may see."""
    title = msg("{title}: camp {number}", title=Msg(view.edition.scenario["title"]), number=view.edition.number)
    sides = view.edition.sides if seat == ONLOOKER or not view.edition.fog else (view.edition.seats[seat],)
    blocks = [ledger_block(view, side) for side in sides]
    if view.phase != "over":
        blocks.append(offer_block(view, sides if seat == ONLOOKER else (view.edition.seats[seat],)))
    return Report(title, (), tuple(entry for entry, _ in entry_per_event(event_entry, seen)), tuple(blocks))


REPORTING = Reporting(
    report=write_report,
    grouped=partial(entry_per_event, event_entry),
    question=refuse_question,
    why=partial(explain_entry, event_entry, lambda happened: None),
    order_line=lambda task: GRAMMAR.line_of(task.args[0]) if task.name == "order" else "",
    called=DISPLAY_NAMES,
    spoken=translate_orders,
)


HELP_TOPICS: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "commands": ((0, msg("SUE FOR PEACE offers the end of the war, ACCEPT takes that up [K7.1].")),),
    "orders": (
        (0, msg("The orders of a camp, each paid in points; what is left over is lost [K3, K4]:")),
        (1, msg("REFIT Cordoba 2")),
        (2, msg("two steps to a unit that is not broken")),
        (1, msg("REBUILD Luchana")),
        (2, msg("a broken unit is there again with half its steps")),
        (1, msg("REPLACE Cuenca WITH Infante")),
        (2, msg("one that is away takes the place of another of its type")),
        (1, msg("BRING Jebala")),
        (1, msg("HOSPITAL Jebala")),
        (2, msg("its die of sickness is one higher [K5]")),
        (1, msg("ENTRENCH Amsal")),
        (1, msg("ROAD Camino TO Ribera")),
        (1, msg("SCOUT")),
        (2, msg("only where the next battle begins with a deployment [K6]")),
    ),
}
