"""What a seat may set for itself: language, time zone, format of letters, another address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from zoneinfo import available_timezones

from pbem.engine.data.languages import known, language_of
from pbem.engine.data.messages import msg
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.terms import ONLOOKER
from pbem.letters import outbox
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import phase_reports, publicity, seating
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.runtime.transaction import DARK, DATA, DESK, HTML, OFF, ON, READER, TEXT, look_of
from pbem.store import hot_statements, queries

_LANGUAGE = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,8})?")
_CALLED = {"english": "en", "ingles": "en", "espanol": "es", "spanish": "es", "castellano": "es"}
"""What the languages of the house are called; others are by their code, and by what they call themselves."""
_ZONE = re.compile(r"[\w+/-]+(?: [\w+/-]+){0,2}")
_FORMAT = re.compile(r"(?:(?:text|texto|html|reader|lector)(?: json)?(?: desk| escritorio)?|json|desk|escritorio)")


def language(answer: SeatAnswer, command: Line) -> None:
    """The language of all letters from this answer on."""
    answer.seat.language = _languages()[command.rest]
    answer.session.add(answer.seat)
    answer.say("settings", msg("From now on I write to you in this language."))


def language_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A language that is not spoken here."""
    if command.rest in _languages():
        return None
    why = msg("I write in {languages}.", languages=tuple(language_of(code).name for code in known()))
    return command.wrong(why, *(f"{command.phrase} {code}" for code in known()), word=command.said)


def _languages() -> Mapping[str, str]:
    """The codes of languages by what they may be called, folded."""
    return {**_CALLED, **{fold(name): code for code in known() for name in (code, language_of(code).name)}}


def rotate(answer: SeatAnswer, command: Line) -> None:
    """Another address for the seat; this answer, which goes to the registered address alone, is the first to have it.

    Whoever has the old token can ask for that, but only the player gets to know the new one.
    """
    seating.rotate(answer.session, answer.seat)
    address = answer.server.seat_address(answer.seat)
    answer.say("settings", *seating.rotation_notice(address))


def zone(answer: SeatAnswer, command: Line) -> None:
    """The time zone of all letters from this answer on."""
    answer.seat.zone = _zones()[_key(command.rest)]
    answer.session.add(answer.seat)
    outbox.plan_news(answer, answer.game, answer.seat)
    now = answer.when(answer.now)
    answer.say(
        "settings", msg("From now on I write times as in {zone}; now it is {now}.", zone=answer.seat.zone, now=now)
    )


def zone_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A zone that the world does not have; a city's name finds its zone."""
    if (wanted := _key(command.rest)) in _zones():
        return None
    why = msg("There is no time zone {zone}; one reads Europe/Madrid or UTC.", zone=command.said)
    offered = tuple(f"{command.phrase} {name}" for name in _near(wanted)[:3])
    return command.wrong(why, *offered, word=command.said)


def format_(answer: SeatAnswer, command: Line) -> None:
    """The format of all letters from this answer on; JSON or DESK alone leaves it as it is and adds the file."""
    look, *more = command.rest.split()
    had = answer.seat.format
    if look in _FORMATS:
        wanted, sentence = _FORMATS[look]
        said, added = [sentence], {*more}
    else:
        wanted, said, added = look_of(had), [], {look}
    data = "json" in added or (look not in _FORMATS and DATA in had)
    desk = bool(added & {"desk", "escritorio"}) or (look not in _FORMATS and DESK in had)
    if "json" in added:
        said = [*said, _WITH_DATA]
        drawn = None if answer.here is None else phase_reports.map_block(answer.here)
        answer.blocks += [] if drawn is None else [drawn]
    if added & {"desk", "escritorio"}:
        said = [*said, _WITH_DESK]
    hot_statements.change(answer.session, answer.seat, format=wanted + DATA * data + DESK * desk)
    answer.say("settings", *said)


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


def map_(answer: SeatAnswer, command: Line) -> None:
    """Whether the pages of letters show the map from this answer on, and for what screen."""
    wanted, said = _MAPS[command.phrase]
    hot_statements.change(answer.session, answer.seat, map=wanted)
    answer.say("settings", said)
    if wanted != OFF and look_of(answer.seat.format) != HTML:
        answer.say("settings", msg("Your letters are plain text, which shows none: FORMAT HTML."))


_SHOWN = ON, msg("The map is shown in my letters from now on.")
_HIDDEN = OFF, msg("My letters show no map from now on; MAP still tells it in words.")
_DARK = DARK, msg("The map is shown in my letters in the colours for a dark screen from now on.")
_MAPS = {
    "MAP ON": _SHOWN,
    "MAPA SI": _SHOWN,
    "MAP OFF": _HIDDEN,
    "MAPA NO": _HIDDEN,
    "MAP DARK": _DARK,
    "MAPA OSCURO": _DARK,
}


def _near(wanted: str) -> list[str]:
    """The zones of the city that is named, else those of cities that are written nearly so."""
    zones, named = _zones(), dict[str, list[str]]()
    for key in sorted(zones):
        named.setdefault(key.rpartition("/")[2], []).append(zones[key])
    city = wanted.rpartition("/")[2]
    found = [city] if city in named else close_matches(city, named, n=3, cutoff=0.8)
    return [name for one in found for name in named[one]]


@cache
def _zones() -> dict[str, str]:
    """The zones of the world by their names as they are compared."""
    return {_key(name): name for name in available_timezones() if "/" in name or name.isupper()}


def _key(name: str) -> str:
    return fold(name).replace(" ", "_")


# PUBLISH: whether the game may be shown on the server's pages, and under which name.


_WHAT = re.compile(r"(?P<what>on|off|press|si|no|prensa)(?: (?:as|como) (?P<name>[\w][\w' .-]{0,39}))?")
_OFF = ("off", "no")
_PRESS = ("press", "prensa")


def publish(answer: SeatAnswer, command: Line) -> None:
    """Agree to the game being shown, or not any more; press goes with it only where that is said."""
    wanted = _WHAT.fullmatch(fold(command.rest))
    if wanted is None:
        raise ValueError(f"not what follows PUBLISH: {command.rest!r}")
    if wanted["what"] in _OFF:
        hot_statements.change(answer.session, answer.seat, published=publicity.NOTHING, pen_name="")
        answer.say(
            "settings", msg("The game is shown to nobody any more; what was copied of it cannot be called back.")
        )
        return
    press = wanted["what"] in _PRESS
    # As he wrote it, with its capitals and accents.
    name = seating.plain(command.said.split(maxsplit=2)[2]) if wanted["name"] else ""
    hot_statements.change(
        answer.session, answer.seat, published=publicity.PRESS if press else publicity.GAME, pen_name=name
    )
    seats = queries.games.seats(answer.session, answer.game.id)
    answer.say("settings", msg("You agree to the game being shown on this server's pages, once all who play it do."))
    if press:
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
    if others := publicity.waited_for(seats):
        answer.opening.append(msg("These have not agreed: {seats}.", seats=others))
    if answer.here is not None and answer.here.rules.view(answer.here.state, ONLOOKER) is None:
        answer.opening.append(msg("While it goes on nothing of it is shown but that it does: not all may be known."))


COMMANDS = (
    Command(
        Form("language", ("SET LANG", "SET LANGUAGE", "FIJAR IDIOMA"), _LANGUAGE, "SET LANG en", "FIJAR IDIOMA es"),
        language,
        check=language_wrong,
        help=(
            msg(
                "SET LANG en or es, SET TZ zone, FORMAT TEXT, HTML or READER, FORMAT JSON, MAP OFF: how I write to you."
            ),
        ),
    ),
    Command(
        Form("zone", ("SET TZ", "SET ZONE", "FIJAR ZONA"), _ZONE, "SET TZ Europe/Madrid", "FIJAR ZONA Europe/Madrid"),
        zone,
        check=zone_wrong,
    ),
    Command(
        Form("format", ("FORMAT", "SET FORMAT", "FORMATO", "FIJAR FORMATO"), _FORMAT, "FORMAT TEXT", "FORMATO TEXTO"),
        format_,
    ),
    Command(
        Form("map shown", tuple(_MAPS), NOTHING, "MAP OFF", "MAPA NO"),
        map_,
    ),
    Command(
        Form("rotate", ("ROTATE", "ROTAR"), NOTHING, "ROTATE", "ROTAR"),
        rotate,
        often=Often(day=5),
    ),
    Command(
        Form("publish", ("PUBLISH", "PUBLICAR"), _WHAT, "PUBLISH ON", "PUBLICAR SI"),
        publish,
    ),
)
