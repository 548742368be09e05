"""Carry out rulings by letter of a moderator or director, all or none::

    Dear server,                                   greeting, skipped
    PROCESS T1.north BECAUSE both asked for it     a ruling with its reason
    ANNOUNCE The next phase will be longer, since so many
    are away.                                      the rest of a long line, as mail programs break them
    STATUS                                         a question, answered at once
    CODE abcdefgh                                  confirms the rulings that it was mailed for

Words are compared without case and accents, in all languages alike. The rulings and questions are not known here: a
role passes its records in.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import first_word_to_english, pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import ends
from pbem.engine.orders.lex import close_matches, fold
from pbem.letters import codes, content
from pbem.letters.commands import (
    FAREWELL,
    NO_ARGUMENT,
    SIGNATURE_LINE,
    CommandForm,
    CommandLine,
    LinePlace,
    read_outside_lines,
)
from pbem.letters.content import Mistake, make_mistake
from pbem.letters.reception import Answer
from pbem.letters.role_commands import NOTHING_FOUND, RoleCommand, RoleCommands, refuse_letter
from pbem.letters.ruling_records import Ruling, RulingLine, order_languages
from pbem.mail import CODE_PATTERN
from pbem.runtime import limits as budgets
from pbem.runtime import tokens
from pbem.runtime.limits import LIMITS, ExceededLimit, Limits
from pbem.runtime.transaction import Server, UserError
from pbem.store import changes, queries, tables

C = TypeVar("C")

NumberNames = Callable[[Ruling[Any], str], str]
"""Turns names in the text of a ruling into numbers; it raises UserError for a name that is nobody's or of several."""


class LetterRuling(NamedTuple):
    """A ruling in a letter: its first line, from 1, its text, and the parsed line."""

    line: int
    text: str
    order: RulingLine

    def wrong(self, why: Msg, word: str = "") -> Mistake:
        """Return the mistake of this ruling.

        The caret goes under `word`, or under the whole line.
        """
        return make_mistake(self.line, self.text, word or self.text, why)


class ParsedRulings(NamedTuple):
    """A parsed letter.

    With a mistake (`wrong`) or an `excess`, nothing in it is carried out.
    """

    rulings: tuple[LetterRuling, ...] = ()
    questions: tuple[CommandLine, ...] = ()
    code: str = ""
    wrong: tuple[Mistake, ...] = ()
    excess: ExceededLimit | None = None

    @property
    def empty(self) -> bool:
        """Return whether the letter has nothing to carry out and nothing to refuse."""
        return not (self.rulings or self.questions or self.code or self.wrong or self.excess)


WRAP_LENGTH = 50
"""Length from which a line may have been broken by a mail program, and go on in the next: they break at 65 or later,
before a word that does not fit."""

# A letter may be followed by its accent, as some programs write it.
_LINE = re.compile(r"\s*([\w\u0300-\u036f]+)(.*)", re.DOTALL)
# The words that separate a ruling from its reason and from the code that confirms it.
_REASON = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*", re.IGNORECASE)
# Where no reason is asked for, what follows is prose, in which the same word may stand.
_REASON_IN_PROSE = re.compile(r"\b(?:BECAUSE|PORQUE)\b\s*")
# What an example has in the place of a reason.
_NO_REASON = re.compile(r"[\W_]*|<[^<>]*>")
# Of any length, so that a code that is not complete is answered as such, and not as an unknown line.
_CODE = re.compile(r"(?:code|codigo)\s*:?\s*(?P<code>\w*)\W*")
_TWO_CODES = msg("One code a letter; nothing of this one was carried out.")
_NO_CODE = msg("A code has 8 letters and digits, as it was mailed to you.")


class Rulings(Generic[C]):
    """The rulings and the questions of a role, for reading its letters."""

    def __init__(self, rulings: Iterable[Ruling[C]], questions: Iterable[RoleCommand[Any]] = ()) -> None:
        self.by_word = {ruling.word: ruling for ruling in rulings}
        self._terms_in = RoleCommands(questions)
        self.questions, self.objections = self._terms_in.by_name, self._terms_in.objections
        self._spanish = {ruling.spanish: ruling for ruling in self.by_word.values()}

    def ruling_of(self, word: str) -> Ruling[C] | None:
        """Return the ruling that begins with a word, in any language."""
        plain = first_word_to_english((*self.by_word,), fold)(fold(word)).upper()
        return self.by_word.get(plain) or self._spanish.get(plain)

    def is_private(self, word: str) -> bool:
        """Return whether players read only this first word of a stored line."""
        return word in self.by_word and self.by_word[word].private

    def message_of(self, text: str) -> Msg:
        """Return a stored line, without its reason, in the reader's language."""
        word, _, rest = text.partition(" ")
        ruling = self.by_word.get(word)
        return RulingLine(ruling, rest).message() if ruling is not None else msg("{line}", line=text)

    def read_line(self, line: str, number_names: NumberNames | None = None) -> RulingLine:
        """Read a line; raise UserError if it is no ruling or lacks a reason."""
        match = _LINE.fullmatch(line)
        ruling = self.ruling_of(match[1]) if match else None
        if match is None or ruling is None:
            head = fold(_head(line.strip())).upper()
            if near := close_matches(head, (*self.by_word, *self._spanish), n=1, cutoff=0.8):
                raise UserError(
                    msg(
                        "{word} is no ruling. Did you mean {near}? HELP lists all.",
                        word=_head(line.strip()),
                        near=near[0],
                    )
                )
            words = tuple(known.name for known in self.by_word.values())
            raise UserError(msg("A ruling begins with one of: {words}.", words=words))
        rest, *because = (_REASON_IN_PROSE if ruling.bare else _REASON).split(match[2], maxsplit=1)
        rest = order_languages(rest.strip()) if ruling.bilingual else rest.strip()
        rest = number_names(ruling, rest) if number_names is not None else rest
        ruling_line = RulingLine(ruling, _by_form(ruling, rest), "".join(because).strip())
        if not fold(ruling_line.because).strip() and not ruling.bare:
            example = RulingLine(ruling, ruling_line.rest, "...")
            raise UserError(msg("A ruling says why: {line}.", line=example.message()))
        return ruling_line

    def read_written(self, line: str, number_names: NumberNames | None = None) -> RulingLine:
        """Read a line as somebody writes it: its reason says something.

        `number_names` turns names in the text of a ruling into numbers. Lines that are stored were read so before.
        """
        ruling_line = self.read_line(line, number_names)
        if not ruling_line.ruling.bare and gives_no_reason(ruling_line.because):
            example = RulingLine(ruling_line.ruling, ruling_line.rest, "...")
            raise UserError(
                msg("A ruling says why: write your reason in place of the dots of {line}", line=example.message())
            )
        return ruling_line

    def read_letter(self, text: str, limits: Limits = LIMITS, number_names: NumberNames | None = None) -> ParsedRulings:
        """Parse a letter without quotes and signatures, up to its limits."""
        lines = text.split("\n")
        if len(lines) > limits.lines:
            return ParsedRulings(excess=ExceededLimit("lines", limits.lines))
        rulings: list[LetterRuling] = []
        questions: list[CommandLine] = []
        codes: list[str] = []
        wrong: list[Mistake] = []
        parts = [(number, each) for number, text in self._parts(lines) for each in self._each(text)]
        for number, line_text in parts:
            result = self._one(number, line_text, limits, number_names)
            if isinstance(result, LetterRuling):
                rulings.append(result)
            elif isinstance(result, str):
                codes.append(result)
                wrong += [make_mistake(number, line_text, line_text, _TWO_CODES)] if len(codes) > 1 else []
            else:
                questions += result[0]
                wrong += result[1]
            if len(rulings) + len(questions) + len(codes) > limits.commands:
                return ParsedRulings(excess=ExceededLimit("commands", limits.commands))
            if len(wrong) >= limits.mistakes:
                break
        return ParsedRulings(tuple(rulings), tuple(questions), "".join(codes[:1]), tuple(wrong))

    def _each(self, text: str) -> list[str]:
        """Return a line, or a line for each whom it names: ``ADMIT 1, 2 BECAUSE ...``."""
        head = _head(text.strip())
        ruling = self.ruling_of(head)
        rest, *because = _REASON.split(text.strip()[len(head) :], maxsplit=1)
        names = [name.strip() for name in rest.split(",")]
        if ruling is None or not ruling.each or not all(names):
            return [text]
        reason = f" BECAUSE {because[0]}" if because else ""
        return [f"{head} {name}{reason}" for name in names]

    def has_requests(self, text: str, limits: Limits) -> bool:
        """Return whether a text has a ruling, a question or a code, even with mistakes."""
        parsed = self.read_letter(text, limits)
        return bool(parsed.code or parsed.rulings or parsed.questions)

    def carry_out(self, answer: RulingAnswer, text: str) -> bool:
        """Carry out a letter whole or not at all; return whether it is empty."""
        parsed = self.read_letter(text, answer.server.settings.limits, answer.number_names)
        if parsed.excess is not None:
            answer.say("not-ruled", *budgets.explain_excess(parsed.excess))
            return parsed.empty
        previews, wrong = _look_ahead(answer, parsed.rulings if not parsed.code else ())
        answer.errors += [*parsed.wrong, *wrong, *self.objections(answer, parsed.questions)]
        if answer.errors:
            refuse_letter(answer)
            return parsed.empty
        if parsed.code:
            _confirm(answer, parsed.code, [ruling.order for ruling in parsed.rulings])
        elif previews:
            _ask(answer, previews)
        _answer_questions(answer, parsed)
        if not answer.kinds:
            answer.say("help", NOTHING_FOUND, blocks=self.help(answer.language))
        return parsed.empty

    def help(self, language: str) -> list[Json]:
        """Return all possible lines, in both languages."""
        pairs, others = (
            [
                (ruling.example_in("en"), ruling.example_in("es"))
                for ruling in self.by_word.values()
                if ruling.bare is bare
            ]
            for bare in (False, True)
        )
        others += [(question.form.example, question.form.spanish) for question in self.questions.values()]
        return [
            content.titled_block(
                msg("Rulings, each with BECAUSE and why at its end"), content.two_columns(pairs, language)
            ),
            content.titled_block(msg("What needs no reason"), content.two_columns(others, language)),
        ]

    def _parts(self, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield the joined lines of a letter with their first numbers, without greeting."""
        first_number, pieces, going = 0, list[str](), False
        for number, line in enumerate(lines, 1):
            bare, text = fold(line).strip(), line.strip()
            if SIGNATURE_LINE.fullmatch(bare) or ends(bare) or (pieces and FAREWELL.fullmatch(bare)):
                break
            goes_on, going = going, bool(bare)
            if not bare:
                continue
            if goes_on and len(pieces[-1]) >= WRAP_LENGTH and not (_head(text).isupper() and self._like_one(text)):
                pieces.append(text)
            elif not bare.startswith(("#", "//")) and (pieces or self._like_one(text)):
                if pieces:
                    yield first_number, " ".join(pieces)
                first_number, pieces = number, [text]
            else:
                going = False
        if pieces:
            yield first_number, " ".join(pieces)

    def _one(
        self, number: int, text: str, limits: Limits, number_names: NumberNames | None
    ) -> LetterRuling | str | tuple[Sequence[CommandLine], Sequence[Mistake]]:
        """Return what a line holds: a ruling, a code, or else questions and mistakes."""
        if len(text) > limits.line:
            why = msg(
                "What a line of yours says, with what it goes on with, may have {count} characters.", count=limits.line
            )
            return (), [make_mistake(number, text, text, why)]
        code = _CODE.fullmatch(fold(text).strip())
        if code is not None:
            is_complete = re.fullmatch(CODE_PATTERN, code["code"])
            return code["code"] if is_complete else ((), [make_mistake(number, text, text, _NO_CODE)])
        try:
            return LetterRuling(number, text, self.read_written(text, number_names))
        # No ruling: it may be a question, which is a command. A mistake in it is told only if no ruling has its word.
        except UserError as error:
            parsed = read_outside_lines([(number, text.rstrip(",:;"))], self._terms_in.forms, limits, LinePlace())
            if self.ruling_of(_head(text)) is None and (parsed.said or parsed.wrong):
                return parsed.said, parsed.wrong
            return (), [make_mistake(number, text, text, error.why)]

    def _like_one(self, text: str) -> bool:
        """Return whether a line begins nearly like a known word, or gives a reason."""
        head = _head(text)
        plain = fold(head).upper()
        if plain in ("CODE", "CODIGO") or self.ruling_of(head) or self._terms_in.forms.begins_with_command(fold(head)):
            return True
        questions = (phrase for question in self.questions.values() for phrase in question.form.phrases)
        words = (*self.by_word, *self._spanish, *questions)
        return bool(close_matches(plain, words, n=1, cutoff=0.8) or _REASON_IN_PROSE.search(text))


def gives_no_reason(text: str) -> bool:
    """Return whether a reason has no letter or digit, or is as ``<why>``."""
    return _NO_REASON.fullmatch(text.strip()) is not None


def reason_sentence(text: str) -> Msg:
    """Return the reason of a ruling as a sentence."""
    return msg("Reason: {reason}", reason=text)


def _by_form(ruling: Ruling[Any], rest: str) -> str:
    """Return a ruling's stored text; raise UserError if it does not fit."""
    match = ruling.match(rest)
    if ruling.form is not None and match is None:
        example = RulingLine(ruling, ruling.example, "" if ruling.bare else "...")
        raise UserError(msg("It is written as {line}.", line=example.message()))
    if match is None or ruling.spelling == "as written":
        return rest
    english = ruling.translate_rest(match[0], "en")
    return english.upper() if ruling.spelling == "capitals" else english


def _head(text: str) -> str:
    # No word that is known here is longer.
    return re.split(r"[^\w\u0300-\u036f]", text[:30], maxsplit=1)[0]


# What a letter of rulings does. A code is asked for before anything is decided: what was understood is mailed to the
# registered address with what each line would do, and the code makes all lines so, or none of them.
#
# The lines are kept until their code comes back, alone or below them. It is good once, for some days, for the lines it
# was given for, and for things as they stood then: what was foretold may not be true any more when something else was
# ruled since, or the game has gone on, and another code is given.


DRAFT_LIFETIME = timedelta(days=30)
"""How long a draft is stored, so that a used or expired code is recognized and the answer says which. The code
itself expires earlier."""

_LAST = 200
"""Latest drafts in which a code is searched: the drafts of some months, even of a busy moderator."""

_AGAIN = msg("Send your lines without a code, and I mail you what they would do, with a new one.")
_OTHER_LINES = msg("This code was given for other lines than those above it. Send it alone, or the new lines alone.")
_TOO_OLD = msg("This code is too old: a code is good for {days} days.", days=codes.CODE_DAYS)
_GONE_ON = msg("Since you were sent this code another phase was opened, or something was ruled.")
_NOTHING = msg("Nothing was changed by this letter.")
_LAST_LINE = msg("After {word} nothing is as it was: put this line last, or into a letter of its own.")
_TOO_OFTEN = msg("{word}: at most {count} in one letter.")


class MadeRuling(NamedTuple):
    """A ruling that was made: number, as ``M4``, and sentences to everybody."""

    name: str
    sentences: tuple[Msg, ...]


@dataclass(kw_only=True)
class RulingAnswer(Answer, ABC):
    """A letter of rulings in progress, and its answer."""

    RANKS = ("not-ruled", "ruled", "confirm", "settings", "status", "answer", "help")
    NOT_DONE = "not-ruled"
    KNOWN: ClassVar[Rulings[Any]]
    """The rulings and questions of the role."""

    about: str
    language: str
    zone: str

    def number_names(self, ruling: Ruling[Any], rest: str) -> str:
        """Return the text of a ruling with numbers for names; here it has none."""
        return rest

    @abstractmethod
    def context(self) -> Any:
        """Return the present context for previewing and making rulings."""

    def preview(self, context: Any, order: RulingLine) -> Sequence[Msg]:
        """Return the effects of a ruling; raise UserError if it cannot be made now."""
        also = order.ruling.also
        return [*next(order.ruling.make(context, order)), *(also(context, order) if also is not None else ())]

    @abstractmethod
    def audience(self) -> Sequence[Msg]:
        """Return sentences about how rulings are told, and to whom."""

    @abstractmethod
    def draft(self) -> tables.Draft:
        """Return a draft without lines: its owner, and the present state."""

    def is_older_code(self, code: str, lines: Sequence[str]) -> bool:
        """Return whether 1.0.0 gave a code for these lines, when drafts were not stored."""
        return False

    @abstractmethod
    def rule(self, order: RulingLine, *, is_last: bool = True) -> MadeRuling:
        """Make a ruling and notify everybody; raise UserError if it cannot be made.

        Unless it `is_last` of its letter, it may be told together with the last.
        """


def _help(answer: RulingAnswer, line: CommandLine) -> None:
    """Answer HELP with all possible lines."""
    lead = msg(
        "One line a ruling, with its reason; or a question. I mail you what a ruling would do and a code, and only the "
        "code makes it so."
    )
    answer.say("help", lead, blocks=answer.KNOWN.help(answer.language))


HELP_QUESTION = RoleCommand(CommandForm("help", ("HELP", "AYUDA"), NO_ARGUMENT, "HELP", "AYUDA"), _help)
"""The question that every role of rulings may ask."""


def _look_ahead(
    answer: RulingAnswer, rulings: Sequence[LetterRuling]
) -> tuple[list[tuple[RulingLine, Sequence[Msg]]], list[Mistake]]:
    """Return the effects and the mistakes of rulings.

    Each ruling is previewed as if those before it were made; in the end nothing is changed.
    """
    if len(rulings) < 2:
        return _try_all(answer, rulings)
    attempt = answer.session.begin_nested()
    try:
        return _try_all(answer, rulings)
    finally:
        attempt.rollback()


def _try_all(
    answer: RulingAnswer, rulings: Sequence[LetterRuling]
) -> tuple[list[tuple[RulingLine, Sequence[Msg]]], list[Mistake]]:
    """Preview rulings one after the other.

    All but the last are made, so that the next is previewed after them.
    """
    previews: list[tuple[RulingLine, Sequence[Msg]]] = []
    mistakes: list[Mistake] = []
    times = Counter[str]()
    for entry in rulings:
        answer.look()
        ruling = entry.order.ruling
        times[ruling.word] += 1
        if ruling.often and times[ruling.word] > ruling.often:
            mistakes.append(entry.wrong(msg(_TOO_OFTEN.text, word=ruling.name, count=ruling.often), ruling.word))
            continue
        try:
            previews.append((entry.order, answer.preview(answer.context(), entry.order)))
            if ruling.moves and entry is not rulings[-1]:
                mistakes.append(entry.wrong(msg(_LAST_LINE.text, word=ruling.name), ruling.word))
            elif entry is not rulings[-1]:
                answer.rule(entry.order, is_last=False)
        # The others are tried nevertheless, so that all mistakes are told at once.
        except UserError as error:
            mistakes.append(entry.wrong(error.why))
    return previews, mistakes


def _ask(answer: RulingAnswer, previews: Sequence[tuple[RulingLine, Sequence[Msg]]]) -> None:
    """Delete old drafts; store the lines; send effects, audience and code.

    Expired drafts of all roles are deleted.
    """
    changes.forget_drafts(answer.session, answer.now - DRAFT_LIFETIME)
    draft = answer.draft()
    draft.lines = "\n".join(order.line for order, _ in previews)
    answer.session.add(draft)
    answer.session.flush()
    answer.say(
        "confirm",
        msg("Nothing is decided yet. This is what I understood, and what each line would do."),
        msg(
            'If you want it, send me the line under "To make it so" before {when}; else do nothing.',
            when=content.moment_in_words(codes.code_expiry(draft.asked), answer.zone),
        ),
    )
    for number, (order, effects) in enumerate(previews, 1):
        title = msg("{number}. {line}", number=number, line=order.message())
        lines = effects or [msg("It is told, and nothing else happens.")]
        answer.blocks.append(content.sentence_block(title, [(0, sentence) for sentence in lines], whole=True))
    title = msg("Who is told of it, before it takes effect")
    answer.blocks.append(content.sentence_block(title, [(0, sentence) for sentence in answer.audience()]))
    word = pick_phrase(answer.language, "CODE", "CODIGO")
    answer.blocks.append(content.titled_block(msg("To make it so"), [f"{word} {_code(answer.server, draft)}"]))


def _confirm(answer: RulingAnswer, code: str, sent_lines: Sequence[RulingLine]) -> None:
    """Make the rulings of a code.

    If that is impossible, say why, with a new code if the lines are still possible.
    """
    present, lines = answer.draft(), [order.line for order in sent_lines]
    drafts = queries.rulings.drafts(answer.session, present, _LAST)
    draft = next(
        (candidate for candidate in drafts if tokens.is_same_secret(_code(answer.server, candidate), code)), None
    )
    if draft is None and answer.is_older_code(code, lines):
        draft = present
        draft.lines = "\n".join(lines)
    if draft is None:
        unknown = msg("This code is not one that I gave you for {about}.", about=answer.about)
        answer.say("not-ruled", unknown, _AGAIN, _NOTHING)
    elif draft.made is not None:
        numbers = tuple(draft.numbers.split())
        sentence = msg("This code was used, and made {rulings}. A code is good once.", rulings=numbers)
        answer.say("not-ruled", sentence, _NOTHING)
    elif lines and "\n".join(lines) != draft.lines:
        answer.say("not-ruled", _OTHER_LINES, _NOTHING)
    else:
        orders = [answer.KNOWN.read_line(line) for line in draft.lines.split("\n")]
        if answer.now >= codes.code_expiry(draft.asked):
            _ask_anew(answer, orders, _TOO_OLD)
        elif (draft.phase_id, draft.after) != (present.phase_id, present.after):
            _ask_anew(answer, orders, _GONE_ON)
        else:
            _make(answer, orders, draft)


def _code(server: Server, draft: tables.Draft) -> str:
    """Return the code of a draft: 8 characters of base32, unique for its lines.

    A later draft with the same lines has another code, because the day is part of it.
    """
    owner = ("ruling", draft.game_id) if draft.game_id is not None else ("director's", draft.tournament_id or "")
    request = (*owner, str(draft.generation), str(draft.id), draft.lines)
    return tokens.confirmation_code(server.keys.key, draft.asked.toordinal(), *request)


def _ask_anew(answer: RulingAnswer, orders: Sequence[RulingLine], why: Msg) -> None:
    """Reject a code; preview its lines again with a new code if possible."""
    previews, mistakes = _look_ahead(
        answer, [LetterRuling(index, order.line, order) for index, order in enumerate(orders)]
    )
    answer.opening.append(why)
    if mistakes:
        _not_possible_now(answer, [(orders[error.rejected.line], error.rejected.why) for error in mistakes])
        return
    answer.opening.append(_NOTHING)
    _ask(answer, previews)


def _make(answer: RulingAnswer, orders: Sequence[RulingLine], draft: tables.Draft) -> None:
    """Make rulings in order, or none: the first may prevent the second."""
    made: list[MadeRuling] = []
    order = orders[0]
    try:
        with answer.session.begin_nested():
            for number, order in enumerate(orders, 1):
                made.append(answer.rule(order, is_last=number == len(orders)))
            draft.made, draft.numbers = answer.now, " ".join(item.name for item in made)
            answer.session.add(draft)
    # The nested transaction has taken back those before; `order` is the one that failed.
    except UserError as error:
        _not_possible_now(answer, [(order, error.why)])
        return
    answer.say("ruled", msg("Done. All who play were told:"), *(text for item in made for text in item.sentences))


def _not_possible_now(answer: RulingAnswer, reasons: Iterable[tuple[RulingLine, Msg]]) -> None:
    """Answer that lines were possible when the code was asked for, but not now."""
    answer.say("not-ruled", msg("It is not possible any more. This letter changed nothing."))
    answer.blocks += [content.sentence_block(order.message(), [(0, why)]) for order, why in reasons]


def _answer_questions(answer: RulingAnswer, parsed: ParsedRulings) -> None:
    """Answer a letter's questions; answers to its rulings come first."""
    times: Counter[str] = Counter()
    for line in parsed.questions:
        question = answer.KNOWN.questions[line.name]
        times[line.name] += 1
        if times[line.name] > question.often:
            if times[line.name] == question.often + 1:
                answer.opening.append(msg(_TOO_OFTEN.text, word=line.phrase, count=question.often))
            continue
        if not (parsed.code or parsed.rulings):
            answer.look()
        before, blocks = len(answer.opening), len(answer.blocks)
        question.do(answer, line)
        if (parsed.code or parsed.rulings) and (sentences := answer.opening[before:]):
            del answer.opening[before:]
            title = msg("{line}", line=line.text)
            answer.blocks.insert(blocks, content.sentence_block(title, [(0, sentence) for sentence in sentences]))
