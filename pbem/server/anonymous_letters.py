"""Letters of those who write to the server itself, without a seat: what anybody may ask, and the welcome."""

from __future__ import annotations

import re
from datetime import timedelta

from pbem.engine.data.canon import Json, loads
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, command_lines, content
from pbem.letters.codes import Asker
from pbem.letters.command_lines import Understood
from pbem.letters.content import Head
from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.seats import play, seek
from pbem.runtime.transaction import Work
from pbem.server import join
from pbem.server.catalogue import BY_NAME, FORMS
from pbem.store import queries

_FEW = 3
_RANK = ("joined", "confirm", "answer", "help")


def may_ask(said: Understood) -> bool:
    """True if a letter holds nothing but what anybody may ask."""
    alone = said.block is None and not said.wrong and said.excess is None
    return alone and bool(said.commands) and all(BY_NAME[command.name].visit for command in said.commands)


def nearly(said: Understood) -> str | None:
    """Return the language of a letter whose few wrong lines begin with a word that anybody may write; else None.

    One with many is prose, or a letter of another server that answers ours.
    """
    if said.block is not None or said.later or not 0 < len(said.wrong) <= _FEW or said.excess is not None:
        return None
    first = fold(said.wrong[0].text).split()
    phrases = FORMS.beginning(first[0]) if first else ()
    return next((phrase.language for phrase in phrases if BY_NAME[phrase.form.name].visit), None)


def refused(work: Work, said: Understood) -> Json:
    """The letter that says which lines of one are wrong."""
    return content.Letter(
        "refusal",
        Head(address=work.server.address),
        opening=[content.nothing_done(len(said.wrong))],
        errors=said.wrong,
        what=content.NOT_DONE,
    ).to_json()


def answer(work: Work, asker: Asker, said: Understood) -> Json:
    """The letter that answers all requests of one letter, in their order."""
    asked = ((BY_NAME[command.name].visit, command) for command in said.commands)
    parts = [visit(work, asker, command) for visit, command in asked if visit is not None]
    return content.Letter(
        min((part.kind for part in parts), key=_RANK.index),
        Head(address=work.server.address),
        opening=[sentence for part in parts for sentence in part.sentences],
        blocks=[block for part in parts for block in part.blocks],
    ).to_json()


def with_code(work: Work, letter: IncomingLetter, said: Understood, pending: str) -> Understood:
    """Return what a letter says; of one that only says yes to the code that waits, the line with that code.

    The code may stand alone, or in the quote below, as in most answers. A letter that says anything else may mean no,
    or come from a machine: nothing that is quoted counts then.
    """
    code = fold(pending).split()[-1] if pending else ""
    alone = _ALONE.fullmatch(fold(letter.text).strip(" .!\n"))
    agrees = said.empty and quotes(letter, pending) and _YES.issuperset(_WORD.findall(fold(letter.text)))
    if agrees or (alone is not None and alone[1] == code):
        return command_lines.read(pending, FORMS, work.server.limits)
    return said


def quotes(letter: IncomingLetter, pending: str) -> bool:
    """Return whether the code that waits stands in what is quoted in a letter."""
    return bool(pending) and any(fold(pending).split()[-1] in fold(line) for line in letter.coded)


_ALONE = re.compile(r"(?:(?:code|codigo)\W*)?([a-z2-7]{8})")
_WORD = re.compile(r"\w+")
_YES = frozenset(
    _WORD.findall(
        "yes yeah yep ok okay sure please thanks thank you confirm confirmed i do go ahead agreed hi hello done "
        "si vale claro por favor gracias muchas confirmo confirmado de acuerdo adelante hola hecho acepto"
    )
)
"""Words of which an answer consists that says yes to what is quoted below."""


def pending_line(work: Work, recipient: str) -> str:
    """Return the line with a code that somebody was sent last and has not sent back; empty if there is none."""
    last = queries.outbox.last_asked(work.session, recipient, work.now - timedelta(days=codes.DAYS - 1))
    if last is None or last.kind != "confirm" or not last.model:
        return ""
    lines = (line for block in loads(last.model)["blocks"] for line in block["lines"] if isinstance(line, str))
    return next((line for line in lines if _ENDS_CODED.search(fold(line))), "")


_ENDS_CODED = re.compile(r"\b(?:code|codigo) [a-z2-7]{8}\b")


def code_not_read(work: Work, pending: str) -> Json:
    """Return the letter that says how a code is sent back that was only quoted."""
    told = msg(
        "You answered a letter with a code, but I do not read what is quoted. If you want it, send me this line "
        "alone; else do nothing."
    )
    block = content.block(msg("The line to send"), [pending])
    return content.Letter("confirm", Head(address=work.server.address), opening=[told], blocks=[block]).to_json()


def written_in(text: str) -> str:
    """Return the language of the house that a letter in prose is most likely written in."""
    words = _WORD.findall(fold(text))
    return "es" if sum(word in _SPANISH for word in words) > sum(word in _ENGLISH for word in words) else "en"


_SPANISH = frozenset(
    _WORD.findall(
        "hola buenas buenos dias tardes que como el la los las un una de del en y o por para con mi me te se es soy "
        "somos puedo puede quiero quisiera gustaria jugar juego juegos partida partidas correo saludos gracias he "
        "visto esto alguien hay donde cuando cual reglas batalla"
    )
)
_ENGLISH = frozenset(
    _WORD.findall(
        "hi hello dear the a an of in on and or to for with my me i you it is are am can could how what where "
        "when which want would like play game games mail regards thanks this that there anyone someone have "
        "found rules battle"
    )
)


def welcome(work: Work, language: str, pending: str) -> tuple[list[Msg], list[Json], list[Msg]]:
    """Return what a stranger is told: what this is, lines to copy, a code that waits, battles, bots, where a guide is.

    They are paragraphs, blocks, and paragraphs below them.
    """
    example = play.example(work)
    lines = [*([example] if example is not None else []), (join.LIST.form.example, join.LIST.form.spanish)]
    opening = [
        msg(
            "This is a server for war games played by mail. You write orders as text, and it answers with what "
            "happened."
        ),
        msg(
            "I did not understand your letter. Send me one of these lines, alone in a letter, to {address}.",
            address=work.server.address,
        ),
    ]
    blocks = [content.block(msg("Lines to copy"), [chosen(language, *pair) for pair in lines])]
    if pending:
        opening.append(msg("You asked for something and have not confirmed it. The line with its code stands below."))
        blocks.insert(0, content.block(msg("The line to send"), [pending]))
    meant = msg("With LIST you see the games with free seats, and who waits for an opponent.")
    if example is not None:
        meant = msg(
            "With PLAY you begin a game against a bot; with SEEK and a battle one against a person, once somebody "
            "comes. With LIST you see the games with free seats, and who waits for an opponent."
        )
    closing = [
        meant,
        msg(
            "The answer to HELP lists all that you can write. The guide for players is docs/players.en.md, which comes "
            "with the program."
        ),
        msg("I answer letters that I do not understand once a day."),
    ]
    return opening, [*blocks, *seek.waiting_now(work), *play.offered(work)], closing
