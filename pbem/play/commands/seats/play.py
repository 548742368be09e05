"""Set up and begin a game against a bot by letter (PLAY).

It is confirmed by a code, as JOIN is. Such a game has a limit apart from all others, dice that wait for no
beacon, no undo window, and ends by itself when its player has not written for long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import NO_DISPLAY_NAMES, in_each_language, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.speech import id_of_name
from pbem.letters import codes, content
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.log import grades
from pbem.mail import CODE_PATTERN
from pbem.mail.address import SEAT_ID
from pbem.play import seating
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit, visit_as_seat_command
from pbem.play.commands.table.founding import NewGame, new_game, start_game
from pbem.play.seating import Invitation, invite_seat
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries

NAME = "play"
"""Name of the command."""
IDLE_DAYS = 14
"""Days without orders after which such a game is closed, since places for games against bots are few
(docs/limits.md). A choice: a holiday."""

_WHICH = re.compile(
    rf"(?P<scenario>[a-z0-9][a-z0-9-]{{0,19}})(?: (?:as|como) (?P<seat>{SEAT_ID}))?"
    r"(?: (?:against|contra) (?P<bot>[a-z][a-z0-9-]{0,19}))?(?P<deploy> (?:deploy|desplegar))?"
    rf"(?: (?:code|codigo) (?P<code>{CODE_PATTERN}))?"
)
"""What follows PLAY: the scenario, optionally the seat, the bot, whether units are deployed first (K6), and the mailed
code."""
_SEAT = re.compile(SEAT_ID)
_ALMOST = re.compile(rf"{_WHICH.pattern}|[a-z0-9-]{{1,20}} (?:as|como|against|contra|deploy|desplegar|code|codigo)\b.*")
"""The same, or with surplus words: such a line gets an answer, and is not read as prose."""
_FORMS = ("PLAY battle AS seat AGAINST bot DEPLOY", "JUGAR batalla COMO puesto CONTRA bot DESPLEGAR")
_NEAR = 0.7
"""Minimum similarity of a misspelt bot name. Names are short and a code has to confirm the game, so a wrong guess
costs nothing."""


class _RequestedGame(NamedTuple):
    """A possible game: rules, scenario, the asker's seat, and the bot of the others."""

    rules: AnyGame
    scenario: str
    seat: str
    bot: str
    seats: tuple[str, ...]
    deploys: bool = False

    def seat_name(self, language: str) -> str:
        """Return the seat's name in a language."""
        return seat_label(self.rules, self.seat, language)

    def line(self, language: str) -> str:
        """Return the line that asks for this game."""
        english = f"PLAY {self.scenario} AS {self.seat} AGAINST {self.bot}{' DEPLOY' * self.deploys}"
        spanish_seat = seat_word(self.rules, self.seat, "es")
        spanish = f"JUGAR {self.scenario} COMO {spanish_seat} CONTRA {self.bot}{' DESPLEGAR' * self.deploys}"
        return pick_phrase(language, english, spanish)


def seat_label(rules: AnyGame, seat: str, language: str) -> str:
    return rules.telling.called.get(language, NO_DISPLAY_NAMES).names.get(seat, seat)


def seat_word(rules: AnyGame, seat: str, language: str) -> str:
    """Return a seat's word in commands: its translation if one word, else its name."""
    name = seat_label(rules, seat, language)
    return name if _SEAT.fullmatch(fold(name)) else seat


def request_game(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Ask for a game, or begin it if the code confirms that."""
    if (fault := _check_words(command)) is not None:
        return CommandReply(
            "answer", (msg("Line {line}, {text}: {why}", line=command.line, text=command.text.strip(), why=fault),)
        )
    match = _WHICH.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows PLAY: {command.rest!r}")
    wanted_game = _requested_game(tx, match.groupdict())
    if isinstance(wanted_game, Msg):
        return CommandReply("answer", (wanted_game,))
    if objection_text := _request_objection(tx, asker):
        return CommandReply("answer", (objection_text,))
    request: tuple[str, ...] = (NAME, wanted_game.scenario, wanted_game.seat, wanted_game.bot, asker.email.casefold())
    request += ("deploy",) if wanted_game.deploys else ()
    title = wanted_game.rules.editions().get(wanted_game.scenario, wanted_game.scenario)
    if match["code"] is None:
        line = wanted_game.line(asker.language)
        sentence = msg(
            "A game of {title} was asked for with your address: you as {seat} against the bot {bot}.",
            title=title,
            seat=in_each_language(wanted_game.seat_name),
            bot=wanted_game.bot,
        )
        deploys = (_DEPLOYS,) if wanted_game.deploys else ()
        return codes.ask_to_confirm(
            [sentence, *deploys],
            msg("The line that begins the game"),
            f"{line} {asker.code_word} {codes.valid_codes(tx.server, *request)[0]}",
        )
    if not codes.is_valid_code(tx.server, match["code"], *request):
        return CommandReply("answer", (codes.invalid_code("PLAY"),))
    notice = msg(
        "The game {game} has begun. Its own letters, with the address to write to, are on their way.",
        game=_create_game(tx, asker, wanted_game),
    )
    return CommandReply("joined", (notice,))


_DEPLOYS = msg("Before turn 1 both sides deploy their units, sealed until both have (K6).")


def _check_words(command: CommandLine) -> Msg | None:
    """Return an objection to the first surplus word after PLAY.

    None if there is none.
    """
    if _WHICH.fullmatch(command.rest) is not None:
        return None
    match = _WHICH.match(command.rest)
    words = command.rest[match.end() if match is not None else 0 :].split()
    return msg(
        "I do not understand {word} here. What may follow: {form}.",
        word=words[0],
        form=in_each_language(lambda language: pick_phrase(language, *_FORMS)),
    )


def check_play(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a surplus word."""
    reason = _check_words(command)
    return None if reason is None else command.wrong(reason, pick_phrase(command.language, *_FORMS))


def _requested_game(tx: Transaction, words: Mapping[str, str | None]) -> _RequestedGame | Msg:
    """Return the requested game, or the reason against it."""
    scenario = words["scenario"] or ""
    rules = battle_rules(tx, scenario)
    if isinstance(rules, Msg):
        return rules
    sides = seats_of_battle(rules, scenario)
    seat = find_seat(rules, sides, words["seat"]) if words["seat"] else sides[0]
    if isinstance(seat, Msg):
        return seat
    bot = words["bot"] or next(iter(rules.bots), "")
    if bot not in rules.bots:
        bot = next(iter(close_matches(bot, rules.bots, n=1, cutoff=_NEAR)), bot)
    if bot not in rules.bots:
        return msg("There is no bot {bot} for this game; there are: {bots}.", bot=bot, bots=tuple(sorted(rules.bots)))
    deploys = words["deploy"] is not None
    if deploys and not _can_deploy(rules, scenario):
        return msg("Nothing is deployed in {name}: it names no zones. Leave the word out.", name=scenario)
    return _RequestedGame(rules, scenario, seat, bot, sides, deploys)


def battle_rules(tx: Transaction, scenario: str) -> AnyGame | Msg:
    """Return the rules of a battle for games by letter, or a refusal."""
    if tx.server.settings.play.who == "off":
        return msg("No games are set up by letter here. LIST tells which there are.")
    playable = _playable_games(tx)
    matching = [rules for rules in playable if scenario in rules.editions()]
    if matching:
        return matching[0]
    names = tuple(name for rules in playable for name in sorted(rules.editions()))
    return msg("There is no battle {name} here; there are: {names}.", name=scenario, names=names)


def _playable_games(tx: Transaction) -> list[AnyGame]:
    """Return the games whose battles can be set up by letter."""
    return (
        [tx.server.plugins.games(name) for name in tx.server.settings.play.games]
        if tx.server.settings.play.who != "off"
        else []
    )


def seats_of_battle(rules: AnyGame, scenario: str) -> tuple[str, ...]:
    """Return the seats of a battle, in the order of play."""
    return (*rules.seats(rules.start(rules.edition(scenario, {}, {}))),)


def find_seat(rules: AnyGame, seats: Sequence[str], word: str) -> str | Msg:
    """Return the seat that a word in any language names, or which seats there are."""
    seat = id_of_name(word, rules.telling.called)
    if seat in seats:
        return seat
    labels = tuple(in_each_language(partial(seat_label, rules, side)) for side in seats)
    return msg("There is no seat {seat} in it; there are: {seats}.", seat=word, seats=labels)


def battle_blocks(tx: Transaction) -> tuple[Json, ...]:
    """Return blocks of battles for PLAY and SEEK, and bots; none if PLAY is off."""
    playable = [rules for rules in _playable_games(tx) if rules.bots]
    blocks = []
    for rules in playable:
        title = msg("Battles of {game}, by the names that PLAY and SEEK take", game=rules.title)
        battles = sorted(rules.editions().items())
        lines = [(0, msg("{name}: {title}", name=name, title=title_)) for name, title_ in battles]
        bots = [(1, msg("{name}: {title}", name=bot, title=description)) for bot, description in rules.levels.items()]
        bot_lines = [(0, msg("Bots, the weakest first:")), *bots] if bots else []
        blocks.append(content.sentence_block(title, [*lines, *bot_lines]))
    return tuple(blocks)


def example_play_commands(tx: Transaction) -> tuple[str, str] | None:
    """Return a line that asks for a game, in English and Spanish.

    None if PLAY is off.
    """
    first_rules = next((rules for rules in _playable_games(tx) if rules.bots), None)
    if first_rules is None:
        return None
    scenario = first_rules.easiest or min(first_rules.editions())
    bot = [name for name in first_rules.levels if name in first_rules.bots][1:2] or [next(iter(first_rules.bots))]
    seats = seats_of_battle(first_rules, scenario)
    example_game = _RequestedGame(first_rules, scenario, seats[0], bot[0], seats)
    return example_game.line("en"), example_game.line("es")


def _can_deploy(rules: AnyGame, scenario: str) -> bool:
    try:
        rules.edition(scenario, _DEPLOY, {})
    except ValueError:
        # The edition refuses what its scenario does not have.
        return False
    return True


_DEPLOY = {"deploy": "on"}


def anonymous_mail_objection(tx: Transaction, asker: Asker) -> Msg | None:
    """Return why this asker's mail is not authentic enough for games."""
    if tx.server.settings.play.who == "authenticated" and not asker.vouched:
        return msg(
            "Games are set up by letter for those whose mail proves where it comes from (DKIM or SPF), and yours did "
            "not."
        )
    return None


def _request_objection(tx: Transaction, asker: Asker) -> Msg | None:
    """Return why this asker cannot have a game against a bot now."""
    if reason := anonymous_mail_objection(tx, asker):
        return reason
    limits, running = tx.server.settings.limits, queries.games.games_against_bots(tx.session)
    person = queries.persons.person_by_email(tx.session, asker.email)
    own_games = [game.id for game in running if person is not None and game.asked_by == person.id]
    if len(own_games) >= limits.playing_one:
        return msg(
            "You play as many games against bots as one may at once: {games}. RESIGN ends one.", games=tuple(own_games)
        )
    if len(running) >= limits.playing:
        return msg(
            "As many games against bots go on as there may be at once: {count}. Try again later.", count=len(running)
        )
    return None


def _create_game(tx: Transaction, asker: Asker, wanted_game: _RequestedGame) -> str:
    """Create the game and open its first phase; return its name."""
    person = seating.find_or_create_person(tx.session, asker.email, language=asker.language, zone=asker.zone)
    name = unused_game_name(tx, NAME)
    new_game(
        tx,
        NewGame(
            name=name,
            game=wanted_game.rules.name,
            scenario=wanted_game.scenario,
            options=_DEPLOY if wanted_game.deploys else {},
            pace=Pace(zone=person.zone, grace_hours=24 * IDLE_DAYS, undo_minutes=0),
            terms=Terms(ladder=("close",), reminder_hours=72, hints="on"),
            bots=tuple(f"{seat}={wanted_game.bot}" for seat in wanted_game.seats if seat != wanted_game.seat),
            asked_by=person.id,
        ),
    )
    invite_seat(
        tx,
        Invitation(game=name, seat=wanted_game.seat, email=asker.email, language=person.language, zone=person.zone),
    )
    start_game(tx, name, sentences=_opening_sentences(wanted_game.bot))
    return name


def _opening_sentences(bot: str) -> tuple[Msg, ...]:
    """Return the sentences that introduce such a game."""
    return (
        msg(
            "You play against the bot {bot}: it sees what its seat sees and nothing else, and writes at once.", bot=bot
        ),
        msg("Nothing is rated, and orders are carried out as soon as they are in."),
        grades.GRADE,
        msg("HINT asks a bot what it would do in your place, if you like."),
        msg("After {days} days without orders of yours the game is closed.", days=IDLE_DAYS),
    )


def unused_game_name(tx: Transaction, kind: str) -> str:
    """Return a name that no game has or had: the kind and a number."""
    number = 1
    while queries.games.game(tx.session, f"{kind}-{number}") or queries.log.first_leaf(tx.session, f"{kind}-{number}"):
        number += 1
    return f"{kind}-{number}"


COMMANDS = (
    LetterCommand(
        CommandForm(
            NAME,
            ("PLAY", "JUGAR"),
            _ALMOST,
            "PLAY battle AS seat",
            "JUGAR batalla COMO puesto",
        ),
        visit_as_seat_command(request_game),
        check=check_play,
        visit=request_game,
        often=RateLimit(day=5),
        served=command_records.creates_games,
    ),
)
