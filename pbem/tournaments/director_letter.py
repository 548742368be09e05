"""A director's letter: rulings that a code makes so, and questions; answered at his registered address alone.

::

    EXTEND R2 48h BECAUSE a mail server was away       foretold, with a code
    CODE abcdefgh                                      below the same lines: made
    STATUS, STANDINGS, DOCKET, ROTATE, HELP            answered at once

A code follows from the server's key, the lines, and the docket as it stood: once anything else was ruled it is worth
nothing. All of a letter is done, or nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters import codes, content, outbox, senders
from pbem.letters.commands import CLOSING, SIGNATURE
from pbem.letters.content import Head, Mistake, mistake
from pbem.letters.reception import Claim, Incoming, Role, RoleAnswer
from pbem.mail.address import SeatAddress
from pbem.play.seating import REPLACED
from pbem.runtime import limits as budgets
from pbem.runtime import tokens
from pbem.runtime.limits import Excess, Limits
from pbem.runtime.transaction import DIRECTOR, Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import director_desk, post
from pbem.tournaments import rulings as event_rulings
from pbem.tournaments.commands.questions import round_blocks, standing_blocks
from pbem.tournaments.rulings import RULINGS, DirectorLine

_QUESTIONS = {
    "STATUS": "STATUS",
    "ESTADO": "STATUS",
    "STANDINGS": "STANDINGS",
    "CLASIFICACION": "STANDINGS",
    "DOCKET": "DOCKET",
    "REGISTRO": "DOCKET",
    "ROTATE": "ROTATE",
    "ROTAR": "ROTATE",
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


@dataclass
class DirectorAnswer(RoleAnswer):
    """A director's letter being worked on, his tournament, its row locked, and what the one answer will say."""

    RANKS = ("not-ruled", "ruled", "confirm", "settings", "answer", "help")
    NOT_DONE = "not-ruled"

    event: tables.Tournament = field(kw_only=True)

    def refuse(self, wrong: Sequence[Mistake], *blocks: Json) -> None:
        """Say that nothing is done, because of these lines."""
        self.errors += wrong
        self.say("not-ruled", content.nothing_done(len(wrong)), blocks=blocks)


@dataclass(frozen=True, kw_only=True)
class DirectorRole(Role[DirectorAnswer]):
    """The director of a tournament, its row locked."""

    NAME = "director"
    FALSE = msg("A letter to the director's address of {game} was not read: its From is false.")

    event: tables.Tournament

    def head(self, answer: DirectorAnswer | None = None) -> Head:
        """What heads a letter about his tournament."""
        return post.head_for(self.work, self.event)

    def envelope(self, answer: DirectorAnswer | None = None) -> outbox.Envelope:
        """His registered address."""
        return outbox.Envelope(self.email, self.event.director_language)

    def answer(self, incoming: Incoming) -> DirectorAnswer:
        """Begin the answer."""
        work = self.work
        return DirectorAnswer(work.session, work.server, work.now, meter=work.meter, event=self.event)

    def wants(self, text: str) -> bool:
        """Tell whether a text holds a ruling, a question or a code."""
        return _is_something(_read(text, self.work.server.limits))

    def carry_out(self, answer: DirectorAnswer, text: str) -> bool:
        """Rule, ask for a code or answer; return whether a text says nothing."""
        said = _read(text, answer.server.limits)
        _carry_out(answer, said)
        return not (said.excess or said.wrong or _is_something(said))


def claim(work: Work, address: SeatAddress) -> Claim | None:
    """Find out whether an address speaks for a tournament's director; None if it is none of his."""
    event = queries.tournaments.tournament(work.session, address.game) if address.seat == DIRECTOR else None
    if event is None:
        return None
    good = tokens.same(tokens.director(work.server.key, event.id, event.director_generation), address.token)
    email = queries.people.email_of(work.session, event.director_id) if good else None
    if email is None:
        return Claim("wrong")
    written = senders.written_by(work, DirectorRole.NAME, email)
    return Claim(
        "token", DirectorRole(work=work, about=event.id, email=email, zone=event.zone, written=written, event=event)
    )


def _is_something(said: _Said) -> bool:
    return bool(said.rulings or said.questions or said.code)


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


def _carry_out(answer: DirectorAnswer, said: _Said) -> None:
    limits = answer.server.limits
    if said.excess is not None:
        answer.say("not-ruled", *budgets.told(said.excess))
    elif len(said.wrong) >= limits.mistakes:
        answer.errors += said.wrong
        answer.say("not-ruled", budgets.stopped(limits), blocks=[_words(answer.event)])
    elif said.wrong:
        answer.refuse(said.wrong, _words(answer.event))
    elif said.rulings:
        _rule(answer, said)
    elif said.code:
        answer.say("not-ruled", msg("A code stands below the lines that it was given for: send both."))
    else:
        for word in dict.fromkeys(said.questions or ("HELP",)):
            kind = {"ROTATE": "settings", "HELP": "help"}.get(word, "answer")
            sentences, shown = _told(answer, answer.event, word)
            answer.say(kind, *sentences, blocks=shown)


def _rule(answer: DirectorAnswer, said: _Said) -> None:
    """Foretell rulings and ask for their code; with it, make them."""
    event = answer.event
    foretold: list[Msg] = []
    wrong: list[Mistake] = []
    for one in said.rulings:
        try:
            foretold.append(event_rulings.foretold(answer, event, one.order))
        except Broken as why:
            wrong.append(one.wrong(why.why))
    if wrong:
        answer.refuse(wrong)
        return
    lines = tuple(f"{one.order.line} BECAUSE {one.order.because}" for one in said.rulings)
    docket = queries.tournaments.docket(answer.session, event.id)
    request = ("director", event.id, str(event.director_generation), str(len(docket)), *lines)
    if said.code and codes.good(answer.server, said.code, *request):
        _make(answer, said.rulings)
        return
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
    code = codes.codes(answer.server, *request)[0]
    back = content.block(msg("The lines that make it so"), [*lines, f"{word} {code}"])
    answer.say("confirm", *told, blocks=[would, back])


def _make(answer: DirectorAnswer, rulings: Sequence[_Ruling]) -> None:
    """Make all of them or none: what the first does may be in the way of the second."""
    done: list[Msg] = []
    now = rulings[0]
    try:
        with answer.session.begin_nested():
            for now in rulings:
                done.append(event_rulings.make(answer, answer.event, now.order))
    except Broken as why:
        answer.session.refresh(answer.event)
        answer.refuse([now.wrong(why.why)])
        return
    answer.say("ruled", msg("Done. Everybody was told:"), *done)


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
    if word == "ROTATE":
        event.director_generation += 1
        work.session.add(event)
        work.session.flush()
        address = work.server.director_address(event)
        told = msg("You direct {event} from another address now: {address}.", event=event.id, address=address)
        return (told, REPLACED), []
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
    pairs += [
        ("STATUS", "ESTADO"),
        ("STANDINGS", "CLASIFICACION"),
        ("DOCKET", "REGISTRO"),
        ("ROTATE", "ROTAR"),
        ("HELP", "AYUDA"),
    ]
    return content.block(msg("What you can write"), content.beside(pairs, event.director_language))
