"""Answer a seat's questions on map, moves, rules, charts and history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.engine.data.report import Entry, number_ranges
from pbem.engine.game import AnyGame, view_events
from pbem.engine.map import printed
from pbem.engine.orders.lex import close_matches, fold
from pbem.engine.orders.speech import id_of_name
from pbem.engine.parts import Rulebook
from pbem.engine.war import chain
from pbem.letters import content, outbox
from pbem.letters.catalogue import load_catalogue
from pbem.letters.commands import TURNS_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import history, positions, war_progress
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.questions import forecast
from pbem.play.commands.table import press
from pbem.play.positions import Position
from pbem.play.rulings import ruling_lines
from pbem.store import queries, tables

# The map, how it is or was, and what could be ordered.


# Up to 40 characters, as many as a place has in the label of a roll.
_MAP_PLACE = re.compile(r"(?:[^\W_][\w' .-]{0,39})?")
_WHEN = re.compile(r"(?:t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9-]{0,19}))?)?")
"""Argument of MAP: nothing (now), a turn, or a phase of a turn."""
_PICTURES = 4
"""Maps in an answer; further MOVES are answered in words only. Each map has up to 120 KB, and providers refuse large
letters."""


def show_map(answer: SeatAnswer, command: CommandLine) -> None:
    """Show the map now, as a turn began, or after a phase.

    After a phase it comes with the events that the seat saw.
    """
    position = answer.require_position()
    if position is None:
        return
    answer.say("answer")
    moment = _wanted_moment(answer, command)
    if moment is None:
        _show(answer, position, msg("The map now"), position.state)
        return
    turn, name = moment
    rows = _phases(answer, turn)
    if name:
        row = next(row for row in reversed(rows) if row.name == name and row.events_digest is not None)
        events = history.events_with_states(answer, answer.game, row)
        title = msg("The map after {phase}", phase=str(outbox.phase_of(row)).partition("~")[0])
        state = history.state_after(answer, answer.game, row.number)
        _show(answer, position, title, state, view_events(position.rules, answer.seat.name, events))
    else:
        state = history.state_after(answer, answer.game, rows[0].number - 1)
        _show(answer, position, msg("The map as turn {turn} began", turn=turn), state)


def _show(
    answer: SeatAnswer, position: Position, title: Msg, state: object, events: Sequence[tuple[Event, object]] = ()
) -> None:
    """Show the map of a position in words, and as a picture for pages."""
    view = position.rules.view(state, answer.seat.name)
    block = content.sentence_block(title, position.rules.telling.text_map(view, answer.seat.name))
    picture = positions.scene_for_letter(answer, position, answer.seat, view, events)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})
    forces = position.rules.telling.report(view, answer.seat.name, ()).blocks
    answer.blocks += [content.sentence_block(part.title, part.lines) for part in forces if part.table is not None]


def check_map(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a turn that has not begun, or a phase that is not over."""
    moment = _wanted_moment(answer, command)
    if moment is None or answer.here is None:
        return None
    turn, name = moment
    rows = _phases(answer, turn)
    if not rows:
        reason = msg("There was no turn {turn} so far.", turn=turn)
        return command.wrong(reason, command.phrase, word=command.said)
    finished = [row.name for row in rows if row.events_digest is not None]
    if not name or name in finished:
        return None
    reason = msg("No phase called {name} of turn {turn} is over.", name=name, turn=turn)
    suggestions = [f"{command.phrase} T{turn}.{phase_name}" for phase_name in finished] or [f"{command.phrase} T{turn}"]
    return command.wrong(reason, *suggestions, word=command.said)


def _wanted_moment(answer: SeatAnswer, command: CommandLine) -> tuple[int, str] | None:
    """Return the wanted turn, and the phase if one is named; None for now."""
    match = _WHEN.fullmatch(fold(command.rest))
    if match is None or match["turn"] is None:
        return None
    vocabulary = answer.here.rules.telling.called if answer.here is not None else {}
    return int(match["turn"]), id_of_name(match["phase"] or "", vocabulary)


def _phases(answer: SeatAnswer, turn: int) -> Sequence[tables.Phase]:
    """Return the phases of a turn that have begun, in order, without void ones."""
    first = queries.phases.first_of_turn(answer.session, answer.game.id, turn)
    return (
        () if first is None else [row for row in queries.phases.phases_from(answer.session, first) if row.turn == turn]
    )


def show_moves(answer: SeatAnswer, command: CommandLine) -> None:
    """Show possible orders of the seat's units in a place; without one, their places."""
    position = answer.require_position()
    if position is None:
        return
    seat = answer.seat.name
    view = position.rules.view(position.state, seat)
    answer.say("answer")
    picture_count = sum("picture" in other for other in answer.blocks)
    picture = None
    if not command.rest:
        places = [(0, line) for line in position.rules.aids.places(view, seat)]
        if not places:
            answer.say("answer", msg("No unit of yours is in any place; HELP ORDERS tells what can be ordered."))
            return
        block = content.sentence_block(msg("Where your units are; MOVES and a place tells more"), places)
        if not picture_count:
            picture = positions.scene_for_letter(answer, position, answer.seat, view)
    else:
        sentences = position.rules.aids.moves(view, seat, command.said, position.begun)
        block = content.sentence_block(
            msg("What could be ordered in {place}", place=command.said), [(0, sentence) for sentence in sentences]
        )
        if picture_count < _PICTURES:
            picture = positions.scene_with_moves(answer, position, answer.seat, view, command.said)
    answer.blocks.append(block if picture is None else {**block, "picture": picture})


_ROOM = 90
"""Lines of a history with its arithmetic; longer histories leave the arithmetic out, as reports do."""

_MOST_EVENTS = 12
"""Events of a phase that a long history shows in full; of longer phases it shows the outcomes."""

_PLACE = re.compile(r"(?:[^\W_][\w' .-]{0,39})?")
# The number of a rule with up to two letters before it; nothing matches too, for the list of all rules.
# Bounded well above the depth of any rulebook. A choice.
_RULE = re.compile(r"(?:[a-z]{0,2}\d{1,2}(?:\.\d{1,2}){0,5}[a-z]?)?")
# From three letters on, since shorter words are in most rules; up to three words. A choice.
WORDS = re.compile(r"[^\W\d_][\w'-]{2,}(?: [^\W\d_][\w'-]+){0,2}")
"""Argument of RULES other than a number: words to search for."""
RULE_OR_WORDS = re.compile(rf"{_RULE.pattern}|{WORDS.pattern}")
# Up to three words. A choice: names of charts are short.
_CHART = re.compile(r"(?:[\w.-]+ ?){0,3}")


def show_rules(answer: SeatAnswer, command: CommandLine) -> None:
    """Show a rule in full and the rules below it.

    Without a number, list the top-level rules.
    """
    answer.say("answer")
    if not command.rest:
        contents = _rules(answer).rulebook.contents(answer.seat.language)
        answer.blocks.append(_rule_lines(msg("The rules of this game; RULES and a number tells one in full"), contents))
        return
    if _is_number(command):
        answer.blocks += _rule_blocks(answer, _number(command))
        return
    if _asks_for_errata(answer, command):
        rulings = [line for book in _books(answer) for line in book.errata("", answer.seat.language)]
        answer.blocks.append(content.texts(msg("Errata: rulings with their dates"), rulings, whole=True))
        return
    title = msg("Rules on {word}; RULES and a number tells one in full", word=command.said)
    lines = _search_rules(answer, command.rest)
    answer.blocks.append(_rule_lines(title, lines, spare=True))
    if len(lines) == 1:
        answer.blocks += _rule_blocks(answer, lines[0].split()[0])


_ERRATA = frozenset({"errata", "erratas"})
"""Words behind RULES that list all errata."""


def _asks_for_errata(answer: SeatAnswer, command: CommandLine) -> bool:
    """Return whether the errata are requested, and there are some."""
    return fold(command.rest) in _ERRATA and any(book.errata("") for book in _books(answer))


_FEW = 6
"""Rules below another that are shown in full with it: a page or two. If there are more, only their titles are shown."""


def _rule_blocks(answer: SeatAnswer, number: str) -> list[Json]:
    """Return a rule with text, chart and example, and the rules below it.

    Those below are in full if they are few.
    """
    language, full_blocks = answer.seat.language, []
    remaining = dict.fromkeys(_lines_of(answer, number))
    edition = answer.server.edition_of(answer.session, answer.game)
    for place, book in enumerate(_books(answer)):
        book_edition = None if place else edition
        for line in book.rule(number, language):
            name = line.split()[0]
            text = book.full_text(name, language, book_edition) if line in remaining and _is_same(name, number) else ()
            if text:
                del remaining[line]
                full_blocks.append(content.texts(msg("Rule {number}", number=name), ((0, line), *text)))
                full_blocks += _chart_and_example(book, name, language, book_edition)
                if rulings := book.errata(name, language):
                    full_blocks.append(
                        content.texts(msg("Errata of {number}; RULES ERRATA lists all", number=name), rulings)
                    )
    if len(remaining) <= _FEW and full_blocks:
        texts = [(line, book.full_text(line.split()[0], language)) for line in remaining for book in _books(answer)]
        return [*full_blocks, *(content.texts(msg("{line}", line=line), text) for line, text in texts if text)]
    below = (
        msg("Below it; RULES and a number tells one in full") if full_blocks else msg("Rule {number}", number=number)
    )
    return [*full_blocks, _rule_lines(below, remaining, spare=bool(full_blocks))]


def _is_same(name: str, number: str) -> bool:
    """Return whether a wanted number is that of a rule and not of one above it.

    The number may come with or without its letter.
    """
    return name.casefold().lstrip(ascii_lowercase) == number.casefold().lstrip(ascii_lowercase)


def _chart_and_example(book: Rulebook[object], number: str, language: str, edition: object) -> Iterator[Json]:
    """Yield the chart that a rule heads, and its example."""
    if text := book.chart(number, edition):
        yield content.titled_block(msg("Chart {name}", name=number), printed.lines_of(text), spare=True)
    if example := book.example(number, language):
        yield content.texts(msg("Example"), example)


def _rule_lines(title: Msg, lines: Iterable[str], spare: bool = False) -> Json:
    return content.texts(title, ((0, line) for line in lines), spare=spare)


def check_rule(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a number without a rule, or a word that is in no rule."""
    if not command.rest or _asks_for_errata(answer, command):
        return None
    if not _is_number(command) and _search_rules(answer, command.rest):
        return None
    if not _is_number(command):
        reason = msg("No rule of this game speaks of {word}; RULES alone lists them.", word=command.said)
        return command.wrong(reason, command.phrase, word=command.said)
    if _lines_of(answer, _number(command)):
        return None
    reason = msg("There is no rule {number} in this game; RULES alone lists them.", number=_number(command))
    return command.wrong(reason, word=command.said)


def _is_number(command: CommandLine) -> bool:
    return _RULE.fullmatch(command.rest) is not None


def _lines_of(answer: SeatAnswer, number: str) -> tuple[str, ...]:
    """Return a rule and those below it; in a war also by rules of its other parts."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in book.rule(number, language)))


def rule_lines_about(answer: SeatAnswer, words: str) -> tuple[str, ...]:
    """Return the rules about some words, also those of a war's other parts."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in book.about(words, language)))


def _search_rules(answer: SeatAnswer, words: str) -> tuple[str, ...]:
    """Return rules whose lines, or, if few, whose full texts have some words."""
    books, language = _books(answer), answer.seat.language
    return tuple(dict.fromkeys(line for book in books for line in search_rulebook(book, words, language)))


def search_rulebook(book: Rulebook[object], words: str, language: str) -> tuple[str, ...]:
    """Return rules of a book with some words in the line or, if few, anywhere."""
    matches = book.about(words, language)
    return matches if len(matches) > _FEW // 2 else tuple(dict.fromkeys((*matches, *book.mentions(words, language))))


def _books(answer: SeatAnswer) -> Sequence[Rulebook[object]]:
    """Return the rulebook of the game, and in a war those of its other parts."""
    systems = [answer.game.system]
    if (course := war_progress.war_progress_of(answer, answer.game.id)) is not None:
        systems += [system for system in (chain.CAMP, course.war.system) if system not in systems]
    return [answer.server.plugins.games(system).rulebook for system in systems]


def _number(command: CommandLine) -> str:
    """Return a rule's number as rules write it: C8.1.6, R22a."""
    return command.rest[:-1].upper() + command.rest[-1]


def show_chart(answer: SeatAnswer, command: CommandLine) -> None:
    """Show a chart of this game's edition, or the names of all charts.

    A rule that is no chart is shown as it is.
    """
    answer.say("answer")
    edition = answer.server.edition_of(answer.session, answer.game)
    text = find_chart(answer, command.rest, edition) if command.rest else None
    if command.rest and text is None:
        rule_lines = _lines_of(answer, _number(command))
        answer.blocks.append(_rule_lines(msg("Rule {number}", number=_number(command)), rule_lines))
    elif text is None:
        book = _rules(answer).rulebook
        texts = [(name.split(" ")[0], book.chart(name.split(" ")[-1], edition) or "") for name in book.charts()]
        titles = [msg("{name}: {title}", name=name, title=printed.title_of(text)) for name, text in texts]
        answer.blocks.append(content.titled_block(msg("The charts of this game"), titles))
    else:
        answer.blocks.append(
            content.titled_block(msg("Chart {name}", name=command.said), printed.lines_of(text), spare=True)
        )


def check_chart(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a name of no chart and no rule; suggest similar charts."""
    rules = _rules(answer)
    if not command.rest or find_chart(answer, command.rest) is not None:
        return None
    if _is_number(command) and _lines_of(answer, _number(command)):
        return None
    names = {word: word for title in _chart_titles(answer) for word in title.split() if len(word) > 3}
    names |= {word.casefold(): word for name in rules.rulebook.charts() for word in name.split()}
    suggestions = [f"{command.phrase} {names[word]}" for word in close_matches(command.rest, names, n=3)]
    return command.wrong(
        msg("There is no chart {name}; CHART alone lists them all.", name=command.said), *suggestions, word=command.said
    )


def find_chart(answer: SeatAnswer, name: str, edition: object = None) -> str | None:
    """Return a chart by name, or by the number of its rule or one below it.

    A chart is also named by the number of its rule or of a rule below it, such as C10a. None if no chart is meant.
    """
    book, titles = _rules(answer).rulebook, _chart_titles(answer)
    charts = [titles[name]] if name in titles else [chart for title, chart in titles.items() if name in title.split()]
    if len(charts) == 1 and book.chart(name) is None:
        name = charts[0]
    while (text := book.chart(name, edition)) is None and (match := _BELOW.fullmatch(name)):
        name = match[1]
    return text


def _chart_titles(answer: SeatAnswer) -> dict[str, str]:
    """Return a game's charts by title, folded, in the reader's language."""
    book, words = _rules(answer).rulebook, load_catalogue(answer.seat.language, answer.game.system)
    names = [name.split(" ")[-1] for name in book.charts()]
    return {fold(words.say(printed.title_of(book.chart(name) or ""))): name for name in names}


_BELOW = re.compile(r"([a-z]{1,2}\d{1,2}(?:\.\d{1,2})*)(?:[a-z]|\.\d{1,2})")
"""The number of a rule, split into the rule above it and the rest."""


def show_history(answer: SeatAnswer, command: CommandLine) -> None:
    """Show what the seat saw in some turns, by phase.

    By default it is the last turn with a resolved phase.
    """
    position = answer.require_position()
    if position is None:
        return
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    ruling_texts = ruling_lines.ruling_history(answer.session, answer.game, *_ruling_turns(command, resolved))
    if not resolved and not ruling_texts:
        answer.say("answer", msg("There is no history yet: nothing has happened."))
        return
    first, last = _wanted_turns(command, resolved)
    seen_phases = [
        (phase, history.report_entries(answer, answer.game, phase, answer.seat.name)[0])
        for phase in resolved
        if first <= phase.turn <= last
    ]
    answer.say("answer")
    is_complete = _count_lines(seen_phases, details=True) <= _ROOM
    if not is_complete:
        answer.opening.append(msg("Arithmetic and dice are shortened."))
    for phase, entries in seen_phases:
        title = msg("Turn {turn}, {phase}", turn=phase.turn, phase=phase.name)
        # Of one turn everything is told: reports refer to it for what they leave out.
        is_whole = is_complete or first == last
        lines = forecast.entries_to_lines(entries, details=is_complete) if is_whole else shorten_history(entries)
        answer.blocks.append(
            content.sentence_block(title, lines or [(0, msg("Nothing that you saw."))], not is_complete)
        )
    answer.blocks += _correction_blocks(answer, position, first, last)
    answer.blocks += [
        press.press_block(answer.session, row)
        for row in press.press_of_turns(answer.session, answer.game, answer.seat, first, last)
    ]
    answer.blocks += [content.sentence_block(msg("Rulings"), ruling_texts)] if ruling_texts else []


def _wanted_turns(command: CommandLine, resolved: Sequence[tables.Phase]) -> tuple[int, int]:
    """Return the first and last turn of a history request.

    By default it is the last turn with a resolved phase.
    """
    return _span(command.rest) if command.rest else (resolved[-1].turn, resolved[-1].turn) if resolved else (0, 0)


def _ruling_turns(command: CommandLine, resolved: Sequence[tables.Phase]) -> tuple[int, int]:
    """Return the turns whose rulings belong to a history.

    The first turn includes rulings before it; without turns all later rulings are included.
    """
    first, last = _wanted_turns(command, resolved)
    return first if first > 1 else 0, last if command.rest else ruling_lines.EVER


def check_history(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse turns without a resolved phase."""
    resolved = queries.phases.resolved_phases(answer.session, answer.game.id)
    if not command.rest or not resolved:
        return None
    first, last = _span(command.rest)
    if any(first <= phase.turn <= last for phase in resolved):
        return None
    reason = msg("Nothing is over of those turns; the last that can be told is turn {turn}.", turn=resolved[-1].turn)
    return command.wrong(reason, f"{command.phrase} T{resolved[-1].turn}", word=command.said)


def shorten_history(entries: Sequence[Entry]) -> list[tuple[int, Msg]]:
    """Return a phase's outcomes; the rest of a long history is only counted."""
    without_outcome = [number for number, entry in enumerate(entries, 1) if not entry.outcomes]
    if len(entries) <= _MOST_EVENTS or len(without_outcome) == len(entries):
        return forecast.entries_to_lines(entries, details=False)
    lines = [
        line
        for number, entry in enumerate(entries, 1)
        if entry.outcomes
        for line in forecast.entries_to_lines((entry,), details=False, first=number)
    ]
    if without_outcome:
        lines.append(
            (
                0,
                msg(
                    "(Left out for brevity: {numbers}. WHY and a number shows one.)",
                    numbers=number_ranges(without_outcome),
                ),
            )
        )
    return lines


def _count_lines(seen_phases: Sequence[tuple[tables.Phase, Sequence[Entry]]], details: bool) -> int:
    """Return the approximate number of lines of a history."""
    texts = [line for _, entries in seen_phases for _, line in forecast.entries_to_lines(entries, details)]
    return 2 * len(seen_phases) + sum(1 + len(plain_english(line)) // 62 for line in texts)


def _rules(answer: SeatAnswer) -> AnyGame:
    return answer.server.rules_of(answer.game)


def _turns(rest: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", rest)]


def _span(rest: str) -> tuple[int, int]:
    turns = sorted(_turns(rest))
    return turns[0], turns[-1]


def _correction_blocks(answer: SeatAnswer, position: Position, first: int, last: int) -> list[Json]:
    """Return rulings' corrections that the seat saw in some turns, and void phases."""
    blocks = []
    for step in history.line_of_play(answer.session, answer.game):
        if isinstance(step, tables.Basis) and step.events != "[]":
            state = history.state_after(answer, answer.game, step.after)
            turn = position.rules.phase(state)
            entries = history.correction_entries(position.rules, answer.seat.name, state, history.corrections_at(step))
            if turn is not None and first <= turn[1] <= last and entries:
                title = msg("What is corrected by ruling M{ruling}", ruling=step.ruling)
                blocks.append(content.sentence_block(title, forecast.entries_to_lines(entries)))
    rows = [row for row in queries.phases.void_phases(answer.session, answer.game.id) if row.events_digest is not None]
    void_lines = [
        (0, msg("{phase}: void by ruling M{ruling}", phase=str(outbox.phase_of(row)), ruling=row.void_by))
        for row in rows
        if first <= row.turn <= last
    ]
    if void_lines:
        title = msg("What is void; RESEND and the turn sends its reports again")
        blocks.append(content.sentence_block(title, void_lines))
    return blocks


COMMANDS = (
    LetterCommand(
        CommandForm("map", ("MAP", "MAPA"), _WHEN, "MAP T1", "MAPA T1"),
        show_map,
        check=check_map,
        help=(
            msg(
                "MAP, MAP T2, MAP T2.spain: the map now, as turn 2 began, after a phase. MOVES, MOVES place: your ways."
            ),
        ),
        often=RateLimit(letter=3),
    ),
    LetterCommand(
        CommandForm("moves", ("MOVES", "MOVIMIENTOS"), _MAP_PLACE, "MOVES place", "MOVIMIENTOS lugar"),
        show_moves,
        often=RateLimit(letter=10),
    ),
    LetterCommand(
        CommandForm("history", ("HISTORY", "HISTORIA"), TURNS_ARGUMENT, "HISTORY T1-T2", "HISTORIA T1-T2"),
        show_history,
        check=check_history,
        help=(msg("HISTORY, HISTORY T1-T3: what you saw happen in the last turn, or in those."),),
        often=RateLimit(letter=2),
    ),
)

CHART_COMMANDS = (
    LetterCommand(
        CommandForm("chart", ("CHART", "CHARTS", "TABLA"), _CHART, "CHART name", "TABLA nombre"),
        show_chart,
        check=check_chart,
        often=RateLimit(letter=5),
        fits=lambda answer: bool(_rules(answer).rulebook.charts()),
    ),
)
