"""A scene: a seat's view of the map, as plain data without colours or lengths.

A game makes it from a view and from the events that a seat saw; drawing needs only the scene and the ground.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.score_sheet import ScoreSheet

UNSEEN_HOLDER = "?"
"""The holder of a goal that the seat cannot see."""


class Nation(NamedTuple):
    """A nation: name, letter, points, and whether there may be more points.

    The letter distinguishes it where colours are missing. `tone` is a nation with colours of its own, such as
    ``french`` (`pbem.maps.palette`), or ``dark`` for one camp and ``light``, ``light 2``, ``light 3`` for the
    other. `ally` is the nation on whose side it fights, if it has no points of its own.
    """

    id: str
    name: Msg
    letter: Msg
    tone: str
    points: int | None = None
    more: bool = False
    ally: str = ""


class Piece(NamedTuple):
    """A counter: id, place, branch, strength, factors, states.

    Strength is present and full. `branch` is one of infantry, light, cavalry, heavy, guns, train, leader;
    `form` formed, skirmish, square, limbered, unlimbered or nothing; `facing` a direction or nothing; `lost`
    its losses in the phase.
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
    """A mark of a side's action, by places.

    The kind is ``move``, ``ride`` (of leaders alone), ``retreat``, ``fire``, ``assault`` or ``arrive``.
    """

    kind: str
    side: str
    places: tuple[str, ...]


class SceneGoal(NamedTuple):
    """Ground that counts: its worth, and the side that holds it.

    The holder is empty if there is none, `UNSEEN_HOLDER` if it is not known.
    """

    place: str
    worth: int
    holder: str


class Scene(NamedTuple):
    """A scene.

    `heading` is the battle, `moment_in_words` turn and phase, `unseen` the places out of sight. `fallen` are counters
    removed in the phase, at the places where that happened; `key` explains the numbers on counters, each as it
    looks. For a question about possible orders of counters, `reach` are the places that one of them could be sent
    to, `targets` those that one could attack, `far` those that only leaders among them could be sent to; `asked`
    are the places asked about.
    """

    heading: Msg
    moment: Msg
    camps: tuple[Nation, ...] = ()
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    stakes: tuple[SceneGoal, ...] = ()
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
            "camps": [[c.id, c.name.to_json(), c.letter.to_json(), *c[3 : None if c.ally else -1]] for c in self.camps],
            "pieces": list(map(_piece_to_json, self.pieces)),
            "marks": [[m.kind, m.side, list(m.places)] for m in self.marks],
            "stakes": [list(stake) for stake in self.stakes],
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
        """Read the output of `to_json`."""
        return cls(
            Msg.from_json(value["heading"]),
            Msg.from_json(value["moment"]),
            tuple(Nation(row[0], Msg.from_json(row[1]), Msg.from_json(row[2]), *row[3:]) for row in value["camps"]),
            tuple(map(_piece_from_json, value["pieces"])),
            tuple(Mark(kind, side, tuple(places)) for kind, side, places in value["marks"]),
            tuple(SceneGoal(*row) for row in value["stakes"]),
            tuple(value["unseen"]),
            tuple(map(_piece_from_json, value.get("fallen", ()))),
            tuple((sample, Msg.from_json(words)) for sample, words in value.get("key", ())),
            tuple(value.get("reach", ())),
            tuple(value.get("targets", ())),
            tuple(value.get("asked", ())),
            tuple(value.get("far", ())),
        )


def _piece_to_json(piece: Piece) -> Json:
    return {**piece._asdict(), "states": [state.to_json() for state in piece.states]}


def _piece_from_json(row: Json) -> Piece:
    return Piece(**{**row, "states": tuple(map(Msg.from_json, row["states"]))})


# A scene in a sentence, for readers without the picture; made from the scene alone, so that it reveals no more.


def alt_text(scene: Scene) -> Msg:
    """Return a picture's alternative text: battle, moment, counters of each nation."""
    many = Counter(piece.side for piece in scene.pieces)
    camps = tuple(
        msg("{number} of {nation}", nation=camp.name, number=many[camp.id]) for camp in scene.camps if many[camp.id]
    )
    text = msg("Map: {battle}. {moment}.", battle=scene.heading, moment=scene.moment)
    if camps and scene.unseen:
        text = msg("{map} Counters in sight: {camps}.", map=text, camps=camps)
    elif camps:
        text = msg("{map} Counters: {camps}.", map=text, camps=camps)
    return msg("{map} All of it stands in words below.", map=text)


# Pictures of a letter: the stored data for drawing, and the drawn picture.
#
# A letter as it is kept may hold pictures: one of its own under ``picture``, and one in each of its blocks. A picture
# is {scene: Scene.to_json, edition: str, alt: Msg, dark: bool}, with {wide: true} and {symbols: true} where a seat
# asked for them: the ground is that of the edition, the words are those of the letter's language.


class PlacedPicture(NamedTuple):
    """A letter's picture: Content-ID (RFC 2392) without brackets, size in pixels."""

    cid: str
    wide: int
    high: int


class PictureStyle(NamedTuple):
    """A seat's wishes for pictures: dark, wide, with symbols of staff maps."""

    dark: bool = False
    wide: bool = False
    symbols: bool = False


def picture_to_json(scene: Scene, edition: str, alt: Msg, style: PictureStyle = PictureStyle()) -> Json:  # noqa: B008 - it is constant
    """Return a picture as a letter stores it; `alt` is its alternative text."""
    wishes = {name: True for name in ("wide", "symbols") if getattr(style, name)}
    return {"scene": scene.to_json(), "edition": edition, "alt": alt.to_json(), "dark": style.dark, **wishes}


def letter_pictures(letter: Json) -> Sequence[Json]:
    """Return the pictures of a letter, in their order."""
    return [part["picture"] for part in (letter, *letter["blocks"]) if part.get("picture")]


def with_drawn_pictures(letter: Json, drawn: Sequence[PlacedPicture | None]) -> Json:
    """Return the letter with its drawn pictures in place of their data, in order."""
    remaining = iter(drawn)

    def replace_picture(part: Json) -> Json:
        if not part.get("picture"):
            return part
        placed_picture, alt = next(remaining), part["picture"]["alt"]
        return {**part, "picture": None if placed_picture is None else {**placed_picture._asdict(), "alt": alt}}

    return {**replace_picture(letter), "blocks": [replace_picture(block) for block in letter["blocks"]]}


# Units removed by an event: eliminated, captured, fallen, or without steps.


def removed_units(happened: Event) -> tuple[str, ...]:
    """Return the ids of the counters that an event removes from play."""
    if happened.kind in ("eliminated", "captured"):
        return tuple(happened.data["units"])
    if happened.kind in ("casualty", "commander lost") or (happened.kind == "loses" and not happened.data["left"]):
        return (happened.data["unit"],)
    return ()


# Turn and phase in words, for the heading of a picture.


def moment_in_words(sheet: ScoreSheet, mover: Msg | None) -> Msg:
    """Return turn and mover in words; turn 0 is before the first."""
    if sheet.over:
        return msg("The end of the game")
    if mover is None:
        return msg("Before turn 1, both sides at once")
    turn = msg("Turn {turn}", turn=sheet.turn)
    if sheet.turns:
        turn = msg("Turn {turn} of {turns}", turn=sheet.turn, turns=sheet.turns)
    return msg("{turn}, to move: {side}", turn=turn, side=mover)
