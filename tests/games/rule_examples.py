"""The worked examples of the rulebooks: rule cases as a player reads them, run and told by the game itself.

python -m tests.games.rule_examples [GAME ...] writes book/examples.jsonl and book/examples.es.jsonl anew.

Of each rule the case is taken that tells it in the fewest lines, or the one that `CHOSEN` names. Every number of an
example comes from the case or from what the engine made of it; `test_rulebook.py` runs all of them and compares.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pbem.cli.printing import PrintedGame, PrintedReport, report_parts
from pbem.cli.rulebooks import game_by_name
from pbem.engine.cases import CaseFailed, CaseOutcome, play_case
from pbem.engine.orders.doctrine import owner_of, without_owner
from pbem.engine.terms import ONLOOKER
from pbem.engine.testing.checks import named_by, rule_list
from pbem.games.africa1860 import edition as africa1860
from pbem.games.camp import game as camp
from pbem.games.peninsular import edition as peninsular
from pbem.letters.catalogue import load_catalogue
from pbem.pages.printed import Grid, Happenings, Heading
from tests.games import war_examples

SHELVES = {"africa1860": africa1860.GAME_FILES, "peninsular": peninsular.GAME_FILES, "camp": camp.GAME_FILES}
GAMES = (*SHELVES,)
LANGUAGES = ("en", "es")
MOST = 22
"""Lines that an example may have; a longer one is cut to those that cite its rule, and those above them."""
BELOW = "- "
"""What stands before a line that belongs to the one above."""
FOLDER = Path(__file__).parent
CHOSEN: Mapping[str, Mapping[str, str]] = {
    "africa1860": {
        "O2": "O2 spaces are activated one after another, in the order written",
        "O3.3": "O3.3 the caracole: fire, take fire, fall back on friends",
        "O4": "O4 an interception by charge throws the entering stack back",
        "O7.1.2": "C6 a group adds its coins before the woods take one",
        "O7.1.6": "R10 artillery and train are among the units drawn",
        "O8": "O8 the steps of an assault come in their order",
        "O8.4.1": "O8.4.1 cavalry stays unless told otherwise, sheltered, and its steps count",
        "O8.4": "O8.4.2 caracole and away: who has left does not share the shock",
        "O8.8": "O8.8 the defender's best leader adds his assault bonus",
        "O8.8.2": "O8.8.2 half the defender's steps, rounded down, and the difference of the dice as thrown",
        "O8.8.7": "O8.8.7 a leader who fails his check is a casualty",
        "O8.8.8": "O8.8.8 a victorious leader is lost on a 6",
        "O9": "O9 a leader lost in turn 1 is replaced in turn 3",
        "C0": "C0 loss_basis defender-vanguard halves the defending vanguard alone",
        "C4": "C4 the leader's morale bonus helps",
        "C6": "C6 three heads are a step and a check",
        "C7": "C7 the best leader there helps",
        "C8": "C8 a difference of 3: the loser loses two",
        "C8.1": "C8.1 ground and edge add up: a town across a ford",
        "C9": "C9 among friends the nearest to a rear town",
        "C10": "C10 the default screen is the light foot with the most coins",
        "C10a": "C10a what an attacker leaves out is the default doctrine's",
        "R4": "R4 two spaces off by the way that is free",
        "R7": "R7 one interception an entry, though two would",
        "R9": "R9 Spanish guns that have fired fire once more at an assault on their space",
        "R13": "R13 a leader left behind in the origin helps the attackers' checks",
        "R16": "R16 the best unit left takes over, by assault, then steps, then id",
        "R22a": "R22a then space by space in the order of their ids",
        "R24": "R24 guns count among the defender's steps, trains do not",
    },
    "peninsular": {
        "S3": "S3 who turns in his hex turns those who share it, and they pay",
        "S5": "S5 LED BY decides whose will counts",
        "S6": "S6 charged infantry that holds forms square",
        "S7": "S7 skirmishers and disordered fire with half, up",
        "S13": "S13 a commander's hex suffers a loss by fire: he is lost on 2",
        "T2": "S10 a rally that fails routs the disordered",
        "T6": "T6 AR2: the attackers retreat and test, unlimbered guns of the stack are lost",
        "S8": "T9.3 British cavalry is harder to hold; T9.5 and S8 it attacks again, then is spent",
        "T3": "T3 one battalion in wood and city, no guns in dense wood, three batteries alone",
        "T9": "T9.2 a charge makes control harder",
    },
    "camp": {
        "K0.1": "K0.1 who gives up two running has lost the war",
        "K1.2": "K1.2 whom the file names stands in for a leader who was lost",
        "K2": "K2 three steps in four come back, each to the unit that lacks most, of equals to the last by id",
        "K4": "K4 REBUILD brings a broken unit back at half its full, rounded up",
        "K5": "K5 cholera on a 2 takes a step of the largest, of equals of the last by id",
        "K6": "K6 scouts see on a 4",
        "K7": "K7 a battle's margin counts six at most",
    },
}
"""By game and rule the title of the case that shows it best."""
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "case": "{title}.",
        "orders": "Orders of {side}: {text}",
        "standing": "Standing orders of {side}: {text}",
        "refused": "Refused, line {line}: {why}",
        "turn": "Turn {turn}.",
        "lost": "{side} lost {unit} in turn {turn}.",
    },
    "es": {
        "case": "Ejemplo {number}.",
        "orders": "Órdenes de {side}: {text}",
        "standing": "Doctrina de {side}: {text}",
        "refused": "Rechazada la línea {line}: {why}",
        "turn": "Turno {turn}.",
        "lost": "{side} perdió a {unit} en el turno {turn}.",
    },
}


class Told(NamedTuple):
    """A case that was run: where it stands, its title, and what it gave."""

    file: str
    number: int
    title: str
    table: Mapping[str, Any]
    case: Mapping[str, Any]
    state: Any = None
    outcome: CaseOutcome | None = None


@cache
def cases_of(name: str) -> tuple[Told, ...]:
    """Return all cases of a game that can be run, in the order of their files."""
    game, examples = game_by_name(name), []
    for path in sorted((FOLDER / name / "cases").glob("*.toml")):
        file = tomllib.loads(path.read_text("utf-8"))
        for number, case in enumerate(file.get("case", ()), 1):
            row = Told(path.name, number, case.get("title", ""), file, case)
            if "phase" in case:
                try:
                    row = row._replace(**dict(zip(("state", "outcome"), play_case(game, file, case), strict=True)))
                except (CaseFailed, ValueError):
                    continue
            examples.append(row)
    return tuple(examples)


def lines_of(name: str, row: Told, language: str) -> Iterator[str]:
    """Yield an example line by line: the case, who stands where, what is ordered, and what comes of it."""
    words, desk = WORDS[language], PrintedGame(game_by_name(name), load_catalogue(language, name))
    yield words["case"].format(number=row.number, file=row.file, title=row.title)
    if "turn" in row.case:
        yield words["turn"].format(turn=row.case["turn"])
    for side, ident, _, turn in map(str.split, row.case.get("lost", ())):
        yield words["lost"].format(side=desk.words.say(desk.rules.telling.side(side)), unit=ident, turn=turn)
    happened = [*_happenings(desk, row)]
    if name == "camp":
        yield from war_examples.before(row.case, language, _called(desk))
    if happened or name != "camp":
        yield from _forces(desk, row)
    yield from _letters(desk, row, language)
    yield from _refusals(desk, row, language)
    yield from happened
    if name == "camp":
        yield from war_examples.after(row.case, language, _called(desk))


def _called(desk: PrintedGame) -> Callable[[str], str]:
    return lambda side: desk.words.say(desk.rules.telling.side(side))


def _forces(desk: PrintedGame, row: Told) -> Iterator[str]:
    whose = ""
    for part in report_parts(desk, PrintedReport(ONLOOKER, row.state)):
        if isinstance(part, Heading):
            whose = part.text
        elif isinstance(part, Grid):
            for place, units in part.groups:
                yield f"{whose}. {place}: {'; '.join(_unit(part.heads, unit) for unit in units)}"


def _unit(heads: tuple[str, ...], cells: tuple[str, ...]) -> str:
    kind, *rest = cells[1:]
    numbers = [f"{head.lower()} {cell}" for head, cell in zip(heads[2:], rest, strict=True) if cell.strip()]
    return f"{cells[0]} {kind} ({', '.join(numbers)})" if numbers else f"{cells[0]} {kind}"


def _letters(desk: PrintedGame, row: Told, language: str) -> Iterator[str]:
    seats = desk.rules.seats(row.state)
    for kind in ("standing", "orders"):
        for seat, text in row.case.get(kind, {}).items():
            spoken = desk.rules.telling.spoken(text.strip() + "\n", language)
            lines = "; ".join(line.strip() for line in spoken.splitlines() if line.strip())
            side = desk.words.say(desk.rules.telling.side(seats.get(seat, seat)))
            yield WORDS[language][kind].format(side=side, text=re.sub(r"; (END|FIN)\b", "", lines))


def _refusals(desk: PrintedGame, row: Told, language: str) -> Iterator[str]:
    for seat, text in row.case.get("orders", {}).items():
        if desk.rules.cased is None:
            continue
        eyes = desk.rules.cased.eyes(row.state, seat)
        for wrong in desk.rules.parse(text.removeprefix("\n"), eyes, seat).rejected:
            why = f"{desk.words.say(wrong.why)} [{wrong.rule}]"
            yield WORDS[language]["refused"].format(line=wrong.line, why=why)


def _happenings(desk: PrintedGame, row: Told) -> Iterator[str]:
    seen, before = [], row.state
    if row.outcome is None:
        return
    for happened in row.outcome.events:
        by = happened.data.get("by", "")
        known = {**happened.data, "by": without_owner(by)} if isinstance(by, str) and owner_of(by) else happened.data
        seen.append((happened._replace(data=known), before))
        before = desk.rules.rules.apply(before, happened)
    for part in report_parts(desk, PrintedReport(ONLOOKER, row.outcome.state, seen)):
        if isinstance(part, Happenings):
            for number, sentence, rule, below in part.entries:
                yield f"{number}. {sentence} [{rule}]"
                for _, line in below:
                    yield f"{BELOW}{line}"


def cites(line: str, number: str) -> bool:
    """Return whether a line ends with the number of a rule, or with several of which it is one."""
    return re.search(rf"[\[ ]{re.escape(number)}[\],]", line) is not None


@cache
def chosen(name: str, number: str) -> Told | None:
    """Return the case that shows a rule: the one that is named, else the shortest that cites it."""
    wanted = CHOSEN.get(name, {}).get(number, "")
    rows = [row for row in cases_of(name) if row.outcome is not None]
    named = [row for row in rows if row.title == wanted]
    if named:
        return named[0]
    if wanted:
        raise ValueError(f"{name} {number}: there is no case {wanted!r}")
    titled = [row for row in rows if number in named_by(row.title) and "errata" not in row.case]

    def rank(row: Told) -> tuple[bool, bool, bool, int]:
        try:
            lines = [*lines_of(name, row, "en")]
        except KeyError:
            # A victory that a case tells by halves cannot be reported.
            return True, True, True, MOST * MOST
        shown = [line for line in lines[1:] if cites(line, number)]
        refused = all(line.startswith(("Refused", "1. Not")) or ". Not carried out" in line for line in shown)
        return not shown, refused, row.title.split()[0] != number, len(lines)

    return min(titled, key=rank, default=None)


def examples(name: str, language: str) -> dict[str, list[str]]:
    """Return the example of each rule that has one."""
    paragraphs = {}
    for number in rule_list(SHELVES[name]):
        row = chosen(name, number)
        if row is not None:
            lines = [*lines_of(name, row, language)]
            paragraphs[number] = lines if number in CHOSEN.get(name, {}) else shortened(lines, number)
    return paragraphs


def shortened(every: list[str], number: str) -> list[str]:
    """Return the lines of an example, or of one that is too long those up to the last that cites its rule."""
    if len(every) <= MOST:
        return every
    last = max((index for index, line in enumerate(every) if cites(line, number)), default=len(every) - 1)
    return every[: last + 1]


def written(name: str, language: str) -> str:
    """Return the file of a game's examples: a line of JSON a rule."""
    rows = []
    for number, (first, *rest) in examples(name, language).items():
        below = ((2, line.removeprefix(BELOW)) if line.startswith(BELOW) else (1, line) for line in rest)
        rows.append(json.dumps([number, [(0, first), *below]], ensure_ascii=False))
    return "\n".join(rows) + "\n"


def path_of(name: str, language: str) -> Path:
    """Return where the examples of a game are in a language."""
    file = "examples.jsonl" if language == "en" else f"examples.{language}.jsonl"
    return Path(str(SHELVES[name].folder.joinpath("book", file)))


def main(names: Iterable[str]) -> None:
    """Write the examples of games anew."""
    for name in names:
        for language in LANGUAGES:
            path_of(name, language).write_text(written(name, language), "utf-8")
            print(path_of(name, language))


if __name__ == "__main__":
    main(sys.argv[1:] or GAMES)
