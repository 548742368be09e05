"""Full mode of scores: what each table of a tournament counts, compared with the end of its game, which was run again.

A game that is over by its rules counts what its last position says, unless somebody ruled otherwise or neither player
came. By whose word a game ended before that is not in the log: then halves are NOT CHECKED, and the margin is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import loads
from pbem.engine.edition import other_release
from pbem.engine.game import find_lead
from pbem.tournaments.arithmetic.rules.reading import RulesRefused, rules_from_json
from pbem.tournaments.arithmetic.rules.records import Rules
from pbem.tournaments.arithmetic.unfinished import CutOffTable, decide_by_rules
from pbem.verifier.bundles import Leaf
from pbem.verifier.contest_checks import NEWEST, TOURNAMENT
from pbem.verifier.fields import sha
from pbem.verifier.record import Course
from pbem.wars.rerun import GameRerun

_RESUMES = ("open", "again", "result")
"""Leaves after which a game has another end."""


class Compared(NamedTuple):
    """What came of a comparison: True, False, or None where it could not be made; `why` says what is not true.

    `score` are the tournament's chain and the score that was looked at: ``score 17``, by its leaf.
    """

    truth: bool | None
    why: str
    score: tuple[str, str]


class _Outcome(NamedTuple):
    """What a leaf says that a table counts."""

    halves: tuple[int, int]
    margin: int
    how: str


def compare_scores(course: Course, ends: Mapping[str, GameRerun]) -> Iterator[Compared]:
    """Compare the scores of all tournaments in letters with the ends of their games."""
    for game in sorted(game for game in course.histories if game.startswith(TOURNAMENT)):
        known = [leaf for leaf in course.history(game) if leaf.known]
        found = next((leaf for leaf in known if leaf.kind == "found"), None)
        version = int(found.get("version") or 1) if found is not None else 1
        if version <= NEWEST:
            rules = _read_rules(course, found)
            for leaf in known:
                if leaf.kind == "score" and leaf["table"] != "-":
                    try:
                        truth, why = _compare(course, ends, rules, leaf)
                    except Exception as fault:
                        # A fault of this program is no finding about the letters.
                        truth, why = None, f"it cannot be compared here: {type(fault).__name__}: {fault}"
                    why = f"{game}: leaf {leaf.seq} scores {leaf['table']}: {why}"
                    yield Compared(truth, why, (game, f"score {leaf.seq}"))


def _read_rules(course: Course, found: Leaf | None) -> Rules | None:
    """The rules that a tournament was founded with; None if no letter shows them."""
    texts = ("".join(one.all("text")) for _, one in course.parts("opens"))
    named = found["rules"].removeprefix("sha256:") if found is not None else ""
    try:
        return next((rules_from_json(loads(text)) for text in texts if sha(text.encode()) == named), None)
    except (RulesRefused, ValueError, LookupError, TypeError):
        return None


def _compare(course: Course, ends: Mapping[str, GameRerun], rules: Rules | None, leaf: Leaf) -> tuple[bool | None, str]:
    """Whether a score is what its game came to, and what is wrong or not known."""
    table, ended = leaf["table"], ends.get(leaf["table"])
    history = course.history(table)
    named = next((one for one in history if one.hash == leaf["leaf"]), None)
    if ended is None or ended.state is None or ended.rules.scored is None or named is None:
        return None, "how its game ended is not told by these letters"
    if any(one.seq > named.seq and one.kind in _RESUMES for one in history):
        return None, "its game went on after that"
    resolved = max((one.seq for one in history if one.kind == "result"), default=-1)
    if any(one.kind == "close" and one.seq > resolved for one in history):
        return None, "its game ended within a phase"
    first, second = map(int, leaf["halves"].split(" "))
    said = _Outcome((first, second), int(leaf["margin"]), leaf["how"])
    truth, why = _judge(ended, rules, said, _is_ruled(course, leaf))
    if truth is False and (other := other_release(ended.edition)):
        return None, f"{why}: {other}"
    return truth, why


def _is_ruled(course: Course, leaf: Leaf) -> bool:
    """Whether a director or jury may have decided a table: a verdict came since it was paired, or it may have."""
    before = [one for one in course.history(leaf.game) if one.seq < leaf.seq]
    paired = [one.seq for one in before if one.kind == "pair" and leaf["table"] in one.get("table").split(" ")]
    ruled = any(one.kind == "verdict" and one.seq > paired[0] for one in before if paired)
    return ruled or not paired or not course.gapless(leaf.game, 0, leaf.seq)


def _judge(ended: GameRerun, rules: Rules | None, said: _Outcome, is_ruled: bool) -> tuple[bool | None, str]:
    start = ended.rules.start(ended.edition)
    sides = tuple(dict.fromkeys(ended.rules.seats(start).values()))
    margin, winner = find_lead(ended.rules, ended.state, sides)
    over = ended.rules.phase(ended.state) is None
    by_end = _Outcome((2, 0) if winner == sides[0] else (0, 2) if winner == sides[1] else (1, 1), margin, "played")
    why = f"it counts {_tell(said)}, and by the end of its game {_tell(by_end)}"
    if said.how == "adjudicated":
        return _judge_decided(rules, said, by_end, is_ruled, over)
    if said.how == "forfeit" and said.halves == (0, 0):
        return (None, "that neither player came is not in the log") if said.margin == 0 else (False, why)
    if said == by_end and over:
        return True, ""
    if said.how == "played" and over:
        # E5.5 What was paid for a side is taken off the margin, and no leaf says how much that was.
        bids = rules is None or any(stage.sides == "bid" for stage in rules.stage)
        return (None, "what was bid for its sides is not in the log") if bids else (False, why)
    given = _given(margin, "forfeit" if said.how == "forfeit" else "played")
    if said not in (*given, by_end):
        return False, why
    return None, "by whose word it ended before its game was over is not in the log"


def _judge_decided(
    rules: Rules | None, said: _Outcome, by_end: _Outcome, is_ruled: bool, over: bool
) -> tuple[bool | None, str]:
    """E10 A table that the end of its round cut off, or that a director or jury decided."""
    if said.margin != by_end.margin:
        return False, f"its margin is {said.margin}, and by the end of its game {by_end.margin}"
    if over and not is_ruled:
        return False, "its game was over by its rules, and nobody ruled on it"
    decided = decide_by_rules(rules.unfinished.order, CutOffTable(said.margin)) if rules is not None else None
    if decided is None or is_ruled:
        return None, "who decided it is not in the log"
    if decided.halves is None:
        return None, "it was decided by a jury, or by bots that played it on by lot: that is not done again here"
    if decided.halves != said.halves:
        first, second = decided.halves
        return False, f"by the rules of its tournament the end of the round gives {first}:{second} halves"
    return True, ""


def _given(margin: int, how: str) -> Sequence[_Outcome]:
    """What a game counts that ended by a word: nobody is behind in a game that he is given."""
    won = [_Outcome((2, 0), max(margin, 0), how), _Outcome((0, 2), min(margin, 0), how)]
    return won if how == "forfeit" else [*won, _Outcome((1, 1), 0, how)]


def _tell(one: _Outcome) -> str:
    return f"{one.halves[0]}:{one.halves[1]} halves, margin {one.margin}"
