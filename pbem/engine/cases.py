"""Run rule cases: a paragraph of the rules as position, letters and results.

::

    [[case]]
    title  = "O8.8.1 a tie goes to the defender"
    phase  = "spain"
    units  = ["spain OF Ros 1/1 at B", ...]
    orders.spain = '''
    ACTIVATE B
    ...
    '''
    dice   = ["shock attacker: 2", "shock defender: 6"]
    expect = ["Leon at B", "cited O8.8.4", "rejected 2 O8.1"]

A roll that `dice` does not give fails the case, and so does a given one that is not used. Unlike a player's
letter a case runs the good lines and reports the others. A case may hold ``lookup = ["T6 die 4 column 3:2 =
BM"]``, alone or with the rest: the expected values of charts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.game import AnyGame
from pbem.engine.game_files import GameFiles
from pbem.engine.parts import RuleCases
from pbem.engine.run.labels import Label
from pbem.engine.run.runners import Dice, Paused, play
from pbem.engine.run.steps import Rolled
from pbem.engine.terms import Orders

Table = Mapping[str, Json]


class CaseFailed(Exception):
    """A case that cannot be run or whose dice do not fit; the text says why."""


class ScriptedDice:
    """Dice given by a case: values by label without address, equal labels in order."""

    def __init__(self, lines: Sequence[str], coins: Callable[[str], bool]) -> None:
        """Read lines ``LABEL: VALUES``; raise CaseFailed for any other line.

        `coins` returns whether a roll throws coins.
        """
        self._coins = coins
        self._left: dict[str, list[tuple[int, ...]]] = {}
        for line in lines:
            label, colon, values = line.rpartition(":")
            try:
                faces = tuple(int(value) for value in values.split())
            except ValueError:
                # Without numbers the line gets the same answer as one without any dice.
                faces = ()
            if not colon or not faces:
                raise CaseFailed(f"dice read LABEL: VALUES, got {line!r}")
            self._left.setdefault(label.strip(), []).append(faces)

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the values given for the roll.

        Coins are written 1 (heads) and 0, and returned as 2 and 1.
        """
        roll_name = Label.parse(label).what
        throws = self._left.get(roll_name)
        if not throws:
            raise CaseFailed(f"no dice are given for {roll_name!r} ({n} of {sides} sides)")
        faces = throws.pop(0)
        if sides == 2 and self._coins(roll_name):
            faces = tuple(face + 1 for face in faces)
        if len(faces) != n or any(not 1 <= face <= sides for face in faces):
            raise CaseFailed(f"{roll_name!r} wants {n} of {sides} sides, the case gives {faces}")
        return faces

    @property
    def unused_labels(self) -> tuple[str, ...]:
        """Return the labels whose values were not used."""
        return tuple(sorted(label for label, throws in self._left.items() if throws))


class CaseOutcome(NamedTuple):
    """The result of a case: state, events, rolls, refused lines and their rules."""

    state: Any
    events: tuple[Event, ...]
    rolls: tuple[Rolled, ...]
    refused: tuple[tuple[int, tuple[str, ...]], ...]


_CASE = frozenset(("title", "phase", "orders", "standing", "dice", "expect", "lookup"))
_FILE = frozenset(("game", "lookup", "case"))


def unknown_keys(cased: RuleCases[object], table: Table, file: bool = False) -> tuple[str, ...]:
    """Return the unknown keys of a case, or of the part of a file above its cases.

    A file without cases may be one case itself.
    """
    keys = cased.keys
    if keys is None:
        return ()
    allowed = keys | (_FILE if file else _CASE)
    allowed |= _CASE if file and "case" not in table else frozenset()
    return tuple(key for key in table if key not in allowed)


def run_case(game: AnyGame, file: Table, case: Table) -> tuple[str, ...]:
    """Run a case and return the differences from what is expected; empty if none."""
    cased = game.cased
    if cased is None:
        return ("the game plays no cases",)
    try:
        for key in unknown_keys(cased, case):
            allowed = ", ".join(sorted(_CASE | (cased.keys or set())))
            raise CaseFailed(f"{key!r} means nothing in a case; it may have {allowed}")
        failures = [f"not so: {phrase}" for phrase in case.get("lookup", ()) if not _look_up(cased, phrase)]
        if "lookup" in case and "phase" not in case:
            return tuple(failures)
        for key in ("phase", "expect"):
            if key not in case:
                raise CaseFailed(f"the case has no {key}")
        dice = ScriptedDice(case.get("dice", ()), cased.coins)
        outcome = resolve_case(game, cased.state(file, case), case, dice)
        failures += [f"dice given for {label!r} were not used" for label in dice.unused_labels]
        failures += [f"not so: {phrase}" for phrase in case["expect"] if not expectation_holds(cased, phrase, outcome)]
    except (CaseFailed, ValueError) as error:
        # A case that cannot be set up fails as one whose expectations are not met, and does not stop the others.
        return (str(error),)
    return tuple(failures)


def play_case(game: AnyGame, file: Table, case: Table) -> tuple[Any, CaseOutcome]:
    """Return the position of a case and its outcome.

    Raises CaseFailed or ValueError if it cannot be run.
    """
    cased = game.cased
    if cased is None:
        raise CaseFailed("the game plays no cases")
    state = cased.state(file, case)
    return state, resolve_case(game, state, case, ScriptedDice(case.get("dice", ()), cased.coins))


def split_cases(file: Table) -> Iterator[tuple[str, Table]]:
    """Yield the cases of a file in order, each with its title.

    Each look-up, of the file or of a case, is yielded as a case of its own.
    """
    for phrase in file.get("lookup", ()):
        yield phrase, {"lookup": (phrase,)}
    for number, case in enumerate(file.get("case", ()), start=1):
        for phrase in case.get("lookup", ()):
            yield phrase, {"lookup": (phrase,)}
        if "lookup" not in case or "phase" in case:
            yield case.get("title", f"case {number}"), {key: value for key, value in case.items() if key != "lookup"}


def _look_up(cased: RuleCases[object], phrase: str) -> bool:
    try:
        return cased.lookup(phrase)
    except KeyError as error:
        raise CaseFailed(f"{phrase!r} looks for {error.args[0]!r}, which the chart does not have") from None


def resolve_case(game: AnyGame, state: object, case: Table, dice: Dice) -> CaseOutcome:
    """Execute the good lines of a case in a position.

    Raises CaseFailed or ValueError if it cannot be run.
    """
    cased = game.cased
    if cased is None:
        raise CaseFailed("the game plays no cases")
    orders: dict[str, Orders] = {}
    refused: list[tuple[int, tuple[str, ...]]] = []
    for kind in ("standing", "orders"):
        for seat, text in case.get(kind, {}).items():
            reading = game.parse(text.removeprefix("\n"), cased.eyes(state, seat), seat)
            before = orders.get(seat, Orders())
            standing = reading.orders.standing or before.standing
            orders[seat] = Orders((*before.actions, *reading.orders.actions), standing)
            if kind == "standing" and reading.rejected:
                raise CaseFailed(f"standing orders of {seat}: {reading.rejected[0]}")
            refused += [(item.line, (item.rule,)) for item in reading.rejected]
    world = cased.world(state, orders, case["phase"])
    result = play(game.rules, world, dice, game.decisions(state, orders, {}))
    if isinstance(result, Paused):
        raise CaseFailed(f"nobody answers {result.windows[0].id}")
    refused += [(e.data["line"], tuple(e.data["rules"])) for e in result.events if e.kind == "not carried out"]
    return CaseOutcome(result.state, result.events, result.rolls, tuple(refused))


def expectation_holds(cased: RuleCases[object], phrase: str, outcome: CaseOutcome) -> bool:
    """Return whether an expectation is true of the outcome of a case.

    Raise ValueError if it is no expectation.
    """
    words = phrase.split() or [""]
    cited = {happened.cite for happened in outcome.events}
    if words[0] == "cited" and len(words) == 2:
        return words[1] in cited
    if words[:2] == ["not", "cited"] and len(words) == 3:
        return words[2] not in cited
    if words[0] == "rejected" and len(words) == 3 and words[1].isdecimal():
        return any(line == int(words[1]) and words[2] in rules for line, rules in outcome.refused)
    return cased.holds(phrase, outcome.state)


# Parts of rule cases common to all games: dates of errata, look-ups in charts.


BATTLE_CASE_KEYS = frozenset(
    ("units", "options", "map", "turn", "turns", "victory", "reinforcements", "lost", "silent", "errata")
) | {"deployment", "commands"}
"""Keys allowed in a case of any battle, in addition to those of all cases."""
# A case's line that looks a cell up in a chart.
_LOOKUP = re.compile(r"(?P<chart>\S+) (?:die|row) (?P<row>.+?) column (?P<column>\S+) = (?P<cell>\S+)")


def errata_date(table: Mapping[str, object], latest: str) -> str:
    """Return the date of the errata that a case uses; ``""`` for none.

    The default is the latest date. Raise ValueError for text that is no date, and for a date later than `latest`.
    """
    errata = table.get("errata", latest)
    if not isinstance(errata, str) or not re.fullmatch(r"(\d{4}-\d\d-\d\d)?", errata):
        raise ValueError(f'errata is a date such as "{latest}" or "", got {errata!r}')
    if errata > latest:
        raise ValueError(f"there are no errata of {errata}; the latest are of {latest}")
    return errata


def lookup_holds(files: GameFiles, phrase: str) -> bool:
    """Return whether ``CHART die ROW column COLUMN = CELL`` is true.

    The chart is the shipped one. The chart is named by its rule. A row or column may be a number, a word, or
    odds such as ``5:2`` for the column that they fall into. Raise ValueError for any other phrase, and for an
    unknown chart.
    """
    match = _LOOKUP.fullmatch(phrase)
    if match is None:
        raise ValueError(f"a look-up reads CHART die ROW column COLUMN = CELL, got {phrase!r}")
    chart = next((c for c in files.charts({}).values() if c.rule == match["chart"]), None)
    if chart is None:
        raise ValueError(f"there is no chart {match['chart']}")
    row, column = (int(head) if head.lstrip("-").isdigit() else head for head in match.group("row", "column"))
    if isinstance(column, str) and re.fullmatch(r"\d+:\d+", column) and column not in chart.columns:
        column = chart.odds(*map(int, column.split(":")))
    return chart.cell(row, column) == match["cell"]
