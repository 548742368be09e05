"""Questions of a seat: map, moves, rules, charts, history. They are answered from its view and change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg, plain
from pbem.engine.data.report import Entry, runs
from pbem.engine.game import AnyGame
from pbem.engine.map import printed
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.speech import meant
from pbem.engine.parts import Rulebook
from pbem.engine.war import chain
from pbem.letters import content, outbox
from pbem.letters.catalogue import load
from pbem.letters.commands import TURNS, Form, Line
from pbem.letters.content import Mistake
from pbem.play import history, positions, war_progress
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.questions import forecast
from pbem.play.commands.table import press
from pbem.play.positions import Position
from pbem.play.rulings import ruling_lines
from pbem.store import queries, tables

# The map, how it is or was, and what could be ordered.


_MAP_PLACE = re.compile(r"(?:[^\W_][\w' .-]{0,39})?")
_WHEN = re.compile(r"(?:t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9-]{0,19}))?)?")
"""What follows MAP: nothing for now, a turn, or a phase of one."""
_PICTURES = 4
"""Maps in an answer beyond which what could be ordered is told in words alone."""


def show_map(answer: SeatAnswer, command: Line) -> None:
    """The map as it is now, as it was when a turn began, or as it was after a phase, with what was seen in it."""
    here = answer.begun()
    if here is None:
        return
    answer.say("answer")
    asked = _asked(answer, command)
    if asked is None:
        _show(answer, here, msg("The map now"), here.state)
        return
    turn, name = asked
    rows = _phases(answer, turn)
    if name:
        row = next(row for row in reversed(rows) if row.name == name and row.events_digest is not None)
        happened = history.events_with_states(answer, answer.game, row)
        title = msg("The map after {phase}", phase=str(outbox.phase_of(row)).partition("~")[0])
        state = history.state_after(answer, answer.game, row.number)
        _show(answer, here, title, state, history.view_events(here.rules, answer.seat.name, happened))
    else:
        state = history.state_after(answer, answer.game, rows[0].number - 1)
        _show(answer, here, msg("The map as turn {turn} began", turn=turn), state)


def _show(
    answer: SeatAnswer, here: Position, title: Msg, state: object, seen: Sequence[tuple[Event, object]] = ()
) -> None:
    """Show the map of a position in words, and as a picture for pages, and the forces on it."""
    view = here.rules.view(state, answer.seat.name)
    block = content.sentences(title, here.rules.telling.text_map(view, answer.seat.name))
    picture = positions.scene_for_letter(answer, here, answer.seat, view, seen)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})
    forces = here.rules.telling.report(view, answer.seat.name, ()).blocks
    answer.blocks += [content.sentences(part.title, part.lines) for part in forces if part.table is not None]


def map_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A turn that has not begun has no map, nor has a phase that is not over."""
    asked = _asked(answer, command)
    if asked is None or answer.here is None:
        return None
    turn, name = asked
    rows = _phases(answer, turn)
    if not rows:
        why = msg("There was no turn {turn} so far.", turn=turn)
        return command.wrong(why, command.phrase, word=command.said)
    over = [row.name for row in rows if row.events_digest is not None]
    if not name or name in over:
        return None
    why = msg("No phase called {name} of turn {turn} is over.", name=name, turn=turn)
    offered = [f"{command.phrase} T{turn}.{one}" for one in over] or [f"{command.phrase} T{turn}"]
    return command.wrong(why, *offered, word=command.said)


def _asked(answer: SeatAnswer, command: Line) -> tuple[int, str] | None:
    """The turn, and the phase if one is named, in any language; None for now."""
    found = _WHEN.fullmatch(fold(command.rest))
    if found is None or found["turn"] is None:
        return None
    called = answer.here.rules.telling.called if answer.here is not None else {}
    return int(found["turn"]), meant(found["phase"] or "", called)


def _phases(answer: SeatAnswer, turn: int) -> Sequence[tables.Phase]:
    """The phases of a turn that have begun, in order, without those that are void."""
    first = queries.phases.first_of_turn(answer.session, answer.game.id, turn)
    return () if first is None else [row for row in queries.phases.from_on(answer.session, first) if row.turn == turn]


def moves(answer: SeatAnswer, command: Line) -> None:
    """What the seat's units in a place could be ordered to do; without one, where they are."""
    here = answer.begun()
    if here is None:
        return
    seat = answer.seat.name
    view = here.rules.view(here.state, seat)
    answer.say("answer")
    shown = sum("picture" in other for other in answer.blocks)
    picture = None
    if not command.rest:
        places = [(0, line) for line in here.rules.aids.places(view, seat)]
        block = content.sentences(msg("Where your units are; MOVES and a place tells more"), places)
        if not shown:
            picture = positions.scene_for_letter(answer, here, answer.seat, view)
    else:
        said = here.rules.aids.moves(view, seat, command.said, here.begun)
        block = content.sentences(msg("What could be ordered in {place}", place=command.said), [(0, s) for s in said])
        if shown < _PICTURES:
            picture = positions.scene_asked_about(answer, here, answer.seat, view, command.said)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})


_ROOM = 90
"""Lines that a history may take before its arithmetic is left out."""

_MOST = 12
"""Happenings of a phase that a long history still tells one and all."""

_PLACE = re.compile(r"(?:[^\W_][\w' .-]{0,39})?")
_RULE = re.compile(r"(?:[a-z]{0,2}\d{1,2}(?:\.\d{1,2}){0,5}[a-z]?)?")
WORDS = re.compile(r"[^\W\d_][\w'-]{2,}(?: [^\W\d_][\w'-]+){0,2}")
"""What follows RULES but a number: words that the rules are searched for."""
_ASKED = re.compile(rf"{_RULE.pattern}|{WORDS.pattern}")
_CHART = re.compile(r"(?:[\w.-]+ ?){0,3}")


def rule(answer: SeatAnswer, command: Line) -> None:
    """A rule in full and those below it, a line each; without a number, all that stand below no other."""
    answer.say("answer")
    if not command.rest:
        said = _rules(answer).rulebook.contents(answer.seat.language)
        answer.blocks.append(content.block(msg("The rules of this game; RULES and a number tells one in full"), said))
        return
    if _is_number(command):
        answer.blocks += _told_in_full(answer, _number(command))
        return
    told = msg("Rules on {word}; RULES and a number tells one in full", word=command.said)
    lines = _lines_found(answer, command.rest)
    answer.blocks.append(content.block(told, lines, spare=True))
    if len(lines) == 1:
        answer.blocks += _told_in_full(answer, lines[0].split()[0])


_FEW = 6
"""Rules below one that are told in full with it."""


def _told_in_full(answer: SeatAnswer, number: str) -> list[Json]:
    """A rule with its text, its chart and its example; then those below it, in full if they are few."""
    language, found = answer.seat.language, []
    left = dict.fromkeys(_lines_of(answer, number))
    edition = answer.server.edition_of(answer.session, answer.game)
    for place, book in enumerate(_books(answer)):
        own = None if place else edition
        for line in book.rule(number, language):
            name = line.split()[0]
            text = book.full_text(name, language, own) if line in left and _is_same(name, number) else ()
            if text:
                del left[line]
                found.append(_as_sentences(msg("Rule {number}", number=name), ((0, line), *text)))
                found += _shown(book, name, language, own)
    if len(left) <= _FEW and found:
        texts = [(line, book.full_text(line.split()[0], language)) for line in left for book in _books(answer)]
        return [*found, *(_as_sentences(msg("{line}", line=line), text) for line, text in texts if text)]
    below = msg("Below it; RULES and a number tells one in full") if found else msg("Rule {number}", number=number)
    return [*found, content.block(below, left, spare=bool(found))]


def _is_same(name: str, number: str) -> bool:
    """Whether a number that was asked for, with or without its letter, is that of a rule and not of one above it."""
    return name.casefold().lstrip(ascii_lowercase) == number.casefold().lstrip(ascii_lowercase)


def _shown(book: Rulebook[object], number: str, language: str, edition: object) -> Iterator[Json]:
    """The chart that a rule heads, and its example."""
    if text := book.chart(number, edition):
        yield content.block(msg("Chart {name}", name=number), printed.lines_of(text), spare=True)
    if example := book.example(number, language):
        yield _as_sentences(msg("Example"), example)


def _as_sentences(title: Msg, lines: Iterable[tuple[int, str]]) -> Json:
    return content.sentences(title, [(depth, msg("{text}", text=text)) for depth, text in lines])


def rule_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A number that no rule has, or a word that none speaks of."""
    if not command.rest or (not _is_number(command) and _lines_found(answer, command.rest)):
        return None
    if not _is_number(command):
        why = msg("No rule of this game speaks of {word}; RULES alone lists them.", word=command.said)
        return command.wrong(why, command.phrase, word=command.said)
    if _lines_of(answer, _number(command)):
        return None
    return command.wrong(msg("There is no rule {number} in this game.", number=_number(command)), word=command.said)


def _is_number(command: Line) -> bool:
    return _RULE.fullmatch(command.rest) is not None


def _lines_of(answer: SeatAnswer, number: str) -> tuple[str, ...]:
    """A rule and those below it; in a war also by the rules of its other parts, those of battles or of camps."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in book.rule(number, language)))


def lines_about(answer: SeatAnswer, words: str) -> tuple[str, ...]:
    """The rules that speak of some words, those of a war's other parts too."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in book.about(words, language)))


def _lines_found(answer: SeatAnswer, words: str) -> tuple[str, ...]:
    """The rules whose lines speak of some words, and where they are few those whose full text does."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in searched(book, words, language)))


def searched(book: Rulebook[object], words: str, language: str) -> tuple[str, ...]:
    """Return the lines of the rules of a book that speak of some words, in the line or, where those are few, at all."""
    found = book.about(words, language)
    return found if len(found) > _FEW // 2 else tuple(dict.fromkeys((*found, *book.mentions(words, language))))


def _books(answer: SeatAnswer) -> Sequence[Rulebook[object]]:
    """The rulebook of the game, and in a war those of its other parts."""
    systems = [answer.game.system]
    if (course := war_progress.course_of(answer, answer.game.id)) is not None:
        systems += [system for system in (chain.CAMP, course.war.system) if system not in systems]
    return [answer.server.plugins.games(system).rulebook for system in systems]


def _number(command: Line) -> str:
    """The number of a rule as rules are written: C8.1.6, R22a."""
    return command.rest[:-1].upper() + command.rest[-1]


def chart(answer: SeatAnswer, command: Line) -> None:
    """A chart as it stands in this game's edition, or the names of all; a rule that is no chart as it is."""
    answer.say("answer")
    edition = answer.server.edition_of(answer.session, answer.game)
    text = chart_named(answer, command.rest, edition) if command.rest else None
    if command.rest and text is None:
        said = _lines_of(answer, _number(command))
        answer.blocks.append(content.block(msg("Rule {number}", number=_number(command)), said))
    elif text is None:
        book = _rules(answer).rulebook
        texts = [(name.split(" ")[0], book.chart(name.split(" ")[-1], edition) or "") for name in book.charts()]
        heads = [msg("{name}: {title}", name=name, title=printed.title_of(text)) for name, text in texts]
        answer.blocks.append(content.block(msg("The charts of this game"), heads))
    else:
        answer.blocks.append(content.block(msg("Chart {name}", name=command.said), printed.lines_of(text), spare=True))


def chart_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """A name that neither a chart has nor a rule; charts that look like it are offered."""
    rules = _rules(answer)
    if not command.rest or chart_named(answer, command.rest) is not None:
        return None
    if _is_number(command) and _lines_of(answer, _number(command)):
        return None
    names = {word: word for title in _chart_titles(answer) for word in title.split() if len(word) > 3}
    names |= {word.casefold(): word for name in rules.rulebook.charts() for word in name.split()}
    near = [f"{command.phrase} {names[word]}" for word in close_matches(command.rest, names, n=3)]
    return command.wrong(
        msg("There is no chart {name}; CHART alone lists them all.", name=command.said), *near, word=command.said
    )


def chart_named(answer: SeatAnswer, name: str, edition: object = None) -> str | None:
    """Return a chart by its name or by its title, or a word of it that no other has, in the reader's language.

    The number of a rule at or below its own, such as C10a, names it as well. None if no chart is meant.
    """
    book, titles = _rules(answer).rulebook, _chart_titles(answer)
    found = [titles[name]] if name in titles else [chart for title, chart in titles.items() if name in title.split()]
    if len(found) == 1 and book.chart(name) is None:
        name = found[0]
    while (text := book.chart(name, edition)) is None and (above := _BELOW.fullmatch(name)):
        name = above[1]
    return text


def _chart_titles(answer: SeatAnswer) -> dict[str, str]:
    """The charts of a game by their titles in the reader's language, folded."""
    book, words = _rules(answer).rulebook, load(answer.seat.language, answer.game.system)
    names = [name.split(" ")[-1] for name in book.charts()]
    return {fold(words.say(printed.title_of(book.chart(name) or ""))): name for name in names}


_BELOW = re.compile(r"([a-z]{1,2}\d{1,2}(?:\.\d{1,2})*)(?:[a-z]|\.\d{1,2})")
"""The number of a rule below another, which stands before it."""


def history_lines(answer: SeatAnswer, command: Line) -> None:
    """What the seat saw happen in some turns, by phase; without turns, in the last one that something happened in."""
    here = answer.begun()
    if here is None:
        return
    done = queries.phases.resolved(answer.session, answer.game.id)
    ruled = ruling_lines.made(answer.session, answer.game, *_ruling_turns(command, done))
    if not done and not ruled:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _turns_asked(command, done)
    told = [
        (phase, history.entries(answer, answer.game, phase, answer.seat.name)[0])
        for phase in done
        if first <= phase.turn <= last
    ]
    answer.say("answer")
    whole = _lines(told, details=True) <= _ROOM
    if not whole:
        answer.opening.append(msg("Arithmetic and dice are shortened to keep this letter readable."))
    for phase, entries in told:
        title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        lines = forecast.as_lines(entries) if whole else outcomes(entries)
        answer.blocks.append(content.sentences(title, lines or [(0, msg("Nothing that you saw."))], not whole))
    answer.blocks += _void(answer, here, first, last)
    answer.blocks += [
        press.lines_of(answer.session, row)
        for row in press.passed_between(answer.session, answer.game, answer.seat, first, last)
    ]
    answer.blocks += [content.sentences(msg("Rulings"), ruled)] if ruled else []


def _turns_asked(command: Line, done: Sequence[tables.Phase]) -> tuple[int, int]:
    """The first and the last turn that a history is asked of; without any the last in which something is over."""
    return _span(command.rest) if command.rest else (done[-1].turn, done[-1].turn) if done else (0, 0)


def _ruling_turns(command: Line, done: Sequence[tables.Phase]) -> tuple[int, int]:
    """The turns whose rulings belong to it: those of the first also from before, and without turns all since."""
    first, last = _turns_asked(command, done)
    return first if first > 1 else 0, last if command.rest else ruling_lines.EVER


def history_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Turns of which nothing is over yet."""
    done = queries.phases.resolved(answer.session, answer.game.id)
    if not command.rest or not done:
        return None
    first, last = _span(command.rest)
    if any(first <= phase.turn <= last for phase in done):
        return None
    why = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=done[-1].turn)
    return command.wrong(why, f"{command.phrase} T{done[-1].turn}", word=command.said)


def outcomes(entries: Sequence[Entry]) -> list[tuple[int, Msg]]:
    """A long history: what came of a phase, and the numbers of what nothing came of, where that would be too much."""
    quiet = [number for number, entry in enumerate(entries, 1) if not entry.outcomes]
    if len(entries) <= _MOST or len(quiet) == len(entries):
        return forecast.as_lines(entries, details=False)
    lines = [
        line
        for number, entry in enumerate(entries, 1)
        if entry.outcomes
        for line in forecast.as_lines((entry,), details=False, first=number)
    ]
    if quiet:
        lines.append(
            (0, msg("(Left out for brevity: {numbers}. WHY and a number tells that one.)", numbers=runs(quiet)))
        )
    return lines


def _lines(told: Sequence[tuple[tables.Phase, Sequence[Entry]]], details: bool) -> int:
    """About how many lines a history takes."""
    said = [line for _, entries in told for _, line in forecast.as_lines(entries, details)]
    return 2 * len(told) + sum(1 + len(plain(line)) // 62 for line in said)


def _rules(answer: SeatAnswer) -> AnyGame:
    return answer.server.rules_of(answer.game)


def _turns(rest: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", rest)]


def _span(rest: str) -> tuple[int, int]:
    turns = sorted(_turns(rest))
    return turns[0], turns[-1]


def _void(answer: SeatAnswer, here: Position, first: int, last: int) -> list[Json]:
    """What rulings did to some turns: what they corrected, as the seat saw it, and the phases that are void."""
    blocks = []
    for step in history.line_of_play(answer.session, answer.game):
        if isinstance(step, tables.Basis) and step.events != "[]":
            state = history.state_after(answer, answer.game, step.after)
            turn = here.rules.phase(state)
            entries = history.correction_entries(here.rules, answer.seat.name, state, history.corrections(step))
            if turn is not None and first <= turn[1] <= last and entries:
                title = msg("What is corrected by ruling M{ruling}", ruling=step.ruling)
                blocks.append(content.sentences(title, forecast.as_lines(entries)))
    rows = [row for row in queries.phases.void(answer.session, answer.game.id) if row.events_digest is not None]
    gone = [
        (0, msg("{phase}: void by ruling M{ruling}", phase=str(outbox.phase_of(row)), ruling=row.void_by))
        for row in rows
        if first <= row.turn <= last
    ]
    if gone:
        title = msg("What is void; RESEND and the turn sends its reports again")
        blocks.append(content.sentences(title, gone))
    return blocks


COMMANDS = (
    Command(
        Form("map", ("MAP", "MAPA"), _WHEN, "MAP T1", "MAPA T1"),
        show_map,
        check=map_wrong,
        help=(
            msg(
                "MAP, MAP T2, MAP T2.spain: the map now, as turn 2 began, after a phase. MOVES, MOVES place: your ways."
            ),
        ),
        often=Often(letter=3),
    ),
    Command(
        Form("moves", ("MOVES", "MOVIMIENTOS"), _MAP_PLACE, "MOVES place", "MOVIMIENTOS lugar"),
        moves,
        often=Often(letter=10),
    ),
    Command(
        Form("history", ("HISTORY", "HISTORIA"), TURNS, "HISTORY T1-T2", "HISTORIA T1-T2"),
        history_lines,
        check=history_wrong,
        help=(msg("HISTORY, HISTORY T1-T3: what you saw happen in the last turn, or in those."),),
        often=Often(letter=2),
    ),
    Command(
        Form("rule", ("RULES", "RULE", "REGLAS", "REGLA"), _ASKED, "RULES word", "REGLAS palabra"),
        rule,
        check=rule_wrong,
        help=(
            msg(
                "RULES number: a rule in full, with an example. RULES word: the rules on it. CHART name: a chart. "
                "RULES and CHART alone list them."
            ),
        ),
        often=Often(letter=10),
    ),
    Command(
        Form("chart", ("CHART", "CHARTS", "TABLA"), _CHART, "CHART name", "TABLA nombre"),
        chart,
        check=chart_wrong,
        often=Often(letter=5),
        fits=lambda answer: bool(_rules(answer).rulebook.charts()),
    ),
)
