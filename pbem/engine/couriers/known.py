"""M6 What commands know of what they do not see, and what is on the way to them: records, a value in the position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.situation import tuples

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
