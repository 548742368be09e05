"""What HELP tells of all commands, which are handed in: what can be written, and more of a topic or of one command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import Game
from pbem.engine.orders.block import LATER, ORDERS, VERIFY
from pbem.engine.orders.lex import fold
from pbem.letters import content, reading_notes
from pbem.letters.command_words import Form, from_table
from pbem.play.commands import fitting
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.commands.orders import order_block, quotes
from pbem.play.commands.questions import topics, views


def help_(answer: Answer, commands: Sequence[Command], word: str = "") -> None:
    """The list of commands with the order template, or a topic or command if one is named."""
    commands = [command for command in commands if fitting.is_offered(answer, command)]
    if any(not _PLAIN.fullmatch(one) for one in word.split()):
        told = topic(commands, word, answer.server.rules_of(answer.game))
        if told:
            answer.say("help")
            answer.blocks.append(told)
        else:
            answer.say("help", no_topic(word))
            pointed = _looked_up(answer, commands, [word])
            answer.blocks += [lines_of(pointed, answer.seat.language)] if pointed else []
            answer.blocks.append(_topics(answer.seat.language))
        return
    turn = answer.phase.turn if answer.phase else 1
    lead, block = summary(commands, turn, answer.seat.language)
    answer.say("help", lead)
    answer.blocks += [block, _topics(answer.seat.language)]
    _show_form(answer)


def _show_form(answer: Answer) -> None:
    if answer.phase is not None and answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def no_topic(word: str) -> Msg:
    """Say that HELP tells nothing of a word."""
    return content.shortened(msg("HELP has no topic {word}.", word=word))


def _topics(language: str) -> Json:
    return content.block(msg("HELP tells more of"), content.beside(topics.TOPICS.values(), language))


def nothing(answer: Answer, commands: Sequence[Command]) -> None:
    """A letter in which there was nothing to do: say why that may be and what to send; with no better word, help."""
    answer.unread = True
    commands = [command for command in commands if fitting.is_offered(answer, command)]
    pointed = [] if answer.letter.untouched else _pointed(answer, commands)
    if answer.letter.untouched:
        answer.say(
            "help",
            msg("Nothing was changed: your form came back as I sent it."),
            msg("Delete the # before each line that you want, and send it again."),
        )
    elif pointed:
        answer.say("help", msg("Nothing was changed. I read no free text; these lines get you an answer."))
        answer.blocks.append(lines_of(pointed, answer.seat.language))
    else:
        answer.say("help", msg("I found nothing to do in your letter, and nothing was changed."))
    short = bool(pointed or answer.letter.untouched)
    answer.opening += reading_notes.of_letter(answer.letter, nothing=not pointed)
    quotes.say_what_was_left(answer)
    order_block.say_what_is_queued(answer)
    if short:
        if answer.letter.untouched:
            _show_form(answer)
        return
    help_(answer, commands)


def lines_of(pairs: Sequence[tuple[str, str]], language: str) -> Json:
    """Lines that get an answer, each in both languages and with a button."""
    lines = [chosen(language, *pair) for pair in pairs]
    shown = content.block(msg("Send one of these lines"), lines)
    return content.with_buttons(shown, [(msg("{line}", line=line), line) for line in lines])


def _pointed(answer: Answer, commands: Sequence[Command]) -> list[tuple[str, str]]:
    """Return the lines, in both languages, that answer what a letter in words seems to ask; none if it asks nothing."""
    text = answer.letter.text
    words = list(dict.fromkeys(re.findall(r"[a-z]+", fold(text))))[:_MOST_WORDS]
    hinted = {_HINTS[word] for word in words if word in _HINTS}
    found = [one for one in commands if one.form.name in hinted]
    lines = [_example(one.form) for one in found] if len(found) == 1 else []
    asks = any(map(_is_question, text.split("\n")))
    if not asks and not lines:
        return []
    if asks:
        if not lines or any(map(_WINNING.fullmatch, words)):
            lines += _named(commands, "brief")
        lines += _looked_up(answer, (), [word for word in words if len(word) >= _SHORT and not _PLAIN.fullmatch(word)])
    plain_help = [(one.split()[0], other.split()[0]) for one, other in _named(commands, "help")]
    return [*dict.fromkeys(lines), *plain_help]


def _is_question(line: str) -> bool:
    """Whether a line has two words or more before a question mark."""
    words = _TWO_WORDS.search(line)
    return words is not None and _QUESTION_MARK.search(line, words.end() - 1) is not None


def _named(commands: Sequence[Command], name: str) -> list[tuple[str, str]]:
    return [_example(one.form) for one in commands if one.form.name == name]


def _looked_up(answer: Answer, commands: Sequence[Command], words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the lines that tell of words: commands that begin so, charts, and rules, of the rarest words first."""
    lines = [_example(one.form) for one in commands for word in words if _begins(one.form, word)]
    asked = [word for word in words if views.WORDS.fullmatch(word) and (word not in _HINTS or commands)]
    about = {word: len(views.lines_about(answer, word)) for word in asked}
    rarest = sorted((word for word, count in about.items() if 0 < count <= _COMMON), key=lambda word: about[word])
    for word in rarest[:_MOST_LOOKED_UP]:
        lines.append((f"RULES {word}", f"REGLAS {word}"))
        if views.chart_named(answer.server.rules_of(answer.game).rulebook, word) is not None:
            lines.append((f"CHART {word}", f"TABLA {word}"))
    return lines


def _example(form: Form) -> tuple[str, str]:
    return form.example, form.spanish or form.example


def _begins(form: Form, word: str) -> bool:
    return bool(form.example) and any(fold(phrase).split()[0] == word.split()[0] for phrase in form.phrases)


_MOST_WORDS, _MOST_LOOKED_UP, _SHORT = 100, 3, 4
_COMMON = 40
"""Rules that speak of a word of the game; of more than these speaks only a word of the language."""
_TWO_WORDS = re.compile(r"\w\W{1,3}\w")
_QUESTION_MARK = re.compile(r"\w\s?\?(?:\s|$)")
_WINNING = re.compile("win|wins|won|winning|victory|points|score|ganar|gano|gana|gane|ganamos|victoria|puntos")
_PLAIN = re.compile(
    "por|about|after|again|also|always|back|been|before|being|between|both|came|come|could|does|doing|done|"
    "during|each|else|ever|every|from|game|games|give|goes|going|happen|happens|have|help|here|hello|into|"
    "just|know|like|long|made|make|many|mean|means|more|most|much|must|need|next|only|other|over|place|"
    "please|rule|rules|said|same|send|sent|shall|should|side|some|still|take|tell|than|thank|thanks|that|"
    "their|them|then|there|these|they|this|those|time|turn|turns|under|until|used|very|want|well|were|"
    "what|when|where|which|while|whom|whose|will|with|without|word|work|works|would|your|yours|algo|"
    "alguien|antes|aqui|cada|como|cosa|cual|cuales|cuando|cuanta|cuantas|cuanto|cuantos|decir|debe|debo|"
    "desde|despues|donde|durante|ella|ellos|entre|esta|estan|este|esto|estos|favor|gracias|hace|hacen|"
    "hacer|hago|hasta|hola|mucho|nada|para|pasa|pero|podemos|podria|poner|porque|pregunta|puede|pueden|"
    "puedo|quien|quiere|quiero|saber|seria|sobre|solo|somos|tambien|tanto|tener|tengo|tiene|tienen|toda|"
    "todas|todo|todos|turno|turnos"
)
"""Folded words of letters that say nothing of what is asked."""
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


def topic(commands: Sequence[Command], word: str, rules: Game | None = None) -> Json | None:
    """What there is to tell of a topic by its folded name, with what the game adds; None if it is none."""
    name = from_table(topics.TOPICS, word)
    if not name:
        return None
    own = [(0, line) for command in commands for line in command.help] if name == topics.COMMANDS else []
    added = rules.rulebook.help(name) if rules else ()
    return content.sentences(topics.TITLES[name], [*topics.LINES[name], *own, *added])


def summary(commands: Sequence[Command], turn: int | None, language: str) -> tuple[Msg, Json]:
    """All that can be written, in both languages; without a turn what can be written without a seat."""
    pairs = [] if turn is None else [(f"{w} T{turn + n} ... END", f"{o} T{turn + n} ... FIN") for w, o, n in _BLOCKS]
    forms = [one.form for one in commands if one.form.example and (one.visit is not None or turn is not None)]
    pairs += [(form.example, form.spanish) for form in forms]
    lead = msg("One command a line; case and accents do not matter.")
    if turn is not None:
        lead = msg("One command a line; case and accents do not matter. Orders stand in a block of their own.")
    return lead, content.block(msg("What you can write"), content.beside(pairs, language))


_BLOCKS = ((*ORDERS, 0), (*VERIFY, 0), (*LATER[:2], 1))
"""The words of blocks in both languages, and how many turns ahead the example is."""
