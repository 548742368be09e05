"""M6 Couriers: commanders see near their own units, and get other reports late.

A position holds the last known units of each place out of a command's sight, and the letters on their way.
A letter takes as long as the way from leader to leader. Without the option a position holds none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard

from pbem.engine.commanders.holding import CommandedPosition, commands_of_side, seat_of_unit, units_of_command
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.situation import lists_to_tuples
from pbem.engine.run.steps import Did, Outcome, Task

# M6 Knowledge of commands about places out of sight, and letters on the way: records in the position.


COURIERS_OPTION = "couriers"
"""The option of an edition."""

Row = tuple[Any, ...]
"""A unit as a position stores it."""


class Sighting(NamedTuple):
    """The units last reported to a command in a place.

    They stood there at the end of phase `when`, as the command `by` saw them.
    """

    seat: str
    place: str
    when: int
    by: str
    units: tuple[Row, ...]


class CourierReport(NamedTuple):
    """A report on its way from `sender` to `reader`.

    It describes the end of phase `when`, and is read at the end of phase `due`. `places` are places with the units
    there, `gone` the units that the sender knew to be out of play, `news` his other news: a word for its kind, and
    its subject.
    """

    sender: str
    reader: str
    when: int
    due: int
    places: tuple[tuple[str, tuple[Row, ...]], ...]
    gone: tuple[str, ...]
    news: tuple[tuple[str, ...], ...]


class Errand(NamedTuple):
    """An order of the commander-in-chief on its way.

    It takes effect once it has reached all of `readers`. `kind` is ``assign``, units under the command of a seat,
    or ``march``, the order of the sets of `seats`.
    """

    kind: str
    side: str
    due: int
    readers: tuple[str, ...]
    units: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()


class LastKnownPositions(NamedTuple):
    """The knowledge of commands about places out of sight.

    It includes all letters on their way. `news` are each seat's news of this phase; `gone` the units out of play,
    by the seat that knows it; `given` the command of a unit as far as a seat knows, where it differs from the
    scenario: seat, unit, commanding seat; `march` the orders of march that have arrived: side and seats. In the
    knowledge of a single seat, `eyes` are the places that it sees through leaders next to its own; else it is None.
    """

    seen: tuple[Sighting, ...] = ()
    letters: tuple[CourierReport, ...] = ()
    errands: tuple[Errand, ...] = ()
    news: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    given: tuple[tuple[str, str, str], ...] = ()
    march: tuple[tuple[str, tuple[str, ...]], ...] = ()
    eyes: tuple[str, ...] | None = None

    def learns(self, seats: Iterable[str], units: Iterable[str]) -> LastKnownPositions:
        """Return a copy in which these seats know that these units are out of play."""
        losses = {(seat, unit) for seat in seats for unit in units}
        return self._replace(gone=tuple(sorted({*self.gone, *losses})))

    def hears(self, sightings: Iterable[Sighting]) -> LastKnownPositions:
        """Return a copy with these sightings; an older one changes nothing."""
        return self._replace(seen=merge_sightings(self.seen, sightings))

    def gives(self, seats: Iterable[str], units: Iterable[str], to: str) -> LastKnownPositions:
        """Return a copy in which seats know that units are under another command."""
        holders = {(seat, unit): holder for seat, unit, holder in self.given}
        holders |= {(seat, unit): to for seat in seats for unit in units}
        return self._replace(given=tuple(sorted((*key, holder) for key, holder in holders.items())))


def merge_sightings(old: Iterable[Sighting], new: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """Return the latest sighting of each place by each seat.

    If two are of the same phase, the reader's own one counts.
    """
    latest: dict[tuple[str, str], Sighting] = {(sighting.seat, sighting.place): sighting for sighting in old}
    for sighting in new:
        earlier = latest.get((sighting.seat, sighting.place))
        if earlier is None or (sighting.when, sighting.by == sighting.seat) >= (
            earlier.when,
            earlier.by == earlier.seat,
        ):
            latest[sighting.seat, sighting.place] = sighting
    return tuple(latest[key] for key in sorted(latest))


def knowledge_of_seat(
    known: LastKnownPositions, seat: str, eyes: Iterable[str], seen: frozenset[str]
) -> LastKnownPositions:
    """Return the knowledge of one seat alone."""
    return LastKnownPositions(
        seen=tuple(sighting for sighting in known.seen if sighting.seat == seat and sighting.place not in seen),
        gone=tuple(loss for loss in known.gone if loss[0] == seat),
        given=tuple(transfer for transfer in known.given if transfer[0] == seat),
        eyes=tuple(sorted(eyes)),
    )


def last_known_from_json(row: Json) -> LastKnownPositions:
    """Read the stored knowledge of a position: the list of its fields."""
    seen, letters, errands, *rest = lists_to_tuples(row)
    return LastKnownPositions(
        tuple(Sighting(*sighting) for sighting in seen),
        tuple(CourierReport(*letter) for letter in letters),
        tuple(Errand(*errand) for errand in errands),
        *rest,
    )


def check_couriers(options: Mapping[str, str]) -> None:
    """M6 Raise ValueError for couriers without fog or without commanders."""
    if options.get(COURIERS_OPTION, "off") == "off":
        return
    wanted = {"fog": "on", "commands": "split"}
    if missing := [f"{name} = {value}" for name, value in wanted.items() if options.get(name) != value]:
        raise ValueError(f"couriers = on needs {' and '.join(missing)} as well")


# M6 How long a letter takes between two commands of a side: by the spaces between their leaders.


AT_ONCE, NEXT, LATER = 0, 1, 2
"""Phases that a letter takes: it arrives at once, with the next report, or a turn later."""
_NEXT_SPACE, _WITH_NEXT = 1, 4
"""Spaces between leaders up to which a letter arrives at once, and with the next report (M6)."""


class CourierPosition(CommandedPosition, Protocol):
    """A position of a game with optional couriers; `known` is None without them."""

    known: Any

    def at(self, place: str, /) -> Sequence[Any]:
        """Return the units in a place."""
        ...


def command_post(state: CourierPosition, seat: str) -> str:
    """Return the place where a command's letters leave and arrive.

    It is the place of its leader or his successor, else of its first unit; empty for a command without units.
    """
    leader: str = state.edition.commands[seat].leader
    while leader not in state.units:
        leader += "-2"
        if leader.count("-2") > _SUCCESSORS:
            units = units_of_command(state, seat)
            return str(state.units[units[0]].at) if units else ""
    return str(state.units[leader].at)


_SUCCESSORS = 8
"""Successors of a leader (`-2` after each other) that are searched: a game has far fewer, and a command without any
ends the search."""


def letter_delay(state: CourierPosition, seat: str, other: str) -> int:
    """M6 Return the number of phases that a letter takes.

    The letter goes between two commands of a side; to the same command it takes 0. A command without units gets
    everything a turn later.
    """
    if seat == other:
        return AT_ONCE
    start, end = command_post(state, seat), command_post(state, other)
    if not start or not end:
        return LATER
    spaces: int = state.edition.map.distances((start,)).get(end, _WITH_NEXT + 1)
    if spaces <= _NEXT_SPACE:
        return AT_ONCE
    return NEXT if spaces <= _WITH_NEXT else LATER


def other_commands(state: CourierPosition, seat: str) -> Iterator[str]:
    """Yield the seats of the other commands of a seat's side, by rank."""
    yield from (command.seat for command in commands_of_side(state, seat) if command.seat != seat)


def phase_number(state: CourierPosition, sides: tuple[str, ...]) -> int:
    """Return the number of the phase of a position, counted from the start of turn 0."""
    turn: int = state.turn
    return turn * len(sides) + (sides.index(state.phase) if state.phase in sides else 0)


def turn_of_phase(when: int) -> int:
    """Return the turn of a phase by its number."""
    return when // 2


# M6 Letters on the way: at the end of each phase due ones arrive, and every command writes to the others.


ARRIVAL_EVENT = "report arrives"
"""The kind of event that brings a command another's sightings."""
_LEAVE = "riders leave"
Eyes = Callable[[Any, str], frozenset[str]]


@dataclass(frozen=True)
class Couriers:
    """The couriers of one game: sides in the order of play, and sight.

    `watched` returns the places that a command's own units see; `sight` also the places that units next to them
    see.
    """

    sides: tuple[str, ...]
    watched: Eyes
    sight: Eyes

    def council(self, state: CourierPosition) -> LastKnownPositions:
        """M6 Return the commands' knowledge as the battle begins."""
        last = len(self.sides) - 1
        sightings: list[Sighting] = []
        for seat in state.edition.commands:
            for other in other_commands(state, seat):
                rows = self._rows(state, self.watched(state, other))
                sightings += [Sighting(seat, place, last, other, units) for place, units in rows]
        return LastKnownPositions().hears(sightings)

    def step(self, state: CourierPosition, task: Task) -> Outcome:
        """M6 End a phase: due letters and errands arrive, then new reports leave."""
        if state.phase not in self.sides:
            return Did()
        now, numbers = phase_number(state, self.sides), state.edition.ON_COMMANDERS
        known: LastKnownPositions = state.known
        events = [_arrival(letter, numbers.reports) for letter in known.letters if letter.due <= now]
        events += [_errand_done(errand, state) for errand in known.errands if errand.due <= now]
        rides = [
            [seat, other, now + phases]
            for seat in state.edition.commands
            for other in other_commands(state, seat)
            if (phases := letter_delay(state, seat, other)) != AT_ONCE
        ]
        return Did((*events, Event(_LEAVE, numbers.couriers, {"when": now, "letters": rides}, ())))

    def handlers(self) -> Mapping[str, Callable[[CourierPosition, Data], None]]:
        """Return the handlers of the events of couriers."""
        return {
            ARRIVAL_EVENT: _receive_report,
            _LEAVE: self._leave,
            "errand rides": self._rides,
            "errand done": _carry_out_errand,
            "shows": _add_shown_set,
            "order of march": _drop_order_of_march,
        }

    def _rides(self, draft: CourierPosition, data: Data) -> None:
        """Send an errand of the commander-in-chief.

        He believes from now on that his order is carried out.
        """
        due, units, seats = phase_number(draft, self.sides) + data["late"], tuple(data["units"]), tuple(data["seats"])
        errand = Errand(data["kind"], data["side"], due, tuple(data["readers"]), units, seats)
        known: LastKnownPositions = draft.known._replace(errands=(*draft.known.errands, errand))
        draft.known = known.gives((data["seat"],), units, seats[0]) if errand.kind == "assign" else known

    def _leave(self, draft: CourierPosition, data: Data) -> None:
        """Record what each command sees, send the reports, and drop those that arrived."""
        known: LastKnownPositions = draft.known
        now = data["when"]
        sightings = [
            Sighting(seat, place, now, seat, units)
            for seat in draft.edition.commands
            for place, units in self._rows(draft, self.sight(draft, seat))
        ]
        known = known.hears(sightings)
        remaining = tuple(letter for letter in known.letters if letter.due > now)
        sent = tuple(self.letter(draft, (sender, reader), (now, due)) for sender, reader, due in data["letters"])
        errands = tuple(errand for errand in known.errands if errand.due > now)
        draft.known = known._replace(letters=(*remaining, *sent), errands=errands, news=())

    def letter(self, state: CourierPosition, way: tuple[str, str], times: tuple[int, int]) -> CourierReport:
        """Return a command's report to another on what it sees now.

        `way` is sender and reader, `times` the phases in which it leaves and arrives.
        """
        known, sender = state.known, way[0]
        gone = tuple(unit for seat, unit in known.gone if seat == sender)
        news = tuple(item for seat, item in known.news if seat == sender)
        return CourierReport(*way, *times, tuple(self._rows(state, self.watched(state, sender))), gone, news)

    def _rows(self, state: CourierPosition, places: Iterable[str]) -> Iterator[tuple[str, tuple[Row, ...]]]:
        for place in sorted(places):
            yield place, tuple(tuple(unit) for unit in state.at(place))

    def remember(self, state: CourierPosition, seats: Iterable[str], places: Iterable[str]) -> LastKnownPositions:
        """Return the knowledge once these seats have seen these places now."""
        now, known = phase_number(state, self.sides), state.known
        rows = [*self._rows(state, places)]
        updated: LastKnownPositions = known.hears(
            [Sighting(seat, place, now, seat, units) for seat in seats for place, units in rows]
        )
        return updated

    def witnesses(self, state: CourierPosition, places: Iterable[str]) -> tuple[str, ...]:
        """Return the seats of the commands that see any of these places now."""
        wanted = frozenset(places)
        return tuple(seat for seat in state.edition.commands if wanted & self.sight(state, seat))


def _arrival(letter: CourierReport, rule: str) -> Event:
    data = {
        "from": letter.sender,
        "to": letter.reader,
        "when": letter.when,
        "places": [[place, [[*row] for row in units]] for place, units in letter.places],
        "gone": [*letter.gone],
        "news": [[*item] for item in letter.news],
    }
    return Event(ARRIVAL_EVENT, rule, data, (letter.reader,))


def _errand_done(errand: Errand, state: CourierPosition) -> Event:
    numbers = state.edition.ON_COMMANDERS
    data = {
        "side": errand.side,
        "kind": errand.kind,
        "units": [*errand.units],
        "seats": [*errand.seats],
        "readers": [*errand.readers],
    }
    rule = numbers.gives if errand.kind == "assign" else numbers.sets
    return Event("errand done", rule, data, errand.readers if errand.kind == "assign" else ())


def _receive_report(draft: CourierPosition, data: Data) -> None:
    """Add the sightings of a report that arrives.

    The reader's own later sightings stay.
    """
    reader, known = data["to"], draft.known
    sightings = [
        Sighting(reader, place, data["when"], data["from"], lists_to_tuples(units)) for place, units in data["places"]
    ]
    known = known.hears(sightings).learns((reader,), data["gone"])
    draft.known = known


def _carry_out_errand(draft: CourierPosition, data: Data) -> None:
    """Carry out an errand that has reached all readers.

    Units change their command with the next turn; an order of march is for the side's next phase.
    """
    if data["kind"] == "assign":
        draft.known = draft.known.gives(data["readers"], data["units"], data["seats"][0])
        draft.transfers = {**draft.transfers, **dict.fromkeys(data["units"], data["seats"][0])}
    else:
        rest = tuple(march for march in draft.known.march if march[0] != data["side"])
        draft.known = draft.known._replace(march=(*rest, (data["side"], tuple(data["seats"]))))


def _add_shown_set(draft: CourierPosition, data: Data) -> None:
    """M5 Add a set that a commander shows to its own reports."""
    item = (data["seat"], ("set", *data["lines"]))
    draft.known = draft.known._replace(news=(*draft.known.news, item))


def _drop_order_of_march(draft: CourierPosition, data: Data) -> None:
    """M2 Drop a side's order of march: it is for one phase."""
    if draft.known is not None:
        march = tuple(order for order in draft.known.march if order[0] != data["side"])
        draft.known = draft.known._replace(march=march)


# M6 Orders of the commander-in-chief sent by courier: ASSIGN, RELIEVE, ORDER OF MARCH; in force on arrival.


def uses_couriers(state: object) -> TypeGuard[CourierPosition]:
    """Return whether couriers ride in a game; some positions have no such field."""
    return getattr(state, "known", None) is not None


def march_in_force(
    state: CommandedPosition, seats: Sequence[str], ordered: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """M2, M6 Return the order of march in force, and the one that must be sent first.

    `seats` are those of the side by rank. Without couriers, or if the order reaches all commands at once, the new
    order of march is in force; else the last one that has arrived.
    """
    if not uses_couriers(state):
        return ordered, ()
    if ordered and all(letter_delay(state, seats[0], seat) == AT_ONCE for seat in ordered):
        return ordered, ()
    side = state.edition.commands[seats[0]].side
    return next((march for marching_side, march in state.known.march if marching_side == side), ()), ordered


def believed_units(state: CourierPosition, chief: str, command: str) -> tuple[str, ...]:
    """M4 Return the units that a commander-in-chief believes to be under a command."""
    assignments = {unit: holder for seat, unit, holder in state.known.given if seat == chief}
    lost = {unit for seat, unit in state.known.gone if seat == chief}
    homes = {**state.edition.homes, **assignments}
    return tuple(sorted(unit for unit, holder in homes.items() if holder == command and unit not in lost))


def send_errand(state: CourierPosition, chief: str, kind: str, units: Sequence[str], seats: Sequence[str]) -> Event:
    """Return the event that an errand leaves, or is done if it arrives at once.

    Its readers are the commands in `seats`, and those of `units`.
    """
    numbers, side = state.edition.ON_COMMANDERS, state.edition.commands[chief].side
    readers = sorted({*seats, *(seat_of_unit(state, unit) for unit in units)} - {""})
    phases = max(letter_delay(state, chief, reader) for reader in readers)
    rule = numbers.gives if kind == "assign" else numbers.sets
    data = {"side": side, "kind": kind, "units": [*units], "seats": [*seats], "readers": readers}
    if phases == AT_ONCE:
        recipients = tuple(dict.fromkeys((chief, *readers)))
        return Event("errand done", rule, {**data, "readers": [*recipients]}, recipients)
    return Event("errand rides", rule, {**data, "seat": chief, "late": phases}, (chief,))


# M6 Sentences about couriers.


def _arrival_head(data: Data, before: object) -> Msg:
    turn, seat = turn_of_phase(data["when"]), data["from"]
    if not turn:
        return msg("As the battle began: {seat} reports.", seat=seat)
    return msg("As of turn {turn}: {seat} reports.", turn=turn, seat=seat)


def _errand_sent_head(data: Data, before: object) -> Msg:
    if data["kind"] == "assign":
        return msg(
            "Riders bring the order: under {seat}, from the turn on that follows it: {units}.",
            seat=data["seats"][0],
            units=tuple(data["units"]),
        )
    return msg(
        "Riders bring the order of march {seats}: it is for the first phase of your side after it has reached all.",
        seats=tuple(data["seats"]),
    )


def _errand_head(data: Data, before: object) -> Msg:
    units = tuple(data["units"])
    return msg("From the next turn on under {seat}: {units}.", seat=data["seats"][0], units=units)


ENTRY_SENTENCES: Mapping[str, Callable[[Data, object], Msg]] = {
    "report arrives": _arrival_head,
    "errand rides": _errand_sent_head,
    "errand done": _errand_head,
}
"""Kinds of event that are numbered happenings."""


def option_text(rule: str) -> Msg:
    """Return a sentence that explains the option."""
    return msg(
        "Couriers: a commander sees what is near his own units; what others of his side see reaches him by the spaces "
        "between the leaders: from the next space at once, from up to four a report late, from farther a turn late. "
        "Nobody is asked by letter while dice are rolled [{rule}].",
        rule=rule,
    )


def dated_place(place: Msg, sighting: Sighting) -> Msg:
    """Return a place with the turn and the author of its last sighting."""
    turn = turn_of_phase(sighting.when)
    if not turn:
        return msg("{place}, as the battle began", place=place)
    if sighting.by == sighting.seat:
        return msg("{place}, as you saw it on turn {turn}", place=place, turn=turn)
    return msg("{place}, as of turn {turn} ({seat})", place=place, turn=turn, seat=sighting.by)


def turn_label(sighting: Sighting) -> str:
    """Return the turn of a sighting for a map: ``T5``."""
    return f"T{turn_of_phase(sighting.when)}"


def old_report_warning(dated: Mapping[str, Sighting]) -> tuple[Msg, ...]:
    """Return a warning that odds use older reports, with the places; else empty."""
    older = sorted(place for place, sighting in dated.items() if sighting.units)
    if not older:
        return ()
    places = tuple(msg("{place} (turn {turn})", place=place, turn=turn_of_phase(dated[place].when)) for place in older)
    return (msg("Out of your sight only what was last reported is counted: {places}.", places=places),)


def delay_lines(view: CourierPosition, seat: str) -> tuple[Msg, ...]:
    """M6 Return the delay of each other command's reports, by the believed places."""
    delays = []
    for command in view.edition.commands.values():
        if command.seat != seat and command.side == view.edition.commands[seat].side:
            delays.append(msg(_LATE[letter_delay(view, command.seat, seat)].text, seat=command.seat))
    return tuple(delays)


def in_transit(known: LastKnownPositions) -> tuple[Msg, ...]:
    """Return the letters and orders on their way, a sentence each."""
    letters = tuple(
        msg(
            "{sender} to {reader}: what he saw on turn {turn}, there on turn {due}",
            sender=letter.sender,
            reader=letter.reader,
            turn=turn_of_phase(letter.when),
            due=turn_of_phase(letter.due),
        )
        for letter in known.letters
    )
    return (*letters, *map(_errand, known.errands))


def _errand(errand: Errand) -> Msg:
    due, readers = turn_of_phase(errand.due), errand.readers
    if errand.kind == "assign":
        return msg(
            "to {readers}: {units} under {seat}, there on turn {due}",
            readers=readers,
            units=errand.units,
            seat=errand.seats[0],
            due=due,
        )
    return msg(
        "to {readers}: order of march {seats}, there on turn {due}", readers=readers, seats=errand.seats, due=due
    )


_LATE: Mapping[int, Msg] = {
    AT_ONCE: msg("what {seat} sees you see too: his leader is next to yours"),
    NEXT: msg("what {seat} sees reaches you with the report after, by where you take his leader to be"),
    LATER: msg("what {seat} sees reaches you a turn late, by where you take his leader to be"),
}
