"""Rulings by letter, of a game's moderator or a tournament's director: read, shown beforehand, made by a code.

A letter holds a ruling or a question a line, and all of it counts or nothing::

    Dear server,                                   greeting, skipped
    PROCESS T1.north BECAUSE both asked for it     a ruling with its reason
    ANNOUNCE The next phase will be longer, since so many
    are away.                                      the rest of a long line, as mail programs break them
    STATUS                                         a question, answered at once
    CODE abcdefgh                                  makes the rulings so that it was mailed for

Words are compared without case and accents, in all languages alike. Which rulings and questions there are is not known
here: a role hands its records in.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import Called, chosen, heard, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import ends
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.speech import meant
from pbem.letters import codes, content
from pbem.letters.commands import CLOSING, NOTHING, SIGNATURE, Form, Line, Surroundings, outside
from pbem.letters.content import Mistake, mistake
from pbem.letters.reception import Answer
from pbem.letters.role_commands import NOTHING_FOUND, RoleCommand, RoleCommands, refuse
from pbem.runtime import limits as budgets
from pbem.runtime import tokens
from pbem.runtime.limits import LIMITS, Excess, Limits
from pbem.runtime.transaction import Server, UserError
from pbem.store import changes, queries, tables

C = TypeVar("C")


Making = Iterator[Sequence[Msg]]
"""A ruling being made: what everybody is told comes out of it once, before it is made."""


@dataclass(frozen=True)
class Ruling(Generic[C]):
    """A kind of ruling: how it is written, what it would do, what it does.

    `example` is what may follow its word. What follows has a `form`, and is kept in a `spelling`: ``capitals``,
    ``small``, or ``as written``; without a form it is not looked at before the preview. `within` are words that stand
    in it, in English and in Spanish; with a `seat` one is named first in it. `make` yields what everybody is told of it
    besides the line itself, or raises Broken if it cannot be made; up to there it changes nothing, and behind it makes
    it. `also` is what its author alone is told beforehand. `bare` needs no reason. What `moves` leaves things otherwise
    than the lines after it were written for. Of what is `private` nobody is told more than the word by its line. A
    letter may hold so many, `often`; 0 is any number.
    """

    word: str
    spanish: str
    make: Callable[[C, RulingLine], Making]
    example: str = ""
    form: re.Pattern[str] | None = None
    spelling: str = "as written"
    within: tuple[tuple[str, str], ...] = ()
    also: Callable[[C, RulingLine], Sequence[Msg]] | None = None
    seat: bool = False
    bare: bool = False
    moves: bool = False
    private: bool = False
    often: int = 1

    @property
    def name(self) -> Msg:
        """Its word as its reader would write it."""
        return in_each(partial(chosen, english=self.word, spanish=self.spanish))

    def reworded(self, rest: str, language: str) -> str:
        """What follows its word, with the words within it in a language."""
        for english, spanish in self.within:
            word = spanish if language == "es" else english
            rest = re.sub(rf"\b(?:{english}|{spanish})\b", word, rest, count=1, flags=re.IGNORECASE)
        return rest

    def match(self, rest: str) -> re.Match[str] | None:
        """What follows its word held against its form: folded, unless it is kept as it was written."""
        if self.form is None:
            return None
        return self.form.fullmatch(rest if self.spelling == "as written" else " ".join(fold(rest).split()))

    def written(self, language: str) -> str:
        """An example of it in English or Spanish."""
        return RulingLine(self, self.example).written(language)


_SEAT = re.compile(r"((?:PRESS|PRENSA)\s)?\s*(\S+)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class RulingLine:
    """A line of a ruling: what kind it is, what follows its word, and the reason; empty where none is given."""

    ruling: Ruling[Any]
    rest: str
    because: str = ""

    def __getitem__(self, part: str) -> str:
        """A named part of what follows the word, by the form of the ruling; empty if it is left out."""
        found = self.ruling.match(self.rest)
        if found is None:
            raise LookupError(f"{self.text} has no {part}")
        return found[part] or ""

    @property
    def word(self) -> str:
        """Its word in English."""
        return self.ruling.word

    @property
    def text(self) -> str:
        """The line without its reason, in English words."""
        return f"{self.word} {self.rest}".strip()

    @property
    def line(self) -> str:
        """The line as it could be sent again."""
        return f"{self.text} BECAUSE {self.because}" if self.because else self.text

    def written(self, language: str) -> str:
        """The line as its author could send it again, in English or Spanish words; it is read as the same."""
        spanish = language == "es"
        line = f"{self.ruling.spanish if spanish else self.word} {self.ruling.reworded(self.rest, language)}".strip()
        reasoned = f"{line} PORQUE {self.because}" if spanish else f"{line} BECAUSE {self.because}"
        return reasoned if self.because else line

    def by_ids(self, called: Mapping[str, Called]) -> RulingLine:
        """The line with the seat in it by its id, whatever language called it so."""
        named = _SEAT.fullmatch(self.rest) if self.ruling.seat else None
        if named is None:
            return self
        return RulingLine(self.ruling, f"{named[1] or ''}{meant(named[2], called)}{named[3]}", self.because)

    def told(self) -> Msg:
        """The line in the words of its reader; what its author says in it stays as he said it."""
        line = msg("{word} {rest}", word=self.ruling.name, rest=self._rest()) if self.rest else self.ruling.name
        return msg("{line} BECAUSE {reason}", line=line, reason=self.because) if self.because else line

    def _rest(self) -> Msg:
        if self.ruling.private:
            return msg("{rest}", rest=self.rest)
        named = _SEAT.fullmatch(self.rest) if self.ruling.seat else None
        before, seat, after = named.groups("") if named else ("", "", self.rest)
        one, other = (in_each(partial(self.ruling.reworded, part)) for part in (before, after))
        return msg("{before}{seat}{after}", before=one, seat=seat, after=other)


class Dictated(NamedTuple):
    """A ruling as it stands in a letter: the line that it begins on, from 1, all of its text, and what it says."""

    line: int
    text: str
    order: RulingLine

    def wrong(self, why: Msg, word: str = "") -> Mistake:
        """That it cannot be made; the caret goes under `word`, or under all of it."""
        return mistake(self.line, self.text, word or self.text, why)


class Dictation(NamedTuple):
    """What a letter says. With anything `wrong`, or a limit passed (`excess`), nothing of it counts."""

    rulings: tuple[Dictated, ...] = ()
    questions: tuple[Line, ...] = ()
    code: str = ""
    wrong: tuple[Mistake, ...] = ()
    excess: Excess | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do and nothing to complain of."""
        return not (self.rulings or self.questions or self.code or self.wrong or self.excess)


WRAPPED = 50
"""A line at least so long may have been broken by a mail program, and go on in the next."""

# A letter may be followed by its accent, as some programs write it.
_LINE = re.compile(r"\s*([\w\u0300-\u036f]+)(.*)", re.DOTALL)
_REASON = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*", re.IGNORECASE)
# Where no reason is asked for, what follows is prose, in which the same word may stand.
_REASON_IN_PROSE = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*")
_CODE = re.compile(r"(?:code|codigo)\s*:?\s*(?P<code>\w*)\W*")
_TWO_CODES = msg("One code a letter; nothing of this one was carried out.")
_NO_CODE = msg("A code has 8 letters and digits, as it was mailed to you.")


class Rulings(Generic[C]):
    """The rulings and the questions of a role, as its letters are read by them."""

    def __init__(self, rulings: Iterable[Ruling[C]], questions: Iterable[RoleCommand[Any]] = ()) -> None:
        self.by_word = {one.word: one for one in rulings}
        self._terms_in = RoleCommands(questions)
        self.questions, self.objections = self._terms_in.by_name, self._terms_in.objections
        self._spanish = {one.spanish: one for one in self.by_word.values()}

    def named(self, word: str) -> Ruling[C] | None:
        """The ruling of a word, in whatever language."""
        plain = heard((*self.by_word,), fold)(fold(word)).upper()
        return self.by_word.get(plain) or self._spanish.get(plain)

    def is_private(self, word: str) -> bool:
        """Whether nobody is told more than this word of a stored line."""
        return word in self.by_word and self.by_word[word].private

    def told(self, text: str) -> Msg:
        """A stored line, without its reason, in the words of its reader."""
        word, _, rest = text.partition(" ")
        ruling = self.by_word.get(word)
        return RulingLine(ruling, rest).told() if ruling is not None else msg("{line}", line=text)

    def read_line(self, line: str) -> RulingLine:
        """Read a line; Broken with the way out if it is no ruling or lacks its reason."""
        found = _LINE.fullmatch(line)
        ruling = self.named(found[1]) if found else None
        if found is None or ruling is None:
            words = tuple(one.name for one in self.by_word.values())
            raise UserError(msg("A ruling begins with one of: {words}.", words=words))
        rest, *because = (_REASON_IN_PROSE if ruling.bare else _REASON).split(found[2], maxsplit=1)
        read = RulingLine(ruling, _by_form(ruling, rest.strip()), "".join(because).strip())
        if not fold(read.because).strip() and not ruling.bare:
            missing = RulingLine(ruling, read.rest, "...")
            raise UserError(msg("A ruling says why: {line}.", line=missing.told()))
        return read

    def read_letter(self, text: str, limits: Limits = LIMITS) -> Dictation:
        """Read what is left of a letter when quotes and signatures are cut; what passes a limit is not read."""
        lines = text.split("\n")
        if len(lines) > limits.lines:
            return Dictation(excess=Excess("lines", limits.lines))
        rulings: list[Dictated] = []
        questions: list[Line] = []
        codes: list[str] = []
        wrong: list[Mistake] = []
        for number, said in self._parts(lines):
            found = self._one(number, said, limits)
            if isinstance(found, Dictated):
                rulings.append(found)
            elif isinstance(found, str):
                codes.append(found)
                wrong += [mistake(number, said, said, _TWO_CODES)] if len(codes) > 1 else []
            else:
                questions += found[0]
                wrong += found[1]
            if len(rulings) + len(questions) + len(codes) > limits.commands:
                return Dictation(excess=Excess("commands", limits.commands))
            if len(wrong) >= limits.mistakes:
                break
        return Dictation(tuple(rulings), tuple(questions), "".join(codes[:1]), tuple(wrong))

    def wanted(self, text: str, limits: Limits) -> bool:
        """Tell whether a text holds a ruling, a question or a code, be it right or wrong in other lines."""
        said = self.read_letter(text, limits)
        return bool(said.code or said.rulings or said.questions)

    def carry_out(self, answer: RulingAnswer, text: str) -> bool:
        """Do what a letter says, all of it or nothing; return whether there was nothing."""
        said = self.read_letter(text, answer.server.settings.limits)
        if said.excess is not None:
            answer.say("not-ruled", *budgets.explain_excess(said.excess))
            return said.empty
        shown, wrong = _look_ahead(answer, said.rulings if not said.code else ())
        answer.errors += [*said.wrong, *wrong, *self.objections(answer, said.questions)]
        if answer.errors:
            refuse(answer)
            return said.empty
        if said.code:
            _confirm(answer, said.code, [one.order for one in said.rulings])
        elif shown:
            _ask(answer, shown)
        _answer_questions(answer, said)
        if not answer.kinds:
            answer.say("help", NOTHING_FOUND, blocks=self.help(answer.language))
        return said.empty

    def help(self, language: str) -> list[Json]:
        """All that can be written, in both languages."""
        reasoned, others = (
            [(one.written("en"), one.written("es")) for one in self.by_word.values() if one.bare is bare]
            for bare in (False, True)
        )
        others += [(one.form.example, one.form.spanish) for one in self.questions.values()]
        return [
            content.block(msg("Rulings, each with BECAUSE and why at its end"), content.beside(reasoned, language)),
            content.block(msg("What needs no reason"), content.beside(others, language)),
        ]

    def _parts(self, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The lines of a letter with the numbers they begin on, each put together; a greeting comes before them."""
        begun, pieces, going = 0, list[str](), False
        for number, line in enumerate(lines, 1):
            bare, said = fold(line).strip(), line.strip()
            if SIGNATURE.fullmatch(bare) or ends(bare) or (pieces and CLOSING.fullmatch(bare)):
                break
            goes_on, going = going, bool(bare)
            if not bare:
                continue
            if goes_on and len(pieces[-1]) >= WRAPPED and not (_head(said).isupper() and self._like_one(said)):
                pieces.append(said)
            elif not bare.startswith(("#", "//")) and (pieces or self._like_one(said)):
                if pieces:
                    yield begun, " ".join(pieces)
                begun, pieces = number, [said]
            else:
                going = False
        if pieces:
            yield begun, " ".join(pieces)

    def _one(self, number: int, said: str, limits: Limits) -> Dictated | str | tuple[Sequence[Line], Sequence[Mistake]]:
        """What one line says: a ruling, a code, or else questions and mistakes."""
        if len(said) > limits.line:
            why = msg(
                "What a line of yours says, with what it goes on with, may have {count} characters.", count=limits.line
            )
            return (), [mistake(number, said, said, why)]
        code = _CODE.fullmatch(fold(said).strip())
        if code is not None:
            good = re.fullmatch(r"[a-z2-7]{8}", code["code"])
            return code["code"] if good else ((), [mistake(number, said, said, _NO_CODE)])
        try:
            return Dictated(number, said, self.read_line(said))
        except UserError as broken:
            asked = outside([(number, said.rstrip(",:;"))], self._terms_in.forms, limits, Surroundings())
            if self.named(_head(said)) is None and (asked.said or asked.wrong):
                return asked.said, asked.wrong
            return (), [mistake(number, said, said, broken.why)]

    def _like_one(self, said: str) -> bool:
        """Whether a line begins with a word that is meant here, or nearly so, or gives a reason as a ruling does."""
        head = _head(said)
        plain = fold(head).upper()
        if plain in ("CODE", "CODIGO") or self.named(head) or self._terms_in.forms.begin(fold(head)):
            return True
        questions = (phrase for one in self.questions.values() for phrase in one.form.phrases)
        known = (*self.by_word, *self._spanish, *questions)
        return bool(close_matches(plain, known, n=1, cutoff=0.8) or _REASON_IN_PROSE.search(said))


def reason(text: str) -> Msg:
    """Say why a ruling was made."""
    return msg("Reason: {reason}", reason=text)


def _by_form(ruling: Ruling[Any], rest: str) -> str:
    """What follows the word of a ruling, as it is kept; Broken if it does not fit its form."""
    found = ruling.match(rest)
    if ruling.form is not None and found is None:
        example = RulingLine(ruling, ruling.example, "" if ruling.bare else "...")
        raise UserError(msg("It is written as {line}.", line=example.told()))
    if found is None or ruling.spelling == "as written":
        return rest
    english = ruling.reworded(found[0], "en")
    return english.upper() if ruling.spelling == "capitals" else english


def _head(said: str) -> str:
    # No word that is known here is longer.
    return re.split(r"[^\w\u0300-\u036f]", said[:30], maxsplit=1)[0]


# What a letter of rulings does. A code is asked for before anything is decided: what was understood is mailed to the
# registered address with what each line would do, and the code makes all lines so, or none of them.
#
# The lines are kept until their code comes back, alone or below them. It is good once, for some days, for the lines it
# was given for, and for things as they stood then: what was foretold may not be true any more when something else was
# ruled since, or the game has gone on, and another code is given.


KEPT = timedelta(days=30)
"""How long it is known of a code what it was for, and that it was used or is too old."""

_LAST = 200
"""Drafts among which a code is looked for."""

_AGAIN = msg("Send your lines without a code, and I mail you what they would do, with a new one.")
_OTHER_LINES = msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
_TOO_OLD = msg("This code is too old: a code is good for {days} days.", days=codes.DAYS)
_GONE_ON = msg("Since you were sent this code another phase was opened, or something was ruled.")
_NOTHING = msg("Nothing was changed by this letter.")
_TOO_OFTEN = msg("{word}: at most {count} in one letter.")


class Ruled(NamedTuple):
    """A ruling that was made: its number, as ``M4``, and what everybody was told."""

    name: str
    sentences: tuple[Msg, ...]


@dataclass(kw_only=True)
class RulingAnswer(Answer, ABC):
    """A letter of rulings being worked on, and what its one answer will say."""

    RANKS = ("not-ruled", "ruled", "confirm", "settings", "status", "answer", "help")
    NOT_DONE = "not-ruled"
    KNOWN: ClassVar[Rulings[Any]]
    """The rulings and questions of the role."""

    about: str
    language: str
    zone: str

    @abstractmethod
    def context(self) -> Any:
        """What rulings are previewed and made on, as it stands now."""

    def preview(self, context: Any, order: RulingLine) -> Sequence[Msg]:
        """What a ruling would do, as its author is told; Broken if it cannot be made now."""
        also = order.ruling.also
        return [*next(order.ruling.make(context, order)), *(also(context, order) if also is not None else ())]

    @abstractmethod
    def audience(self) -> Sequence[Msg]:
        """Who is told of a ruling."""

    @abstractmethod
    def draft(self) -> tables.Draft:
        """Begin a draft without lines: whose it is, and how things stand as its code is given."""

    def is_older_code(self, code: str, lines: Sequence[str]) -> bool:
        """Tell whether a code was given for these lines by 1.0.0, which kept no draft of them."""
        return False

    @abstractmethod
    def rule(self, order: RulingLine) -> Ruled:
        """Make a ruling and tell everybody. Broken if it cannot be made."""


def _help(answer: RulingAnswer, asked: Line) -> None:
    """Answer HELP: all that can be written."""
    lead = msg(
        "One line a ruling, with its reason; or a question. I mail you what a ruling would do and a code, and only the "
        "code makes it so."
    )
    answer.say("help", lead, blocks=answer.KNOWN.help(answer.language))


HELP = RoleCommand(Form("help", ("HELP", "AYUDA"), NOTHING, "HELP", "AYUDA"), _help)
"""The question that every role of rulings may ask."""


def _look_ahead(
    answer: RulingAnswer, said: Sequence[Dictated]
) -> tuple[list[tuple[RulingLine, Sequence[Msg]]], list[Mistake]]:
    """What rulings would do as things stand, and what is wrong with them; nothing is changed by looking."""
    shown: list[tuple[RulingLine, Sequence[Msg]]] = []
    wrong: list[Mistake] = []
    context, times = answer.context() if said else None, Counter[str]()
    for one in said:
        answer.look()
        ruling = one.order.ruling
        times[ruling.word] += 1
        if ruling.often and times[ruling.word] > ruling.often:
            wrong.append(one.wrong(msg(_TOO_OFTEN.text, word=ruling.name, count=ruling.often), ruling.word))
            continue
        try:
            shown.append((one.order, answer.preview(context, one.order)))
        except UserError as refused:
            wrong.append(one.wrong(refused.why))
            continue
        if ruling.moves and one is not said[-1]:
            why = msg(
                "After {word} nothing is as it was: put this line last, or into a letter of its own.", word=ruling.name
            )
            wrong.append(one.wrong(why, ruling.word))
    return shown, wrong


def _ask(answer: RulingAnswer, shown: Sequence[tuple[RulingLine, Sequence[Msg]]]) -> None:
    """Keep what was understood; tell line by line what it would do, who would be told, and the code that makes it so.

    Drafts of all roles that were kept long enough are forgotten.
    """
    changes.forget_drafts(answer.session, answer.now - KEPT)
    draft = answer.draft()
    draft.lines = "\n".join(order.line for order, _ in shown)
    answer.session.add(draft)
    answer.session.flush()
    answer.say(
        "confirm",
        msg("Nothing is decided yet. This is what I understood, and what each line would do."),
        msg(
            'If you want it, send me the line under "To make it so" before {when}; else do nothing.',
            when=content.when(codes.good_until(draft.asked), answer.zone),
        ),
    )
    for number, (order, would) in enumerate(shown, 1):
        title = msg("{number}. {line}", number=number, line=order.told())
        lines = would or [msg("It is told, and nothing else happens.")]
        answer.blocks.append(content.sentences(title, [(0, one) for one in lines], whole=True))
    told = [msg("A letter for each line, with the number of the ruling and its reason."), *answer.audience()]
    title = msg("Who is told of it, before it takes effect")
    answer.blocks.append(content.sentences(title, [(0, one) for one in told]))
    word = chosen(answer.language, "CODE", "CODIGO")
    answer.blocks.append(content.block(msg("To make it so"), [f"{word} {_code(answer.server, draft)}"]))


def _confirm(answer: RulingAnswer, code: str, said: Sequence[RulingLine]) -> None:
    """Make the rulings that the code was given for; or say why not, with a new code where they could still be made."""
    now, lines = answer.draft(), [order.line for order in said]
    drafts = queries.rulings.drafts(answer.session, now, _LAST)
    draft = next((one for one in drafts if tokens.is_same(_code(answer.server, one), code)), None)
    if draft is None and answer.is_older_code(code, lines):
        draft = now
        draft.lines = "\n".join(lines)
    if draft is None:
        unknown = msg("This code is not one that I gave you for {about}.", about=answer.about)
        answer.say("not-ruled", unknown, _AGAIN, _NOTHING)
    elif draft.made is not None:
        made = tuple(draft.numbers.split())
        used = msg("This code was used, and made {rulings}. A code is good once.", rulings=made)
        answer.say("not-ruled", used, _NOTHING)
    elif lines and "\n".join(lines) != draft.lines:
        answer.say("not-ruled", _OTHER_LINES, _NOTHING)
    else:
        orders = [answer.KNOWN.read_line(line) for line in draft.lines.split("\n")]
        if answer.now >= codes.good_until(draft.asked):
            _ask_anew(answer, orders, _TOO_OLD)
        elif (draft.phase_id, draft.after) != (now.phase_id, now.after):
            _ask_anew(answer, orders, _GONE_ON)
        else:
            _make(answer, orders, draft)


def _code(server: Server, draft: tables.Draft) -> str:
    """The code that makes a draft so: 8 characters of base32, of no other draft and no other lines.

    A later draft of the same number has another code, for its day is another.
    """
    whose = ("ruling", draft.game_id) if draft.game_id is not None else ("director's", draft.tournament_id or "")
    what = (*whose, str(draft.generation), str(draft.id), draft.lines)
    return tokens.code(server.keys.key, draft.asked.toordinal(), *what)


def _ask_anew(answer: RulingAnswer, orders: Sequence[RulingLine], why: Msg) -> None:
    """Say why a code does nothing, and show its lines once more with a new one, if they can still be made."""
    shown, wrong = _look_ahead(answer, [Dictated(at, one.line, one) for at, one in enumerate(orders)])
    answer.opening.append(why)
    if wrong:
        _no_more(answer, [(orders[one.rejected.line], one.rejected.why) for one in wrong])
        return
    answer.opening.append(_NOTHING)
    _ask(answer, shown)


def _make(answer: RulingAnswer, orders: Sequence[RulingLine], draft: tables.Draft) -> None:
    """Make rulings in their order, or none of them: what the first does may be in the way of the second."""
    made: list[Ruled] = []
    order = orders[0]
    try:
        with answer.session.begin_nested():
            for order in orders:
                made.append(answer.rule(order))
            draft.made, draft.numbers = answer.now, " ".join(one.name for one in made)
            answer.session.add(draft)
    except UserError as broken:
        _no_more(answer, [(order, broken.why)])
        return
    answer.say("ruled", msg("Done. Everybody was told before:"), *(told for one in made for told in one.sentences))


def _no_more(answer: RulingAnswer, wrong: Iterable[tuple[RulingLine, Msg]]) -> None:
    """Lines that could be made when they were asked for, and cannot be now."""
    answer.say("not-ruled", msg("It is not possible any more. This letter changed nothing."))
    answer.blocks += [content.sentences(order.told(), [(0, why)]) for order, why in wrong]


def _answer_questions(answer: RulingAnswer, said: Dictation) -> None:
    """Answer what was asked beside; what rulings are answered stands first."""
    times: Counter[str] = Counter()
    for line in said.questions:
        question = answer.KNOWN.questions[line.name]
        times[line.name] += 1
        if times[line.name] > question.often:
            if times[line.name] == question.often + 1:
                answer.opening.append(msg(_TOO_OFTEN.text, word=line.phrase, count=question.often))
            continue
        if not (said.code or said.rulings):
            answer.look()
        before, blocks = len(answer.opening), len(answer.blocks)
        question.do(answer, line)
        if (said.code or said.rulings) and (told := answer.opening[before:]):
            del answer.opening[before:]
            title = msg("{line}", line=line.text)
            answer.blocks.insert(blocks, content.sentences(title, [(0, one) for one in told]))
