"""M6 Letters that ride: at the end of each phase those that are due arrive, and every command writes to the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.engine.couriers.known import Errand, Hearsay, Letter, Row, Sighting
from pbem.engine.couriers.routes import AT_ONCE, delay, moment, others
from pbem.engine.data.events import Event
from pbem.engine.data.situation import tuples
from pbem.engine.run.steps import Did, Outcome, Task

ARRIVES = "report arrives"
"""The kind of event by which a command hears what another saw."""
_LEAVE = "riders leave"
Eyes = Callable[[Any, str], frozenset[str]]
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Couriers:
    """The couriers of one game: its sides in the order of play, and what a command sees.

    `watched` are the places that its own units see, `sight` all that it sees, with what those next to it do.
    """

    sides: tuple[str, ...]
    watched: Eyes
    sight: Eyes

    def council(self, state: Any) -> Hearsay:
        """M6 Return what commands know as the battle begins: where their side stands, and what each of it sees."""
        last = len(self.sides) - 1
        found: list[Sighting] = []
        for seat in state.edition.commands:
            for other in others(state, seat):
                rows = self._rows(state, self.watched(state, other))
                found += [Sighting(seat, place, last, other, units) for place, units in rows]
        return Hearsay().hears(found)

    def step(self, state: Any, task: Task) -> Outcome:
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

    def handlers(self) -> Mapping[str, Callable[[Any, Data], None]]:
        """Return what becomes of the position by events of couriers."""
        return {
            ARRIVES: _arrives,
            _LEAVE: self._leave,
            "errand rides": self._rides,
            "errand done": _carried_out,
            "shows": _shows,
            "order of march": _used,
        }

    def _rides(self, draft: Any, data: Data) -> None:
        """An errand of the commander-in-chief is on its way; he takes his order for carried out."""
        due, units, seats = moment(draft, self.sides) + data["late"], tuple(data["units"]), tuple(data["seats"])
        errand = Errand(data["kind"], data["side"], due, tuple(data["readers"]), units, seats)
        known: Hearsay = draft.known._replace(errands=(*draft.known.errands, errand))
        draft.known = known.gives((data["seat"],), units, seats[0]) if errand.kind == "assign" else known

    def _leave(self, draft: Any, data: Data) -> None:
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

    def letter(self, state: Any, way: tuple[str, str], times: tuple[int, int]) -> Letter:
        """Return what a command writes to another of what it sees now: sender and reader, the phases of both ends."""
        known, sender = state.known, way[0]
        gone = tuple(unit for seat, unit in known.gone if seat == sender)
        news = tuple(told for seat, told in known.news if seat == sender)
        return Letter(*way, *times, tuple(self._rows(state, self.watched(state, sender))), gone, news)

    def _rows(self, state: Any, places: Iterable[str]) -> Iterator[tuple[str, tuple[Row, ...]]]:
        for place in sorted(places):
            yield place, tuple(tuple(unit) for unit in state.at(place))

    def remembered(self, state: Any, seats: Iterable[str], places: Iterable[str]) -> Hearsay:
        """Return what is known once these seats have seen who stands in these places now."""
        now, known = moment(state, self.sides), state.known
        rows = [*self._rows(state, places)]
        heard: Hearsay = known.hears(
            [Sighting(seat, place, now, seat, units) for seat in seats for place, units in rows]
        )
        return heard

    def witnesses(self, state: Any, places: Iterable[str]) -> tuple[str, ...]:
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


def _done(errand: Errand, state: Any) -> Event:
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


def _arrives(draft: Any, data: Data) -> None:
    """What a letter tells is known; what its reader saw himself later stands above it."""
    reader, known = data["to"], draft.known
    told = [Sighting(reader, place, data["when"], data["from"], tuples(units)) for place, units in data["places"]]
    known = known.hears(told).learns((reader,), data["gone"])
    draft.known = known


def _carried_out(draft: Any, data: Data) -> None:
    """It has reached them: units go over with the next turn, an order of march is for their side's next phase."""
    if data["kind"] == "assign":
        draft.known = draft.known.gives(data["readers"], data["units"], data["seats"][0])
        draft.transfers = {**draft.transfers, **dict.fromkeys(data["units"], data["seats"][0])}
    else:
        rest = tuple(one for one in draft.known.march if one[0] != data["side"])
        draft.known = draft.known._replace(march=(*rest, (data["side"], tuple(data["seats"]))))


def _shows(draft: Any, data: Data) -> None:
    """M5 Whoever shows his set has it told in his reports."""
    told = (data["seat"], ("set", *data["lines"]))
    draft.known = draft.known._replace(news=(*draft.known.news, told))


def _used(draft: Any, data: Data) -> None:
    """M2 An order of march is for one phase."""
    if draft.known is not None:
        march = tuple(one for one in draft.known.march if one[0] != data["side"])
        draft.known = draft.known._replace(march=march)
