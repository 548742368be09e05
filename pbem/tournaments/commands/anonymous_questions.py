"""Answer anybody's STANDINGS, CROSSTABLE, ROUND, RATING and RULES.

Written to the server or from a seat: ``STANDINGS cup60``. Nothing is changed by asking. Questions of
entrants are in `questions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pbem.engine.data.messages import Msg, msg
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit, visit_as_seat_command
from pbem.play.commands.questions import views
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import record
from pbem.tournaments.arithmetic.rulebook import rules_below
from pbem.tournaments.commands import questions
from pbem.tournaments.commands.levels import public_ratings_block

# The name of a tournament has at most 11 characters, and its rounds have at most three digits.
_NAMED = re.compile(r"(?P<event>[a-z0-9-]{1,11})")
_NAMED_ROUND = re.compile(r"(?:r ?(?P<round>\d{1,3}) )?(?P<event>[a-z0-9-]{1,11})")


def _tournament_question(
    answer_question: Callable[[Transaction, tables.Tournament, Asker, CommandLine], CommandReply],
) -> Callable[[Transaction, Asker, CommandLine], CommandReply]:
    """Return the handler of a question about a named tournament."""

    def visit(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
        name = command.rest.split()[-1] if command.rest else ""
        event = queries.tournaments.tournament(tx.session, name)
        if event is None or event.state == "draft":
            names = tuple(row.id for row in queries.tournaments.all_tournaments(tx.session) if row.state != "draft")
            return CommandReply(
                "answer",
                (msg("There is no tournament {event}; there are: {events}.", event=name, events=names or ("-",)),),
            )
        return answer_question(tx, event, asker, command)

    return visit


def _answer_standings(tx: Transaction, event: tables.Tournament, asker: Asker, command: CommandLine) -> CommandReply:
    return CommandReply("answer", (), tuple(questions.standing_blocks(tx, event, asker.language)))


def _answer_crosstable(tx: Transaction, event: tables.Tournament, asker: Asker, command: CommandLine) -> CommandReply:
    return CommandReply("answer", (), tuple(questions.crosstable_blocks(tx, event, asker.language)))


def _answer_round(tx: Transaction, event: tables.Tournament, asker: Asker, command: CommandLine) -> CommandReply:
    blocks_or_fault = questions.round_blocks(tx, event, questions.round_in_command(command.rest), asker.language)
    return (
        CommandReply("answer", (blocks_or_fault,))
        if isinstance(blocks_or_fault, Msg)
        else CommandReply("answer", (), tuple(blocks_or_fault))
    )


def _answer_rating(tx: Transaction, event: tables.Tournament, asker: Asker, command: CommandLine) -> CommandReply:
    pool = record.rules_of(event).rating.pool
    if not pool:
        return CommandReply("answer", (msg("{event} is not rated: its rules name no pool.", event=event.id),))
    block = public_ratings_block(tx, event, pool)
    if block is None:
        return CommandReply("answer", (msg("Nobody in {event} lets his rating be seen.", event=event.id),))
    return CommandReply("answer", (), (block,))


def _question_command(
    form: CommandForm, answer_question: Callable[[Transaction, tables.Tournament, Asker, CommandLine], CommandReply]
) -> LetterCommand:
    visit = _tournament_question(answer_question)
    return LetterCommand(
        form, visit_as_seat_command(visit), visit=visit, often=RateLimit(day=20), served=command_records.has_tournament
    )


COMMANDS = (
    _question_command(
        CommandForm(
            "standings",
            ("STANDINGS", "CLASIFICACION DE", "CLASIFICACION"),
            _NAMED,
            "STANDINGS event",
            "CLASIFICACION torneo",
        ),
        _answer_standings,
    ),
    _question_command(
        CommandForm("crosstable", ("CROSSTABLE", "CUADRO DE", "CUADRO"), _NAMED, "CROSSTABLE event", "CUADRO torneo"),
        _answer_crosstable,
    ),
    _question_command(
        CommandForm("round", ("ROUND", "RONDA"), _NAMED_ROUND, "ROUND R2 event", "RONDA R2 torneo"), _answer_round
    ),
    _question_command(
        CommandForm("rating", ("RATING", "NIVEL"), _NAMED, "RATING event", "NIVEL torneo"), _answer_rating
    ),
)


def _names_tournament_rule(answer: SeatAnswer, command: CommandLine) -> bool:
    """Return whether it is a number of E that the game has no rule of."""
    number = questions.RULE_NUMBER.fullmatch(command.rest)
    return bool(number) and command.rest.startswith("e") and views.check_rule(answer, command) is not None


def _show_rules(answer: SeatAnswer, command: CommandLine) -> None:
    if _names_tournament_rule(answer, command):
        answer.say("answer", blocks=questions.rule_blocks(command.rest, answer.seat.language))
    else:
        views.show_rules(answer, command)


def _check_rule(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    if not _names_tournament_rule(answer, command):
        return views.check_rule(answer, command)
    if rules_below(command.rest, "en"):
        return None
    reason = msg("No rule of tournaments has the number {number}.", number=command.rest.upper())
    return command.wrong(reason, word=command.said)


def _send_rules(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Send rules of tournaments to anybody, and say where those of a game are had.

    Who names no number with E may have meant a rule of his game.
    """
    number = command.rest if questions.RULE_NUMBER.fullmatch(command.rest) else ""
    of_games = msg("RULES of a game is answered at the address of a seat in it; here, with the rules of tournaments.")
    sentences = () if number.startswith("e") else (of_games,)
    if not rules_below(number, asker.language):
        return CommandReply("answer", (*sentences, questions.unknown_rule_text(number)))
    return CommandReply("answer", sentences, tuple(questions.rule_blocks(number, asker.language)))


RULE_COMMANDS = (
    LetterCommand(
        CommandForm("rule", ("RULES", "RULE", "REGLAS", "REGLA"), views.RULE_OR_WORDS, "RULES word", "REGLAS palabra"),
        _show_rules,
        check=_check_rule,
        visit=_send_rules,
        help=(
            msg(
                "RULES number: a rule in full, with an example. RULES word: the rules on it. CHART name: a chart. "
                "RULES and CHART alone list them."
            ),
            msg("RULES ERRATA: all rulings on the rules, with their dates."),
        ),
        often=RateLimit(letter=10),
        # Its syntax and help are those of a seat; LIST tells others of it.
        served=lambda tx: isinstance(tx, SeatAnswer),
    ),
)
"""RULES of a player: those of his game, and those of tournaments, which letters of his seat cite as well."""
