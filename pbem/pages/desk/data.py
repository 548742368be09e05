"""Make the data of an order desk: map, possible orders, address.

Nothing else of the game is in the data. They are made from a seat's own view, as a report is; the attachment
`pbemdesk.txt` has them as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import SHIPPED_LANGUAGES, pick_phrase, supported_languages
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
from pbem.maps.grounds import prepare_ground
from pbem.maps.legend import BRANCHES
from pbem.pages.desk import FORMAT
from pbem.pages.theme import THEMED, pack
from pbem.pages.wording import Says
from pbem.pages.wording import in_all_languages as in_both

# A word of an order; names of units may have a slash, as 2/87.
_NAME = re.compile(r"[\w/]*\w")
_KEYWORDS = (
    *("STANDING", "ENDSTANDING", "FOR", "ALL", "SPACE", "LEADER", "UNIT", "WHEN", "IF", "THEN", "LIMIT", "NONE"),
    *("ODDS", "TURN", "VP", "MY", "ENEMY", "MINE", "EMPTY", "STRONGEST", "WEAKEST", "FRESHEST", *OPERATORS),
)


class LetterTarget(NamedTuple):
    """The target of the orders: address, subject, turn and form code."""

    address: str
    subject: str
    turn: int
    code: str


class Desk(NamedTuple):
    """A seat's desk: game, view, seat, language, target of its orders.

    `offers` are those of its report's form, with their odds; `begun` is True if letters of the phase were
    carried out already. `scene` is the picture of its report.
    """

    game: AnyGame
    view: Any
    seat: Seat
    language: str
    sent: LetterTarget
    scene: Scene
    offers: tuple[Offer, ...] = ()
    begun: bool = False


def desk_data(desk: Desk, says: Says) -> Json:
    """Return the data of a desk as JSON; raise ValueError without a drawable map."""
    scene, game, sent, pictured = desk.scene, desk.game, desk.sent, desk.game.pictured
    if pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    choices = game.aids.choices(desk.view, desk.seat, desk.begun)
    ground = prepare_ground(pictured.ground(desk.view.edition), scene, desk.view.edition.digest)
    ground = ground._replace(box=ground.whole or ground.box)
    own_units = {unit for unit in (*choices.offers, *choices.leads)} | set(_own_counters(desk, scene))
    places = {piece.place for piece in scene.pieces} | {
        place for verbs in choices.offers.values() for s in verbs.values() for place in s
    }
    style = Style(partial(says, desk.language), _name_writer(desk, desk.language), THEMED)
    both = partial(in_both, says)
    camps = {camp.id: both(camp.name) for camp in scene.camps}
    names = {piece.id for piece in scene.pieces} | {*ground.sites} | {*choices.leads}
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
            "ORDERS": [_in_each_language(*ORDERS), _in_each_language(*END)],
            "VERIFY": [_in_each_language(*VERIFY), _in_each_language(*END)],
        },
        "map": pack(board(scene, ground, style, places)),
        "names": {name: versions for name in sorted(names) if len({*(versions := _name_versions(desk, name))}) > 1},
        "units": [_unit_json(piece, piece.id in own_units, camps, both) for piece in scene.pieces],
        "verbs": [_verb_json(desk, verb, both) for verb in choices.verbs],
        "offers": {
            unit: {verb: list(target) for verb, target in ways.items()} for unit, ways in choices.offers.items()
        },
        "under": _line_versions(desk, choices.under) if choices.under else None,
        "leads": list(choices.leads),
        "ways": {
            verb: {unit: _clause_sets(units) for unit, units in by_unit.items()}
            for verb, by_unit in choices.ways.items()
        },
        "after": _order_sequence(desk, choices),
        "helps": {
            unit: {verb: list(target) for verb, target in verbs_of_unit.items()}
            for unit, verbs_of_unit in choices.helps.items()
        },
        "words": {to: _line_versions(desk, to) for to in sorted(_target_words(choices, ground.sites))},
        "wholes": list(_whole_orders(desk, choices, ground.sites)),
        "standing": _standing_json(desk, choices, sorted(own_units), sorted(ground.sites)),
    }


def _own_counters(desk: Desk, scene: Scene) -> Iterator[str]:
    """Yield the counters of the seat's side, which it could name in an order."""
    seats = desk.game.seats(desk.view)
    yield from (piece.id for piece in scene.pieces if piece.side == seats[desk.seat])


def _by_language(words: Iterable[str]) -> Json:
    return dict(zip(supported_languages(), words, strict=True))


def _in_each_language(english: str, spanish: str) -> Json:
    return {language: pick_phrase(language, english, spanish) for language in supported_languages()}


def _line_versions(desk: Desk, line: str) -> list[str]:
    """Return a canonical line, and its versions in the other languages."""
    return [line, *(desk.game.telling.spoken(line, language) for language in supported_languages()[1:])]


def _line_by_language(desk: Desk, line: str) -> Json:
    return _by_language(_line_versions(desk, line))


def _name_writer(desk: Desk, language: str) -> Any:
    vocabulary = desk.game.telling.called.get(language)
    if vocabulary is not None and language not in SHIPPED_LANGUAGES:
        # A name is used in orders too, and has to be read there.
        vocabulary = vocabulary.read_alike(fold)
    return vocabulary.with_names if vocabulary else str


def _name_versions(desk: Desk, name: str) -> list[str]:
    return [_name_writer(desk, language)(name) for language in supported_languages()]


def _unit_json(piece: Piece, is_own: bool, camps: Mapping[str, list[str]], both: Any) -> Json:
    return {
        "id": piece.id,
        "place": piece.place,
        "own": is_own,
        "side": camps[piece.side],
        "branch": both(BRANCHES[piece.branch]),
        "leader": piece.branch == "leader",
        "strength": piece.strength,
        "factors": piece.factors,
        "states": [both(state) for state in piece.states],
    }


def _verb_json(desk: Desk, verb: Verb, both: Callable[[Msg], list[str]]) -> dict[str, Json]:
    return {
        "verb": verb.verb,
        "says": both(verb.says),
        "lines": {kind or "plain": _line_versions(desk, line) for kind, line in verb.lines.items()},
        "attack": verb.attack,
        "alone": verb.alone,
        "apart": verb.apart,
        "single": verb.single,
        "written": verb.written,
        "clauses": [_clause_json(desk, clause, both) for clause in verb.clauses],
    }


def _clause_json(desk: Desk, clause: Clause, both: Callable[[Msg], list[str]]) -> dict[str, Json]:
    return {
        "clause": clause.clause,
        "says": both(clause.says),
        "line": _line_versions(desk, f"{clause.clause} {{names}}"),
        "names": clause.names,
        "many": clause.many,
        "words": [_line_versions(desk, word) for word in clause.words],
        "besides": list(clause.besides),
        "instead": list(clause.instead),
    }


def _clause_sets(units: Mapping[str, Mapping[str, tuple[str, ...]]]) -> Json:
    """Return the `sets` a clause may name, and each unit's set number by place."""
    sets = sorted({named for places in units.values() for named in places.values() if named})
    numbers = {names: number for number, names in enumerate(sets)}
    return {
        "sets": [list(names) for names in sets],
        "units": {
            unit: {place: numbers[names] for place, names in places.items() if names} for unit, places in units.items()
        },
    }


def _order_sequence(desk: Desk, chosen: Choices) -> Json:
    """Return the `lines` an order could follow, and their numbers by place."""
    groups = [lines for verbs in chosen.after.values() for places in verbs.values() for lines in places.values()]
    all_lines = sorted({line for lines in groups for line in lines})
    numbers = {line: number for number, line in enumerate(all_lines)}
    return {
        "lines": [_line_versions(desk, line) for line in all_lines],
        "units": {
            unit: {
                verb: {place: [numbers[line] for line in lines] for place, lines in places.items()}
                for verb, places in verbs.items()
            }
            for unit, verbs in chosen.after.items()
        },
    }


def _target_words(chosen: Choices, sites: Mapping[str, object]) -> set[str]:
    """Return the words used in place of places, such as formations and directions."""
    words = {target for ways in chosen.offers.values() for some in ways.values() for target in some}
    clauses = (unit for verb in chosen.ways.values() for units in verb.values() for unit in units.values())
    words |= {name for places in clauses for named in places.values() for name in named}
    return words - set(sites) - {""}


def _whole_orders(desk: Desk, chosen: Choices, sites: Mapping[str, object]) -> Iterator[Json]:
    """Yield the form's attacks with odds, and orders of no single unit.

    Each is in its canonical words.
    """
    attacks = tuple(verb.verb for verb in chosen.verbs if verb.attack)
    units = {piece.id for piece in desk.scene.pieces}

    def has_offer(verb: str, unit_ids: list[str]) -> bool:
        return any(verb in chosen.offers.get(unit, ()) for unit in unit_ids)

    introductions = {offer.text.rpartition("\n")[0] for offer in desk.offers}
    for offer in desk.offers:
        parsed = desk.game.parse(offer.text, desk.view, desk.seat)
        lines = [line.strip() for line in desk.game.canon(parsed.orders).splitlines()]
        words = _NAME.findall(lines[-1]) if lines else []
        named_units = [word for word in words if word in units]
        is_attack = bool(words) and words[0] in attacks
        if (
            parsed.rejected
            or not words
            or (not is_attack and has_offer(words[0], named_units))
            or offer.text in introductions
        ):
            continue
        yield {
            "line": _line_by_language(desk, lines[-1]),
            "head": _line_by_language(desk, "\n".join(lines[:-1])) if lines[:-1] else {},
            "who": named_units,
            "to": next((word for word in words if is_attack and word in sites), ""),
            "hostile": is_attack,
            "chance": offer.chance,
        }


def _standing_json(desk: Desk, chosen: Choices, own_units: list[str], places: list[str]) -> Json:
    """Return the elements of the game's standing orders, with their translations."""
    idiom = chosen.idiom
    if idiom is None:
        return None
    reactions, words = [], {*_KEYWORDS, *idiom.events, *idiom.kinds}
    for keyword, pattern in idiom.reactions.items():
        plain, _, suffix = pattern.partition("+")
        ways = [] if plain == "spaces" else [way.partition(">")[0] for way in plain.split("|") if way]
        reactions.append([keyword, ways, plain == "spaces", suffix == "prefs"])
        words |= {keyword, *ways}
    words |= {f"{owner} {count}" for owner in ("MY", "ENEMY") for count in idiom.counts}
    leaders = {piece.id for piece in desk.scene.pieces if piece.branch == "leader"}
    return {
        "events": list(idiom.events),
        "reactions": reactions,
        "counts": list(idiom.counts),
        "kinds": list(idiom.kinds),
        "units": [unit for unit in own_units if unit not in leaders],
        "leaders": [unit for unit in own_units if unit in leaders],
        "places": places,
        "words": {
            word: translated for word in sorted(words) if word and (translated := _line_versions(desk, word)[1]) != word
        },
    }
