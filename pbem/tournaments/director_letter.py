"""A director's letter: rulings that a code makes so, and questions; answered at his registered address alone.

::

    EXTEND R2 48h BECAUSE a mail server was away       foretold, with a code
    CODE abcdefgh                                      below the same lines: made
    STATUS, STANDINGS, DOCKET, HELP                    answered at once

A code follows from the server's key, the lines, and the docket as it stood: once anything else was ruled it is worth
nothing. All of a letter is done, or nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, content, outbox, reading_notes, senders
from pbem.letters.content import Mistake, mistake
from pbem.letters.unparsed_lines import CLOSING, SIGNATURE
from pbem.mail.address import base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.runtime import limits as budgets
from pbem.runtime.limits import Excess, Limits
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import director_desk, post
from pbem.tournaments import rulings as event_rulings
from pbem.tournaments.commands.event_questions import round_blocks, standing_blocks
from pbem.tournaments.rulings import RULINGS, DirectorLine

_QUESTIONS = {
    "STATUS": "STATUS",
    "ESTADO": "STATUS",
    "STANDINGS": "STANDINGS",
    "CLASIFICACION": "STANDINGS",
    "DOCKET": "DOCKET",
    "REGISTRO": "DOCKET",
    "HELP": "HELP",
    "AYUDA": "HELP",
}
_CODE = re.compile(r"(?:code|codigo) (?P<code>[a-z2-7]{8})\W*")
_LAST = 20
"""Lines of the docket that are told."""


class _Ruling(NamedTuple):
    """A ruling as it stands in a letter: the number of its line, from 1, its words, and what it says."""

    number: int
    text: str
    order: DirectorLine

    def wrong(self, why: Msg) -> Mistake:
        """That it cannot be made."""
        return mistake(self.number, self.text, self.text.split()[0], why)


class _Said(NamedTuple):
    """What a letter says: rulings, questions by their English words, the code, and what is wrong with it.

    With an `excess` it passes a limit, and nothing else of it is told.
    """

    rulings: tuple[_Ruling, ...] = ()
    questions: tuple[str, ...] = ()
    code: str = ""
    wrong: tuple[Mistake, ...] = ()
    excess: Excess | None = None


class _Answer(NamedTuple):
    """The answer: its kind, sentences and blocks."""

    kind: str
    opening: tuple[Msg, ...] = ()
    blocks: tuple[Json, ...] = ()
    wrong: tuple[Mistake, ...] = ()


def receive_director(
    work: Work, letter: IncomingLetter, inbox: tables.Inbox, event: tables.Tournament, evidence: Evidence
) -> str:
    """Do what a director's letter says and queue its answer; what came of it."""
    email = queries.people.email_of(work.session, event.director_id)
    if email is None or evidence == "fail":
        return "unauthentic"
    inbox.sender = base_address(email)
    over = senders.too_many_from(work, "director", inbox.sender)
    if over > 1:
        return "over-budget"
    if over:
        answer = _Answer("not-ruled", (post.too_many(work, event.zone),))
    elif work.meter is not None and work.meter.excess is not None:
        answer = _Answer("not-ruled", tuple(budgets.told(work.meter.excess)))
    elif letter.refusal is not None:
        unread = msg("Your letter could not be read, or is larger than I read. Nothing was changed.")
        answer = _Answer("not-ruled", (unread, *reading_notes.of_limit(letter), budgets.LARGER))
    else:
        said = _read(letter.text, work.server.limits)
        nothing = not (said.rulings or said.questions or said.code or said.wrong or said.excess)
        notes = reading_notes.of_letter(letter, nothing=nothing)
        answer = _done(work, event, said)
        answer = answer._replace(opening=(*answer.opening, *notes))
    head = post.head_for(work, event)
    made = content.Letter(answer.kind, head, opening=answer.opening, errors=answer.wrong, blocks=answer.blocks)
    cause = f"{letter.message_id} {inbox.sha256}" + (f" {inbox.id}" if inbox.copy_of is not None else "")
    to = outbox.Envelope(email, event.director_language)
    outbox.queue(work, made.to_json(), to, cause, inbox)
    return "over-budget" if over else answer.kind


def _read(text: str, limits: Limits) -> _Said:
    """Read the lines of a letter down to its closing words, or up to one ruling or mistake more than there may be."""
    rulings: list[_Ruling] = []
    questions: list[str] = []
    wrong: list[Mistake] = []
    code = ""
    for number, line in enumerate(text.split("\n"), 1):
        if len(rulings) + len(questions) > limits.commands:
            return _Said(excess=Excess("commands", limits.commands))
        if len(wrong) >= limits.mistakes:
            break
        plain = fold(line).strip()
        if SIGNATURE.fullmatch(line) or CLOSING.fullmatch(plain):
            break
        if not plain or plain.startswith(("#", "//")):
            continue
        if (found := _CODE.fullmatch(plain)) is not None:
            code = found["code"]
        elif plain.upper() in _QUESTIONS:
            questions.append(_QUESTIONS[plain.upper()])
        elif _is_greeting(plain, number, rulings):
            continue
        else:
            try:
                rulings.append(_Ruling(number, line, event_rulings.read(line)))
            except Broken as why:
                wrong.append(mistake(number, line, line.split()[0], why.why))
    return _Said(tuple(rulings), tuple(questions), code, tuple(wrong))


def _is_greeting(plain: str, number: int, rulings: Sequence[_Ruling]) -> bool:
    """Whether a line before any ruling is one by which letters begin."""
    return number <= 2 and not rulings and plain.endswith((",", ":", "!"))


def _done(work: Work, event: tables.Tournament, said: _Said) -> _Answer:
    if said.excess is not None:
        return _Answer("not-ruled", tuple(budgets.told(said.excess)))
    if len(said.wrong) >= work.server.limits.mistakes:
        return _Answer("not-ruled", (budgets.stopped(work.server.limits),), (_words(event),), said.wrong)
    if said.wrong:
        return _refused(said.wrong, _words(event))
    if said.rulings:
        return _ruled(work, event, said)
    if said.code:
        return _Answer("not-ruled", (msg("A code stands below the lines that it was given for: send both."),))
    blocks: list[Json] = []
    opening: list[Msg] = []
    for word in dict.fromkeys(said.questions or ("HELP",)):
        sentences, shown = _told(work, event, word)
        opening += sentences
        blocks += shown
    return _Answer("answer" if said.questions else "help", tuple(opening), tuple(blocks))


def _ruled(work: Work, event: tables.Tournament, said: _Said) -> _Answer:
    """Foretell rulings and ask for their code; with it, make them."""
    foretold: list[Msg] = []
    wrong: list[Mistake] = []
    for one in said.rulings:
        try:
            foretold.append(event_rulings.foretold(work, event, one.order))
        except Broken as why:
            wrong.append(one.wrong(why.why))
    if wrong:
        return _refused(wrong)
    lines = tuple(f"{one.order.line} BECAUSE {one.order.because}" for one in said.rulings)
    docket = queries.tournaments.docket(work.session, event.id)
    request = ("director", event.id, str(event.director_generation), str(len(docket)), *lines)
    if said.code and codes.good(work.server, said.code, *request):
        return _made(work, event, said.rulings)
    word = chosen(event.director_language, "CODE", "CODIGO")
    told = [] if not said.code else [_not_good(docket, said.rulings)]
    told += [
        msg("Nothing is decided yet. This is what I understood, and what each line would do."),
        msg(
            "If you want it, send me these lines with the code, as they stand, within {days} days; else do nothing.",
            days=codes.DAYS,
        ),
    ]
    would = content.sentences(msg("What it would do, and all are told"), [(0, one) for one in foretold], whole=True)
    back = content.block(msg("The lines that make it so"), [*lines, f"{word} {codes.codes(work.server, *request)[0]}"])
    return _Answer("confirm", tuple(told), (would, back))


def _made(work: Work, event: tables.Tournament, rulings: Sequence[_Ruling]) -> _Answer:
    """Make all of them or none: what the first does may be in the way of the second."""
    done: list[Msg] = []
    now = rulings[0]
    try:
        with work.session.begin_nested():
            for now in rulings:
                done.append(event_rulings.make(work, event, now.order))
    except Broken as why:
        work.session.refresh(event)
        return _refused([now.wrong(why.why)])
    return _Answer("ruled", (msg("Done. Everybody was told:"), *done))


def _refused(wrong: Sequence[Mistake], *blocks: Json) -> _Answer:
    """Nothing is done, because of these lines."""
    told = content.nothing_done(len(wrong))
    return _Answer("not-ruled", (told,), blocks, tuple(wrong))


def _not_good(docket: Sequence[tables.Docket], rulings: Sequence[_Ruling]) -> Msg:
    """Why a code makes nothing: it did before, or something was ruled since."""
    lines = {one.order.line for one in rulings}
    made = tuple(str(row.number) for row in docket if row.line in lines)
    if made:
        return msg(
            "These lines were ruled before, see {numbers} in the docket, and nothing was done again. Only the "
            "new code below would rule them once more.",
            numbers=made,
        )
    return msg("This code is not good for these lines any more, or something was ruled since; here is another.")


def _told(work: Work, event: tables.Tournament, word: str) -> tuple[Sequence[Msg], Sequence[Json]]:
    """What a question is answered."""
    language = event.director_language
    if word == "STATUS":
        found = round_blocks(work, event, 0, language)
        boards = [] if isinstance(found, Msg) else found
        shown = [*director_desk.blocks(work, event), director_desk.entered(work, event), *boards]
        return director_desk.how_it_stands(work, event), shown
    if word == "STANDINGS":
        return (), standing_blocks(work, event, language)
    if word == "DOCKET":
        rows = queries.tournaments.docket(work.session, event.id)[-_LAST:]
        if not rows:
            return (msg("Nothing has been ruled yet."),), []
        lines = [f"{row.number}. {row.line} BECAUSE {row.reason}" for row in rows]
        return (), [content.block(msg("The docket"), lines)]
    return (msg("One ruling a line, each with its reason; or a question."),), [_words(event)]


def _words(event: tables.Tournament) -> Json:
    """What can be written, in both languages."""
    pairs = [(ruling.example, ruling.spanish_example) for ruling in RULINGS.values()]
    pairs += [("STATUS", "ESTADO"), ("STANDINGS", "CLASIFICACION"), ("DOCKET", "REGISTRO"), ("HELP", "AYUDA")]
    return content.block(msg("What you can write"), content.beside(pairs, event.director_language))
