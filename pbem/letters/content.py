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
from pbem.engine.data.languages import chosen, phrases
from pbem.engine.data.messages import Arg, Msg, by_number, msg
from pbem.engine.data.report import Report
from pbem.engine.orders.lex import fold
from pbem.engine.terms import Phase, Rejected, Warned

# Days as people write and read them: 2026-12-24, 24/12/2026, 24 December 2026, 24 de diciembre de 2026.
#
# Of numbers that can be day and month either way both readings are given; whoever reads them asks, unless what follows
# tells which is meant.


DAY = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}(?: de)? [a-z]{3,12},?(?: del?)? \d{4}"
"""A day as it may be written, folded."""
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
_NAMED = tuple(zip(_ENGLISH.split(), _SPANISH.split(), strict=True))
_NUMBERS = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_WORDS = re.compile(r"(\d{1,2})(?: de)? ([a-z]+),?(?: del?)? (\d{4})")


def read_date(*days: str) -> tuple[tuple[date, ...], ...]:
    """Return every way to read days that were written together: all of them day first, or all month first."""
    found = (tuple(_read(day, month_first) for day in days) for month_first in (False, True))
    whole = [tuple(day for day in read if day is not None) for read in found]
    return tuple(dict.fromkeys(read for read in whole if len(read) == len(days)))


def date_in_words(day: date) -> Msg:
    """Return a day in words."""
    return msg("{number} {month} {year}", number=day.day, month=MONTHS[day.month - 1], year=str(day.year))


def _read(text: str, month_first: bool) -> date | None:
    try:
        if found := _NUMBERS.fullmatch(text):
            first, second, year = map(int, found.groups())
            return date(year, first, second) if month_first else date(year, second, first)
        if found := _WORDS.fullmatch(text):
            return date(int(found[3]), _month(found[2]), int(found[1]))
        return date(*map(int, text.split("-")))
    except ValueError:
        return None


def _month(word: str) -> int:
    """The number of a month by its name or how that begins; 0, which no date has, for another word."""
    for number, names in enumerate(_NAMED, 1):
        if any(one.startswith(word) for one in (*names, *map(fold, phrases(names[0].upper())))):
            return number
    return 0


class Head(NamedTuple):
    """What a letter is about: game id, the name of its rules and their title, seat, phase, address to answer to."""

    game: str = ""
    rules: str = ""
    title: Msg | None = None
    seat: str = ""
    phase: Phase | None = None
    address: str = ""


_TOKEN = re.compile(r"(?<=-)[a-z2-7]{16}(?=@)")
"""What opens a seat, in its address (`mail.address`): an answer may be passed on, or read over a shoulder."""

SHOWN = 200
"""Characters of a refused line that are kept and shown: those around what is wrong with it."""


class Mistake(NamedTuple):
    """A refused line as it is shown: its text, and how many characters from `column` on are at fault.

    It is made by `refused`, which cuts whatever is long in it.
    """

    rejected: Rejected
    text: str = ""

    def to_json(self) -> Json:
        line, column, word, why, rule, suggestions = self.rejected
        return {
            "line": line,
            "text": self.text,
            "column": column,
            "width": max(len(word), 1),
            "why": why.to_json(),
            "rule": rule,
            "suggestions": list(suggestions[:3]),
        }


def refused(bad: Rejected, text: str) -> Mistake:
    """Return a refused line as it is shown, cut to `SHOWN` characters around the fault, without the token of a seat."""
    text = _TOKEN.sub(lambda found: "*" * len(found[0]), text)
    if len(text) <= SHOWN:
        return Mistake(bad, text)
    begin = max(0, min(bad.column - SHOWN // 2, len(text) - SHOWN))
    why, offered = shortened(bad.why), tuple(one[:SHOWN] for one in bad.suggestions[:3])
    cut = bad._replace(
        column=min(max(bad.column - begin, 0), SHOWN - 1), word=bad.word[:SHOWN], why=why, suggestions=offered
    )
    return Mistake(cut, text[begin : begin + SHOWN])


def shortened(said: Msg) -> Msg:
    """Return a sentence whose gaps hold at most `SHOWN` characters each, since they may quote a letter."""
    return msg(said.text, **{name: _short(value) for name, value in said.args})


def _short(value: Arg) -> Arg:
    if isinstance(value, str):
        return value if len(value) <= SHOWN else f"{value[:SHOWN]}..."
    if isinstance(value, Msg):
        return shortened(value)
    return tuple(_short(one) for one in value) if isinstance(value, tuple) else value


def mistake(line: int, text: str, word: str, why: Msg, suggestions: Sequence[str] = ()) -> Mistake:
    """A line refused by the house, not by a game; the caret goes under the first `word` in it."""
    return refused(Rejected(line, max(text.find(word), 0), word, why, "", tuple(suggestions)), text)


def nothing_done(count: int) -> Msg:
    """Say that a letter was not carried out, and how many of its lines are wrong."""
    if not count:
        return msg("I did nothing with your letter.")
    many = msg("I did nothing with your letter: {count} lines are wrong.", count=count)
    return by_number(count, msg("I did nothing with your letter: one line is wrong."), many)


def line_of(bad: Rejected, text: str) -> str:
    """The line of a text that is refused, without the blanks around it; empty if there is no such line."""
    lines = text.splitlines()
    return lines[bad.line - 1].strip() if 1 <= bad.line <= len(lines) else ""


def why(bad: Rejected) -> Msg:
    """Why a line is refused, and by which rule if it is one."""
    return msg("{why} [{rule}]", why=bad.why, rule=bad.rule) if bad.rule else bad.why


def block(title: Msg, lines: Iterable[str | Msg], spare: bool = False) -> Json:
    """Lines shown as they stand, or as the reader's language has them, each a line of its own; one that is `spare` can
    be had by itself, and is cut before others."""
    told = {"title": title.to_json(), "lines": [line if isinstance(line, str) else line.to_json() for line in lines]}
    return {**told, "spare": True} if spare else told


def beside(pairs: Iterable[tuple[str, str]], language: str) -> list[str]:
    """What is written in English and in Spanish, in two columns; that of the reader's language comes first.

    Of a language laid beside those of the house it is the first, and English the other.
    """
    turned = [(one, other) if language == "en" else (chosen(language, one, other), one) for one, other in pairs]
    width = max((len(first) for first, _ in turned), default=0)
    return [f"{first:<{width}}  {second}" for first, second in turned]


def sentences(title: Msg, lines: Iterable[tuple[int, Msg]], whole: bool = False) -> Json:
    """Sentences in the reader's language, each with its depth of indentation; none of them is cut if it is `whole`."""
    told = {"title": title.to_json(), "lines": [[depth, line.to_json()] for depth, line in lines]}
    return {**told, "whole": True} if whole else told


def with_buttons(told: Json, buttons: Iterable[tuple[Msg, str]]) -> Json:
    """Return a letter or a block with buttons behind those it has: what each says, and the letter that it opens."""
    more = [[said.to_json(), body] for said, body in buttons]
    return {**told, "buttons": [*told.get("buttons", ()), *more]} if more else told


SEND_ORDERS = msg("Send these orders")
"""What a button says that opens a letter with a whole block of orders."""
EDIT_ORDERS = msg("Open them as a letter")
"""What a button says that opens a letter with a block in which something is left to do."""


def as_letter(told: Json, lines: Iterable[str], said: Msg = SEND_ORDERS) -> Json:
    """Return a block with a button that opens a letter of these lines."""
    return with_buttons(told, [(said, "\n".join(lines))])


class Letter(NamedTuple):
    """What a letter says, by its kind; the first `wanted` sentences of its opening tell what is wanted.

    `what` stands in its subject, or among its news, in the place of what its kind is called.

    With a `form` the odds in its template are still to be reckoned (`commands.questions.odds`).
    """

    kind: str
    head: Head
    opening: Iterable[Msg] = ()
    report: Report | None = None
    errors: Iterable[Mistake] = ()
    warnings: Iterable[Warned] = ()
    blocks: Iterable[Json] = ()
    closing: Iterable[Msg] = ()
    template: Iterable[str] = ()
    what: Msg | None = None
    form: Json = None
    data: Json = None
    picture: Json = None
    wanted: int = 0

    def to_json(self) -> Json:
        """The letter as it is kept: values of JSON, the sentences in no language yet."""
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


WAITS = msg("Orders are closed, and the dice have begun to roll. The phase now waits for the reaction of a player.")
"""What everybody may know of a phase that waits for answers."""


SHUT = msg("Orders are closed. The dice wait for a round of the public beacon; then you get the report.")
"""What everybody may know of a phase that is closed and waits for a round of its beacon."""


def when(at: datetime, zone: str) -> Msg:
    """A moment as people read it: day, date and hour in `zone`, and in UTC as well where that differs."""
    local = at.astimezone(ZoneInfo(zone))
    day, date, hour = WEEKDAYS[local.weekday()], date_in_words(local.date()), f"{local:%H:%M}"
    if local.utcoffset() == at.astimezone(UTC).utcoffset():
        return msg("{day} {date}, {hour} UTC", day=day, date=date, hour=hour)
    utc = f"{at.astimezone(UTC):%H:%M}"
    return msg("{day} {date}, {hour} {zone} ({utc} UTC)", day=day, date=date, hour=hour, zone=zone, utc=utc)


def days(number: int) -> Msg:
    """So many days."""
    return by_number(number, msg("1 day"), msg("{number} days", number=number))


def hours(number: int) -> Msg:
    """So many hours."""
    return by_number(number, msg("1 hour"), msg("{number} hours", number=number))


def minutes(number: int) -> Msg:
    """So many minutes."""
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

NOT_DONE = msg("letter NOT carried out")
"""What a refusal is called in which no orders are refused."""

NO_ORDERS = msg("no orders found")
"""What the answer to a letter is called in which nothing was understood."""

WHAT = {
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
_APART = frozenset(("closed", "confirm", "fault", "over", "refusal"))
"""Kinds of letters to a seat that say of another that it was not carried out, and so have a subject of their own."""


def is_of_turn(letter: Json) -> bool:
    """Tell whether a letter belongs to the thread of a turn."""
    return bool(letter["subject"]["text"] == _OF_TURN.text)


def _subject(kind: str, head: Head, what: Msg | None) -> tuple[Msg, Msg | None]:
    """Return the subject of a letter, and its news where the subject does not tell them.

    Mail programs gather letters of one subject: all of a turn to a seat share one. What was not carried out shows.
    """
    named = what or (None if kind == "report" else WHAT[kind])
    apart = kind in _APART or what in (NOT_DONE, NO_ORDERS)
    if head.game and head.phase is not None and (head.seat or kind == "report"):
        subject = msg(_OF_TURN.text, game=head.game, turn=head.phase.turn)
        if not apart or named is None:
            return subject, named
        return msg("[{game}] T{turn} {what}", game=head.game, turn=head.phase.turn, what=named), None
    named = named or WHAT["over"]
    return msg("[{game}] {what}", game=head.game or "pbem", what=named), None
