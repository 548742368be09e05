"""All checks of a game as a list of functions, for a test file of ten lines::

PROOF = Proof(laws(GAME, WORDS, SHELF), "dusk_game:GAME", SHELF, cases=Path(__file__).parent / "cases", twin=twin)

@pytest.mark.parametrize("check", checks(PROOF), ids=str)
def test_dusk(check):
    check()
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pbem.engine.cases import run_case, split
from pbem.engine.game import Game
from pbem.engine.members import missing
from pbem.engine.orders.lex import Vocabulary
from pbem.engine.shelf import Shelf
from pbem.engine.terms import Orders
from pbem.engine.testing.fog import Twin, followed, known_alike, untold
from pbem.engine.testing.forms import players
from pbem.engine.testing.games import Brief, played
from pbem.engine.testing.laws import Broken, GameLaws, no_law
from pbem.engine.testing.mutants import Case, Workshop, hunt
from pbem.engine.testing.numbers import numbers_of, uncovered, unlisted
from pbem.engine.testing.replayed import differences


def never(before: Any, after: Any, seat: str) -> bool:
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
    def game(self) -> Game:
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


def laws(game: Game, words: Vocabulary, shelf: Shelf, options: Mapping[str, tuple[str, ...]] | None = None) -> GameLaws:
    """Return the laws of a game by its shipped scenarios; its own, of each step, are put in with ``_replace``."""
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


def _given(by: GameLaws, state: Any, seat: str, at: int) -> dict[str, Orders]:
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
