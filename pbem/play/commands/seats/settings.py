"""Set a seat's language, time zone, format of letters, address and publication."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from zoneinfo import available_timezones

from pbem.engine.data.languages import language_of, supported_languages
from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.terms import ONLOOKER
from pbem.letters import outbox
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import phase_reports, publicity, seating
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.runtime.transaction import (
    DATA_SUFFIX,
    DESK_SUFFIX,
    HTML,
    MAP_CHOICES,
    MAP_DARK,
    MAP_OFF,
    MAP_ON,
    MAP_SYMBOLS,
    MAP_WIDE,
    READER,
    TEXT,
    base_format,
)
from pbem.store import hot_statements, queries

# The name of a language, or its code, perhaps with that of a country.
_LANGUAGE = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,8})?")
_LANGUAGE_NAMES = {"english": "en", "ingles": "en", "espanol": "es", "spanish": "es", "castellano": "es"}
"""Further names of supported languages, besides their codes and own names."""
# Up to three words, since _ may be written as a blank: America/Port of Spain.
_ZONE = re.compile(r"[\w+/-]+(?: [\w+/-]+){0,2}")
_FORMAT = re.compile(r"(?:(?:text|texto|html|reader|lector)(?: json)?(?: desk| escritorio)?|json|desk|escritorio)")


def set_language(answer: SeatAnswer, command: CommandLine) -> None:
    """Set the language of all letters from this answer on."""
    answer.seat.language = _languages()[command.rest]
    answer.session.add(answer.seat)
    answer.say("settings", msg("From now on I write to you in this language."))


def check_language(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an unsupported language."""
    if command.rest in _languages():
        return None
    reason = msg("I write in {languages}.", languages=tuple(language_of(code).name for code in supported_languages()))
    return command.wrong(reason, *(f"{command.phrase} {code}" for code in supported_languages()), word=command.said)


def _languages() -> Mapping[str, str]:
    """Return language codes by their folded names."""
    return {
        **_LANGUAGE_NAMES,
        **{fold(name): code for code in supported_languages() for name in (code, language_of(code).name)},
    }


def rotate_address(answer: SeatAnswer, command: CommandLine) -> None:
    """Give the seat another address, which this answer is the first to have.

    Anybody with the old token can request that, but only the player gets the new one.
    """
    seating.rotate_token(answer.session, answer.seat)
    address = answer.server.seat_address(answer.seat)
    answer.say("settings", *seating.seat_rotation_notice(address))


def set_zone(answer: SeatAnswer, command: CommandLine) -> None:
    """Set the time zone of all letters from this answer on."""
    answer.seat.zone = _zones()[_key(command.rest)]
    answer.session.add(answer.seat)
    outbox.plan_news(answer, answer.game, answer.seat)
    time_text = answer.when(answer.now)
    answer.say(
        "settings",
        msg("From now on I write times as in {zone}; now it is {now}.", zone=answer.seat.zone, now=time_text),
    )


def check_zone(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an unknown zone; suggest zones by city name."""
    if (zone_key := _key(command.rest)) in _zones():
        return None
    reason = msg("There is no time zone {zone}; one reads Europe/Madrid or UTC.", zone=command.said)
    # A choice: three can be compared at a glance.
    suggestions = tuple(f"{command.phrase} {name}" for name in _similar_zones(zone_key)[:3])
    return command.wrong(reason, *suggestions, word=command.said)


def set_format(answer: SeatAnswer, command: CommandLine) -> None:
    """Set the format of all letters from now on; JSON or DESK alone adds the file."""
    format_word, *extras = command.rest.split()
    former = answer.seat.format
    if format_word in _FORMATS:
        new_format, sentence = _FORMATS[format_word]
        sentences, added = [sentence], {*extras}
    else:
        new_format, sentences, added = base_format(former), [], {format_word}
    has_data = "json" in added or (format_word not in _FORMATS and DATA_SUFFIX in former)
    has_desk = bool(added & {"desk", "escritorio"}) or (format_word not in _FORMATS and DESK_SUFFIX in former)
    if "json" in added:
        sentences = [*sentences, _WITH_DATA]
        map_file = None if answer.here is None else phase_reports.map_block(answer.here)
        answer.blocks += [] if map_file is None else [map_file]
    if added & {"desk", "escritorio"}:
        sentences = [*sentences, _WITH_DESK]
    hot_statements.update_row(
        answer.session, answer.seat, format=new_format + DATA_SUFFIX * has_data + DESK_SUFFIX * has_desk
    )
    answer.say("settings", *sentences)


_PLAIN = TEXT, msg("I write to you in plain text.")
_PAGE = (
    HTML,
    msg("From now on each letter has a page of HTML besides its text; your mail program shows the one it prefers."),
)
_ALOUD = (
    READER,
    msg("From now on I write for a screen reader: each fact on a line of its own, and nothing that is drawn."),
)
_WITH_DATA = msg(
    "With each report comes a file for programs from now on, report.json; FORMAT TEXT, HTML or READER ends it."
)
_WITH_DESK = msg(
    "With each report that wants orders comes an order desk from now on, desk.html; FORMAT TEXT or HTML ends it."
)
_FORMATS = {"text": _PLAIN, "texto": _PLAIN, "html": _PAGE, "reader": _ALOUD, "lector": _ALOUD}


def set_map(answer: SeatAnswer, command: CommandLine) -> None:
    """Set whether letters show the map, its screen, and the look of counters."""
    word, is_wanted, sentence = _MAPS[command.phrase]
    colours, *wishes = answer.seat.map.split("+")
    if word in MAP_CHOICES:
        colours = word
    else:
        wishes = sorted({*wishes, word} if is_wanted else {*wishes} - {word})
    hot_statements.update_row(answer.session, answer.seat, map="+".join((colours, *wishes)))
    answer.say("settings", sentence)
    if colours != MAP_OFF and base_format(answer.seat.format) != HTML:
        answer.say("settings", msg("Your letters are plain text, which shows none: FORMAT HTML."))


_SHOWN = MAP_ON, True, msg("The map is shown in my letters from now on.")
_HIDDEN = MAP_OFF, True, msg("My letters show no map from now on; MAP still tells it in words.")
_DARK = MAP_DARK, True, msg("The map is shown in my letters in the colours for a dark screen from now on.")
_PHONE = MAP_WIDE, False, msg("The map in my letters is made for the screen of a phone from now on.")
_BROAD = MAP_WIDE, True, msg("The map in my letters is made for a wide screen from now on.")
_FIGURES = MAP_SYMBOLS, False, msg("The counters on the map show figures by branch from now on.")
_SIGNS = MAP_SYMBOLS, True, msg("The counters on the map show the symbols of staff maps from now on.")
_MAPS = {
    "MAP ON": _SHOWN,
    "MAPA SI": _SHOWN,
    "MAP OFF": _HIDDEN,
    "MAPA NO": _HIDDEN,
    "MAP DARK": _DARK,
    "MAPA OSCURO": _DARK,
    "MAP PHONE": _PHONE,
    "MAPA MOVIL": _PHONE,
    "MAP WIDE": _BROAD,
    "MAPA ANCHO": _BROAD,
    "MAP FIGURES": _FIGURES,
    "MAPA FIGURAS": _FIGURES,
    "MAP SYMBOLS": _SIGNS,
    "MAPA SIMBOLOS": _SIGNS,
}


def _similar_zones(wanted: str) -> list[str]:
    """Return the zones of the named city, else of cities with similar names."""
    zones, zones_by_city = _zones(), dict[str, list[str]]()
    for key in sorted(zones):
        zones_by_city.setdefault(key.rpartition("/")[2], []).append(zones[key])
    city = wanted.rpartition("/")[2]
    cities = [city] if city in zones_by_city else close_matches(city, zones_by_city, n=3, cutoff=0.8)
    return [name for city_name in cities for name in zones_by_city[city_name]]


@cache
def _zones() -> dict[str, str]:
    """Return the world's time zones by their comparable names."""
    return {_key(name): name for name in available_timezones() if "/" in name or name.isupper()}


def _key(name: str) -> str:
    return fold(name).replace(" ", "_")


# PUBLISH: whether the game may be shown on the server's pages, and under which name.


# A name of up to 40 characters, as many as `seating.plain_name` leaves.
_WHAT = re.compile(r"(?P<what>on|off|press|si|no|prensa)(?: (?:as|como) (?P<name>[\w][\w' .-]{0,39}))?")
_OFF = ("off", "no")
_PRESS = ("press", "prensa")


def set_publication(answer: SeatAnswer, command: CommandLine) -> None:
    """Agree to publish the game, or withdraw that; press only if asked for."""
    match = _WHAT.fullmatch(fold(command.rest))
    if match is None:
        raise ValueError(f"not what follows PUBLISH: {command.rest!r}")
    if match["what"] in _OFF:
        hot_statements.update_row(answer.session, answer.seat, published=publicity.NOTHING, pen_name="")
        answer.say(
            "settings", msg("The game is shown to nobody any more; what was copied of it cannot be called back.")
        )
        return
    with_press = match["what"] in _PRESS
    # The name as written, with capitals and accents.
    name = seating.plain_name(command.said.split(maxsplit=2)[2]) if match["name"] else ""
    hot_statements.update_row(
        answer.session, answer.seat, published=publicity.PRESS if with_press else publicity.GAME, pen_name=name
    )
    seats = queries.games.seats(answer.session, answer.game.id)
    answer.say("settings", msg("You agree to the game being shown on this server's pages, once all who play it do."))
    if with_press:
        answer.opening.append(msg("What you write to other players is shown with it, once the game is over."))
    if name:
        answer.opening.append(msg("You are called {name} there.", name=name))
    else:
        answer.opening.append(
            msg(
                "You are called {name} there; PUBLISH ON AS and a name gives you another.",
                name=publicity.player_names(answer.server.keys.key, seats)[answer.seat.name],
            )
        )
    if others := publicity.seats_against_publication(seats):
        answer.opening.append(msg("These have not agreed: {seats}.", seats=others))
    if answer.here is not None and answer.here.rules.view(answer.here.state, ONLOOKER) is None:
        answer.opening.append(msg("While it goes on nothing of it is shown but that it does: not all may be known."))


COMMANDS = (
    LetterCommand(
        CommandForm(
            "language", ("SET LANG", "SET LANGUAGE", "FIJAR IDIOMA"), _LANGUAGE, "SET LANG en", "FIJAR IDIOMA es"
        ),
        set_language,
        check=check_language,
        help=(
            msg(
                "SET LANG en or es, SET TZ zone, FORMAT TEXT, HTML or READER, FORMAT JSON, MAP OFF: how I write to you."
            ),
        ),
    ),
    LetterCommand(
        CommandForm(
            "zone", ("SET TZ", "SET ZONE", "FIJAR ZONA"), _ZONE, "SET TZ Europe/Madrid", "FIJAR ZONA Europe/Madrid"
        ),
        set_zone,
        check=check_zone,
    ),
    LetterCommand(
        CommandForm(
            "format", ("FORMAT", "SET FORMAT", "FORMATO", "FIJAR FORMATO"), _FORMAT, "FORMAT TEXT", "FORMATO TEXTO"
        ),
        set_format,
    ),
    LetterCommand(
        CommandForm("map shown", tuple(_MAPS), NO_ARGUMENT, "MAP OFF", "MAPA NO"),
        set_map,
        help=(msg("MAP PHONE or WIDE, ON, DARK or OFF, FIGURES or SYMBOLS: the map in my letters."),),
    ),
    LetterCommand(
        CommandForm("rotate", ("ROTATE", "ROTAR"), NO_ARGUMENT, "ROTATE", "ROTAR"),
        rotate_address,
        often=RateLimit(day=5),
    ),
    LetterCommand(
        CommandForm("publish", ("PUBLISH", "PUBLICAR"), _WHAT, "PUBLISH ON", "PUBLICAR SI"),
        set_publication,
    ),
)
