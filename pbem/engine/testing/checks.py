"""All checks of a game as a list of functions, for a test file of ten lines::

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

from pbem.engine.cases import run_case, split
from pbem.engine.classes_of_1_0 import as_game
from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame, missing
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.run.runners import Dice, advance
from pbem.engine.run.steps import Did, World
from pbem.engine.shelf import Shelf
from pbem.engine.terms import Orders
from pbem.engine.testing.games import Brief, differences, played, players
from pbem.engine.testing.laws import LANGUAGES, Broken, GameLaws, Thrown, no_law
from pbem.engine.testing.mutants import Case, Workshop, hunt

Twin = Callable[[Any, str, random.Random], Any]
"""From a position, a seat and luck to the position with what the seat cannot see changed; None if nothing is hidden."""


def shown(game: AnyGame, state: object, seat: str, text: str) -> dict[str, Any]:
    """Return all that the house makes for a seat from a position, `text` being what it writes, by what it is."""
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


def known_alike(game: AnyGame, both: tuple[object, object], seat: str, text: str) -> None:
    """Hold a position and its twin against each other; Broken says what shows to the seat."""
    here, there = (shown(game, state, seat, text) for state in both)
    for what, told in here.items():
        if told != there[what]:
            raise Broken(f"{what} of {seat} changes with what {seat} cannot see:\n{told}\n{there[what]}")


Ordered = tuple[Any, dict[str, Orders]]
"""A position and what everybody orders in it."""


def untold(game: AnyGame, both: tuple[Ordered, Ordered], seat: str) -> int:
    """Play a phase from two positions that look the same, others ordering what they like: what is unseen is untold.

    Where the seat knows the same before and after a step, it must have been told the same. Returned is how many steps.
    """
    dice, count = Thrown(b"7" * 64), 0
    worlds = [game.world(state, orders) for state, orders in both]
    while all(world.agenda for world in worlds):
        (one, seen), (two, seen_there) = (
            step(game, world, seat, orders, dice) for world, (_, orders) in zip(worlds, both, strict=True)
        )
        if game.encode(game.view(one.state, seat)) != game.encode(game.view(two.state, seat)):
            break
        if seen != seen_there:
            raise Broken(f"{seat} is told of what it does not see: {seen} / {seen_there}")
        worlds, count = [one, two], count + 1
    return count


def step(game: AnyGame, world: World[Any], seat: str, orders: dict[str, Orders], dice: Dice) -> tuple[Any, list[str]]:
    """One step: the world after it, and what the seat sees happen. Nothing of an event for others is seen."""
    moment = advance(game.rules, world, dice, game.decisions(world.state, orders, {}))
    state, seen = world.state, list[str]()
    happenings: Sequence[Event] = moment.outcome.events if isinstance(moment.outcome, Did) else ()
    for happened in happenings:
        found = game.see(happened, seat, state)
        if found is not None and happened.seen_by is not None and seat not in happened.seen_by:
            raise Broken(f"{seat} sees what is for {', '.join(happened.seen_by)}: {happened}")
        state = game.rules.apply(state, happened)
        seen += [dumps(found.to_json())] if found else []
    return moment.world, seen


def followed(
    game: AnyGame,
    both: tuple[object, object],
    seat: str,
    orders: dict[str, Orders],
    wider: Callable[[object, object, str], bool],
) -> int:
    """Play a phase in both positions while the seat sees the same happen; it must go on knowing the same.

    `wider` says of two positions whether the seat came to see more: only then may a difference show that no event told
    of. Returned is how much was seen.
    """
    dice, count = Thrown(b"7" * 64), 0
    worlds = [game.world(state, orders) for state in both]
    while all(world.agenda for world in worlds):
        before = worlds[0].state
        (one, seen), (two, seen_there) = (step(game, world, seat, orders, dice) for world in worlds)
        if seen != seen_there:
            break
        if game.encode(game.view(one.state, seat)) != game.encode(game.view(two.state, seat)):
            if not wider(before, one.state, seat):
                raise Broken(f"the view of {seat} tells two positions apart after it saw the same happen: {seen}")
            break
        worlds, count = [one, two], count + len(seen)
    return count


# The rule numbers are one spine: the list of rules, the code, the charts, events and cases carry the same ones.


_LINE = re.compile(r"(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)  (?P<words>\S.*)")
_NAMED = re.compile(r"\b(?P<number>[A-Z]\d+(?:\.\d+)*[a-z]?)(?:-(?P<last>\d+)\b)?")
_NUMBER = re.compile(r"[A-Z]\d+(?:\.\d+)*[a-z]?")


def listed(shelf: Shelf, language: str = "en") -> dict[str, str]:
    """Return the rules of rules.txt in a language: their words by number; ValueError for a line that is none."""
    found: dict[str, str] = {}
    file = "rules.txt" if language == "en" else f"rules.{language}.txt"
    for at, line in enumerate(shelf.text(file).splitlines(), 1):
        read = _LINE.fullmatch(line)
        if read is None or read["number"] in found:
            raise ValueError(f"{file}:{at}: a line reads NUMBER, two blanks, words, each number once: {line!r}")
        found[read["number"]] = read["words"]
    return found


def numbers_of(shelf: Shelf) -> frozenset[str]:
    """Return the numbers that stand in rules.txt."""
    return frozenset(listed(shelf))


def of_charts(shelf: Shelf) -> frozenset[str]:
    """Return the numbers of the modifiers in the charts."""
    return frozenset(item.rule for chart in shelf.charts({}).values() for item in chart.modifiers)


def named_by(text: str) -> frozenset[str]:
    """Return the numbers that a text names; ``O8.8.2-3`` names two."""
    found = set()
    for match in _NAMED.finditer(text):
        stem, _, first = match["number"].rpartition(".")
        if match["last"] and first.isdigit():
            found |= {f"{stem}.{n}" for n in range(int(first), int(match["last"]) + 1)}
        else:
            found.add(match["number"])
    return frozenset(found)


def uncovered(shelf: Shelf, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return the rules and modifiers that the title of no case names, nor a look-up."""
    covered = {number for title, _, _ in cases for number in named_by(title)}
    return tuple(sorted((numbers_of(shelf) | of_charts(shelf)) - covered))


def cited_in_code(folder: Traversable) -> frozenset[str]:
    """Return the numbers that stand as whole string literals in the code, which comments and docstrings do not."""
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


def unlisted(shelf: Shelf, cases: Iterable[Case]) -> tuple[str, ...]:
    """Return what code, charts and titles of cases speak of by number and rules.txt does not have."""
    letters = {number[0] for number in numbers_of(shelf)}
    heads = {chart.rule for chart in shelf.charts({}).values()}
    named = {number for title, _, _ in cases for number in named_by(title)} | cited_in_code(shelf.folder)
    known = numbers_of(shelf) | of_charts(shelf)
    return tuple(sorted({*heads, *(number for number in named if number[0] in letters)} - known))


def never(before: object, after: object, seat: str) -> bool:
    """A seat never comes to see more but by an event."""
    return False


@dataclass(frozen=True)
class Proof:
    """What a game is held to.

    `where` is the game as its entry point has it; `cases` a folder of rule cases. `twin` changes what a seat cannot see
    and is None in a game that hides nothing; `wider` tells where a look shows more. Mutants are made in the `workshop`.
    `games` so many are played; what breaks a law lies in `crashes` afterwards.
    """

    laws: GameLaws
    where: str
    shelf: Shelf
    cases: Path
    twin: Twin | None = None
    wider: Callable[[Any, Any, str], bool] = never
    workshop: Workshop | None = None
    games: int = 3
    crashes: Path = Path("build/crashes")

    @property
    def game(self) -> AnyGame:
        """The game."""
        return self.laws.game


class Check(NamedTuple):
    """A check with its name; called, it raises AssertionError if the game fails it."""

    name: str
    run: Callable[[Proof], None]
    proof: Proof

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> None:
        self.run(self.proof)


def laws(
    game: object, words: Vocabulary, shelf: Shelf, options: Mapping[str, tuple[str, ...]] | None = None
) -> GameLaws:
    """Return the laws of a game by its shipped scenarios; its own, of each step, are put in with ``_replace``."""
    game = as_game(game)
    return GameLaws(game, words, no_law, players(game), tuple(game.editions()), options or {}, numbers_of(shelf))


def checks(proof: Proof) -> list[Check]:
    """Return every check that the proof allows: the mutants only with a workshop, the fog only with a twin."""
    found: dict[str, Callable[[Proof], None]] = {
        "members": _members,
        "laws": _laws,
        "replay": _replay,
        "cases": _cases,
        "numbers": _numbers,
    }
    if (twin := proof.twin) is not None:
        found["fog"] = lambda proof: _fog(proof, twin)
    if (workshop := proof.workshop) is not None:
        found["mutants"] = lambda proof: _mutants(proof, workshop)
    return [Check(name, run, proof) for name, run in found.items()]


def cases_in(folder: Path) -> list[Case]:
    """Return all cases of a folder, look-ups among them."""
    return cases_of(sorted(folder.glob("*.toml")))


def cases_of(files: Iterable[Path]) -> list[Case]:
    """Return all cases of these files, look-ups among them, each with the file it stands in."""
    read = [tomllib.loads(path.read_text("utf-8")) for path in files]
    return [(title, file, case) for file in read for title, case in split(file)]


def _members(proof: Proof) -> None:
    _none(missing(proof.game), "missing")


def _laws(proof: Proof) -> None:
    """Games in which letters are read, canonical text is a fixed point, and phases come out the same in every way."""
    for seed in range(proof.games):
        for _ in played(proof.laws, seed, proof.crashes):
            pass


def _phases(proof: Proof) -> Iterator[tuple[Brief, Any]]:
    for seed in range(proof.games):
        for brief, done in played(proof.laws, seed, proof.crashes):
            yield brief, done.states[-1]


def _replay(proof: Proof) -> None:
    _none(differences(proof.where, [brief for brief, _ in _phases(proof)]), "a phase cannot be replayed")


def _cases(proof: Proof) -> None:
    found = cases_in(proof.cases)
    if not found:
        raise Broken(f"there are no cases in {proof.cases}")
    wrong = [f"{title}: {said}" for title, file, case in found for said in run_case(proof.game, file, case)]
    _none(wrong, "cases fail")


def _numbers(proof: Proof) -> None:
    found = cases_in(proof.cases)
    _none(uncovered(proof.shelf, found), "rules without a case")
    _none(unlisted(proof.shelf, found), "numbers that rules.txt does not have")


def _fog(proof: Proof, twin: Twin) -> None:
    """Two positions that look the same to a seat, before a phase and through it."""
    game, hidden = proof.game, 0
    for at, (brief, _) in enumerate(_phases(proof)):
        state, luck = brief.position.state, random.Random(at)
        for seat in game.seats(state):
            other = twin(state, seat, luck)
            if other is None:
                continue
            hidden += 1
            view = game.view(state, seat)
            text = brief.letters.get(seat, "")
            known_alike(game, (state, other), seat, text)
            orders = {name: Orders() for name in game.seats(state)} | {seat: game.parse(text, view, seat).orders}
            followed(game, (state, other), seat, orders, proof.wider)
            both = [(one, _given(proof.laws, one, seat, at)) for one in (state, other)]
            untold(game, (both[0], both[1]), seat)
    if not hidden:
        raise Broken("nothing was ever hidden from anybody: the twin shows nothing")


def _given(by: GameLaws, state: object, seat: str, at: int) -> dict[str, Orders]:
    """What all but a seat order in a position."""
    game, pick = by.game, random.Random(at).randrange
    orders = {name: Orders() for name in game.seats(state)}
    for name in orders:
        view = game.view(state, name)
        if name != seat:
            orders[name] = game.parse(by.bots[min(by.bots)](view, name, pick), view, name).orders
    return orders


def _mutants(proof: Proof, workshop: Workshop) -> None:
    """Every number and ruling changed by one is noticed by a case."""
    found = list(hunt(workshop, cases_in(proof.cases)))
    _none([one.mutant for one in found if not one.caught_by], "no case notices")


def _none(wrong: Any, what: str) -> None:
    if wrong:
        raise Broken(f"{what}: " + "; ".join(wrong))
