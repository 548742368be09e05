"""What must hold of every phase of every game, whatever was ordered and rolled.

`Lab.resolve` takes a position, a letter from each seat and the dice, and resolves the phase in several ways at once:
step by step with everything checked after each event, in one go from the position as it is stored and read back, and
with a pause at any window. A law that does not hold is a `Broken`; any other exception is a bug by itself.
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
from pbem.engine.data.messages import Msg, plain
from pbem.engine.data.report import Report
from pbem.engine.game import AnyGame, PinnedEdition
from pbem.engine.orders.lex import Vocabulary, tokens
from pbem.engine.run.labels import Label
from pbem.engine.run.runners import Decisions, Dice, Diverged, Done, Paused, advance, play, resume
from pbem.engine.run.steps import Choice, Did, Window, World
from pbem.engine.terms import Orders, Reading


class Thrown:
    """Dice that follow from bytes and the label alone; nearly fair, which is all that trying out a game asks for."""

    def __init__(self, beta: bytes) -> None:
        self._beta = beta

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the throws of a label."""
        said = (hashlib.sha256(self._beta + f"{label} {at}".encode()).digest() for at in range(n))
        return tuple(1 + int.from_bytes(one, "big") % sides for one in said)


LANGUAGES = ("en", "es")
"""The languages of letters."""


class Broken(AssertionError):
    """A law that does not hold; says which."""


def in_english(sentence: Msg, language: str) -> str:
    """A sentence with its gaps filled, whatever the language."""
    return plain(sentence)


def no_law(before: object, happened: Event, after: object) -> Iterable[str]:
    """Nothing is wrong with any event."""
    return ()


class GameLaws(NamedTuple):
    """What the laws want to know of one game.

    `vocabulary` holds the words of its orders; `wrong_step` says what is wrong with an event between two states;
    `scenarios` are drawn from, so that one named twice comes twice as often; `options` are those of an edition;
    `rules` the numbers that events may cite, any if there are none; `throws` makes dice of 64 bytes, and `says` puts a
    sentence into the words of a language.
    """

    game: AnyGame
    vocabulary: Vocabulary
    wrong_step: Callable[[Any, Event, Any], Iterable[str]]
    bots: Bots
    scenarios: Sequence[str]
    options: Mapping[str, Sequence[str]]
    rules: frozenset[str] = frozenset()
    throws: Callable[[bytes], Dice] = Thrown
    says: Callable[[Msg, str], str] = in_english


class Resolved(NamedTuple):
    """A phase that broke no law: its events, the state after each, and what else can be counted."""

    events: tuple[Event, ...]
    states: tuple[Any, ...]
    windows: int
    rolls: int


class Answers:
    """Decisions that say nothing at one window, counted from 0, and answer all others; -1 answers all."""

    def __init__(self, inner: Decisions[object], silent: int = -1) -> None:
        self.inner = inner
        self.silent = silent
        self.asked: list[tuple[Window, Choice]] = []

    def answer(self, state: object, window: Window) -> Choice | None:
        choice = self.inner.answer(state, window)
        if choice is None:
            raise Broken(f"nobody answers {window.id}")
        if len(self.asked) == self.silent:
            return None
        self.asked.append((window, choice))
        return choice


@dataclass
class Lab:
    """Resolves phases of one game and holds them against the laws; `luck` picks where to pause and what to sample."""

    laws: GameLaws
    edition: PinnedEdition
    luck: random.Random

    @property
    def game(self) -> AnyGame:
        return self.laws.game

    @cached_property
    def stored_edition(self) -> PinnedEdition:
        """The edition as a database gives it back."""
        read: PinnedEdition = self.game.edition_from_json(loads(dumps(self.edition.to_json())))
        if read.digest != self.edition.digest:
            raise Broken("an edition read back has another digest")
        return read

    def read(self, state: object, seat: str, text: str, perfect: bool) -> Orders:
        """Read a letter; its canonical text is a fixed point, said in either language it is the same."""
        view = self.game.view(state, seat)
        reading = self.game.parse(text, view, seat)
        if perfect and reading.rejected:
            raise Broken(f"a line of a bot is refused: {reading.rejected[0]}")
        canonical = self.game.canon(reading.orders)
        again = self.game.parse(canonical, view, seat)
        if again.rejected:
            raise Broken(f"a canonical line is refused: {again.rejected[0]}")
        if self.game.canon(again.orders) != canonical:
            raise Broken(f"canonical text is read as something else:\n{canonical}\n{self.game.canon(again.orders)}")
        for language in LANGUAGES:
            echo = self.game.telling.spoken(canonical, language)
            heard = self.game.parse(echo, view, seat)
            if heard.rejected or self.game.canon(heard.orders) != canonical:
                raise Broken(f"echoed in {language} it means something else: {heard.rejected}\n{canonical}\n{echo}")
        spoken = respoken(canonical, self.laws.vocabulary, self.luck)
        heard = self.game.parse(spoken, view, seat)
        if heard.rejected or self.game.canon(heard.orders) != canonical:
            raise Broken(f"said otherwise it means something else: {heard.rejected}\n{canonical}\n{spoken}")
        self._aids(view, seat, again.orders)
        return again.orders

    def _aids(self, view: object, seat: str, orders: Orders) -> None:
        """What a letter is answered with never fails, and orders nothing by itself."""
        game, language = self.game, self.luck.choice(LANGUAGES)
        game.check(view, seat, orders)
        game.aids.review(view, seat, orders)
        game.telling.text_map(view, seat)
        lines = game.aids.template(view, seat, language)
        if game.parse("\n".join(lines), view, seat) != Reading(Orders()):
            raise Broken(f"a template orders something: {lines}")

    def resolve(self, state: object, orders: Mapping[str, Orders], beta: bytes) -> Resolved:
        """Resolve the phase in every way; Broken if a law does not hold."""
        game, dice = self.game, self.laws.throws(beta)
        given = Answers(game.decisions(state, orders, {}))
        events, states, rolls = self._step_by_step(game.world(state, orders), dice, given)
        stored = self._stored(state)
        if list(game.seats(stored)) != list(game.seats(state)):
            raise Broken("a state read back has its seats in another order")
        again = play(game.rules, game.world(stored, orders), dice, game.decisions(stored, orders, {}))
        self._same("a second resolution", events, again, states[-1])
        self._paused(state, orders, dice, given, events)
        self._stored(states[self.luck.randrange(len(states))])
        self._stored(states[-1])
        self._events(events)
        seats = tuple(game.seats(state))
        told = self.luck.choice(seats)
        for seat in seats:
            self._told(seat, events, states, aloud=seat == told)
        return Resolved(events, states, len(given.asked), rolls)

    def _step_by_step(
        self, world: World[Any], dice: Dice, given: Answers
    ) -> tuple[tuple[Event, ...], tuple[Any, ...], int]:
        """Every event on its own: the fold of `apply` is the runner's state, and nothing impossible comes of it."""
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
                        raise Broken(f"after {happened}: {'; '.join(wrong)}")
                    events.append(happened)
                    states.append(after)
                if game.encode(moment.world.state) != game.encode(states[-1]):
                    raise Broken(f"the fold of the events is another state after {moment.outcome.events}")
            elif moment.rolled is not None:
                labels.append(moment.rolled.label)
            world = moment.world
        if wrong := game.invariants(states[-1]):
            raise Broken(f"after the phase: {'; '.join(wrong)}")
        if len(set(labels)) < len(labels):
            raise Broken(f"a label is rolled twice: {sorted(x for x in labels if labels.count(x) > 1)}")
        if any(str(Label.parse(label)) != label for label in labels):
            raise Broken(f"a label cannot be read back: {labels}")
        return tuple(events), tuple(states), len(labels)

    def _stored(self, state: object) -> Any:
        """A state comes back from its JSON as it was."""
        text = dumps(self.game.encode(state))
        read = self.game.decode(loads(text), self.stored_edition)
        if dumps(self.game.encode(read)) != text:
            raise Broken("a state read back encodes otherwise")
        return read

    def _same(self, what: str, events: Sequence[Event], other: Done[object] | Paused[object], last: object) -> None:
        if isinstance(other, Paused):
            raise Broken(f"{what} waits for {other.windows}")
        if _bytes(events) != _bytes(other.events):
            both = enumerate(zip_longest(events, other.events))
            at, pair = next((n, pair) for n, pair in both if _bytes(pair[:1]) != _bytes(pair[1:]))
            raise Broken(f"{what} differs at event {at}: {pair[0]} / {pair[1]}")
        if dumps(self.game.encode(other.state)) != dumps(self.game.encode(last)):
            raise Broken(f"{what} ends in another state")

    def _paused(
        self, state: object, orders: Mapping[str, Orders], dice: Dice, given: Answers, events: Sequence[Event]
    ) -> None:
        """A phase that waits at a window for a letter goes on as if it had never waited."""
        game = self.game
        names = [window.id for window, _ in given.asked]
        if len(set(names)) < len(names):
            raise Broken(f"two windows share a name: {sorted({n for n in names if names.count(n) > 1})}")
        if not names:
            return
        at = self.luck.randrange(len(names))
        waiting = play(game.rules, game.world(state, orders), dice, Answers(game.decisions(state, orders, {}), at))
        if not isinstance(waiting, Paused) or waiting.windows[0].id != names[at]:
            raise Broken(f"a silence at {names[at]} does not pause there: {waiting}")
        try:
            done = resume(
                game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}), waiting.events
            )
            self._same(f"a resolution resumed at {names[at]}", events, done, done.state)
            letter = game.decisions(state, orders, {names[at]: given.asked[at][1].value})
            resume(game.rules, game.world(state, orders), dice, letter, waiting.events)
        except Diverged as diverged:
            raise Broken(f"resumed at {names[at]}: {diverged}") from None

    def _events(self, events: Sequence[Event]) -> None:
        """Events come back from their JSON, hold nothing that JSON does not, and cite rules that there are."""
        text = dumps([happened.to_json() for happened in events])
        if dumps([Event.from_json(value).to_json() for value in loads(text)]) != text:
            raise Broken("events do not come back from their JSON")
        for happened in events:
            if self.laws.rules and happened.cite not in self.laws.rules:
                raise Broken(f"an event cites {happened.cite}, which is no rule: {happened}")

    def _told(self, seat: str, events: Sequence[Event], states: Sequence[object], aloud: bool) -> None:
        """What a seat sees can be reported and stored, and said `aloud` in either language."""
        game = self.game
        seen: list[tuple[Event, Any]] = []
        for happened, before in zip(events, states, strict=False):
            shown = game.see(happened, seat, before)
            if shown is not None:
                seen.append((shown, game.view(before, seat)))
        self._stakes(seat, seen, game.view(states[0], seat), game.view(states[-1], seat))
        report = game.telling.report(game.view(states[-1], seat), seat, seen)
        text = dumps(report.to_json())
        if dumps(Report.from_json(loads(text)).to_json()) != text:
            raise Broken("a report does not come back from its JSON")
        language = self.luck.choice(LANGUAGES)
        for sentence in _sentences(report) if aloud else ():
            self.laws.says(sentence, language)

    def _stakes(self, seat: str, seen: Sequence[tuple[Event, object]], before: object, after: object) -> None:
        """What a phase is told to have changed is the difference of the points, where all of them are seen."""
        was, now = (self.game.telling.stakes(view, seat, ()) for view in (before, after))
        told = self.game.telling.stakes(after, seat, seen)
        dumps(told.to_json())
        if was.gains or now.gains:
            raise Broken(f"without events something changed: {was.gains} {now.gains}")
        if not was.leader or not now.leader:
            return
        changed = {old.side: new.points - old.points for old, new in zip(was.scores, now.scores, strict=True)}
        for side, points in changed.items():
            if sum(dict(gain.points).get(side, 0) for gain in told.gains) != points:
                raise Broken(f"the points of {side} changed by {points}, and told was {told.gains}")


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


def respoken(text: str, vocabulary: Vocabulary, luck: random.Random) -> str:
    """Return canonical text as a player might write it: other words for keywords, any case, blanks and comments."""
    return "\n".join(_respoken(line, vocabulary, luck) for line in text.split("\n"))


def _respoken(line: str, vocabulary: Vocabulary, luck: random.Random) -> str:
    words = tokens(line)
    parts: list[str] = []
    at = 0
    while at < len(words):
        said = [keyword for keyword in vocabulary.said(words, at) if _canonical(words[at].text, keyword, vocabulary)]
        if not said:
            parts.append(words[at].text)
            at += 1
            continue
        phrase = luck.choice(vocabulary.table[said[0]])
        parts.append(luck.choice((phrase, phrase.lower(), phrase.title())))
        at += vocabulary.length(words, at, said[0])
    spoken = luck.choice((" ", " ", "  ")).join(parts)
    return spoken + luck.choice(("", "", "", "  # a word aside", " // y otra")) if parts else spoken


def _canonical(word: str, keyword: str, vocabulary: Vocabulary) -> bool:
    """Whether a word of canonical text is the keyword and not a name that looks like one in Spanish, such as A."""
    english, _, *others = vocabulary.table[keyword] + ("",)
    return any(phrase.split()[0] == word and phrase.isupper() for phrase in (english, *others) if phrase)


def garbled(text: str, words: Sequence[str], luck: random.Random) -> str:
    """Return text with slips: names changed for others, words lost, doubled or swapped, lines moved, letters wrong."""
    lines = text.split("\n")
    for _ in range(1 + luck.randrange(4)):
        at = luck.randrange(len(lines))
        parts = lines[at].split(" ")
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
        lines[at] = " ".join(parts)
    return "\n".join(lines)
