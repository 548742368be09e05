"""What a desk knows: the map as its seat sees it, who may do what, and where the letter goes. Nothing else of the game.

It is made of a seat's own view, as a report is; `pbemdesk.txt` is this as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import SHIPPED, chosen, known
from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Piece, Scene
from pbem.engine.game import AnyGame
from pbem.engine.orders.block import END, ORDERS, VERIFY
from pbem.engine.orders.choices import Choices, Clause, Offer, Verb
from pbem.engine.orders.lex import fold
from pbem.engine.orders.standing import OPERATORS
from pbem.engine.terms import Seat
from pbem.maps.drawing import board
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import ready
from pbem.maps.legend import BRANCHES
from pbem.pages.desk import FORMAT
from pbem.pages.theme import THEMED, packed
from pbem.pages.wording import Says
from pbem.pages.wording import both as in_both

_NAME = re.compile(r"[\w/]*\w")
_KEYWORDS = (
    *("STANDING", "ENDSTANDING", "FOR", "ALL", "SPACE", "LEADER", "UNIT", "WHEN", "IF", "THEN", "LIMIT", "NONE"),
    *("ODDS", "TURN", "VP", "MY", "ENEMY", "MINE", "EMPTY", "STRONGEST", "WEAKEST", "FRESHEST", *OPERATORS),
)


class Sent(NamedTuple):
    """Where the orders go, and what their first line says: address and subject, turn, the code of the form."""

    address: str
    subject: str
    turn: int
    code: str


class Desk(NamedTuple):
    """A seat at its desk: the game, what the seat sees and as whom, in which language, and where its orders go.

    `offers` are those of its report's form, with their odds; the phase has `begun` where letters of it were carried
    out already. `scene` is the picture of its report.
    """

    game: AnyGame
    view: Any
    seat: Seat
    language: str
    sent: Sent
    scene: Scene
    offers: tuple[Offer, ...] = ()
    begun: bool = False


def desk_data(desk: Desk, says: Says) -> Json:
    """Return the data of a desk as JSON; ValueError if the game has no map that can be drawn."""
    scene, game, sent, pictured = desk.scene, desk.game, desk.sent, desk.game.pictured
    if pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    chosen = game.aids.choices(desk.view, desk.seat, desk.begun)
    ground = ready(pictured.ground(desk.view.edition), scene, desk.view.edition.digest)
    ground = ground._replace(box=ground.whole or ground.box)
    own = {unit for unit in (*chosen.offers, *chosen.leads)} | set(_own(desk, scene))
    places = {piece.place for piece in scene.pieces} | {
        to for way in chosen.offers.values() for s in way.values() for to in s
    }
    style = Style(partial(says, desk.language), _written(desk, desk.language), THEMED)
    both = partial(in_both, says)
    camps = {camp.id: both(camp.name) for camp in scene.camps}
    names = {piece.id for piece in scene.pieces} | {*ground.sites} | {*chosen.leads}
    return {
        "format": FORMAT,
        "language": desk.language,
        "title": both(scene.heading),
        "moment": both(scene.moment),
        "whose": both(game.telling.side(game.seats(desk.view)[desk.seat])),
        "address": sent.address,
        "subject": sent.subject,
        "turn": sent.turn,
        "code": sent.code,
        "heads": {
            "ORDERS": [_each(*ORDERS), _each(*END)],
            "VERIFY": [_each(*VERIFY), _each(*END)],
        },
        "map": packed(board(scene, ground, style, places)),
        "names": {name: said for name in sorted(names) if len({*(said := _names(desk, name))}) > 1},
        "units": [_unit(piece, piece.id in own, camps, both) for piece in scene.pieces],
        "verbs": [_verb(desk, verb, both) for verb in chosen.verbs],
        "offers": {unit: {verb: list(to) for verb, to in ways.items()} for unit, ways in chosen.offers.items()},
        "under": _spoken(desk, chosen.under) if chosen.under else None,
        "leads": list(chosen.leads),
        "ways": {verb: {one: _ways(units) for one, units in found.items()} for verb, found in chosen.ways.items()},
        "after": _after(desk, chosen),
        "helps": {unit: {verb: list(to) for verb, to in some.items()} for unit, some in chosen.helps.items()},
        "words": {to: _spoken(desk, to) for to in sorted(_words(chosen, ground.sites))},
        "wholes": list(_wholes(desk, chosen, ground.sites)),
        "standing": _standing(desk, chosen, sorted(own), sorted(ground.sites)),
    }


def _own(desk: Desk, scene: Scene) -> Iterator[str]:
    """Counters that the seat could name in an order at some time: those of its own side."""
    seats = desk.game.seats(desk.view)
    yield from (piece.id for piece in scene.pieces if piece.side == seats[desk.seat])


def _pair(words: Iterable[str]) -> Json:
    return dict(zip(known(), words, strict=True))


def _each(english: str, spanish: str) -> Json:
    return {language: chosen(language, english, spanish) for language in known()}


def _spoken(desk: Desk, line: str) -> list[str]:
    """A canonical line, and as the other languages have it."""
    return [line, *(desk.game.telling.spoken(line, language) for language in known()[1:])]


def _said(desk: Desk, line: str) -> Json:
    return _pair(_spoken(desk, line))


def _written(desk: Desk, language: str) -> Any:
    called = desk.game.telling.called.get(language)
    if called is not None and language not in SHIPPED:
        # A name stands in orders too, and has to be read there.
        called = called.read_alike(fold)
    return called.written if called else str


def _names(desk: Desk, name: str) -> list[str]:
    return [_written(desk, language)(name) for language in known()]


def _unit(piece: Piece, own: bool, camps: Mapping[str, list[str]], both: Any) -> Json:
    return {
        "id": piece.id,
        "place": piece.place,
        "own": own,
        "side": camps[piece.side],
        "branch": both(BRANCHES[piece.branch]),
        "leader": piece.branch == "leader",
        "strength": piece.strength,
        "factors": piece.factors,
        "states": [both(one) for one in piece.states],
    }


def _verb(desk: Desk, verb: Verb, both: Callable[[Msg], list[str]]) -> dict[str, Json]:
    return {
        "verb": verb.verb,
        "says": both(verb.says),
        "lines": {kind or "plain": _spoken(desk, line) for kind, line in verb.lines.items()},
        "attack": verb.attack,
        "alone": verb.alone,
        "apart": verb.apart,
        "single": verb.single,
        "written": verb.written,
        "clauses": [_clause(desk, clause, both) for clause in verb.clauses],
    }


def _clause(desk: Desk, clause: Clause, both: Callable[[Msg], list[str]]) -> dict[str, Json]:
    return {
        "clause": clause.clause,
        "says": both(clause.says),
        "line": _spoken(desk, f"{clause.clause} {{names}}"),
        "names": clause.names,
        "many": clause.many,
        "words": [_spoken(desk, word) for word in clause.words],
        "besides": list(clause.besides),
        "instead": list(clause.instead),
    }


def _ways(units: Mapping[str, Mapping[str, tuple[str, ...]]]) -> Json:
    """What a clause may name: the `sets` there are, and for each unit by place the number of its set."""
    sets = sorted({named for places in units.values() for named in places.values() if named})
    numbers = {named: number for number, named in enumerate(sets)}
    return {
        "sets": [list(named) for named in sets],
        "units": {
            unit: {to: numbers[named] for to, named in places.items() if named} for unit, places in units.items()
        },
    }


def _after(desk: Desk, chosen: Choices) -> Json:
    """What an order could come after: the `lines` there are, and by unit, verb and place the numbers of those."""
    some = [lines for verbs in chosen.after.values() for places in verbs.values() for lines in places.values()]
    known = sorted({line for lines in some for line in lines})
    numbers = {line: number for number, line in enumerate(known)}
    return {
        "lines": [_spoken(desk, line) for line in known],
        "units": {
            unit: {
                verb: {to: [numbers[line] for line in lines] for to, lines in places.items()}
                for verb, places in verbs.items()
            }
            for unit, verbs in chosen.after.items()
        },
    }


def _words(chosen: Choices, sites: Mapping[str, object]) -> set[str]:
    """What stands in a line where others have a place: formations, directions."""
    found = {to for ways in chosen.offers.values() for some in ways.values() for to in some}
    clauses = (unit for verb in chosen.ways.values() for units in verb.values() for unit in units.values())
    found |= {one for places in clauses for named in places.values() for one in named}
    return found - set(sites) - {""}


def _wholes(desk: Desk, chosen: Choices, sites: Mapping[str, object]) -> Iterator[Json]:
    """The form's attacks with what they are worth, and what no unit is offered by itself, such as orders of a division.

    Each is in its canonical words.
    """
    attacks = tuple(verb.verb for verb in chosen.verbs if verb.attack)
    units = {piece.id for piece in desk.scene.pieces}

    def covered(verb: str, who: list[str]) -> bool:
        return any(verb in chosen.offers.get(unit, ()) for unit in who)

    heads = {offer.text.rpartition("\n")[0] for offer in desk.offers}
    for offer in desk.offers:
        read = desk.game.parse(offer.text, desk.view, desk.seat)
        lines = [line.strip() for line in desk.game.canon(read.orders).splitlines()]
        words = _NAME.findall(lines[-1]) if lines else []
        who = [word for word in words if word in units]
        attack = bool(words) and words[0] in attacks
        if read.rejected or not words or (not attack and covered(words[0], who)) or offer.text in heads:
            continue
        yield {
            "line": _said(desk, lines[-1]),
            "head": _said(desk, "\n".join(lines[:-1])) if lines[:-1] else {},
            "who": who,
            "to": next((word for word in words if attack and word in sites), ""),
            "hostile": attack,
            "chance": offer.chance,
        }


def _standing(desk: Desk, chosen: Choices, own: list[str], places: list[str]) -> Json:
    """What standing orders of the game are made of, with the words of the other language."""
    idiom = chosen.idiom
    if idiom is None:
        return None
    reactions, words = [], {*_KEYWORDS, *idiom.events, *idiom.kinds}
    for keyword, shape in idiom.reactions.items():
        plain, _, more = shape.partition("+")
        ways = [] if plain == "spaces" else [way.partition(">")[0] for way in plain.split("|") if way]
        reactions.append([keyword, ways, plain == "spaces", more == "prefs"])
        words |= {keyword, *ways}
    words |= {f"{whose} {what}" for whose in ("MY", "ENEMY") for what in idiom.counts}
    leaders = {piece.id for piece in desk.scene.pieces if piece.branch == "leader"}
    return {
        "events": list(idiom.events),
        "reactions": reactions,
        "counts": list(idiom.counts),
        "kinds": list(idiom.kinds),
        "units": [one for one in own if one not in leaders],
        "leaders": [one for one in own if one in leaders],
        "places": places,
        "words": {word: said for word in sorted(words) if word and (said := _spoken(desk, word)[1]) != word},
    }
