"""Laws for every phase of every game, with any orders and rolls.

`Lab.resolve` takes a position, a letter from each seat and the dice, and resolves the phase in several ways
at once: step by step with all checks after each event, in one go from the position as it is stored and read
back, and with a pause at any window. A broken law raises `LawViolation`; any other exception is a bug by itself.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple

from pbem.engine.bots import Bots
from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, plain_english
from pbem.engine.data.report import Report
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.engine.orders.lex import Vocabulary, tokens
from pbem.engine.run.labels import Label
from pbem.engine.run.runners import Decisions, Dice, Diverged, Done, Paused, advance, play, resume
from pbem.engine.run.steps import Choice, Did, Window, World
from pbem.engine.terms import Orders, ParsedBlock


class SeededDice:
    """Dice that depend only on given bytes and the label; nearly fair."""

    def __init__(self, beta: bytes) -> None:
        self._beta = beta

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the values of a label."""
        digests = (hashlib.sha256(self._beta + f"{label} {number}".encode()).digest() for number in range(n))
        return tuple(1 + int.from_bytes(digest, "big") % sides for digest in digests)


LANGUAGES = ("en", "es")
"""The languages of letters."""


class LawViolation(AssertionError):
    """Raised when a law is broken; the text says which."""


def in_english(sentence: Msg, language: str) -> str:
    """Return a sentence in English with its gaps filled, whatever the language."""
    return plain_english(sentence)


def allow_every_step(before: object, happened: Event, after: object) -> Iterable[str]:
    """Return no errors: the game has no law of its own."""
    return ()


class GameLaws(NamedTuple):
    """The data of one game for the laws.

    `vocabulary` holds the words of its orders; `wrong_step` returns the errors of an event between two states;
    `scenarios` are the scenarios to draw from; one that is listed twice comes twice as often; `options` are those
    of an edition; `rules` the numbers that events may cite, any if there are none; `throws` makes dice of 64 bytes,
    and `says` translates a sentence.
    """

    game: AnyGame
    vocabulary: Vocabulary
    wrong_step: Callable[[Any, Event, Any], Iterable[str]]
    bots: Bots
    scenarios: Sequence[str]
    options: Mapping[str, Sequence[str]]
    rules: frozenset[str] = frozenset()
    throws: Callable[[bytes], Dice] = SeededDice
    says: Callable[[Msg, str], str] = in_english


class ResolvedPhase(NamedTuple):
    """A phase that broke no law: its events, the state after each, and counts."""

    events: tuple[Event, ...]
    states: tuple[Any, ...]
    windows: int
    rolls: int


class Answers:
    """Decisions that answer all windows but one, counted from 0; -1 answers all."""

    def __init__(self, inner: Decisions[object], silent: int = -1) -> None:
        self.inner = inner
        self.silent = silent
        self.asked: list[tuple[Window, Choice]] = []

    def answer(self, state: object, window: Window) -> Choice | None:
        choice = self.inner.answer(state, window)
        if choice is None:
            raise LawViolation(f"nobody answers {window.id}")
        if len(self.asked) == self.silent:
            return None
        self.asked.append((window, choice))
        return choice


@dataclass
class Lab:
    """Resolves phases of one game and checks the laws.

    `luck` picks where to pause and what to sample.
    """

    laws: GameLaws
    edition: PinnedEdition
    luck: random.Random

    @property
    def game(self) -> AnyGame:
        return self.laws.game

    @cached_property
    def stored_edition(self) -> PinnedEdition:
        """Return the edition as a database gives it back."""
        read: PinnedEdition = self.game.edition_from_json(loads(dumps(self.edition.to_json())))
        if read.digest != self.edition.digest:
            raise LawViolation("an edition read back has another digest")
        return read

    def read(self, state: object, seat: str, text: str, perfect: bool) -> Orders:
        """Read a letter; check that its canonical text is stable in both languages."""
        view = self.game.view(state, seat)
        reading = self.game.parse(text, view, seat)
        if perfect and reading.rejected:
            raise LawViolation(f"a line of a bot is refused: {reading.rejected[0]}")
        canonical = self.game.canon(reading.orders)
        second = self.game.parse(canonical, view, seat)
        if second.rejected:
            raise LawViolation(f"a canonical line is refused: {second.rejected[0]}")
        if self.game.canon(second.orders) != canonical:
            raise LawViolation(
                f"canonical text is read as something else:\n{canonical}\n{self.game.canon(second.orders)}"
            )
        for language in LANGUAGES:
            echo = self.game.telling.spoken(canonical, language)
            parsed = self.game.parse(echo, view, seat)
            if parsed.rejected or self.game.canon(parsed.orders) != canonical:
                raise LawViolation(
                    f"echoed in {language} it means something else: {parsed.rejected}\n{canonical}\n{echo}"
                )
        reworded = reword(canonical, self.laws.vocabulary, self.luck)
        parsed = self.game.parse(reworded, view, seat)
        if parsed.rejected or self.game.canon(parsed.orders) != canonical:
            raise LawViolation(f"said otherwise it means something else: {parsed.rejected}\n{canonical}\n{reworded}")
        self._check_order_help(view, seat, second.orders)
        return second.orders

    def _check_order_help(self, view: object, seat: str, orders: Orders) -> None:
        """Check that help with orders does not fail, and that a form orders nothing."""
        game, language = self.game, self.luck.choice(LANGUAGES)
        game.check(view, seat, orders)
        game.aids.review(view, seat, orders)
        game.telling.text_map(view, seat)
        lines = game.aids.template(view, seat, language)
        if game.parse("\n".join(lines), view, seat) != ParsedBlock(Orders()):
            raise LawViolation(f"a template orders something: {lines}")

    def resolve(self, state: object, orders: Mapping[str, Orders], beta: bytes) -> ResolvedPhase:
        """Resolve the phase in every way; raise LawViolation if a law is broken."""
        game, dice = self.game, self.laws.throws(beta)
        answers = Answers(game.decisions(state, orders, {}))
        events, states, rolls = self._step_by_step(game.world(state, orders), dice, answers)
        stored = self._check_stored(state)
        if list(game.seats(stored)) != list(game.seats(state)):
            raise LawViolation("a state read back has its seats in another order")
        second_run = play(game.rules, game.world(stored, orders), dice, game.decisions(stored, orders, {}))
        self._check_same("a second resolution", events, second_run, states[-1])
        self._check_pause(state, orders, dice, answers, events)
        self._check_stored(states[self.luck.randrange(len(states))])
        self._check_stored(states[-1])
        self._check_events(events)
        seats = tuple(game.seats(state))
        spoken_seat = self.luck.choice(seats)
        for seat in seats:
            self._check_report(seat, events, states, aloud=seat == spoken_seat)
        return ResolvedPhase(events, states, len(answers.asked), rolls)

    def _step_by_step(
        self, world: World[Any], dice: Dice, given: Answers
    ) -> tuple[tuple[Event, ...], tuple[Any, ...], int]:
        """Check each event: the fold of `apply` is the runner's state, without errors."""
        game = self.game
        events: list[Event] = []
        states = [world.state]
        labels: list[str] = []
        while world.agenda:
            moment = advance(game.rules, world, dice, given)
            if isinstance(moment.outcome, Did):
                for happened in moment.outcome.events:
                    after = game.rules.apply(states[-1], happened)
                    if wrong := tuple(self.laws.wrong_step(states[-1], happened, after)):
                        raise LawViolation(f"after {happened}: {'; '.join(wrong)}")
                    events.append(happened)
                    states.append(after)
                if game.encode(moment.world.state) != game.encode(states[-1]):
                    raise LawViolation(f"the fold of the events is another state after {moment.outcome.events}")
            elif moment.rolled is not None:
                labels.append(moment.rolled.label)
            world = moment.world
        if wrong := game.invariants(states[-1]):
            raise LawViolation(f"after the phase: {'; '.join(wrong)}")
        if len(set(labels)) < len(labels):
            raise LawViolation(f"a label is rolled twice: {sorted(x for x in labels if labels.count(x) > 1)}")
        if any(str(Label.parse(label)) != label for label in labels):
            raise LawViolation(f"a label cannot be read back: {labels}")
        return tuple(events), tuple(states), len(labels)

    def _check_stored(self, state: object) -> Any:
        """Check that a state read back from JSON is the same."""
        text = dumps(self.game.encode(state))
        read = self.game.decode(loads(text), self.stored_edition)
        if dumps(self.game.encode(read)) != text:
            raise LawViolation("a state read back encodes otherwise")
        return read

    def _check_same(
        self, what: str, events: Sequence[Event], other: Done[object] | Paused[object], last: object
    ) -> None:
        if isinstance(other, Paused):
            raise LawViolation(f"{what} waits for {other.windows}")
        if _bytes(events) != _bytes(other.events):
            pairs = enumerate(zip_longest(events, other.events))
            number, pair = next((n, pair) for n, pair in pairs if _bytes(pair[:1]) != _bytes(pair[1:]))
            raise LawViolation(f"{what} differs at event {number}: {pair[0]} / {pair[1]}")
        if dumps(self.game.encode(other.state)) != dumps(self.game.encode(last)):
            raise LawViolation(f"{what} ends in another state")

    def _check_pause(
        self, state: object, orders: Mapping[str, Orders], dice: Dice, given: Answers, events: Sequence[Event]
    ) -> None:
        """Check that a phase goes on after a pause as if it had not waited."""
        game = self.game
        names = [window.id for window, _ in given.asked]
        if len(set(names)) < len(names):
            raise LawViolation(f"two windows share a name: {sorted({n for n in names if names.count(n) > 1})}")
        if not names:
            return
        place = self.luck.randrange(len(names))
        waiting = play(game.rules, game.world(state, orders), dice, Answers(game.decisions(state, orders, {}), place))
        if not isinstance(waiting, Paused) or waiting.windows[0].id != names[place]:
            raise LawViolation(f"a silence at {names[place]} does not pause there: {waiting}")
        try:
            done = resume(
                game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}), waiting.events
            )
            self._check_same(f"a resolution resumed at {names[place]}", events, done, done.state)
            letter = game.decisions(state, orders, {names[place]: given.asked[place][1].value})
            resume(game.rules, game.world(state, orders), dice, letter, waiting.events)
        except Diverged as diverged:
            raise LawViolation(f"resumed at {names[place]}: {diverged}") from None

    def _check_events(self, events: Sequence[Event]) -> None:
        """Check that events survive JSON, and cite existing rules."""
        text = dumps([happened.to_json() for happened in events])
        if dumps([Event.from_json(value).to_json() for value in loads(text)]) != text:
            raise LawViolation("events do not come back from their JSON")
        for happened in events:
            if self.laws.rules and happened.cite not in self.laws.rules:
                raise LawViolation(f"an event cites {happened.cite}, which is no rule: {happened}")

    def _check_report(self, seat: str, events: Sequence[Event], states: Sequence[object], aloud: bool) -> None:
        """Check that a seat's events can be reported, stored and said `aloud`."""
        game = self.game
        seen: list[tuple[Event, Any]] = []
        for happened, before in zip(events, states, strict=False):
            visible = game.see(happened, seat, before)
            if visible is not None:
                seen.append((visible, game.view(before, seat)))
        self._check_score(seat, seen, game.view(states[0], seat), game.view(states[-1], seat))
        report = game.telling.report(game.view(states[-1], seat), seat, seen)
        text = dumps(report.to_json())
        if dumps(Report.from_json(loads(text)).to_json()) != text:
            raise LawViolation("a report does not come back from its JSON")
        language = self.luck.choice(LANGUAGES)
        for sentence in _sentences(report) if aloud else ():
            self.laws.says(sentence, language)

    def _check_score(self, seat: str, seen: Sequence[tuple[Event, object]], before: object, after: object) -> None:
        """Check that reported gains are the difference of the points, if all are seen."""
        score_before, score_after = (self.game.telling.stakes(view, seat, ()) for view in (before, after))
        reported = self.game.telling.stakes(after, seat, seen)
        dumps(reported.to_json())
        if score_before.gains or score_after.gains:
            raise LawViolation(f"without events something changed: {score_before.gains} {score_after.gains}")
        if not score_before.leader or not score_after.leader:
            return
        changed = {
            old.side: new.points - old.points for old, new in zip(score_before.scores, score_after.scores, strict=True)
        }
        for side, points in changed.items():
            if sum(dict(gain.points).get(side, 0) for gain in reported.gains) != points:
                raise LawViolation(f"the points of {side} changed by {points}, and told was {reported.gains}")


def _bytes(events: Iterable[Event | None]) -> str:
    return json.dumps([happened and happened.to_json() for happened in events], sort_keys=True)


def _sentences(report: Report) -> Iterable[Msg]:
    yield report.title
    yield from report.summary
    for entry in report.entries:
        yield entry.text
        yield from entry.details
    for block in report.blocks:
        yield block.title
        yield from (line for _, line in block.lines)


def reword(text: str, vocabulary: Vocabulary, luck: random.Random) -> str:
    """Return canonical text in other words, cases, blanks and comments."""
    return "\n".join(_reword_line(line, vocabulary, luck) for line in text.split("\n"))


def _reword_line(line: str, vocabulary: Vocabulary, luck: random.Random) -> str:
    words = tokens(line)
    parts: list[str] = []
    index = 0
    while index < len(words):
        keywords = [
            keyword
            for keyword in vocabulary.keywords_at(words, index)
            if _canonical(words[index].text, keyword, vocabulary)
        ]
        if not keywords:
            parts.append(words[index].text)
            index += 1
            continue
        phrase = luck.choice(vocabulary.table[keywords[0]])
        parts.append(luck.choice((phrase, phrase.lower(), phrase.title())))
        index += vocabulary.length(words, index, keywords[0])
    spoken = luck.choice((" ", " ", "  ")).join(parts)
    return spoken + luck.choice(("", "", "", "  # a word aside", " // y otra")) if parts else spoken


def _canonical(word: str, keyword: str, vocabulary: Vocabulary) -> bool:
    """Return whether a word is a keyword, and not a name that looks like one.

    The word is of canonical text.
    """
    english, _, *others = vocabulary.table[keyword] + ("",)
    return any(phrase.split()[0] == word and phrase.isupper() for phrase in (english, *others) if phrase)


def garble(text: str, words: Sequence[str], luck: random.Random) -> str:
    """Return text with slips.

    Names are replaced, words lost, doubled or swapped, lines moved, letters changed.
    """
    lines = text.split("\n")
    for _ in range(1 + luck.randrange(4)):
        line_number = luck.randrange(len(lines))
        parts = lines[line_number].split(" ")
        spot = luck.randrange(len(parts))
        slip = luck.randrange(7)
        if slip < 3:
            parts[spot] = luck.choice(words) + ("," if parts[spot].endswith(",") else "")
        elif slip == 3:
            parts.pop(spot)
        elif slip == 4:
            parts.insert(spot, luck.choice(parts))
        elif slip == 5:
            lines.insert(luck.randrange(len(lines)), luck.choice(lines))
            continue
        elif parts[spot]:
            cut = luck.randrange(len(parts[spot]))
            parts[spot] = parts[spot][:cut] + luck.choice("xñ.,;:+()/# 7é") + parts[spot][cut + 1 :]
        lines[line_number] = " ".join(parts)
    return "\n".join(lines)
