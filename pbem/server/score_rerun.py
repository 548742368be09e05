"""Compare tournament scores with the ends of rerun games (full mode of scores).

A game that reached its end by the rules is scored by its last position, unless there was a ruling or neither player
came. The log does not say which side ended a game early: then the half points are NOT CHECKED, and only the margin
is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import loads
from pbem.engine.edition import other_release_notice
from pbem.engine.game import find_lead
from pbem.tournaments.arithmetic.rules.reading import RulesRefused, rules_from_json
from pbem.tournaments.arithmetic.rules.records import TournamentRules
from pbem.tournaments.arithmetic.unfinished import CutOffTable, decide_by_rules
from pbem.verifier.bundles import Leaf
from pbem.verifier.fields import sha256_hex
from pbem.verifier.record import LogView
from pbem.verifier.tournament_checks import NEWEST, TOURNAMENT
from pbem.wars.rerun import GameRerun

_RESUMES = ("open", "again", "result")
"""Kinds of leaves after which a game has another end."""


class ScoreComparison(NamedTuple):
    """The result of a comparison: True, False, or None if it was impossible.

    `why` names the fault. `score` are the tournament's chain and the compared score: ``score 17``, by its
    leaf.
    """

    truth: bool | None
    why: str
    score: tuple[str, str]


class _Outcome(NamedTuple):
    """The score of a table in a leaf."""

    halves: tuple[int, int]
    margin: int
    how: str


def compare_scores(log: LogView, reruns: Mapping[str, GameRerun]) -> Iterator[ScoreComparison]:
    """Compare the scores of all tournaments in letters with the ends of their games."""
    for game in sorted(game for game in log.histories if game.startswith(TOURNAMENT)):
        known = [leaf for leaf in log.history(game) if leaf.known]
        founding = next((leaf for leaf in known if leaf.kind == "found"), None)
        version = int(founding.get("version") or 1) if founding is not None else 1
        if version <= NEWEST:
            rules = _read_rules(log, founding)
            for leaf in known:
                if leaf.kind == "score" and leaf["table"] != "-":
                    try:
                        truth, why = _compare(log, reruns, rules, leaf, clamped=version == 1)
                    except Exception as fault:
                        # A fault of this program is no result about the letters.
                        truth, why = None, f"it cannot be compared here: {type(fault).__name__}: {fault}"
                    why = f"{game}: leaf {leaf.seq} scores {leaf['table']}: {why}"
                    yield ScoreComparison(truth, why, (game, f"score {leaf.seq}"))


def _read_rules(view: LogView, founding: Leaf | None) -> TournamentRules | None:
    """Return the rules of a tournament at its founding; None if no letter has them."""
    texts = ("".join(part.all("text")) for _, part in view.parts("opens"))
    digest = founding["rules"].removeprefix("sha256:") if founding is not None else ""
    try:
        return next((rules_from_json(loads(text)) for text in texts if sha256_hex(text.encode()) == digest), None)
    except (RulesRefused, ValueError, LookupError, TypeError):
        # Rules of another version of pbem may not be readable here: nothing is proved then, for or against.
        return None


def _compare(
    view: LogView, reruns: Mapping[str, GameRerun], rules: TournamentRules | None, leaf: Leaf, *, clamped: bool
) -> tuple[bool | None, str]:
    """Return whether a score is its game's result, and the fault or what is missing."""
    table, rerun = leaf["table"], reruns.get(leaf["table"])
    history = view.history(table)
    result_leaf = next((entry for entry in history if entry.hash == leaf["leaf"]), None)
    if rerun is None or rerun.state is None or rerun.rules.scored is None or result_leaf is None:
        return None, "how its game ended is not told by these letters"
    if any(entry.seq > result_leaf.seq and entry.kind in _RESUMES for entry in history):
        return None, "its game went on after that"
    resolved = max((entry.seq for entry in history if entry.kind == "result"), default=-1)
    if any(entry.kind == "close" and entry.seq > resolved for entry in history):
        return None, "its game ended within a phase"
    first, second = map(int, leaf["halves"].split(" "))
    scored = _Outcome((first, second), int(leaf["margin"]), leaf["how"])
    truth, why = _compare_score(rerun, rules, scored, is_ruled=_is_ruled(view, leaf), clamped=clamped)
    if truth is False and (other := other_release_notice(rerun.edition)):
        return None, f"{why}: {other}"
    return truth, why


def _is_ruled(view: LogView, leaf: Leaf) -> bool:
    """Return whether a verdict on a table came, or may have come, after its pairing."""
    earlier = [entry for entry in view.history(leaf.game) if entry.seq < leaf.seq]
    pairings = [
        entry.seq for entry in earlier if entry.kind == "pair" and leaf["table"] in entry.get("table").split(" ")
    ]
    has_verdict = any(entry.kind == "verdict" and entry.seq > pairings[0] for entry in earlier if pairings)
    return has_verdict or not pairings or not view.gapless(leaf.game, 0, leaf.seq)


def _compare_score(
    rerun: GameRerun, rules: TournamentRules | None, scored: _Outcome, *, is_ruled: bool, clamped: bool
) -> tuple[bool | None, str]:
    start = rerun.rules.start(rerun.edition)
    sides = tuple(dict.fromkeys(rerun.rules.seats(start).values()))
    margin, winner = find_lead(rerun.rules, rerun.state, sides)
    is_over = rerun.rules.phase(rerun.state) is None
    by_end = _Outcome((2, 0) if winner == sides[0] else (0, 2) if winner == sides[1] else (1, 1), margin, "played")
    why = f"it counts {_score_text(scored)}, and by the end of its game {_score_text(by_end)}"
    if scored.how == "adjudicated":
        return _compare_decided(rules, scored, by_end, is_ruled, is_over)
    if scored.how == "forfeit" and scored.halves == (0, 0):
        return (None, "that neither player came is not in the log") if scored.margin == 0 else (False, why)
    if scored == by_end and is_over:
        return True, ""
    if scored.how == "played" and is_over:
        # E5.5 The price of a side is subtracted from the margin, and no leaf has it.
        bids = rules is None or any(stage.sides == "bid" for stage in rules.stage)
        return (None, "what was bid for its sides is not in the log") if bids else (False, why)
    conceded = _conceded_scores(margin, "forfeit" if scored.how == "forfeit" else "played", clamped=clamped)
    if scored not in (*conceded, by_end):
        return False, why
    return None, "by whose word it ended before its game was over is not in the log"


def _compare_decided(
    rules: TournamentRules | None, scored: _Outcome, by_end: _Outcome, is_ruled: bool, is_over: bool
) -> tuple[bool | None, str]:
    """E10 Compare a table cut off by its round's end, or decided by a person."""
    if scored.margin != by_end.margin:
        return False, f"its margin is {scored.margin}, and by the end of its game {by_end.margin}"
    if is_over and not is_ruled:
        return False, "its game was over by its rules, and nobody ruled on it"
    decision = decide_by_rules(rules.unfinished.order, CutOffTable(scored.margin)) if rules is not None else None
    if decision is None or is_ruled:
        return None, "who decided it is not in the log"
    if decision.halves is None:
        return None, "it was decided by a jury, or by bots that played it on by lot: that is not done again here"
    if decision.halves != scored.halves:
        first, second = decision.halves
        return False, f"by the rules of its tournament the end of the round gives {first}:{second} halves"
    return True, ""


def _conceded_scores(margin: int, how: str, *, clamped: bool) -> Sequence[_Outcome]:
    """Return the possible scores of a game that ended by concession or agreement.

    In tournaments of version 1 (`clamped`) the winner's margin is never negative.
    """
    wins = [
        _Outcome((2, 0), max(margin, 0) if clamped else margin, how),
        _Outcome((0, 2), min(margin, 0) if clamped else margin, how),
    ]
    return wins if how == "forfeit" else [*wins, _Outcome((1, 1), 0, how)]


def _score_text(outcome: _Outcome) -> str:
    return f"{outcome.halves[0]}:{outcome.halves[1]} halves, margin {outcome.margin}"
