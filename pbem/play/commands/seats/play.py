"""PLAY: a game against a bot of the server, set up and begun by letter.

It is confirmed by a code, as JOIN is. Such a game has a budget apart from all others, dice that wait for no beacon, no
time to take orders back, and ends by itself when its player has not written for long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import NOTHING, chosen, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.speech import meant
from pbem.letters import codes, content
from pbem.letters.codes import Asker, Said
from pbem.letters.commands import Form, Line
from pbem.letters.content import Mistake
from pbem.log import grades
from pbem.play import seating
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often, for_seat
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries

NAME = "play"
"""What the command is called."""
IDLE_DAYS = 14
"""Days without orders after which such a game is closed."""

_WHICH = re.compile(
    r"(?P<scenario>[a-z0-9][a-z0-9-]{0,19})(?: (?:as|como) (?P<seat>[a-z][a-z0-9]{0,11}))?"
    r"(?: (?:against|contra) (?P<bot>[a-z][a-z0-9-]{0,19}))?(?P<deploy> (?:deploy|desplegar))?"
    r"(?: (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows PLAY: the scenario, perhaps the seat, the bot, whether units are deployed first (K6), and the code that
was mailed back."""
_SEAT = re.compile(r"[a-z][a-z0-9]{0,11}")
_ALMOST = re.compile(rf"{_WHICH.pattern}|[a-z0-9-]{{1,20}} (?:as|como|against|contra|deploy|desplegar|code|codigo)\b.*")
"""The same, or what is meant for it: a word too many is answered, not taken for prose."""
_FORMS = ("PLAY battle AS seat AGAINST bot DEPLOY", "JUGAR batalla COMO puesto CONTRA bot DESPLEGAR")
_NEAR = 0.7
"""How much the name of a bot must be like the one that it is taken for; the code's letter says which that is."""


class _Wanted(NamedTuple):
    """A game that can be had: its rules, the scenario, the seat of who asks, and the bot that has the others."""

    rules: AnyGame
    scenario: str
    seat: str
    bot: str
    seats: tuple[str, ...]
    deploys: bool = False

    def called(self, language: str) -> str:
        """The seat as a language calls it."""
        return called(self.rules, self.seat, language)

    def line(self, language: str) -> str:
        """The line that asks for this game."""
        english = f"PLAY {self.scenario} AS {self.seat} AGAINST {self.bot}{' DEPLOY' * self.deploys}"
        own = written(self.rules, self.seat, "es")
        spanish = f"JUGAR {self.scenario} COMO {own} CONTRA {self.bot}{' DESPLEGAR' * self.deploys}"
        return chosen(language, english, spanish)


def called(rules: AnyGame, seat: str, language: str) -> str:
    return rules.telling.called.get(language, NOTHING).names.get(seat, seat)


def written(rules: AnyGame, seat: str, language: str) -> str:
    """Return a seat as a command names it: as the language calls it if that is one word, else by its own name."""
    name = called(rules, seat, language)
    return name if _SEAT.fullmatch(fold(name)) else seat


def play(work: Transaction, asker: Asker, command: Line) -> Said:
    """Ask for a game, or confirm that with the code: then it begins."""
    if (wrong := _too_much(command)) is not None:
        return Said(
            "answer", (msg("Line {line}, {text}: {why}", line=command.line, text=command.text.strip(), why=wrong),)
        )
    said = _WHICH.fullmatch(command.rest)
    if said is None:
        raise ValueError(f"not what follows PLAY: {command.rest!r}")
    wanted = _wanted(work, said.groupdict())
    if isinstance(wanted, Msg):
        return Said("answer", (wanted,))
    if refused := _objection(work, asker):
        return Said("answer", (refused,))
    request: tuple[str, ...] = (NAME, wanted.scenario, wanted.seat, wanted.bot, asker.email.casefold())
    request += ("deploy",) if wanted.deploys else ()
    title = wanted.rules.editions().get(wanted.scenario, wanted.scenario)
    if said["code"] is None:
        line = wanted.line(asker.language)
        asked = msg(
            "A game of {title} was asked for with your address: you as {seat} against the bot {bot}.",
            title=title,
            seat=in_each(wanted.called),
            bot=wanted.bot,
        )
        deploys = (_DEPLOYS,) if wanted.deploys else ()
        return codes.please(
            [asked, *deploys],
            msg("The line that begins the game"),
            f"{line} {asker.code_word} {codes.codes(work.server, *request)[0]}",
        )
    if not codes.good(work.server, said["code"], *request):
        return Said("answer", (codes.stale("PLAY"),))
    done = msg(
        "The game {game} has begun. Its own letters, with the address to write to, are on their way.",
        game=_begin(work, asker, wanted),
    )
    return Said("joined", (done,))


_DEPLOYS = msg("Before turn 1 both sides deploy their units, sealed until both have (K6).")


def _too_much(command: Line) -> Msg | None:
    """What is wrong with what follows PLAY: the first word that says nothing there; None if nothing is."""
    if _WHICH.fullmatch(command.rest) is not None:
        return None
    known = _WHICH.match(command.rest)
    words = command.rest[known.end() if known is not None else 0 :].split()
    return msg(
        "{word} says nothing here. What may follow: {form}.",
        word=words[0],
        form=in_each(lambda language: chosen(language, *_FORMS)),
    )


def play_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A word too many."""
    why = _too_much(command)
    return None if why is None else command.wrong(why, chosen(command.language, *_FORMS))


def _wanted(work: Transaction, said: Mapping[str, str | None]) -> _Wanted | Msg:
    """The game that is meant, or why there is none."""
    scenario = said["scenario"] or ""
    rules = battle(work, scenario)
    if isinstance(rules, Msg):
        return rules
    sides = seats_in(rules, scenario)
    seat = seat_meant(rules, sides, said["seat"]) if said["seat"] else sides[0]
    if isinstance(seat, Msg):
        return seat
    bot = said["bot"] or next(iter(rules.bots), "")
    if bot not in rules.bots:
        bot = next(iter(close_matches(bot, rules.bots, n=1, cutoff=_NEAR)), bot)
    if bot not in rules.bots:
        return msg("There is no bot {bot} for this game; there are: {bots}.", bot=bot, bots=tuple(sorted(rules.bots)))
    deploys = said["deploy"] is not None
    if deploys and not _can_deploy(rules, scenario):
        return msg("Nothing is deployed in {name}: it names no zones. Leave the word out.", name=scenario)
    return _Wanted(rules, scenario, seat, bot, sides, deploys)


def battle(work: Transaction, scenario: str) -> AnyGame | Msg:
    """Return the rules of a battle that can be set up by letter, or why there is none."""
    if work.server.settings.play.who == "off":
        return msg("No games are set up by letter here. LIST tells which there are.")
    known = _playable(work)
    found = [rules for rules in known if scenario in rules.editions()]
    if found:
        return found[0]
    there = tuple(name for rules in known for name in sorted(rules.editions()))
    return msg("There is no battle {name} here; there are: {names}.", name=scenario, names=there)


def _playable(work: Transaction) -> list[AnyGame]:
    """Return the games whose battles can be set up by letter."""
    return (
        [work.server.plugins.games(name) for name in work.server.settings.play.games]
        if work.server.settings.play.who != "off"
        else []
    )


def seats_in(rules: AnyGame, scenario: str) -> tuple[str, ...]:
    """Return the seats of a battle, in the order of play."""
    return (*rules.seats(rules.start(rules.edition(scenario, {}, {}))),)


def seat_meant(rules: AnyGame, seats: Sequence[str], said: str) -> str | Msg:
    """Return the seat that somebody means, in any language, or which there are."""
    seat = meant(said, rules.telling.called)
    if seat in seats:
        return seat
    free = tuple(in_each(partial(called, rules, side)) for side in seats)
    return msg("There is no seat {seat} in it; there are: {seats}.", seat=said, seats=free)


def offered(work: Transaction) -> tuple[Json, ...]:
    """Return blocks that name the battles for PLAY and SEEK, and the bots; none where no games are set up by letter."""
    playable = [rules for rules in _playable(work) if rules.bots]
    blocks = []
    for rules in playable:
        title = msg("Battles of {game}, by the names that PLAY and SEEK take", game=rules.title)
        battles = sorted(rules.editions().items())
        lines = [(0, msg("{name}: {title}", name=name, title=title_)) for name, title_ in battles]
        bots = [(1, msg("{name}: {title}", name=bot, title=how)) for bot, how in rules.levels.items()]
        named = [(0, msg("Bots, the weakest first:")), *bots] if bots else []
        blocks.append(content.sentences(title, [*lines, *named]))
    return tuple(blocks)


def example(work: Transaction) -> tuple[str, str] | None:
    """Return a line that asks for a game, in English and Spanish; None where no games are set up by letter."""
    first = next((rules for rules in _playable(work) if rules.bots), None)
    if first is None:
        return None
    scenario = first.easiest or min(first.editions())
    bot = [name for name in first.levels if name in first.bots][1:2] or [next(iter(first.bots))]
    seats = seats_in(first, scenario)
    wanted = _Wanted(first, scenario, seats[0], bot[0], seats)
    return wanted.line("en"), wanted.line("es")


def _can_deploy(rules: AnyGame, scenario: str) -> bool:
    try:
        rules.edition(scenario, _DEPLOY, {})
    except ValueError:
        return False
    return True


_DEPLOY = {"deploy": "on"}


def objection(work: Transaction, asker: Asker) -> Msg | None:
    """Return why no games are set up for this one, as his mail goes."""
    if work.server.settings.play.who == "authenticated" and not asker.vouched:
        return msg(
            "Games are set up by letter for those whose mail proves where it comes from (DKIM or SPF), and yours did "
            "not."
        )
    return None


def _objection(work: Transaction, asker: Asker) -> Msg | None:
    """Why this one cannot have a game against a bot now."""
    if unproven := objection(work, asker):
        return unproven
    limits, going = work.server.settings.limits, queries.games.against_bots(work.session)
    person = queries.persons.person_by_email(work.session, asker.email)
    own = [game.id for game in going if person is not None and game.asked_by == person.id]
    if len(own) >= limits.playing_one:
        return msg(
            "You play as many games against bots as one may at once: {games}. RESIGN ends one.", games=tuple(own)
        )
    if len(going) >= limits.playing:
        return msg(
            "As many games against bots go on as there may be at once: {count}. Try again later.", count=len(going)
        )
    return None


def _begin(work: Transaction, asker: Asker, wanted: _Wanted) -> str:
    """Set the game up and open its first phase."""
    person = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    name = free_name(work, NAME)
    new_game(
        work,
        NewGame(
            name=name,
            game=wanted.rules.name,
            scenario=wanted.scenario,
            options=_DEPLOY if wanted.deploys else {},
            pace=Pace(zone=person.zone, grace_hours=24 * IDLE_DAYS, undo_minutes=0),
            terms=Terms(ladder=("close",), reminder_hours=72, hints="on"),
            bots=tuple(f"{seat}={wanted.bot}" for seat in wanted.seats if seat != wanted.seat),
            asked_by=person.id,
        ),
    )
    invite_seat(
        work, Invitation(game=name, seat=wanted.seat, email=asker.email, language=person.language, zone=person.zone)
    )
    start_game(work, name, told=_told(wanted.bot))
    return name


def _told(bot: str) -> tuple[Msg, ...]:
    """What such a game is, said aloud at its beginning."""
    return (
        msg(
            "You play against the bot {bot}: it sees what its seat sees and nothing else, and writes at once.", bot=bot
        ),
        msg("Nothing is rated, and orders are carried out as soon as they are in."),
        grades.GRADE,
        msg("HINT asks a bot what it would do in your place, if you like."),
        msg("After {days} days without orders of yours the game is closed.", days=IDLE_DAYS),
    )


def free_name(work: Transaction, kind: str) -> str:
    """Return a name that no game has, nor had: the kind and a number."""
    number = 1
    while queries.games.game(work.session, f"{kind}-{number}") or queries.log.first(work.session, f"{kind}-{number}"):
        number += 1
    return f"{kind}-{number}"


COMMANDS = (
    Command(
        Form(
            NAME,
            ("PLAY", "JUGAR"),
            _ALMOST,
            "PLAY battle AS seat",
            "JUGAR batalla COMO puesto",
        ),
        for_seat(play),
        check=play_wrong,
        visit=play,
        often=Often(day=5),
        served=command_records.founds_games,
    ),
)
