"""List all checks of a game as functions, for a test file of ten lines::

PROOF = Proof(laws(GAME, WORDS, SHELF), "dusk_game:GAME", SHELF, cases=Path(__file__).parent / "cases", twin=twin)

@pytest.mark.parametrize("check", checks(PROOF), ids=str)
def test_dusk(check):
    check()
"""

from __future__ import annotations

import ast
import random
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from pbem.engine.cases import run_case, split_cases
from pbem.engine.classes_of_1_0 import as_game
from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame, missing_functions
from pbem.engine.game_files import GameFiles
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.run.runners import Dice, advance
from pbem.engine.run.steps import Did, World
from pbem.engine.terms import Orders
from pbem.engine.testing.games import Brief, differences, play_phases, players
from pbem.engine.testing.laws import LANGUAGES, GameLaws, LawViolation, SeededDice, allow_every_step
from pbem.engine.testing.mutants import Case, Workshop, hunt

Twin = Callable[[Any, str, random.Random], Any]
"""From a position, a seat and luck to the position with what the seat cannot see changed; None if nothing is hidden."""


def outputs_for(game: AnyGame, state: object, seat: str, text: str) -> dict[str, Any]:
    """Return all texts and data made for a seat in a position, by name."""
    view = game.view(state, seat)
    reading = game.parse(text, view, seat)
    return {
        "the view": dumps(game.encode(view)),
        "the form": [game.aids.template(view, seat, language) for language in LANGUAGES],
        "the report": dumps(game.telling.report(view, seat, []).to_json()),
        "how the game stands": dumps(game.telling.stakes(view, seat, []).to_json()),
        "what counts": game.telling.winning(view, seat),
        "the map": game.telling.text_map(view, seat),
        "its picture": game.pictured.picture(view, seat, ()).to_json() if game.pictured else None,
        "its places": game.aids.places(view, seat),
        "what is read": (reading, game.canon(reading.orders)),
        "what is refused": game.check(view, seat, reading.orders),
        "second thoughts": game.aids.review(view, seat, reading.orders),
    }


def compare_twins(game: AnyGame, both: tuple[object, object], seat: str, text: str) -> None:
    """Compare a position with its twin.

    Raises LawViolation with the difference that the seat can see. `text` is the seat's letter.
    """
    first, second = (outputs_for(game, state, seat, text) for state in both)
    for name, output in first.items():
        if output != second[name]:
            raise LawViolation(f"{name} of {seat} changes with what {seat} cannot see:\n{output}\n{second[name]}")


PositionAndOrders = tuple[Any, dict[str, Orders]]
"""A position, and the orders of all seats in it."""


def check_untold(game: AnyGame, both: tuple[PositionAndOrders, PositionAndOrders], seat: str) -> int:
    """Play a phase from two positions that look the same.

    The orders of other seats differ. Whenever the seat knows the same before and after a step in both, its events
    must be the same. Returns the number of steps.
    """
    dice, count = SeededDice(b"7" * 64), 0
    worlds = [game.world(state, orders) for state, orders in both]
    while all(world.agenda for world in worlds):
        (first, seen), (second, seen_there) = (
            step(game, world, seat, orders, dice) for world, (_, orders) in zip(worlds, both, strict=True)
        )
        if game.encode(game.view(first.state, seat)) != game.encode(game.view(second.state, seat)):
            break
        if seen != seen_there:
            raise LawViolation(f"{seat} is told of what it does not see: {seen} / {seen_there}")
        worlds, count = [first, second], count + 1
    return count


def step(game: AnyGame, world: World[Any], seat: str, orders: dict[str, Orders], dice: Dice) -> tuple[Any, list[str]]:
    """Return the world after one step, and the events seen.

    Raises LawViolation for a leak.
    """
    moment = advance(game.rules, world, dice, game.decisions(world.state, orders, {}))
    state, seen = world.state, list[str]()
    happenings: Sequence[Event] = moment.outcome.events if isinstance(moment.outcome, Did) else ()
    for happened in happenings:
        visible = game.see(happened, seat, state)
        if visible is not None and happened.seen_by is not None and seat not in happened.seen_by:
            raise LawViolation(f"{seat} sees what is for {', '.join(happened.seen_by)}: {happened}")
        state = game.rules.apply(state, happened)
        seen += [dumps(visible.to_json())] if visible else []
    return moment.world, seen


def check_same_view(
    game: AnyGame,
    both: tuple[object, object],
    seat: str,
    orders: dict[str, Orders],
    wider: Callable[[object, object, str], bool],
) -> int:
    """Play a phase in both positions while the seat sees the same.

    Its views must stay equal. `wider` returns whether the seat sees more than before: only then may a difference
    show without an event. Returns the number of events seen.
    """
    dice, count = SeededDice(b"7" * 64), 0
    worlds = [game.world(state, orders) for state in both]
    while all(world.agenda for world in worlds):
        before = worlds[0].state
        (first, seen), (second, seen_there) = (step(game, world, seat, orders, dice) for world in worlds)
        if seen != seen_there:
            break
        if game.encode(game.view(first.state, seat)) != game.encode(game.view(second.state, seat)):
            if not wider(before, first.state, seat):
                raise LawViolation(f"the view of {seat} tells two positions apart after it saw the same happen: {seen}")
            break
        worlds, count = [first, second], count + len(seen)
    return count


# The rule numbers are one spine: the list of rules, the code, the charts, events and cases carry the same ones.


# Numbers of rules in rulebooks and tests: at the head of a line, cited with a range, and alone.
_LINE = re.compile(r"(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)  (?P<words>\S.*)")
_NAMED = re.compile(r"\b(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)(?:-(?P<last>\d+)\b)?")
_NUMBER = re.compile(r"[A-Z]\d+(?:\.\d+)*[a-z]?")


def rule_list(files: GameFiles, language: str = "en") -> dict[str, str]:
    """Return the words of the rules in rules.txt by number.

    Raise ValueError for a line that does not begin with a number.
    """
    rules: dict[str, str] = {}
    file = "rules.txt" if language == "en" else f"rules.{language}.txt"
    for number, line in enumerate(files.text(file).splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None or match["number"] in rules:
            raise ValueError(f"{file}:{number}: a line reads NUMBER, two blanks, words, each number once: {line!r}")
        rules[match["number"]] = match["words"]
    return rules


def numbers_of(files: GameFiles) -> frozenset[str]:
    """Return the numbers in rules.txt."""
    return frozenset(rule_list(files))


def of_charts(files: GameFiles) -> frozenset[str]:
    """Return the numbers of the modifiers in the charts."""
    return frozenset(item.rule for chart in files.charts({}).values() for item in chart.modifiers)


def named_by(text: str) -> frozenset[str]:
    """Return the rule numbers in a text; ``O8.8.2-3`` has two."""
    numbers = set()
    for match in _NAMED.finditer(text):
        stem, _, first = match["number"].rpartition(".")
        if match["last"] and first.isdigit():
            numbers |= {f"{stem}.{n}" for n in range(int(first), int(match["last"]) + 1)}
        else:
            numbers.add(match["number"])
    return frozenset(numbers)


def uncovered_rules(files: GameFiles, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return the rules and modifiers that no case or lookup is named after."""
    covered = {number for title, _, _ in cases for number in named_by(title)}
    return tuple(sorted((numbers_of(files) | of_charts(files)) - covered))


def cited_in_code(folder: Traversable) -> frozenset[str]:
    """Return the numbers that are whole string literals in the code."""
    return frozenset(
        node.value
        for text in _sources(folder)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NUMBER.fullmatch(node.value)
    )


def _sources(folder: Traversable) -> Iterator[str]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _sources(file)
        elif file.name.endswith(".py"):
            yield file.read_text(encoding="utf-8")


def unlisted_numbers(files: GameFiles, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return the numbers in code, charts and case titles that rules.txt lacks."""
    letters = {number[0] for number in numbers_of(files)}
    heads = {chart.rule for chart in files.charts({}).values()}
    used = {number for title, _, _ in cases for number in named_by(title)} | cited_in_code(files.folder)
    listed_numbers = numbers_of(files) | of_charts(files)
    return tuple(sorted({*heads, *(number for number in used if number[0] in letters)} - listed_numbers))


def never(before: object, after: object, seat: str) -> bool:
    """Return False: without an event a seat never sees more."""
    return False


@dataclass(frozen=True)
class Proof:
    """The data for all checks of a game.

    `where` is the game as its entry point has it; `cases` a folder of rule cases. `twin` changes hidden data of a
    seat and is None in a game without secrets; `wider` returns whether a seat sees more than before without an
    event. The `workshop` makes the mutants. `games` is the number of games played; phases that break a law are
    written to `crashes`.
    """

    laws: GameLaws
    where: str
    shelf: GameFiles
    cases: Path
    twin: Twin | None = None
    wider: Callable[[Any, Any, str], bool] = never
    workshop: Workshop | None = None
    games: int = 3
    crashes: Path = Path("build/crashes")

    @property
    def game(self) -> AnyGame:
        """Return the game."""
        return self.laws.game


class Check(NamedTuple):
    """A check with its name; calling it raises AssertionError if the game fails."""

    name: str
    run: Callable[[Proof], None]
    proof: Proof

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> None:
        self.run(self.proof)


def laws(
    game: object, words: Vocabulary, files: GameFiles, options: Mapping[str, tuple[str, ...]] | None = None
) -> GameLaws:
    """Return a game's laws by its scenarios; add its own step law with ``_replace``."""
    game = as_game(game)
    return GameLaws(
        game, words, allow_every_step, players(game), tuple(game.editions()), options or {}, numbers_of(files)
    )


def checks(proof: Proof) -> list[Check]:
    """Return all possible checks: mutants only with a workshop, fog only with a twin."""
    runs: dict[str, Callable[[Proof], None]] = {
        "members": _members,
        "laws": _laws,
        "replay": _replay,
        "cases": _cases,
        "numbers": _numbers,
    }
    if (twin := proof.twin) is not None:
        runs["fog"] = lambda proof: _fog(proof, twin)
    if (workshop := proof.workshop) is not None:
        runs["mutants"] = lambda proof: _mutants(proof, workshop)
    return [Check(name, run, proof) for name, run in runs.items()]


def cases_in(folder: Path) -> list[Case]:
    """Return all cases of a folder, including look-ups."""
    return cases_of(sorted(folder.glob("*.toml")))


def cases_of(files: Iterable[Path]) -> list[Case]:
    """Return all cases of these files, including look-ups, each with its file."""
    tables = [tomllib.loads(path.read_text("utf-8")) for path in files]
    return [(title, file, case) for file in tables for title, case in split_cases(file)]


def _members(proof: Proof) -> None:
    _check_none(missing_functions(proof.game), "missing")


def _laws(proof: Proof) -> None:
    """Play games to check letters, canonical text and reproducible phases."""
    for seed in range(proof.games):
        for _ in play_phases(proof.laws, seed, proof.crashes):
            pass


def _phases(proof: Proof) -> Iterator[tuple[Brief, Any]]:
    for seed in range(proof.games):
        for brief, done in play_phases(proof.laws, seed, proof.crashes):
            yield brief, done.states[-1]


def _replay(proof: Proof) -> None:
    _check_none(differences(proof.where, [brief for brief, _ in _phases(proof)]), "a phase cannot be replayed")


def _cases(proof: Proof) -> None:
    cases = cases_in(proof.cases)
    if not cases:
        raise LawViolation(f"there are no cases in {proof.cases}")
    failures = [f"{title}: {failure}" for title, file, case in cases for failure in run_case(proof.game, file, case)]
    _check_none(failures, "cases fail")


def _numbers(proof: Proof) -> None:
    cases = cases_in(proof.cases)
    _check_none(uncovered_rules(proof.shelf, cases), "rules without a case")
    _check_none(unlisted_numbers(proof.shelf, cases), "numbers that rules.txt does not have")


def _fog(proof: Proof, twin: Twin) -> None:
    """Compare two positions that look the same to a seat, before and through a phase."""
    game, hidden_count = proof.game, 0
    for number, (brief, _) in enumerate(_phases(proof)):
        state, luck = brief.position.state, random.Random(number)
        for seat in game.seats(state):
            other = twin(state, seat, luck)
            if other is None:
                continue
            hidden_count += 1
            view = game.view(state, seat)
            text = brief.letters.get(seat, "")
            compare_twins(game, (state, other), seat, text)
            orders = {name: Orders() for name in game.seats(state)} | {seat: game.parse(text, view, seat).orders}
            check_same_view(game, (state, other), seat, orders, proof.wider)
            both = [(position, _orders_of_others(proof.laws, position, seat, number)) for position in (state, other)]
            check_untold(game, (both[0], both[1]), seat)
    if not hidden_count:
        raise LawViolation("nothing was ever hidden from anybody: the twin shows nothing")


def _orders_of_others(game_laws: GameLaws, state: object, seat: str, seed: int) -> dict[str, Orders]:
    """Return the orders of all other seats in a position."""
    game, pick = game_laws.game, random.Random(seed).randrange
    orders = {name: Orders() for name in game.seats(state)}
    for name in orders:
        view = game.view(state, name)
        if name != seat:
            orders[name] = game.parse(game_laws.bots[min(game_laws.bots)](view, name, pick), view, name).orders
    return orders


def _mutants(proof: Proof, workshop: Workshop) -> None:
    """Check that a case notices every changed number and ruling."""
    results = list(hunt(workshop, cases_in(proof.cases)))
    _check_none([result.mutant for result in results if not result.caught_by], "no case notices")


def _check_none(wrong: Any, what: str) -> None:
    if wrong:
        raise LawViolation(f"{what}: " + "; ".join(wrong))
