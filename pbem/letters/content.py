"""Letters before any language or layout: plain JSON values made of sentences.

Sentences that several letters share stand here, the others where they are said.

A letter as it is stored is a plain JSON value; every key is always there:
    kind        "report" "question" "waiting" "receipt" "answered" "refusal" "verified" "status" "answer" "help"
                "cancelled" "settings" "confirm" "joined" "invitation" "unknown-sender" "welcome" "no-seat" "closed"
                "over" "fault" "sealed" "disclosure" "announcement" "reminder" "press" "digest" "oath"
                "witness"; of an answer that says several things the weightiest (commands.answer)
    subject     Msg                             as `Msg.to_json`
    news        Msg                             what is new, in a few words, above all else; the key is there where the
                                                subject tells the turn alone, which all letters of a turn share
    game        str                             the id of the game, or ""
    rules       str                             the name of its rules in the registry, or ""
    title       Msg | null                      the game's title
    seat        str                             or ""
    phase       str                             "T3.spain~1", or ""
    address     str                             where to write (the Reply-To), or ""
    opening     [Msg]                           paragraphs, in order: what happened, what to do, by when
    wanted      int                             so many of those paragraphs, from the first, say what is wanted of the
                                                reader and by when: a page has them in a box; no key where none does
    report      Report.to_json | null           numbered events, forces, warnings of the game
    errors      [{line, text, column, width, why: Msg, rule, suggestions: [str]}]
                                                line counts from 1 in the letter, 0 when no line is meant; text is
                                                that line, the caret goes under column (from 0), width long
    warnings    [{line, why: Msg, rule}]        line 0 when none is meant
    blocks      [{title: Msg, lines}]           echoed orders, corrected block, maps, charts, what will happen; a line
                                                is a str, shown as it stands, or [depth, Msg], said and wrapped.
                                                A stored one may hold `weigh` or `luck`: what is to be reckoned in the
                                                place of its lines, before a renderer sees it (`odds`, `luck_letter`)
    closing     [Msg]                           paragraphs after the blocks
    template    [str]                           the order template with its header and END: the last thing in the
                                                letter but the footer, byte for byte as it stands; [] if none
    buttons     [[Msg, str]]                    in the letter and in any of its blocks: what a button of a page says,
                                                and the text of the letter it opens; no key where none is
    picture     {...}                           a picture (`engine.data.scene`), in the letter itself and in any of its
                                                blocks; the key is there where the seat's letters show the map
    data        {...}                           a report as data (`phase_reports`), which travels as a file; the key
                                                is there in reports to seats that asked for it alone
Dates inside sentences are Msg of their own (letters.when), so a renderer has no zone to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import phrases_for, pick_phrase
from pbem.engine.data.messages import Arg, Msg, by_number, msg
from pbem.engine.data.report import Report
from pbem.engine.orders.lex import fold
from pbem.engine.terms import OrderWarning, Phase, RejectedLine

# Days as people write and read them: 2026-12-24, 24/12/2026, 24 December 2026, 24 de diciembre de 2026.
#
# Of numbers that can be day and month either way both readings are given; whoever reads them asks, unless what follows
# tells which is meant.


DAY_PATTERN = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}(?: de)? [a-z]{3,12},?(?: del?)? \d{4}"
"""A day as it may be written, in lower case without accents."""
MONTHS = (
    msg("January"),
    msg("February"),
    msg("March"),
    msg("April"),
    msg("May"),
    msg("June"),
    msg("July"),
    msg("August"),
    msg("September"),
    msg("October"),
    msg("November"),
    msg("December"),
)
_ENGLISH = "january february march april may june july august september october november december"
_SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
_MONTH_NAMES = tuple(zip(_ENGLISH.split(), _SPANISH.split(), strict=True))
# Dates by day, month and year: in numbers, and with the month as a word in English or Spanish.
# A choice: the year has four figures, so that only day and month can be mistaken for each other.
_NUMBERS = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_WORDS = re.compile(r"(\d{1,2})(?: de)? ([a-z]+),?(?: del?)? (\d{4})")


def read_date(*days: str) -> tuple[tuple[date, ...], ...]:
    """Return all readings of days written together.

    All are day first, or all month first.
    """
    readings = (tuple(_read(day, month_first) for day in days) for month_first in (False, True))
    complete = [tuple(day for day in reading if day is not None) for reading in readings]
    return tuple(dict.fromkeys(reading for reading in complete if len(reading) == len(days)))


def date_in_words(day: date) -> Msg:
    """Return a day in words."""
    return msg("{number} {month} {year}", number=day.day, month=MONTHS[day.month - 1], year=str(day.year))


def _read(text: str, month_first: bool) -> date | None:
    try:
        if match := _NUMBERS.fullmatch(text):
            first, second, year = map(int, match.groups())
            return date(year, first, second) if month_first else date(year, second, first)
        if match := _WORDS.fullmatch(text):
            return date(int(match[3]), _month(match[2]), int(match[1]))
        return date(*map(int, text.split("-")))
    # No date, or none of the calendar, such as 31 February: the other order of day and month may be one.
    except ValueError:
        return None


def _month(word: str) -> int:
    """Return the number of a month by its name or its beginning; 0 for other words."""
    for number, names in enumerate(_MONTH_NAMES, 1):
        if any(name.startswith(word) for name in (*names, *map(fold, phrases_for(names[0].upper())))):
            return number
    return 0


class LetterHead(NamedTuple):
    """A letter's subject: game id, rules, title, seat, phase, reply address."""

    game: str = ""
    rules: str = ""
    title: Msg | None = None
    seat: str = ""
    phase: Phase | None = None
    address: str = ""


_TOKEN = re.compile(r"(?<=-)[a-z2-7]{16}(?=@)")
"""The token of a seat in its address (`mail.address`); hidden, since an answer may be passed on."""

LONGEST_SHOWN = 200
"""Characters of a refused line that are kept and shown, those around the fault: three lines of a letter."""


class Mistake(NamedTuple):
    """A refused line as shown: its text, and the fault from `column` on.

    It is made by `cut_mistake`, which shortens long parts.
    """

    rejected: RejectedLine
    text: str = ""

    def to_json(self) -> Json:
        line, column, word, why, rule, suggestions = self.rejected
        return {
            "line": line,
            "text": self.text,
            "column": column,
            # A fault without a word, as at the end of a line, still gets one caret.
            "width": max(len(word), 1),
            "why": why.to_json(),
            "rule": rule,
            # A choice: three examples fit under the line.
            "suggestions": list(suggestions[:3]),
        }


def cut_mistake(rejected: RejectedLine, text: str) -> Mistake:
    """Return a refused line as shown.

    It is cut to `LONGEST_SHOWN` characters around the fault, and has no seat tokens.
    """
    text = _TOKEN.sub(lambda match: "*" * len(match[0]), text)
    if len(text) <= LONGEST_SHOWN:
        return Mistake(rejected, text)
    # The fault in the middle, but no text left unused at either end of the line.
    begin = max(0, min(rejected.column - LONGEST_SHOWN // 2, len(text) - LONGEST_SHOWN))
    why, offered = (
        shorten_gaps(rejected.why),
        tuple(suggestion[:LONGEST_SHOWN] for suggestion in rejected.suggestions[:3]),
    )
    cut = rejected._replace(
        # A column beyond the line or before it would put the caret outside of what is shown.
        column=min(max(rejected.column - begin, 0), LONGEST_SHOWN - 1),
        word=rejected.word[:LONGEST_SHOWN],
        why=why,
        suggestions=offered,
    )
    return Mistake(cut, text[begin : begin + LONGEST_SHOWN])


def shorten_gaps(sentence: Msg) -> Msg:
    """Return a sentence whose gaps have at most `LONGEST_SHOWN` characters.

    Gaps may quote a letter.
    """
    return msg(sentence.text, **{name: _short(value) for name, value in sentence.args})


def _short(value: Arg) -> Arg:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}..."
    if isinstance(value, Msg):
        return shorten_gaps(value)
    return tuple(_short(item) for item in value) if isinstance(value, tuple) else value


def make_mistake(line: int, text: str, word: str, why: Msg, suggestions: Sequence[str] = ()) -> Mistake:
    """Return a line refused by the server.

    The caret goes under the first `word` in it.
    """
    # A word that was changed in reading is not found: the caret is then at the beginning.
    return cut_mistake(RejectedLine(line, max(text.find(word), 0), word, why, "", tuple(suggestions)), text)


def nothing_done_sentence(count: int) -> Msg:
    """Return the sentence that a letter was not carried out.

    It has the number of wrong lines.
    """
    if not count:
        return msg("I did nothing with your letter.")
    many = msg("I did nothing with your letter: {count} lines are wrong.", count=count)
    return by_number(count, msg("I did nothing with your letter: one line is wrong."), many)


def refused_line(rejected: RejectedLine, text: str) -> str:
    """Return the refused line of a text, stripped; empty if there is no such line."""
    lines = text.splitlines()
    return lines[rejected.line - 1].strip() if 1 <= rejected.line <= len(lines) else ""


def reason_with_rule(rejected: RejectedLine) -> Msg:
    """Return why a line is refused, with the rule if there is one."""
    return msg("{why} [{rule}]", why=rejected.why, rule=rejected.rule) if rejected.rule else rejected.why


def titled_block(title: Msg, lines: Iterable[str | Msg], spare: bool = False, kept: Sequence[int] = ()) -> Json:
    """Return a titled list of lines, as they are or in the reader's language.

    A `spare` block can be requested by a command, and is left out before others, but for the lines to be `kept`.
    """
    data = {"title": title.to_json(), "lines": [line if isinstance(line, str) else line.to_json() for line in lines]}
    return data | ({"spare": True} if spare else {}) | ({"kept": list(kept)} if kept else {})


def texts(title: Msg, lines: Iterable[tuple[int, str]], whole: bool = False, spare: bool = False) -> Json:
    """Return a block of ready texts with their depth, wrapped as sentences are."""
    data = sentence_block(title, ((depth, msg("{text}", text=text)) for depth, text in lines), whole)
    return {**data, "spare": True} if spare else data


def two_columns(pairs: Iterable[tuple[str, str]], language: str) -> list[str]:
    """Return English and Spanish texts in two columns.

    The reader's language comes first. In an additional language it is the first column, and English the second.
    """
    rows = [
        (english, spanish) if language == "en" else (pick_phrase(language, english, spanish), english)
        for english, spanish in pairs
    ]
    width = max((len(first) for first, _ in rows), default=0)
    return [f"{first:<{width}}  {second}" for first, second in rows]


def sentence_block(title: Msg, lines: Iterable[tuple[int, Msg]], whole: bool = False) -> Json:
    """Return a block of sentences with their depth.

    A `whole` block is never cut.
    """
    data = {"title": title.to_json(), "lines": [[depth, line.to_json()] for depth, line in lines]}
    return {**data, "whole": True} if whole else data


def with_buttons(part: Json, buttons: Iterable[tuple[Msg, str]]) -> Json:
    """Return a letter or block with more buttons.

    A button has a label, and the text of the letter it opens.
    """
    more = [[label.to_json(), body] for label, body in buttons]
    return {**part, "buttons": [*part.get("buttons", ()), *more]} if more else part


SEND_ORDERS = msg("Send these orders")
"""The label of a button that opens a letter with a complete block of orders."""
EDIT_ORDERS = msg("Open them as a letter")
"""The label of a button that opens a letter with a block still to be edited."""


def with_letter_button(part: Json, lines: Iterable[str], label: Msg = SEND_ORDERS) -> Json:
    """Return a block with a button that opens a letter of these lines."""
    return with_buttons(part, [(label, "\n".join(lines))])


class Letter(NamedTuple):
    """The content of a letter.

    The first `wanted` sentences of its opening say what the reader has to do. In the subject or news, `what`
    replaces the name of its kind.

    With a `form` the odds in its template are still to be computed (`commands.questions.odds`).
    """

    kind: str
    head: LetterHead
    opening: Iterable[Msg] = ()
    report: Report | None = None
    errors: Iterable[Mistake] = ()
    warnings: Iterable[OrderWarning] = ()
    blocks: Iterable[Json] = ()
    closing: Iterable[Msg] = ()
    template: Iterable[str] = ()
    what: Msg | None = None
    form: Json = None
    data: Json = None
    picture: Json = None
    wanted: int = 0

    def to_json(self) -> Json:
        """Return the letter as stored: values of JSON, sentences without a language."""
        head, report = self.head, self.report
        subject, news = _subject(self.kind, head, self.what)
        return {
            "kind": self.kind,
            "subject": subject.to_json(),
            **({} if news is None else {"news": news.to_json()}),
            "game": head.game,
            "rules": head.rules,
            "title": None if head.title is None else head.title.to_json(),
            "seat": head.seat,
            "phase": "" if head.phase is None else str(head.phase),
            "address": head.address,
            "opening": [sentence.to_json() for sentence in self.opening],
            "report": None if report is None else report.to_json(),
            "errors": [error.to_json() for error in self.errors],
            "warnings": [{"line": w.line, "why": w.why.to_json(), "rule": w.rule} for w in self.warnings],
            "blocks": list(self.blocks),
            "closing": [sentence.to_json() for sentence in self.closing],
            "template": list(self.template),
            **({"form": self.form} if self.form else {}),
            **({"wanted": self.wanted} if self.wanted else {}),
            **({} if self.data is None else {"data": self.data}),
            **({} if self.picture is None else {"picture": self.picture}),
        }


WAITS_FOR_ANSWERS = msg(
    "Orders are closed, and the dice have begun to roll. The phase now waits for the reaction of a player."
)
"""The public sentence about a phase that waits for answers."""


WAITS_FOR_BEACON = msg("Orders are closed. The dice wait for a round of the public beacon; then you get the report.")
"""The public sentence about a closed phase that waits for a round of its beacon."""


def moment_in_words(moment: datetime, zone: str) -> Msg:
    """Return a moment in words: day, date and hour in `zone`.

    If the zone differs from UTC, the time in UTC is added.
    """
    local = moment.astimezone(ZoneInfo(zone))
    day, date, hour = WEEKDAYS[local.weekday()], date_in_words(local.date()), f"{local:%H:%M}"
    if local.utcoffset() == moment.astimezone(UTC).utcoffset():
        return msg("{day} {date}, {hour} UTC", day=day, date=date, hour=hour)
    utc = f"{moment.astimezone(UTC):%H:%M}"
    return msg("{day} {date}, {hour} {zone} ({utc} UTC)", day=day, date=date, hour=hour, zone=zone, utc=utc)


def days_in_words(number: int) -> Msg:
    """Return a number of days in words."""
    return by_number(number, msg("1 day"), msg("{number} days", number=number))


def hours_in_words(number: int) -> Msg:
    """Return a number of hours in words."""
    return by_number(number, msg("1 hour"), msg("{number} hours", number=number))


def minutes_in_words(number: int) -> Msg:
    """Return a number of minutes in words."""
    return by_number(number, msg("1 minute"), msg("{number} minutes", number=number))


WEEKDAYS = (
    msg("Monday"),
    msg("Tuesday"),
    msg("Wednesday"),
    msg("Thursday"),
    msg("Friday"),
    msg("Saturday"),
    msg("Sunday"),
)
"""The days of the week from Monday on."""

NOT_CARRIED_OUT = msg("letter NOT carried out")
"""The subject of a refusal without orders."""

NO_ORDERS = msg("no orders found")
"""The subject of the answer to a letter without known commands."""

NEWS_OF_KIND = {
    "receipt": msg("orders received"),
    "refusal": msg("orders NOT accepted"),
    "question": msg("you are asked"),
    "waiting": msg("waiting for a player"),
    "answered": msg("answers received"),
    "verified": msg("checked, nothing queued"),
    "status": msg("how things stand"),
    "answer": msg("what you asked for"),
    "confirm": msg("please confirm"),
    "joined": msg("your seat"),
    "help": msg("help"),
    "cancelled": msg("orders cancelled"),
    "settings": msg("settings"),
    "invitation": msg("your seat"),
    "unknown-sender": msg("your letter"),
    "welcome": msg("welcome: how to play"),
    "no-seat": msg("where to write"),
    "sealed": msg("orders closed"),
    "closed": msg("too late"),
    "over": msg("the game is over"),
    "disclosure": msg("what was sealed"),
    "review": msg("what turned the game"),
    "fault": msg("trouble"),
    "announcement": msg("an announcement"),
    "reminder": msg("your orders are awaited"),
    "press": msg("a letter to you"),
    "digest": msg("news"),
    "chair": msg("you moderate this game"),
    "oath": msg("will you be a witness?"),
    "witness": msg("the log, for its witness"),
    "appeal": msg("an appeal"),
    "ruled": msg("carried out"),
    "not-ruled": msg("NOT carried out"),
}


_OF_TURN = msg("[{game}] T{turn}")
_OWN_SUBJECT = frozenset(("closed", "confirm", "fault", "over", "refusal"))
"""Kinds of letters to a seat that report on another letter that was not carried out, and so have a subject of their
own."""


def is_of_turn(letter: Json) -> bool:
    """Return whether a letter belongs to the thread of a turn."""
    return bool(letter["subject"]["text"] == _OF_TURN.text)


def _subject(kind: str, head: LetterHead, what: Msg | None) -> tuple[Msg, Msg | None]:
    """Return the subject of a letter, and its news.

    The news are None if the subject contains them. Mail programs group letters by subject, so all letters of a turn
    to a seat share one. A refusal has its own.
    """
    news = what or (None if kind == "report" else NEWS_OF_KIND[kind])
    has_own_subject = kind in _OWN_SUBJECT or what in (NOT_CARRIED_OUT, NO_ORDERS)
    if head.game and head.phase is not None and (head.seat or kind == "report"):
        subject = msg(_OF_TURN.text, game=head.game, turn=head.phase.turn)
        if not has_own_subject or news is None:
            return subject, news
        return msg("[{game}] T{turn} {what}", game=head.game, turn=head.phase.turn, what=news), None
    news = news or NEWS_OF_KIND["over"]
    return msg("[{game}] {what}", game=head.game or "pbem", what=news), None
