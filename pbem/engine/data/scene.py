"""A scene: what a seat sees on its map, as plain data that speaks meanings and knows neither colours nor lengths.

A game makes it from a view and from the events that a seat saw; whoever draws it needs nothing else but the ground.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg

UNSEEN = "?"
"""The holder of a goal that the seat cannot see."""


class Camp(NamedTuple):
    """A nation: its name, the letter that tells it apart where colours do not, its points, whether they may be more.

    `tone` is ``dark`` for one camp; ``light`` for the other, ``light 2``, ``light 3`` for those that stand with it.
    """

    id: str
    name: Msg
    letter: Msg
    tone: str
    points: int | None = None
    more: bool = False


class Piece(NamedTuple):
    """A counter: who and where it is, its branch, strength and full strength, other factors, its state in words.

    `branch` is one of infantry, light, cavalry, heavy, guns, train, leader; `form` formed, skirmish, square, limbered,
    unlimbered or nothing; `facing` a direction or nothing; `lost` what it lost in the phase.
    """

    id: str
    name: str
    place: str
    side: str
    branch: str
    strength: int = 0
    full: int = 0
    factors: str = ""
    states: tuple[Msg, ...] = ()
    form: str = ""
    facing: str = ""
    lost: int = 0


class Mark(NamedTuple):
    """What happened: ``move``, ``retreat``, ``fire``, ``assault`` or ``arrive``, by a side, from place to place."""

    kind: str
    side: str
    places: tuple[str, ...]


class Stake(NamedTuple):
    """Ground that counts: its worth, and the side that has it, empty if none has, `UNSEEN` if that is not known."""

    place: str
    worth: int
    holder: str


class Scene(NamedTuple):
    """All of it. `heading` is the battle, `moment` turn and phase; `unseen` the places out of sight.

    `fallen` are counters that went out of play in the phase, where that happened; `key` says of the numbers that
    counters bear, each as it looks, what they are. Where somebody asks what counters could be ordered to do, `reach`
    are the places that one of them could be sent to, `targets` those that one could attack, `far` those that only
    leaders among them could be sent to; `asked` are the places asked about.
    """

    heading: Msg
    moment: Msg
    camps: tuple[Camp, ...] = ()
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    stakes: tuple[Stake, ...] = ()
    unseen: tuple[str, ...] = ()
    fallen: tuple[Piece, ...] = ()
    key: tuple[tuple[str, Msg], ...] = ()
    reach: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    far: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the scene as JSON, which `from_json` reads back."""
        return {
            "heading": self.heading.to_json(),
            "moment": self.moment.to_json(),
            "camps": [[c.id, c.name.to_json(), c.letter.to_json(), *c[3:]] for c in self.camps],
            "pieces": list(map(_piece_to_json, self.pieces)),
            "marks": [[m.kind, m.side, list(m.places)] for m in self.marks],
            "stakes": [list(one) for one in self.stakes],
            "unseen": list(self.unseen),
            "fallen": list(map(_piece_to_json, self.fallen)),
            "key": [[sample, words.to_json()] for sample, words in self.key],
            **({"reach": list(self.reach)} if self.reach else {}),
            **({"targets": list(self.targets)} if self.targets else {}),
            **({"asked": list(self.asked)} if self.asked else {}),
            **({"far": list(self.far)} if self.far else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Scene:
        """Read what `to_json` wrote."""
        return cls(
            Msg.from_json(value["heading"]),
            Msg.from_json(value["moment"]),
            tuple(Camp(row[0], Msg.from_json(row[1]), Msg.from_json(row[2]), *row[3:]) for row in value["camps"]),
            tuple(map(_piece_from_json, value["pieces"])),
            tuple(Mark(kind, side, tuple(places)) for kind, side, places in value["marks"]),
            tuple(Stake(*row) for row in value["stakes"]),
            tuple(value["unseen"]),
            tuple(map(_piece_from_json, value.get("fallen", ()))),
            tuple((sample, Msg.from_json(words)) for sample, words in value.get("key", ())),
            tuple(value.get("reach", ())),
            tuple(value.get("targets", ())),
            tuple(value.get("asked", ())),
            tuple(value.get("far", ())),
        )


def _piece_to_json(piece: Piece) -> Json:
    return {**piece._asdict(), "states": [one.to_json() for one in piece.states]}


def _piece_from_json(row: Json) -> Piece:
    return Piece(**{**row, "states": tuple(map(Msg.from_json, row["states"]))})
