"""Golden turns: whole phases kept as folders, made again by every test run and compared byte for byte.

::

    tests/games/GAME/golden/NAME/
        state.json          the position before, edition included
        SEAT.txt            what a seat ordered, standing orders included
        beta                the 64 bytes of the dice, in hex
        events.jsonl        what happened, an event a line
        after.json          the state after it
        report-SEAT.txt     the report as mailed, in the seat's language
        pictures.sha256     a line a seat: what its map hashes to as SVG, in its language

The first three are given, the others follow. ``python -m tests.golden`` (``make golden``) writes those anew and prints
the line that a commit ends with when they differ. Pictures to look at are kept by `tests.pictures.shown`.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame
from pbem.engine.run.runners import Paused, play
from pbem.engine.saved_position import read_position
from pbem.engine.terms import Orders, Phase
from pbem.letters.content import Letter, LetterHead
from pbem.letters.text import TextLetters
from tests.pictures.drawn import svg_of

TESTS = Path(__file__).resolve().parent
LANGUAGES = ("es", "en")
"""Of the seats, in their order."""


def folders() -> list[Path]:
    """All golden turns of all games."""
    return sorted(file.parent for file in TESTS.glob("games/*/golden/*/state.json"))


def find_game(name: str) -> AnyGame:
    """A game by its name, whichever package has it."""
    game: AnyGame = importlib.import_module(f"pbem.games.{name}").GAME
    return game


class Resolved(NamedTuple):
    """A golden turn, played: its game and phase, what happened, the positions, of which each event ends one."""

    game: AnyGame
    phase: Phase
    events: Sequence[Event]
    states: Sequence[Any]

    def seen(self, seat: str) -> list[tuple[Event, Any]]:
        """What a seat saw, each event with its view before it."""
        return [
            (shown, self.game.view(before, seat))
            for happened, before in zip(self.events, self.states, strict=False)
            if (shown := self.game.see(happened, seat, before)) is not None
        ]


def resolved(folder: Path) -> Resolved:
    """Play a golden turn; ValueError if it cannot be."""
    game, _, state = read_position((folder / "state.json").read_text("utf-8"), find_game)
    phase = game.phase(state)
    if phase is None:
        raise ValueError(f"{folder.name}: the game is over")
    orders: dict[str, Orders] = {}
    for seat in game.seats(state):
        file = folder / f"{seat}.txt"
        text = file.read_text("utf-8") if file.exists() else ""
        reading = game.parse(text, game.view(state, seat), seat)
        if reading.rejected:
            raise ValueError(f"{folder.name}: {seat}: {reading.rejected[0]}")
        orders[seat] = reading.orders
    dice = DiceStream(bytes.fromhex((folder / "beta").read_text("utf-8")))
    done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
    if isinstance(done, Paused):
        raise ValueError(f"{folder.name}: the phase waits for {done.windows[0].id}")
    states = [state]
    for happened in done.events:
        states.append(game.rules.apply(states[-1], happened))
    return Resolved(game, Phase(phase[1], phase[0]), done.events, [*states[:-1], done.state])


def made(folder: Path) -> dict[str, str]:
    """Resolve a golden turn and return the files that follow from those given; ValueError if it cannot be."""
    done = resolved(folder)
    game, state = done.game, done.states[-1]
    files = {
        "events.jsonl": "".join(dumps(happened.to_json()) + "\n" for happened in done.events),
        "after.json": dumps(game.encode(state)) + "\n",
        "pictures.sha256": "",
    }
    for seat, language in zip(game.seats(state), LANGUAGES, strict=False):
        seen = done.seen(seat)
        view = game.view(state, seat)
        head = LetterHead("golden", game.name, game.title, seat, done.phase, "pbem@example.org")
        report = game.telling.report(view, seat, seen)
        letter = Letter("report", head, report=report, template=game.aids.template(view, seat, language)).to_json()
        files[f"report-{seat}.txt"] = TextLetters("##- please write above this line -##").letter(letter, language)
        svg = svg_of(game, state, seat, seen, language)
        files["pictures.sha256"] += f"{hashlib.sha256(svg.encode()).hexdigest()} {seat}\n"
    return files


def replay() -> str:
    """The last line of a commit that changes golden turns: what all their events hash to."""
    sums = (f"{p.parent.name} {hashlib.sha256(p.read_bytes()).hexdigest()}\n" for p in _events())
    return "Replay: sha256:" + hashlib.sha256("".join(sums).encode()).hexdigest()


def _events() -> Iterator[Path]:
    return (folder / "events.jsonl" for folder in folders())


def main() -> None:
    """Write all that follows anew, say which files are different now, and how the commit ends."""
    before = replay() if all(path.exists() for path in _events()) else ""
    for folder in folders():
        for name, text in made(folder).items():
            path = folder / name
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")
                print(f"written: {path.relative_to(TESTS.parent)}")
    now = replay()
    print(now if now != before else "No rule change")


if __name__ == "__main__":
    main()
