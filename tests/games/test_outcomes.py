"""However short a letter has to be, what came of a phase is in it: who lost what, who won, who fell, who gave way."""

from __future__ import annotations

from functools import cache

import pytest

from pbem.engine.data.messages import plain_english
from pbem.letters.catalogue import load_catalogue
from pbem.letters.layout import CUTS, LetterParts
from pbem.letters.text import template_environment
from tests.games.test_reasons import GAMES, phases, seen_by, states

PLAYED = [game for game in GAMES if game.bots]
HIDDEN = ("Not carried out", "STOP IF", "Reinforcements wait", "Division ", "order")
"""How outcomes begin that are told to one side alone."""


def squeezed(text):
    return " ".join(text.split())


def without_rule(outcome):
    """The words of an outcome: a letter that is cut leaves its rule to WHY."""
    return dict(outcome.args)["text"] if outcome.text == "{text} [{rule}]" else outcome


@cache
def reports(name):
    """What each seat is told of phases of bots: seat, the report, its happenings' events with the states before."""
    (game,) = (game for game in PLAYED if game.name == name)
    return [
        (seat, game.telling.report(game.view(done.state, seat), seat, seen_by(game, seat, state, done)), state, done)
        for state, _, _, done in phases(game)
        for seat in game.seats(state)
    ]


COPIES = [
    # The first tier has each game in one language.
    pytest.param(game, language, id=f"{game.name}-{language}", marks=[pytest.mark.full] if (number + index) % 2 else [])
    for number, game in enumerate(PLAYED)
    for index, language in enumerate(("en", "es"))
]


@pytest.mark.full
@pytest.mark.parametrize(("game", "language"), COPIES)
def test_every_outcome_is_in_every_copy(game, language):
    words, count_told = load_catalogue(language, game.name), 0
    template = template_environment(words).get_template("report.txt.j2")
    for _, report, _, _ in reports(game.name):
        stored = report.to_json()
        for cut in CUTS:
            shown = LetterParts(words, cut).report(stored)
            text = squeezed(template.render(kind="report", report=shown, shortened=True, form=()))
            for outcome in (outcome for entry in report.entries for outcome in entry.outcomes):
                assert squeezed(words.say(without_rule(outcome))) in text, cut
                count_told += 1
    assert count_told > 100 * len(CUTS)


def fates(units, now):
    """Those who are worse off now than they were, or gone."""
    for ident, unit in units.items():
        after = now.get(ident)
        if after is None or _strength(after) < _strength(unit) or _shaken(after) > _shaken(unit):
            yield ident


def _strength(unit):
    return unit.steps if hasattr(unit, "steps") else unit.pf


def _shaken(unit):
    if hasattr(unit, "demoralised"):
        return int(unit.demoralised)
    return ("normal", "D", "DE").index(unit.state)


@pytest.mark.parametrize("game", PLAYED, ids=lambda game: game.name)
def test_whoever_is_worse_off_is_named_in_an_outcome(game):
    named = 0
    for _, report, state, done in reports(game.name):
        text = " ".join(plain_english(outcome) for entry in report.entries for outcome in entry.outcomes)
        for happened, before in states(game, state, done.events):
            if happened.kind not in ("gone", "corrected"):
                for ident in fates(before.units, game.rules.apply(before, happened).units):
                    assert ident in text, happened
                    named += 1
    assert named > 20


@pytest.mark.parametrize("game", PLAYED, ids=lambda game: game.name)
def test_both_sides_are_told_the_same_outcomes(game):
    texts_by_phase: dict[str, dict[str, list[str]]] = {}
    for seat, report, state, _ in reports(game.name):
        texts = texts_by_phase.setdefault(str(game.phase(state)), {})
        lines = [plain_english(outcome) for entry in report.entries for outcome in entry.outcomes]
        texts[seat] = [line for line in lines if not line.startswith(HIDDEN) and "STOP IF" not in line]
    for by_seat in texts_by_phase.values():
        first, *others = by_seat.values()
        assert all(other == first for other in others)
    assert len(texts_by_phase) > 3
