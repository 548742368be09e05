"""A scene: what a seat sees on its map, as plain data that speaks meanings and knows neither colours nor lengths.

A game makes it from a view and from the events that a seat saw; whoever draws it needs nothing else but the ground.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.stakes import Stakes

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


# A scene in a sentence, for whoever does not see the picture of it: of the scene alone, so that it tells no more.


def alt_text(scene: Scene) -> Msg:
    """Return what the picture of a scene is of: the battle, the moment, how many counters of each nation it shows."""
    many = Counter(piece.side for piece in scene.pieces)
    camps = tuple(
        msg("{number} of {nation}", nation=camp.name, number=many[camp.id]) for camp in scene.camps if many[camp.id]
    )
    told = msg("Map: {battle}. {moment}.", battle=scene.heading, moment=scene.moment)
    if camps and scene.unseen:
        told = msg("{map} Counters in sight: {camps}.", map=told, camps=camps)
    elif camps:
        told = msg("{map} Counters: {camps}.", map=told, camps=camps)
    return msg("{map} All of it stands in words below.", map=told)


# Pictures of a letter: what is asked of whoever draws, as it is kept with the letter, and what came of it.
#
# A letter as it is kept may hold pictures: one of its own under ``picture``, and one in each of its blocks. A picture
# is {scene: Scene.to_json, edition: str, alt: Msg, dark: bool}: the ground is that of the edition, the words are those
# of the letter's language.


class Placed(NamedTuple):
    """A picture that a letter brings: its Content-ID (RFC 2392) without brackets, and its size in pixels of a page."""

    cid: str
    wide: int
    high: int


def picture(scene: Scene, edition: str, alt: Msg, dark: bool = False) -> Json:
    """Return a picture as a letter keeps it; `alt` says what is on it to whoever does not see it."""
    return {"scene": scene.to_json(), "edition": edition, "alt": alt.to_json(), "dark": dark}


def pictures_of(letter: Json) -> Sequence[Json]:
    """Return the pictures of a letter, in the order in which they stand in it."""
    return [one["picture"] for one in (letter, *letter["blocks"]) if one.get("picture")]


def without(letter: Json, drawn: Sequence[Placed | None]) -> Json:
    """Return the letter with what became of its pictures in their place: those that were drawn, in their order."""
    left = iter(drawn)

    def placed(one: Json) -> Json:
        if not one.get("picture"):
            return one
        got, alt = next(left), one["picture"]["alt"]
        return {**one, "picture": None if got is None else {**got._asdict(), "alt": alt}}

    return {**placed(letter), "blocks": [placed(block) for block in letter["blocks"]]}


# Who went out of play in an event, as games tell of it: eliminated, captured, fallen, or lost to the last step.


def fallen(happened: Event) -> tuple[str, ...]:
    """Return the ids of the counters that an event takes out of play."""
    if happened.kind in ("eliminated", "captured"):
        return tuple(happened.data["units"])
    if happened.kind in ("casualty", "commander lost") or (happened.kind == "loses" and not happened.data["left"]):
        return (happened.data["unit"],)
    return ()


# When it is: the turn and whose phase it is, as the heading of a picture has it.


def moment(told: Stakes, mover: Msg | None) -> Msg:
    """Return turn and mover in words, if one side alone moves; turn 0 is before the first."""
    if told.over:
        return msg("The end of the game")
    if mover is None:
        return msg("Before turn 1, both sides at once")
    turn = msg("Turn {turn}", turn=told.turn)
    if told.turns:
        turn = msg("Turn {turn} of {turns}", turn=told.turn, turns=told.turns)
    return msg("{turn}, to move: {side}", turn=turn, side=mover)
