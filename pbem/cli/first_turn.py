"""Lay out a first turn: a few orders, their arrows on a map, what came of them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import dist
from typing import Any

from pbem.audit.dice import DiceStream
from pbem.cli.printing import PrintedGame, PrintedReport, report_parts, sentences_with_depth
from pbem.engine.bots import Bot
from pbem.engine.data.events import Event
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import msg
from pbem.engine.data.scene import Mark, Scene, alt_text
from pbem.engine.game import AnyGame
from pbem.engine.map.plane import Box, Point, box_of, overlaps
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders, Seat
from pbem.maps.drawing import board, draw_marks
from pbem.maps.drawn_on import Ground, is_within
from pbem.maps.goals import NAME
from pbem.maps.grounds import prepare_ground
from pbem.maps.layout import Stack, counters_of, lay_piles, lay_stacks
from pbem.maps.legend import legend
from pbem.maps.palette import LIGHT
from pbem.maps.svg import number, tag, text, width
from pbem.pages.printed import Happenings, Heading, Pair, Part, Picture, Plain

BOT = "forward"
"""The bot that plays the first turn, if the game has it: it plays well and fast."""
_MOST = 4
"""The most orders of the example that lead to a place: a page shows them large."""
_AROUND = 26.0
"""The width of land shown around counters, in units of the map. A choice: some land around them shows where they are,
and more would make them small."""
_FLATTEST = 1.25
"""The largest width of the picture, in times its height. A choice: it is as wide as the page, and a flat one would
waste the height."""
_NARROWEST = 1.1
"""The least width of the picture, in times its height. A choice: the legend below is as wide as the picture, and its
type would be too small under a narrow one."""
_GROWN = 1.2
"""How many times as large the picture may become for the sake of a stack that its edge would cut. A choice: beyond it
the counters would become small, and the stack is left out."""
_BEHIND = 17.0
"""How far behind the tip of its arrow the number of an order stands: the head stays free."""
_LEGEND = 400.0
"""The width of the legend, in its own units, below a picture of any scale. A choice: the smaller it is, the larger its
signs."""


def onlooker_view(rules: AnyGame, state: object) -> Any:
    """Return the position as everybody may see it; the set-up is no secret."""
    return rules.view(state, ONLOOKER) or state


def first_turn_parts(desk: PrintedGame, state: Any, seat: Seat = "") -> Iterator[Part]:
    """Return the first phase, played by bots: map with arrows, orders, results.

    With a `seat` it is the first in which that seat has orders.
    """
    rules, words = desk.rules, desk.words
    bot = rules.bots.get(BOT) or next(iter(rules.bots.values()), None)
    while bot is not None and seat and seat not in rules.active(state):
        state = _play_phase(rules, state, bot)
    first_phase = rules.phase(state)
    if bot is None or first_phase is None or rules.pictured is None:
        return
    phase, turn = first_phase
    set_up = rules.pictured.picture(onlooker_view(rules, state), ONLOOKER, ())
    ground = prepare_ground(rules.pictured.ground(state.edition), set_up, state.edition.digest, narrow=True)
    orders, report, planned = _play_example(rules, state, bot, set_up, ground)
    numbers, texts, senders = dict[str, str](), list[Plain](), dict[str, set[str]]()
    for seat in rules.active(state):
        lines = rules.canon(orders[seat]).splitlines()
        for line in lines:
            if place := _place_in(line, ground.sites):
                numbers.setdefault(place, f"{len(numbers) + 1}")
                senders.setdefault(desk.style.named(place), set()).update(map(desk.style.named, _words(line)))
        texts.append(_orders_block(desk, turn, lines, numbers))
    yield Heading(words.say(msg("Your first turn: {phase}", phase=words.phase(f"T{turn}.{phase}"))), 1)
    yield sentences_with_depth(desk, *((0, step) for step in _STEPS))
    # As in the first letter: counters still stand where they start, and every arrow begins at its own.
    scene = set_up._replace(marks=planned)
    yield Picture(_numbered_map(desk, scene, ground, numbers), words.say(alt_text(scene)), 80, True)
    happenings = [part for part in report_parts(desk, report, forces=False) if isinstance(part, Happenings)]
    results = [sentence for part in happenings for _, sentence, _, _ in part.entries]
    named = {desk.style.named(place): number_ for place, number_ in numbers.items()}

    def number_of(result: str) -> str:
        # One order may lead to where another comes from: then it is the one with the same units.
        words_in = _words(result)
        places = sorted(
            {*words_in} & named.keys(), key=lambda place: (-len(senders[place] & {*words_in}), words_in.index(place))
        )
        return named.get(places[0] if len(places) > 1 else _place_in(result, named), "")

    came = Plain("\n".join(results), tuple(map(number_of, results)), False)
    yield Pair(
        (Heading(words.say(msg("What was written")), 2), *texts),
        (Heading(words.say(msg("What came of it")), 2), came),
        (3, 2),
    )


def _play_phase(rules: AnyGame, state: Any, bot: Bot) -> Any:
    """Return the position after a phase that bots play."""
    # Nothing is kept secret by it: the same scenario has to give the same turn.
    chance = random.Random(state.edition.digest)  # noqa: S311
    orders = {seat: Orders(()) for seat in rules.seats(state)}
    for seat in rules.active(state):
        view = rules.view(state, seat)
        orders[seat] = Orders(rules.parse(bot(view, seat, chance.randrange), view, seat).orders.actions)
    return _resolve(rules, state, orders, chance).state


def _resolve(rules: AnyGame, state: Any, orders: Mapping[Seat, Orders], chance: random.Random) -> Done[Any]:
    """Return the result of a phase in which nobody is asked."""
    world, dice = rules.world(state, orders), DiceStream(chance.randbytes(64))
    result = play(rules.rules, world, dice, rules.decisions(state, orders, {}))
    if not isinstance(result, Done):
        raise TypeError("nobody is asked where no standing order says so")
    return result


def _play_example(
    rules: AnyGame, state: Any, bot: Bot, set_up: Scene, ground: Ground
) -> tuple[dict[Seat, Orders], PrintedReport, tuple[Mark, ...]]:
    """Return a few of a bot's orders, the report of what came of them, their marks."""
    own, occupied = {rules.seats(state)[seat] for seat in rules.active(state)}, {piece.place for piece in set_up.pieces}
    avoided = set[str]()
    while True:
        # Nothing is kept secret by it: the same scenario has to give the same turn.
        chance = random.Random(state.edition.digest)  # noqa: S311
        orders = {seat: Orders(()) for seat in rules.seats(state)}
        for seat in rules.active(state):
            view = rules.view(state, seat)
            actions = rules.parse(bot(view, seat, chance.randrange), view, seat).orders.actions
            chosen = _choose_lines(rules.canon(Orders(actions)).splitlines(), set_up, ground, avoided)
            orders[seat] = rules.parse("\n".join(chosen), view, seat).orders
        result = _resolve(rules, state, orders, chance)
        if rules.pictured is None:
            raise LookupError(f"{rules.name} has no pictures")
        seen = list(_visible_events(rules, state, result.events))
        report = PrintedReport(ONLOOKER, onlooker_view(rules, result.state), seen)
        planned = _planned_marks(rules.pictured.picture(report.after, ONLOOKER, report.seen).marks, own)
        # Counters would cover the arrow, or nothing came of the order.
        hidden = {mark.places[-1] for mark in planned if mark.kind == "move" and occupied & {*mark.places[1:-1]}}
        lines = [line for own_orders in orders.values() for line in rules.canon(own_orders).splitlines()]
        hidden |= {_place_in(line, ground.sites) for line in lines} - {mark.places[-1] for mark in planned} - {""}
        if hidden <= avoided:
            return orders, report, planned
        avoided |= hidden


def _choose_lines(lines: Sequence[str], scene: Scene, ground: Ground, avoided: Collection[str]) -> list[str]:
    """Return a few orders near each other, at the enemy if any, and what they follow.

    None leads to an `avoided` place, unless all do.
    """
    usable, depth = list[str](), 0
    for line in lines:
        # What depends on a condition is too much for a first turn.
        depth += line.split()[0] == "IF"
        usable += [] if depth else [line]
        depth -= line.split()[0] == "ENDIF"
    places = {line: place for line in usable if (place := _place_in(line, ground.sites))}
    led_to, places = places, {line: place for line, place in places.items() if place not in avoided} or places
    units = {line: {*line.replace(",", "").split()} & {piece.id for piece in scene.pieces} for line in usable}
    own = {piece.side for piece in scene.pieces if any(piece.id in ids for ids in units.values())}
    enemies = [ground.sites[piece.place] for piece in scene.pieces if piece.side not in own]

    def distance(line: str) -> float:
        site = ground.sites[places[line]]
        return min((dist(site, enemy) for enemy in enemies), default=0.0)

    chosen, first = list[str](), min(places, key=distance, default="")

    def rank(line: str) -> tuple[bool, float]:
        return distance(line) > 0, dist(ground.sites[places[line]], ground.sites[places[first]])

    # Orders at the enemy first, then those near the first one: what is chosen first takes the few places.
    for line in sorted(places, key=rank):
        followed = {other for other in usable[: usable.index(line)] if units[other] & units[line]}
        trial = [other for other in usable if other in followed | {*chosen, line}]
        # What an order follows is shown as well.
        ends = [led_to[other] for other in trial if other in led_to]
        if len(ends) == len({*ends} & {*places.values()}) <= _MOST:
            chosen = trial
    return chosen


def _place_in(line: str, places: Collection[str]) -> str:
    """Return the place of a line; a line that only activates a space has none."""
    words = _words(line)
    hits = [word for word in words if word in places]
    # A way of hexes ends in its last; an assault on a space names that first.
    return (hits[-1] if hits[-1].isdigit() else hits[0]) if hits and len(words) > 3 else ""


def _words(line: str) -> list[str]:
    """Return the words of a line without what stands between them."""
    return [word.strip(".,:;") for word in line.split()]


def _planned_marks(marks: Sequence[Mark], own: Collection[str]) -> tuple[Mark, ...]:
    """Return the marks of what a side ordered, without answers, flights and advances."""
    assaults = {mark.places[-2:] for mark in marks if mark.kind == "assault"}
    return tuple(
        mark
        for mark in marks
        if mark.side in own
        and mark.kind != "retreat"
        and (mark.kind, mark.places) not in {("move", a) for a in assaults}
    )


def _numbered_map(desk: PrintedGame, scene: Scene, ground: Ground, numbers: Mapping[str, str]) -> str:
    """Return the part of the map with the orders, their numbers, and a legend."""
    lay = lay_piles if ground.piles else lay_stacks
    stacks = lay(scene, ground)
    sites = {place: (x, y, x, y) for place, (x, y) in ground.sites.items()}
    ends = {place for mark in scene.marks for place in mark.places} | numbers.keys()
    boxes = [stacks[place].box if place in stacks else sites[place] for place in sorted(ends & sites.keys())]
    box = _box_around(boxes, stacks, ground.whole or ground.box)
    cut = {place for place, stack in stacks.items() if box_around((stack.box, box)) != box}
    shown = scene._replace(pieces=tuple(piece for piece in scene.pieces if piece.place not in cut))
    ground, stacks = ground._replace(box=box), lay(shown, ground)
    drawn = [*zip(shown.marks, draw_marks(shown, ground, stacks, LIGHT), strict=True)]
    arrows = {mark.places[-1]: sign.line for mark, sign in drawn if mark.kind == "move" and len(sign.line) > 1}
    signs = "".join(
        _number_sign(figure, _number_position(desk, shown, place, stacks.get(place), arrows.get(place, ()), ground))
        for place, figure in numbers.items()
    )
    left, top, wide, high = box[0], box[1], box[2] - box[0], box[3] - box[1]
    goals = tuple(goal for goal in shown.stakes if is_within(goal.place, ground))
    explained_scene = shown._replace(marks=tuple(mark for mark, sign in drawn if sign.line), stakes=goals, unseen=())
    explained, legend_high = legend(explained_scene, _LEGEND, desk.style, ground, ())
    scale = wide / _LEGEND
    framed = tag("svg", board(shown, ground, desk.style, ()), width=wide, height=high)
    framed += tag("g", signs, transform=f"translate({number(-left)} {number(-top)})")
    framed += tag("g", explained, transform=f"translate(0 {number(high + 8 * scale)}) scale({scale:.3f})")
    view = f"0 0 {number(wide)} {number(high + (8 + legend_high) * scale)}"
    return tag("svg", framed, xmlns="http://www.w3.org/2000/svg", viewBox=view)


def _number_position(
    desk: PrintedGame, scene: Scene, place: str, stack: Stack | None, arrow: Sequence[Point], ground: Ground
) -> Point:
    """Return where an order's number stands: beside counters, else on its arrow."""
    if stack is not None and (counters_of(stack) or not arrow):
        if ground.piles:
            # Beside the number of the hex.
            return stack.box[0] + 4.0, stack.box[1] + 3
        (x, y), half = stack.name, width(desk.style.named(place), NAME, "serif-italic") / 2
        badge = 9.0 if any(goal.place == place for goal in scene.stakes) else 0.0
        before, after = x - half - badge - 9.0, x + half + 2 * badge + 9.0
        return before if before - 7.0 > ground.box[0] else after, y - 4.0
    if not arrow:
        return ground.sites[place]
    (u, v), (x, y) = arrow[-2:]
    share = _BEHIND / (dist((x, y), (u, v)) or _BEHIND)
    return x + share * (u - x), y + share * (v - y)


def _box_around(boxes: Sequence[Box], stacks: Mapping[str, Stack], whole: Box) -> Box:
    """Return the part of a map around boxes: not too flat, few stacks cut."""
    # Counters may reach over the edge of the map.
    whole = box_around([whole, *boxes], 4.0) if boxes else whole
    left, top, right, bottom = wanted = box_around(boxes, _AROUND) if boxes else whole
    across = stretch(left, right, _NARROWEST * (bottom - top), whole[::2])
    # Only a picture that is too flat gets more height; a high one stays.
    down = stretch(top, bottom, (across[1] - across[0]) / _FLATTEST, whole[1::2])
    box = across[0], down[0], across[1], down[1]
    size = max(_size(wanted), _size(box))
    # The stack that needs least comes first: each makes the picture larger, and leaves less for the next.
    for stack in sorted(stacks.values(), key=lambda stack: _size(box_around((stack.box, box)))):
        grown = box_around((box_around([stack.box], 4.0), box))
        if overlaps(stack.box, box) and _size(grown) <= _GROWN * size:
            box = grown
    return max(box[0], whole[0]), max(box[1], whole[1]), min(box[2], whole[2]), min(box[3], whole[3])


def stretch(low: float, high: float, least: float, limits: Sequence[float]) -> tuple[float, float]:
    """Return a stretch as long as wanted, moved into the limits where it has room."""
    missing = max(0.0, least - (high - low)) / 2
    aside = max(0.0, limits[0] - (low - missing)) - max(0.0, high + missing - limits[1])
    return low - missing + aside, high + missing + aside


def box_around(boxes: Sequence[Box], margin: float = 0.0) -> Box:
    """Return the box around boxes, with a margin."""
    return box_of([corner for box in boxes for corner in (box[:2], box[2:])], margin)


def _size(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _number_sign(figure: str, centre: Point) -> str:
    """Return the number of an order, to stand where it leads; goals are round."""
    (x, y), (dark, bright) = centre, LIGHT.band
    plate = tag("rect", x=x - 5.4, y=y - 5.4, width=10.8, height=10.8, fill=dark, stroke=LIGHT.halo, stroke_width=1)
    return plate + text(figure, (x, y + 3), 8.4, "sans-bold", text_anchor="middle", fill=bright)


_STEPS = (
    msg("1. Your report comes by letter, with this map, how it stands, and a form of lines to choose from."),
    msg(
        "2. You answer it with the lines that you want, between ORDERS and END. The server says what it understood; "
        "VERIFY in place of ORDERS only has them checked. Later orders replace earlier ones until the deadline."
    ),
    msg(
        "3. The phase is played, and everybody has the next report. Here are a few orders as an example; their numbers "
        "are on the map, where the arrows lead."
    ),
)


def _visible_events(rules: AnyGame, before: object, events: Sequence[Event]) -> Iterator[tuple[Event, Any]]:
    """Return the events that everybody may see, each with the view before it."""
    for happened in events:
        if rules.see(happened, ONLOOKER, before) is not None or rules.view(before, ONLOOKER) is None:
            yield happened, onlooker_view(rules, before)
        before = rules.rules.apply(before, happened)


def _orders_block(desk: PrintedGame, turn: int, lines: Sequence[str], numbers: Mapping[str, str]) -> Plain:
    """Return a block of orders as a player writes it, each line with its number."""
    begin, end = (pick_phrase(desk.words.language, *words) for words in (ORDERS, END))
    spoken = desk.rules.telling.spoken("\n".join(lines), desk.words.language)
    line_numbers = tuple(numbers.get(_place_in(line, numbers), "") for line in lines)
    return Plain(f"{begin} T{turn}\n{spoken.rstrip()}\n{end}", ("", *line_numbers, ""))
