"""Read, carry out and judge lessons: guided turns in a game's ``lessons.toml``.

::

    [[lesson]]
    seat   = "spain"
    phase  = "spain"
    units  = ["spain OF Prim 3/3 at A", ...]
    dice   = "dawn"
    form   = '''...'''
    model  = '''...'''
    expect = ["Cordoba at B", "cited O3.2"]
    [lesson.en]
    title  = "Move"
    text   = ["Where you are ..."]
    task   = "What is to be done"
    well   = "What is said of a right answer"
    missing = ["What is said where the first expectation is not met", ...]

A lesson is a rule case (`cases`) whose orders the reader writes; its dice follow from a seed, so the same answer
always gives the same. A lesson with `why` contains the orders itself, and asks for the event that this rule caused.
What differs by language is in the table of the language (``form``, ``model``); ``map_shown = false`` leaves the map
out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pbem.engine.bots import DiceFromSeed
from pbem.engine.cases import CaseOutcome, expectation_holds, resolve_case
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame, pair_with_states, view_events
from pbem.engine.orders.lex import fold
from pbem.engine.parts import RuleCases
from pbem.engine.terms import Explanation, Orders, RejectedLine

# The question why about a numbered event, in English or Spanish, up to three digits.
# Up to four other signs stand between, such as blanks and the # of the report.
_WHY = re.compile(r"(?:why|por ?que)\D{0,4}(\d{1,3})\W*")


class AnswerVerdict(NamedTuple):
    """The verdict on an answer: refused lines, else events and unmet expectations.

    `number` is the event that the reader named in a lesson with `why`, 0 for none; `is_empty` means that no line
    orders anything, `is_out_of_turn` that there are orders in the enemy's phase.
    """

    rejected: tuple[RejectedLine, ...] = ()
    outcome: CaseOutcome | None = None
    entries: tuple[Entry, ...] = ()
    missing: tuple[int, ...] = ()
    number: int = 0
    because: Explanation | None = None
    is_empty: bool = False
    is_out_of_turn: bool = False

    @property
    def is_right(self) -> bool:
        """Return whether nothing is refused and nothing is missing."""
        return not (self.rejected or self.missing or self.is_out_of_turn)


class Lesson(NamedTuple):
    """A lesson of a game, with its number from 1.

    Keys above all lessons of its file hold for it as well.
    """

    game: AnyGame
    number: int
    table: Mapping[str, Json]

    @property
    def seat(self) -> str:
        """Return the reader's seat."""
        return str(self.table["seat"])

    @property
    def asks_why(self) -> bool:
        """Return whether the reader must name an event instead of giving orders."""
        return "why" in self.table

    def words(self, language: str) -> Mapping[str, Any]:
        """Return the texts of the lesson, in English where the language has none."""
        texts: Mapping[str, Any] = self.table.get(language, self.table["en"])
        return texts

    def lines(self, key: str, language: str) -> list[str]:
        """Return the ``form`` or ``model`` in a language, translated unless it has one."""
        own = self.words(language).get(key)
        if own is not None:
            return str(own).splitlines()
        text = str(self.table.get(key, "")).strip("\n")
        return self.game.telling.spoken(f"{text}\n", language).splitlines()

    def position(self) -> Any:
        """Return the position, as the seat sees it."""
        return self.game.view(self._start(), self.seat)

    def check_answer(self, text: str) -> AnswerVerdict:
        """Run an answer and check it; run nothing if one of its lines is refused."""
        if self.asks_why:
            return self._check_number(text)
        game, view = self.game, self.position()
        reading = game.parse(text, view, self.seat)
        is_out_of_turn = bool(reading.orders.actions) and self.seat not in game.active(view)
        rejected = reading.rejected
        if not rejected and not is_out_of_turn:
            rejected = game.check(view, self.seat, game.aids.in_order(reading.orders))
        if rejected or is_out_of_turn:
            return AnswerVerdict(tuple(rejected), is_out_of_turn=is_out_of_turn)
        outcome, seen = self._carry_out({self.seat: text})
        expected = enumerate(self.table["expect"])
        missing = tuple(place for place, phrase in expected if not expectation_holds(self._cases, phrase, outcome))
        is_empty = not (reading.orders.actions or reading.orders.standing)
        return AnswerVerdict((), outcome, game.telling.happenings(seen), missing, is_empty=is_empty)

    def happenings(self) -> tuple[Entry, ...]:
        """Return the events that happened before a question about one of them."""
        return self.game.telling.happenings(self._carry_out({})[1])

    def _check_number(self, text: str) -> AnswerVerdict:
        outcome, seen = self._carry_out({})
        entries = self.game.telling.happenings(seen)
        answers = [_WHY.fullmatch(line.strip()) for line in fold(text).split("\n")]
        number = next((int(answer[1]) for answer in answers if answer is not None), 0)
        if not 1 <= number <= len(entries):
            return AnswerVerdict((), outcome, entries, (0,))
        view = self.game.view(outcome.state, self.seat)
        because = self.game.telling.why(view, self.seat, seen, number, Orders())
        missing = () if entries[number - 1].rule == self.table["why"] else (1,)
        return AnswerVerdict((), outcome, entries, missing, number, because)

    @property
    def _cases(self) -> RuleCases[Any]:
        if self.game.cased is None:
            raise LookupError(f"{self.game.name} plays no cases")
        return self.game.cased

    def _start(self) -> Any:
        return self._cases.state({}, self.table)

    def _carry_out(self, orders: Mapping[str, str]) -> tuple[CaseOutcome, list[tuple[Event, Any]]]:
        """Return the outcome of orders, and the events that the seat saw."""
        state = self._start()
        case = {**self.table, "orders": {**self.table.get("orders", {}), **orders}}
        outcome = resolve_case(self.game, state, case, DiceFromSeed(self.table["dice"]))
        return outcome, view_events(self.game, self.seat, pair_with_states(self.game, state, outcome.events))


def lessons_of(game: AnyGame) -> tuple[Lesson, ...]:
    """Return the lessons of a game, none where it has none."""
    file = dict(game.shelf.lessons()) if game.shelf is not None else {}
    tables = file.pop("lesson", ())
    return tuple(Lesson(game, number, {**file, **table}) for number, table in enumerate(tables, 1))
