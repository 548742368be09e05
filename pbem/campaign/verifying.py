"""VERIFY: a block looked at as if it had been sent, what it would do before the first die, and nothing queued."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaign import letters, orders, past, standing, weighing
from pbem.campaign.desk import Desk
from pbem.campaign.positions import Position
from pbem.campaign.reading import Block
from pbem.campaign.terms import INTERRUPT, Terms
from pbem.core.foresight import Foreseen, foresee
from pbem.core.game import Orders
from pbem.core.messages import Msg, msg
from pbem.core.questions import Asks
from pbem.core.report import Entry
from pbem.core.steps import Ask, Roll
from pbem.store import queries

__all__ = ["as_lines", "verify"]


def verify(desk: Desk, block: Block, wanted: Orders) -> None:
    """Answer a block that was found good with what it means, without keeping any of it."""
    here, phase, seat = desk.here, desk.phase, desk.seat.name
    if here is None or phase is None:
        return
    kept = {row.scope: row.text for row in queries.standing(desk.session, desk.seat)}
    would_be = kept | standing.scopes(here, seat, wanted.standing)
    texts = [text for _, text in sorted(would_be.items())]
    desk.warnings += orders.in_letter(block, standing.second_thoughts(here, seat, wanted.actions, texts))
    desk.say(
        "verified",
        msg("I have checked your block and queued nothing of it. To give these orders, send it with ORDERS above it."),
    )
    orders.reread(desk)
    orders.say_what_is_held(desk)
    if desk.active:
        lines = [f"ORDERS T{phase.turn}", *here.rules.canon(Orders(wanted.actions)).splitlines(), "END"]
        desk.blocks.append(letters.block(msg("Your orders as I understand them"), lines))
    if texts:
        title = (
            msg("Your standing orders as they would be") if would_be != kept else msg("Your standing orders in force")
        )
        desk.blocks.append(letters.block(title, [line for text in texts for line in text.splitlines()]))
    if desk.active and not here.begun:
        _foretell(desk, here, Orders(wanted.actions), texts)


def _foretell(desk: Desk, here: Position, wanted: Orders, standing: Sequence[str]) -> None:
    """What no die decides, as the seat would see it; run on the view, so that nothing hidden can come through."""
    seat, rules = desk.seat.name, here.rules
    view = rules.view(here.state, seat)
    promised = [weighing.promise(here, rules.canon(wanted), standing)] if wanted.actions else []
    if rules.active(here.state) != (seat,):
        desk.blocks += promised
        desk.closing.append(msg("Others give orders for this phase too: what happens depends on theirs as well."))
        return
    orders = wanted._replace(standing=weighing.in_force(rules, view, seat, standing))
    everybody = {name: orders if name == seat else Orders() for name in rules.seats(here.state)}
    asks = Asks(frozenset((seat,)) if Terms.read(desk.game.terms).reactions == INTERRUPT else frozenset())
    found = foresee(rules.rules, rules.world(view, everybody), rules.decisions(view, everybody, {}, asks), (seat,))
    seen = past.seen(rules, seat, found.events)
    entries = rules.report(rules.view(found.state, seat), seat, seen).entries
    if entries:
        desk.blocks.append(letters.told(msg("What will happen"), as_lines(entries)))
    desk.blocks += promised
    desk.closing.append(_ending(found, bool(entries)))


def _ending(found: Foreseen[object], told: bool) -> Msg:
    """What decides from here on."""
    if isinstance(found.stop, Roll):
        return msg("From here on the dice decide.") if told else msg("The dice decide from the start.")
    if isinstance(found.stop, Ask):
        return msg("From here on the answer of {seat} decides.", seat=found.stop.window.seat)
    return msg("No die decides in this: what is told here will happen.") if told else msg("Nothing will happen.")


def as_lines(entries: Sequence[Entry], details: bool = True, first: int = 1) -> list[tuple[int, Msg]]:
    """Happenings of a report as the lines of a block, numbered as in the report, with or without their details."""
    lines: list[tuple[int, Msg]] = []
    for number, entry in enumerate(entries, first):
        if entry.rule:
            lines.append((0, msg("#{number} {text} [{rule}]", number=number, text=entry.text, rule=entry.rule)))
        else:
            lines.append((0, msg("#{number} {text}", number=number, text=entry.text)))
        if details:
            lines += [(1, detail) for detail in entry.details]
    return lines
