"""Answer HELP from the given commands: all syntax, a topic, or one command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.orders.block import LATER, ORDERS, VERIFY
from pbem.engine.orders.lex import fold
from pbem.letters import content
from pbem.letters.commands import CommandForm, key_of_word
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.commands.orders import order_block, respond
from pbem.play.commands.questions import asked_in_prose, views

# The sentences of each HELP topic; games and commands add their own.


ABOUT_COMMANDS = "commands"
"""The topic that every command adds its own lines to."""

ABOUT_LESSONS = "lessons"
"""The topic on LESSON, which not every server has: HELP shows it on request, and does not list it."""

TOPICS: Mapping[str, tuple[str, str]] = {
    "orders": ("ORDERS", "ORDENES"),
    "standing": ("STANDING", "DOCTRINA"),
    "letters": ("LETTERS", "CARTAS"),
    "deadlines": ("DEADLINES", "PLAZOS"),
    "dice": ("DICE", "DADOS"),
    "ask": ("ASK", "CONSULTAR"),
    "signs": ("SIGNS", "SIGNOS"),
    ABOUT_LESSONS: ("LESSON", "LECCION"),
    ABOUT_COMMANDS: ("COMMANDS", "COMANDOS"),
}
"""HELP topics with their words in both languages."""

TITLES: Mapping[str, Msg] = {
    "orders": msg("Help: orders"),
    "standing": msg("Help: standing orders"),
    "letters": msg("Help: letters"),
    "deadlines": msg("Help: deadlines"),
    "dice": msg("Help: dice"),
    "ask": msg("Help: being asked"),
    "signs": msg("Help: abbreviations and signs"),
    ABOUT_LESSONS: msg("Help: lessons"),
    ABOUT_COMMANDS: msg("Help: commands"),
}

_ORDERS = (
    (0, msg("Orders stand in a block: a line ORDERS with the turn, one order a line, a line END.")),
    (0, msg("The report ends with such a block, filled in with your units: take away the # and what you do not want.")),
    (0, msg("A block replaces the one you sent before for the same turn; nothing is added to what I hold.")),
    (0, msg("With VERIFY in place of ORDERS the block is checked in full, and nothing of it is queued.")),
    (0, msg("A line may have several orders, separated by semicolons. What follows # or // is for you alone.")),
    (0, msg("Names may be shortened while they stay clear. I correct typing errors and tell you.")),
    (0, msg("If one line is impossible, nothing in the letter is carried out; the answer shows which and why.")),
    (0, msg("LATER T5 ... END keeps orders for a later turn: they are checked, and count, when it begins.")),
    (0, msg("An order with @ before it is repeated each turn, until a block has none or CANCEL @ ends it.")),
    (
        0,
        msg("LUCK and any word, on a line of the block, changes the dice: nobody can know them before it arrives."),
    ),
    (0, msg("PASS is an order: to do nothing. CANCEL takes the block back as long as the phase is open.")),
    (0, msg("Orders are carried out from first to last. One that has become impossible is skipped, and you are told.")),
)

_TRIAL_LINE = (
    0,
    msg("TEST STANDING place BY units shows which line would answer an attack: units you see, or 3 INF, 1 CAV."),
)
"""The line of a game whose standing orders can be put to the test."""

_STANDING = (
    (0, msg("Standing orders say how your forces answer what the other side does, so that nobody has to ask you.")),
    (0, msg("They go in a block STANDING FOR ... ENDSTANDING, alone or inside a block of orders.")),
    (0, msg("They are in force until replaced; a new block replaces the old one of the same scope and no other.")),
    (0, msg("They may be sent in every phase, also while the other side is to move.")),
    (0, msg("The narrowest scope comes first; within it, the first line that fits and is possible.")),
    (0, msg("Where no line answers, the rules' default applies.")),
    (
        0,
        msg("The others are told what was done, you also which line; where nothing is hidden the report opens it."),
    ),
    (0, msg("STANDING CAUTIOUS, BALANCED or AGGRESSIVE takes a ready-made set for all of your forces.")),
    _TRIAL_LINE,
    (0, msg("CANCEL STANDING drops all of them. STATUS shows those in force.")),
)

_LETTERS = (
    (0, msg("Write to the address of your seat, at the foot of each of my letters; the subject does not matter.")),
    (0, msg("Anyone who knows that address can give your orders: keep it to yourself.")),
    (0, msg("Every letter gets one answer, sent to the address you are registered with, from wherever you wrote.")),
    (0, msg("Plain text is best; of an HTML letter I read the text. Attachments are not read.")),
    (0, msg("I do not read what you quote, nor what is below a signature or below the first line of my letters.")),
    (
        0,
        msg("One exception: the block that I sent you, if you changed it and wrote no other. I tell you then."),
    ),
    (0, msg("That block sent back without a change does nothing.")),
    (0, msg("A greeting at the top is skipped. After the first command every line must be one, until your signature.")),
    (0, msg("Commands below a block of orders are carried out after it. If an order is outside a block, I ask.")),
    (0, msg("A letter is carried out as a whole or not at all. A letter that arrives twice is carried out once.")),
    (0, msg("A letter written before your current orders does not replace them, unless REPLACE is above the block.")),
    (0, msg("English and Spanish may be mixed; capitals and accents do not matter.")),
)

_DEADLINES = (
    (0, msg("Each phase has a deadline. The report and STATUS give it in your time zone and in UTC.")),
    (0, msg("SET TZ and the name of a zone, such as SET TZ Europe/Madrid, changes the zone of my letters.")),
    (0, msg("A letter is in time if it reached my mailbox by the deadline; when I read it does not matter.")),
    (0, msg("When all orders are in, the phase closes earlier: after a time in which they can still be changed.")),
    (0, msg("Each change restarts that time, but never beyond the deadline. STATUS says when it ends.")),
    (0, msg("In a game at the pace of activations each letter is carried out at once; DONE ends the phase.")),
    (0, msg("From the moment of the first die nothing can be taken back.")),
    (0, msg("WAIT: the phase waits for its deadline. GO: once all who are asked say so, the phase closes at once.")),
    (0, msg("EXTEND 48h puts the deadline of your phase off; what you may put off in a whole game is limited.")),
    (0, msg("VACATION and two days: no deadline of yours falls on them. Everybody hears of both.")),
    (0, msg("Without orders your forces only follow standing orders, and the game goes on.")),
    (0, msg("Missed deadlines are counted; STATUS says how many.")),
    (0, msg("You can change standing orders until the phase that needs them closes.")),
    (0, msg("If a fault stops the game, no deadline runs; you are told when it goes on.")),
)

_DICE = (
    (0, msg("No die is thrown before orders are closed; then all dice of the phase are thrown at once.")),
    (0, msg("Each roll has a name: where it happens and what it decides.")),
    (0, msg("The closed orders and a key of this server give the dice: the same orders always give the same.")),
    (0, msg("Within a phase, an extra roll elsewhere changes no other roll.")),
    (
        0,
        msg(
            "Orders that differ in one word give quite different dice: nobody without this server's key can pick them."
        ),
    ),
    (
        0,
        msg(
            "Whoever runs the server could foresee the dice, and pick them by trying orders if he or a "
            "friend plays (grade C)."
        ),
    ),
    (0, msg("In a game with a public beacon nobody can foresee the dice, if orders closed before its round.")),
    (1, msg("Grade B: your mailbox proves that, by the time at which it took the letter that orders are closed.")),
    (1, msg("Grade A: a witness proves it, a friend whose machine signs the log in time. SET WITNESS asks one.")),
    (1, msg("Still grade C: a bot wrote in the phase, or the beacon's round was out before the orders were closed.")),
    (1, msg("A phase that stopped on its way is C until the game is over: only its rules show that it had to stop.")),
    (0, msg("The attachment of each report proves what is claimed of its dice; pbem verify checks it.")),
    (1, msg("It opens the orders of a phase of which everything was seen; others stay secret until the game ends.")),
    (
        0,
        msg("DICE lists every roll of a turn: how many dice, their sides, the result. A report has the main ones."),
    ),
    (0, msg("VERIFY tells what will happen up to the first die; after it there are odds alone.")),
    (0, msg("CHART shows the charts that dice are read on.")),
    (0, msg("WHY and an event's number explains its dice, down to a line that throws them again by hand.")),
    (0, msg("DICE also tells what hung on the dice, in victory points: yours less the enemy's.")),
    (1, msg("The luck of a throw is by how much it raised the points to be expected.")),
    (
        1,
        msg(
            "It is exact: the rules are run over all faces, to the end of the fight. A loss counts in its fraction of "
            "a point."
        ),
    ),
    (1, msg("The deviation is how far such a throw usually goes either way; the most important come first.")),
    (1, msg("Luck of one standard deviation is common, of two it comes one time in twenty, of three hardly ever.")),
    (1, msg("What a throw does to later fights is not its luck: it shows in what is to be expected of them.")),
)

_ASK = (
    (0, msg("The reaction ASK of a standing order has me ask you, instead of deciding beforehand:")),
    (1, msg("WHEN ASSAULTED THEN ASK WITHIN 24")),
    (
        0,
        msg(
            "The phase then stops before the next die, and you get a letter: what happened so far, and what you can do."
        ),
    ),
    (0, msg("A letter asks what can be decided at that moment; what no answer can change is not asked.")),
    (0, msg("Answer it with one line, such as RESPOND 1A 2D: number of the question, letter of the answer.")),
    (0, msg("1A 2D alone does as well. You may answer again as long as you are asked: the last answer counts.")),
    (0, msg("The hours after WITHIN are yours, from 1 to 168; without it they are 24.")),
    (
        0,
        msg("If you say nothing, the next standing order that fits holds, and after all of them the rules' default."),
    ),
    (0, msg("When all is answered, the phase goes on after the time in which answers may still be changed.")),
    (0, msg("Dice already rolled stay. Dice rolled after your answer depend on it as well.")),
    (0, msg("The others hear that the phase waits for a player, not for whom, nor why, nor how long.")),
    (0, msg("The game limits these letters in a turn; after that ASK counts as no answer.")),
    (0, msg("A game with interrupts asks everybody about everything, within the same limit.")),
    (0, msg("STATUS shows what you are asked, until when, and what you have answered.")),
)

_SIGNS = (
    (
        0,
        msg(
            "Numbers in brackets are rules: RULES and the number shows one. #3 is an event: WHY 3 explains "
            "it step by step."
        ),
    ),
    (0, msg("T5 is turn 5. What stands in a block of orders behind # is no order.")),
    (0, msg("Events are numbered as you saw them: the other side's #3 may be another.")),
    (0, msg("# SEEN in a form shows what you knew of the log; leave it there, it proves that your dice were fair.")),
)

_LESSONS = (
    (
        0,
        msg("LESSON lists the lessons, LESSON 2 sends one; with the name of a game before the number that of another."),
    ),
    (0, msg("Write your answer between LESSON 2 ORDERS and END: I carry it out by the rules and say what is wrong.")),
    (0, msg("A right answer brings the next lesson; LESSON 2 SOLUTION shows one. Its dice are always the same.")),
    (0, msg("A lesson begins no game, and touches none.")),
)

_COMMANDS = ((0, msg("One command a line, or several parted by semicolons; all of them are answered in one letter.")),)
"""First lines of the topic on commands, above each command's own."""

LINES: Mapping[str, tuple[tuple[int, Msg], ...]] = {
    "orders": _ORDERS,
    "standing": _STANDING,
    "letters": _LETTERS,
    "deadlines": _DEADLINES,
    "dice": _DICE,
    "ask": _ASK,
    "signs": _SIGNS,
    ABOUT_LESSONS: _LESSONS,
    ABOUT_COMMANDS: _COMMANDS,
}
"""The lines of each topic with their depth."""


def show_help(answer: SeatAnswer, commands: Sequence[LetterCommand], word: str = "") -> None:
    """Show all commands with the order template, or a named topic or command."""
    commands = [command for command in commands if command_records.is_offered(answer, command)]
    if any(not _PLAIN.fullmatch(part) for part in word.split()):
        topic_block = help_topic(commands, word, answer.server.rules_of(answer.game))
        if topic_block:
            answer.say("help")
            answer.blocks.append(topic_block)
        else:
            answer.say("help", unknown_topic_text(word))
            suggestions = _suggest_lookups(answer, commands, [word])
            answer.blocks += [suggestion_block(suggestions, answer.seat.language)] if suggestions else []
            answer.blocks.append(_topic_block(answer.seat.language))
        return
    turn = answer.phase.turn if answer.phase else 1
    lead, block = help_summary(commands, turn, answer.seat.language)
    answer.say("help", lead)
    answer.blocks += [block, _topic_block(answer.seat.language)]
    _show_form(answer)


def _show_form(answer: SeatAnswer) -> None:
    if answer.phase is not None and answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def unknown_topic_text(word: str) -> Msg:
    """Return the sentence that HELP has no such topic."""
    return content.shorten_gaps(msg("HELP has no topic {word}.", word=word))


def _topic_block(language: str) -> Json:
    listed = [words for name, words in TOPICS.items() if name != ABOUT_LESSONS]
    return content.titled_block(msg("HELP tells more of"), content.two_columns(listed, language))


def answer_nothing_to_do(answer: SeatAnswer, commands: Sequence[LetterCommand]) -> bool:
    """Answer a letter without a command: what to send and, without hints, help.

    Returns whether a general explanation is still needed: an author who got suggestions needs none.
    """
    if respond.remind_of_question(answer):
        return False
    answer.unread = True
    commands = [command for command in commands if command_records.is_offered(answer, command)]
    suggestions = [] if answer.letter.untouched else _suggest_lines(answer, commands)
    if answer.letter.untouched:
        answer.say(
            "help",
            msg("Nothing was changed: every line of your form still begins with #."),
            msg("Delete the # before each line that you want, and send it again. To order nothing, write PASS."),
        )
    elif suggestions:
        answer.say(
            "help",
            msg("Nothing was changed. I found no order, and no question that I can answer so. Try these lines."),
        )
        answer.blocks.append(suggestion_block(suggestions, answer.seat.language))
    else:
        answer.say("help", msg("I found no orders or commands in your letter. Nothing has changed."))
    order_block.report_quoted_orders(answer)
    order_block.report_queued(answer)
    if answer.letter.untouched:
        _show_form(answer)
    elif not suggestions:
        _show_first_commands(answer, commands)
    return not suggestions


def _show_first_commands(answer: SeatAnswer, commands: Sequence[LetterCommand]) -> None:
    """Show the first commands of a player, and where others and his form are."""
    known = [command for command in commands if command.form.name in _FIRST]
    turn = answer.phase.turn if answer.phase else 1
    lead, block = help_summary(known, turn, answer.seat.language)
    answer.opening += [lead, msg("HELP lists all commands, HELP orders says how to write orders.")]
    if answer.phase is not None and answer.seat.template:
        answer.opening.append(
            msg("The form for your orders is in my last report; RESEND T{turn} sends it again.", turn=turn)
        )
    answer.blocks.append(block)


def suggestion_block(pairs: Sequence[tuple[str, str]], language: str) -> Json:
    """Return suggested lines as a block in both languages, each with a button."""
    lines = [pick_phrase(language, *pair) for pair in pairs]
    lines_block = content.titled_block(msg("Send one of these lines"), lines)
    return content.with_buttons(lines_block, [(msg("{line}", line=line), line) for line in lines])


def _suggest_lines(answer: SeatAnswer, commands: Sequence[LetterCommand]) -> list[tuple[str, str]]:
    """Return lines that answer a prose letter's question, in both languages."""
    text = answer.letter.text
    words = list(dict.fromkeys(re.findall(r"[a-z]+", fold(text))))[:_MOST_WORDS]
    hinted = {_HINTS[word] for word in words if word in _HINTS}
    hinted_commands = [command for command in commands if command.form.name in hinted]
    lines = [_example(own_example.form) for own_example in hinted_commands] if len(hinted_commands) == 1 else []
    lines += asked_in_prose.answerable_questions(answer)
    has_question = any(map(_is_question, text.split("\n")))
    if not has_question and not lines:
        return []
    if has_question:
        if not lines or any(map(_WINNING.fullmatch, words)):
            lines += _examples_of(commands, "brief")
        lines += _suggest_lookups(
            answer, (), [word for word in words if len(word) >= _SHORT and not _PLAIN.fullmatch(word)]
        )
    plain_help = [
        (example.split()[0], foreign_example.split()[0]) for example, foreign_example in _examples_of(commands, "help")
    ]
    return [*dict.fromkeys(lines), *plain_help]


def _is_question(line: str) -> bool:
    """Return whether a line has two words or more before a question mark."""
    words = _TWO_WORDS.search(line)
    return words is not None and _QUESTION_MARK.search(line, words.end() - 1) is not None


def _examples_of(commands: Sequence[LetterCommand], name: str) -> list[tuple[str, str]]:
    return [_example(command.form) for command in commands if command.form.name == name]


def _suggest_lookups(
    answer: SeatAnswer, commands: Sequence[LetterCommand], words: Sequence[str]
) -> list[tuple[str, str]]:
    """Return lines that look words up: commands that begin so, charts, and rules.

    Rules of the rarest words come first.
    """
    lines = [_example(command.form) for command in commands for word in words if _begins(command.form, word)]
    lookup_words = [word for word in words if views.WORDS.fullmatch(word) and (word not in _HINTS or commands)]
    rule_counts = {word: len(views.rule_lines_about(answer, word)) for word in lookup_words}
    rarest = sorted(
        (word for word, count in rule_counts.items() if 0 < count <= _COMMON), key=lambda word: rule_counts[word]
    )
    for word in rarest[:_MOST_LOOKED_UP]:
        lines.append((f"RULES {word}", f"REGLAS {word}"))
        if views.find_chart(answer, word) is not None:
            lines.append((f"CHART {word}", f"TABLA {word}"))
    return lines


def _example(form: CommandForm) -> tuple[str, str]:
    return form.example, form.spanish or form.example


def _begins(form: CommandForm, word: str) -> bool:
    return bool(form.example) and any(fold(phrase).split()[0] == word.split()[0] for phrase in form.phrases)


_FIRST = frozenset(("status", "brief", "map", "moves", "odds", "why", "rule", "cancel", "respond", "done", "press"))
"""Commands shown to who wrote nothing that can be read, by name: what is asked most in a game."""
# Bounds of a question in plain words. A choice; shorter words than `_SHORT` say little of its subject.
_MOST_WORDS, _MOST_LOOKED_UP, _SHORT = 100, 3, 4
_COMMON = 40
"""Rules in which a word of the game may occur; a word in more rules is common, and would list half the rulebook."""
# What makes a line a question in plain words: two words, a question mark; and the words that ask about winning.
# Up to three marks and blanks stand between two words.
_TWO_WORDS = re.compile(r"\w\W{1,3}\w")
_QUESTION_MARK = re.compile(r"\w\s?\?(?:\s|$)")
_WINNING = re.compile("win|wins|won|winning|victory|points|score|ganar|gano|gana|gane|ganamos|victoria|puntos")
# Words of English and Spanish that say nothing of a rule's subject: they are not looked up.
_PLAIN = re.compile(
    "por|about|after|again|also|always|back|been|before|being|between|both|came|come|could|does|doing|done|"
    "during|each|else|ever|every|from|game|games|give|goes|going|happen|happens|have|help|here|hello|into|"
    "just|know|like|long|made|make|many|mean|means|more|most|much|must|need|next|only|other|over|place|"
    "please|rule|rules|said|same|send|sent|shall|should|side|some|still|take|tell|than|thank|thanks|that|"
    "their|them|then|there|these|they|this|those|time|turn|turns|under|until|used|very|want|well|were|"
    "what|when|where|which|while|whom|whose|will|with|without|word|work|works|would|your|yours|algo|"
    "alguien|antes|aqui|cada|como|cosa|cual|cuales|cuando|cuanta|cuantas|cuanto|cuantos|decir|debe|debo|"
    "desde|despues|donde|durante|ella|ellos|entre|esta|estan|este|esto|estos|favor|gracias|hace|hacen|"
    "hacer|hago|hasta|hola|misma|mismas|mismo|mismos|mucho|nada|otra|otras|otro|otros|para|pasa|pero|"
    "podemos|podria|poner|porque|pregunta|puede|pueden|"
    "puedo|quien|quiere|quiero|saber|seria|sobre|solo|somos|tambien|tanto|tener|tengo|tiene|tienen|toda|"
    "todas|todo|todos|turno|turnos"
)
"""Folded words of letters without a hint of the question."""
_HINTS = {
    **dict.fromkeys(("draw", "tie", "tablas", "empate"), "draw"),
    **dict.fromkeys(("surrender", "concede", "rindo", "rendicion", "rendirme"), "concede"),
    **dict.fromkeys(("resign", "quit", "abandono", "abandonar"), "resign"),
    **dict.fromkeys(("undo", "cancel", "cancelar", "deshacer", "anular"), "cancel"),
    **dict.fromkeys(("status", "estado"), "status"),
    **dict.fromkeys(("map", "mapa"), "map"),
    **dict.fromkeys(("hint", "pista", "advice", "consejo"), "hint"),
    **dict.fromkeys(("moves", "movimientos"), "moves"),
    **dict.fromkeys(("extension", "prorroga", "postpone"), "extend"),
}
"""Words of letters, folded, that hint at a command by its name."""


def help_topic(commands: Sequence[LetterCommand], word: str, rules: AnyGame | None = None) -> Json | None:
    """Return a topic by its folded name, with the game's additions; None if unknown."""
    name = key_of_word(TOPICS, word)
    if not name:
        return None
    command_lines = [(0, line) for command in commands for line in command.help] if name == ABOUT_COMMANDS else []
    game_lines = rules.rulebook.help(name) if rules else ()
    lines = [
        line
        for line in LINES[name]
        if line != _TRIAL_LINE or rules is None or command_records.can_try_standing_orders(rules)
    ]
    return content.sentence_block(TITLES[name], [*lines, *command_lines, *game_lines])


def help_summary(commands: Sequence[LetterCommand], turn: int | None, language: str) -> tuple[Msg, Json]:
    """Return all syntax in both languages.

    Without a turn only the commands for people without a seat.
    """
    pairs = (
        []
        if turn is None
        else [
            (f"{word} T{turn + turns_ahead} ... END", f"{other_word} T{turn + turns_ahead} ... FIN")
            for word, other_word, turns_ahead in _BLOCKS
        ]
    )
    forms = [
        command.form for command in commands if command.form.example and (command.visit is not None or turn is not None)
    ]
    pairs += [(form.example, form.spanish) for form in forms]
    lead = msg("One command a line; case and accents do not matter.")
    if turn is not None:
        lead = msg("One command a line; case and accents do not matter. Orders stand in a block of their own.")
    return lead, content.titled_block(msg("What you can write"), content.two_columns(pairs, language))


_BLOCKS = ((*ORDERS, 0), (*VERIFY, 0), (*LATER[:2], 1))
"""The words of blocks in both languages, and how many turns ahead the example is."""
