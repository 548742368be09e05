"""M6 Couriers: commanders who see what is near their own units, and hear of the rest late.

A position holds what each command last heard of places out of its sight, and what rides; a letter takes as long as the
way from leader to leader. Without the option a position holds nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard

from pbem.engine.commanders.holding import Commanded, command_of, commands_beside, units_of
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.situation import tuples
from pbem.engine.run.steps import Did, Outcome, Task

# M6 What commands know of what they do not see, and what is on the way to them: records, a value in the position.


COURIERS = "couriers"
"""The option of an edition."""

Row = tuple[Any, ...]
"""A unit as a position stores it."""


class Sighting(NamedTuple):
    """What a command last heard of a place: who stood there at the end of phase `when`, as the command `by` saw it."""

    seat: str
    place: str
    when: int
    by: str
    units: tuple[Row, ...]


class Letter(NamedTuple):
    """A report on its way: what `sender` saw at the end of phase `when`, to be read by `reader` as phase `due` ends.

    `places` are places with the units there, `gone` the units out of play that the sender knew of, `news` what else
    he had to tell: a word that says what it is, and what it is about.
    """

    sender: str
    reader: str
    when: int
    due: int
    places: tuple[tuple[str, tuple[Row, ...]], ...]
    gone: tuple[str, ...]
    news: tuple[tuple[str, ...], ...]


class Errand(NamedTuple):
    """An order of the commander-in-chief on its way, in force once it has reached all of `readers`.

    `kind` is ``assign``, units under the command of a seat, or ``march``, the order of the sets of `seats`.
    """

    kind: str
    side: str
    due: int
    readers: tuple[str, ...]
    units: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()


class Hearsay(NamedTuple):
    """All that commands know of what they do not see, and all that rides.

    `news` are what each seat saw in this phase and has to tell; `gone` the units out of play by the seat that knows of
    it; `given` whose units are as far as a seat has heard, where that is not what the scenario says: seat, unit, the
    seat that it is under; `march` the orders of march that have arrived: side and seats. `eyes` is not None in what one
    seat knows alone: the places that it sees through leaders next to its own.
    """

    seen: tuple[Sighting, ...] = ()
    letters: tuple[Letter, ...] = ()
    errands: tuple[Errand, ...] = ()
    news: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    given: tuple[tuple[str, str, str], ...] = ()
    march: tuple[tuple[str, tuple[str, ...]], ...] = ()
    eyes: tuple[str, ...] | None = None

    def learns(self, seats: Iterable[str], units: Iterable[str]) -> Hearsay:
        """Return the same once these seats know that these units are out of play."""
        more = {(seat, unit) for seat in seats for unit in units}
        return self._replace(gone=tuple(sorted({*self.gone, *more})))

    def hears(self, sightings: Iterable[Sighting]) -> Hearsay:
        """Return the same once these sightings are known; an older one changes nothing."""
        return self._replace(seen=merged(self.seen, sightings))

    def gives(self, seats: Iterable[str], units: Iterable[str], to: str) -> Hearsay:
        """Return the same once these seats have heard that units are under the command of a seat."""
        held = {(seat, unit): holder for seat, unit, holder in self.given}
        held |= {(seat, unit): to for seat in seats for unit in units}
        return self._replace(given=tuple(sorted((*key, holder) for key, holder in held.items())))


def merged(old: Iterable[Sighting], new: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """Return the latest sighting of each place by each seat; of two of one phase the reader's own."""
    found: dict[tuple[str, str], Sighting] = {(one.seat, one.place): one for one in old}
    for one in new:
        was = found.get((one.seat, one.place))
        if was is None or (one.when, one.by == one.seat) >= (was.when, was.by == was.seat):
            found[one.seat, one.place] = one
    return tuple(found[key] for key in sorted(found))


def of_seat(known: Hearsay, seat: str, eyes: Iterable[str], seen: frozenset[str]) -> Hearsay:
    """Return what one seat knows alone: of places that it does not see now, of losses, of whose units are."""
    return Hearsay(
        seen=tuple(one for one in known.seen if one.seat == seat and one.place not in seen),
        gone=tuple(one for one in known.gone if one[0] == seat),
        given=tuple(one for one in known.given if one[0] == seat),
        eyes=tuple(sorted(eyes)),
    )


def known_from(row: Json) -> Hearsay:
    """Read what a position stores of it: the list of its fields."""
    seen, letters, errands, *rest = tuples(row)
    return Hearsay(
        tuple(Sighting(*one) for one in seen),
        tuple(Letter(*one) for one in letters),
        tuple(Errand(*one) for one in errands),
        *rest,
    )


def check_couriers(options: Mapping[str, str]) -> None:
    """M6 ValueError for couriers in a game without fog, or without commanders who could send any."""
    if options.get(COURIERS, "off") == "off":
        return
    wanted = {"fog": "on", "commands": "split"}
    if missing := [f"{name} = {value}" for name, value in wanted.items() if options.get(name) != value]:
        raise ValueError(f"couriers = on needs {' and '.join(missing)} as well")


# M6 How long a letter takes between two commands of a side: by the spaces between their leaders.


AT_ONCE, NEXT, LATER = 0, 1, 2
"""Phases that a letter rides: it is there at once, with the next report, a turn later."""
_NEXT_SPACE, _WITH_NEXT = 1, 4
"""Spaces between leaders up to which that is so."""


class Couriered(Commanded, Protocol):
    """A position of a game in which couriers may ride; `known` is None where none do."""

    known: Any

    def at(self, place: str, /) -> Sequence[Any]:
        """Return the units in a place."""
        ...


def post_of(state: Couriered, seat: str) -> str:
    """Return where a command's letters leave and arrive: with its leader, or his successor, else with its first unit.

    The empty string for a command that is nowhere.
    """
    leader: str = state.edition.commands[seat].leader
    while leader not in state.units:
        leader += "-2"
        if leader.count("-2") > _SUCCESSORS:
            own = units_of(state, seat)
            return str(state.units[own[0]].at) if own else ""
    return str(state.units[leader].at)


_SUCCESSORS = 8


def delay(state: Couriered, seat: str, other: str) -> int:
    """M6 Return how many phases a letter rides from one command to another of its side; none to itself.

    Who is nowhere hears of everything a turn later.
    """
    if seat == other:
        return AT_ONCE
    start, end = post_of(state, seat), post_of(state, other)
    if not start or not end:
        return LATER
    spaces: int = state.edition.map.distances((start,)).get(end, _WITH_NEXT + 1)
    if spaces <= _NEXT_SPACE:
        return AT_ONCE
    return NEXT if spaces <= _WITH_NEXT else LATER


def others(state: Couriered, seat: str) -> Iterator[str]:
    """Yield the seats of the other commands of a seat's side, by rank."""
    yield from (one.seat for one in commands_beside(state, seat) if one.seat != seat)


def moment(state: Couriered, sides: tuple[str, ...]) -> int:
    """Return the number of the phase that a position is in, counted from that of the side who begins turn 0."""
    turn: int = state.turn
    return turn * len(sides) + (sides.index(state.phase) if state.phase in sides else 0)


def turn_of(when: int) -> int:
    """Return the turn of a phase by its number."""
    return when // 2


# M6 Letters that ride: at the end of each phase those that are due arrive, and every command writes to the others.


ARRIVES = "report arrives"
"""The kind of event by which a command hears what another saw."""
_LEAVE = "riders leave"
Eyes = Callable[[Any, str], frozenset[str]]


@dataclass(frozen=True)
class Couriers:
    """The couriers of one game: its sides in the order of play, and what a command sees.

    `watched` are the places that its own units see, `sight` all that it sees, with what those next to it do.
    """

    sides: tuple[str, ...]
    watched: Eyes
    sight: Eyes

    def council(self, state: Couriered) -> Hearsay:
        """M6 Return what commands know as the battle begins: where their side stands, and what each of it sees."""
        last = len(self.sides) - 1
        found: list[Sighting] = []
        for seat in state.edition.commands:
            for other in others(state, seat):
                rows = self._rows(state, self.watched(state, other))
                found += [Sighting(seat, place, last, other, units) for place, units in rows]
        return Hearsay().hears(found)

    def step(self, state: Couriered, task: Task) -> Outcome:
        """M6 The end of a phase: letters and errands that are due arrive, then new reports leave."""
        if state.phase not in self.sides:
            return Did()
        now, numbers = moment(state, self.sides), state.edition.ON_COMMANDERS
        known: Hearsay = state.known
        events = [_arrival(letter, numbers.reports) for letter in known.letters if letter.due <= now]
        events += [_done(errand, state) for errand in known.errands if errand.due <= now]
        rides = [
            [seat, other, now + late]
            for seat in state.edition.commands
            for other in others(state, seat)
            if (late := delay(state, seat, other)) != AT_ONCE
        ]
        return Did((*events, Event(_LEAVE, numbers.couriers, {"when": now, "letters": rides}, ())))

    def handlers(self) -> Mapping[str, Callable[[Couriered, Data], None]]:
        """Return what becomes of the position by events of couriers."""
        return {
            ARRIVES: _arrives,
            _LEAVE: self._leave,
            "errand rides": self._rides,
            "errand done": _carried_out,
            "shows": _shows,
            "order of march": _used,
        }

    def _rides(self, draft: Couriered, data: Data) -> None:
        """An errand of the commander-in-chief is on its way; he takes his order for carried out."""
        due, units, seats = moment(draft, self.sides) + data["late"], tuple(data["units"]), tuple(data["seats"])
        errand = Errand(data["kind"], data["side"], due, tuple(data["readers"]), units, seats)
        known: Hearsay = draft.known._replace(errands=(*draft.known.errands, errand))
        draft.known = known.gives((data["seat"],), units, seats[0]) if errand.kind == "assign" else known

    def _leave(self, draft: Couriered, data: Data) -> None:
        """Everybody writes down what he sees, for himself and for the others; what has come is no longer on its way."""
        known: Hearsay = draft.known
        now = data["when"]
        own = [
            Sighting(seat, place, now, seat, units)
            for seat in draft.edition.commands
            for place, units in self._rows(draft, self.sight(draft, seat))
        ]
        known = known.hears(own)
        left = tuple(letter for letter in known.letters if letter.due > now)
        sent = tuple(self.letter(draft, (sender, reader), (now, due)) for sender, reader, due in data["letters"])
        errands = tuple(one for one in known.errands if one.due > now)
        draft.known = known._replace(letters=(*left, *sent), errands=errands, news=())

    def letter(self, state: Couriered, way: tuple[str, str], times: tuple[int, int]) -> Letter:
        """Return what a command writes to another of what it sees now: sender and reader, the phases of both ends."""
        known, sender = state.known, way[0]
        gone = tuple(unit for seat, unit in known.gone if seat == sender)
        news = tuple(told for seat, told in known.news if seat == sender)
        return Letter(*way, *times, tuple(self._rows(state, self.watched(state, sender))), gone, news)

    def _rows(self, state: Couriered, places: Iterable[str]) -> Iterator[tuple[str, tuple[Row, ...]]]:
        for place in sorted(places):
            yield place, tuple(tuple(unit) for unit in state.at(place))

    def remembered(self, state: Couriered, seats: Iterable[str], places: Iterable[str]) -> Hearsay:
        """Return what is known once these seats have seen who stands in these places now."""
        now, known = moment(state, self.sides), state.known
        rows = [*self._rows(state, places)]
        heard: Hearsay = known.hears(
            [Sighting(seat, place, now, seat, units) for seat in seats for place, units in rows]
        )
        return heard

    def witnesses(self, state: Couriered, places: Iterable[str]) -> tuple[str, ...]:
        """Return the seats of the commands that see any of these places now."""
        wanted = frozenset(places)
        return tuple(seat for seat in state.edition.commands if wanted & self.sight(state, seat))


def _arrival(letter: Letter, rule: str) -> Event:
    data = {
        "from": letter.sender,
        "to": letter.reader,
        "when": letter.when,
        "places": [[place, [[*row] for row in units]] for place, units in letter.places],
        "gone": [*letter.gone],
        "news": [[*one] for one in letter.news],
    }
    return Event(ARRIVES, rule, data, (letter.reader,))


def _done(errand: Errand, state: Couriered) -> Event:
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


def _arrives(draft: Couriered, data: Data) -> None:
    """What a letter tells is known; what its reader saw himself later stands above it."""
    reader, known = data["to"], draft.known
    told = [Sighting(reader, place, data["when"], data["from"], tuples(units)) for place, units in data["places"]]
    known = known.hears(told).learns((reader,), data["gone"])
    draft.known = known


def _carried_out(draft: Couriered, data: Data) -> None:
    """It has reached them: units go over with the next turn, an order of march is for their side's next phase."""
    if data["kind"] == "assign":
        draft.known = draft.known.gives(data["readers"], data["units"], data["seats"][0])
        draft.transfers = {**draft.transfers, **dict.fromkeys(data["units"], data["seats"][0])}
    else:
        rest = tuple(one for one in draft.known.march if one[0] != data["side"])
        draft.known = draft.known._replace(march=(*rest, (data["side"], tuple(data["seats"]))))


def _shows(draft: Couriered, data: Data) -> None:
    """M5 Whoever shows his set has it told in his reports."""
    told = (data["seat"], ("set", *data["lines"]))
    draft.known = draft.known._replace(news=(*draft.known.news, told))


def _used(draft: Couriered, data: Data) -> None:
    """M2 An order of march is for one phase."""
    if draft.known is not None:
        march = tuple(one for one in draft.known.march if one[0] != data["side"])
        draft.known = draft.known._replace(march=march)


# M6 Orders of the commander-in-chief that ride: ASSIGN, RELIEVE, ORDER OF MARCH, in force once they have arrived.


def under_couriers(state: object) -> TypeGuard[Couriered]:
    """Whether couriers ride in a game; positions of some games know nothing of them."""
    return getattr(state, "known", None) is not None


def in_force(state: Commanded, seats: Sequence[str], ordered: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """M2, M6 Return the order of march that is in force in a side's phase, and the one that has to ride first.

    `seats` are those of the side by rank. Without couriers, and where it reaches at once all whom it names, what is
    ordered is in force; else what has arrived by now.
    """
    if not under_couriers(state):
        return ordered, ()
    if ordered and all(delay(state, seats[0], seat) == AT_ONCE for seat in ordered):
        return ordered, ()
    side = state.edition.commands[seats[0]].side
    return next((march for of, march in state.known.march if of == side), ()), ordered


def known_under(state: Couriered, chief: str, command: str) -> tuple[str, ...]:
    """M4 Return the units that a commander-in-chief takes to be under a command, by what he has heard."""
    heard = {unit: holder for seat, unit, holder in state.known.given if seat == chief}
    lost = {unit for seat, unit in state.known.gone if seat == chief}
    homes = {**state.edition.homes, **heard}
    return tuple(sorted(unit for unit, holder in homes.items() if holder == command and unit not in lost))


def send_errand(state: Couriered, chief: str, kind: str, units: Sequence[str], seats: Sequence[str]) -> Event:
    """Return the event by which an errand leaves, or is done where it reaches at once all whom it is for.

    Those are the commands that `seats` names, and those under which `units` are.
    """
    numbers, side = state.edition.ON_COMMANDERS, state.edition.commands[chief].side
    readers = sorted({*seats, *(command_of(state, unit) for unit in units)} - {""})
    late = max(delay(state, chief, reader) for reader in readers)
    rule = numbers.gives if kind == "assign" else numbers.sets
    data = {"side": side, "kind": kind, "units": [*units], "seats": [*seats], "readers": readers}
    if late == AT_ONCE:
        every = tuple(dict.fromkeys((chief, *readers)))
        return Event("errand done", rule, {**data, "readers": [*every]}, every)
    return Event("errand rides", rule, {**data, "seat": chief, "late": late}, (chief,))


# M6 The sentences in which couriers are told.


def _arrival_head(data: Data, before: object) -> Msg:
    turn, seat = turn_of(data["when"]), data["from"]
    if not turn:
        return msg("As the battle began: {seat} reports.", seat=seat)
    return msg("As of turn {turn}: {seat} reports.", turn=turn, seat=seat)


def _rides(data: Data, before: object) -> Msg:
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


HEADS: Mapping[str, Callable[[Data, object], Msg]] = {
    "report arrives": _arrival_head,
    "errand rides": _rides,
    "errand done": _errand_head,
}
"""Kinds of event that are told as a numbered happening."""


def agreed(rule: str) -> Msg:
    """Return what the option means."""
    return msg(
        "Couriers: a commander sees what is near his own units; what others of his side see reaches him by the spaces "
        "between the leaders: from the next space at once, from up to four a report late, from farther a turn late. "
        "Nobody is asked by letter while dice are rolled [{rule}].",
        rule=rule,
    )


def as_of(place: Msg, one: Sighting) -> Msg:
    """Return a place with the turn of which it is told, and whose report tells it."""
    turn = turn_of(one.when)
    if not turn:
        return msg("{place}, as the battle began", place=place)
    if one.by == one.seat:
        return msg("{place}, as you saw it on turn {turn}", place=place, turn=turn)
    return msg("{place}, as of turn {turn} ({seat})", place=place, turn=turn, seat=one.by)


def short(one: Sighting) -> str:
    """Return the turn that a place is told of, for a map: ``T5``."""
    return f"T{turn_of(one.when)}"


def rests_on(dated: Mapping[str, Sighting]) -> tuple[Msg, ...]:
    """Return that a forecast or odds rest on older reports, of which places where somebody was; nothing if none do."""
    older = sorted(place for place, one in dated.items() if one.units)
    if not older:
        return ()
    told = tuple(msg("{place} (turn {turn})", place=place, turn=turn_of(dated[place].when)) for place in older)
    return (msg("Out of your sight only what was last reported is counted: {places}.", places=told),)


def lasts(view: Couriered, seat: str) -> tuple[Msg, ...]:
    """M6 Return how late a seat hears of each other command of its side, by where it takes the leaders to be."""
    found = []
    for one in view.edition.commands.values():
        if one.seat != seat and one.side == view.edition.commands[seat].side:
            found.append(msg(_LATE[delay(view, one.seat, seat)].text, seat=one.seat))
    return tuple(found)


def riding(known: Hearsay) -> tuple[Msg, ...]:
    """Return what is on its way: who wrote to whom what he saw, and the orders of the commanders-in-chief."""
    letters = tuple(
        msg(
            "{sender} to {reader}: what he saw on turn {turn}, there on turn {due}",
            sender=one.sender,
            reader=one.reader,
            turn=turn_of(one.when),
            due=turn_of(one.due),
        )
        for one in known.letters
    )
    return (*letters, *map(_errand, known.errands))


def _errand(one: Errand) -> Msg:
    due, readers = turn_of(one.due), one.readers
    if one.kind == "assign":
        return msg(
            "to {readers}: {units} under {seat}, there on turn {due}",
            readers=readers,
            units=one.units,
            seat=one.seats[0],
            due=due,
        )
    return msg("to {readers}: order of march {seats}, there on turn {due}", readers=readers, seats=one.seats, due=due)


_LATE: Mapping[int, Msg] = {
    AT_ONCE: msg("what {seat} sees you see too: his leader is next to yours"),
    NEXT: msg("what {seat} sees reaches you with the report after, by where you take his leader to be"),
    LATER: msg("what {seat} sees reaches you a turn late, by where you take his leader to be"),
}
