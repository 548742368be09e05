"""Questions of a fight in one letter, figures or why there are none; games of before are asked as they were."""

from collections import defaultdict
from typing import Any, NamedTuple

import pytest
from sqlmodel import col, select

from pbem.engine.data.canon import loads
from pbem.play import pauses
from pbem.play.replay import replay
from pbem.runtime.terms import INTERRUPT_REACTIONS, QUESTIONS_TOGETHER, Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.letters.test_buttons import play_on

GAMES = {
    "africa1860": ("castillejos", ("spain", "morocco")),
    "peninsular": ("barrosa", ("french", "british")),
}
PHASES = {"africa1860": 10, "peninsular": 4}


class Asked(NamedTuple):
    """A question as it is kept: its segment, its window, what it offers."""

    segment: int
    window: str
    what: str
    value: dict[str, Any]


def played(folder, game, questions):
    """Return what is asked in some phases of bots, each asked about everything, in order."""
    scenario, seats = GAMES[game]
    table = PlayedBattle(folder, scenario, 0, Terms(reactions=INTERRUPT_REACTIONS, asks=40), game, seats)
    with table.server.work() as work:
        row = work.session.exec(select(tables.Game)).one()
        assert Terms.read(row.terms).questions == QUESTIONS_TOGETHER
        row.terms = Terms.read(row.terms)._replace(questions=questions).text()
        work.session.add(row)
    for phase in range(PHASES[game]):
        play_on(table, phase)
        for _ in range(8):
            table.wait(24 * 60)
            with table.server.session() as session:
                if session.exec(select(tables.Phase).where(tables.Phase.state == "closed")).first() is None:
                    break
    with table.server.work() as work:
        assert replay(work, "g1").difference is None
        rows = work.session.exec(select(tables.Question).order_by(col(tables.Question.id))).all()
        texts = [pauses.question_block(put) for put in map(pauses._read, rows)]
        asked_questions = [
            Asked(row.segment_id, row.window, row.window.partition("/")[2].split()[0], loads(row.text)) for row in rows
        ]
    table.server.engine.dispose()
    return asked_questions, texts


@pytest.fixture(
    scope="module",
    params=[game if game == "africa1860" else pytest.param(game, marks=pytest.mark.full) for game in GAMES],
)
def together(request, tmp_path_factory):
    return request.param, *played(tmp_path_factory.mktemp("together"), request.param, QUESTIONS_TOGETHER)


def test_every_answer_has_a_figure_or_its_question_says_once_why_not(together):
    _, questions, texts = together
    assert len(questions) > 5
    assert any(any(question.value["stakes"]) for question in questions)
    for question, block in zip(questions, texts, strict=True):
        figures = [depth for depth, _ in block["lines"]].count(1)
        reasons = [line for _, line in block["lines"] if "No figures" in str(line)]
        assert len(reasons) == (figures < len(question.value["options"]))
        assert reasons in ([], [block["lines"][-1][1]])


@pytest.mark.parametrize("together", ["africa1860"], indirect=True)
def test_vanguard_screen_and_losses_of_an_assault_stand_in_one_letter(together):
    _, questions, _ = together
    segments = defaultdict(set)
    for question in questions:
        segments[question.segment].add(question.window.partition("/")[0] + "/" + question.what)
    fights = {window.partition("/")[0] for windows in segments.values() for window in windows if "/vanguard" in window}
    assert fights
    for windows in segments.values():
        for window in windows:
            fight, _, what = window.partition("/")
            if what in ("losses", "screen") and any(f"{fight}/vanguard" in others for others in segments.values()):
                assert f"{fight}/vanguard" in windows


def test_nothing_is_asked_twice(together):
    _, questions, _ = together
    windows = [(question.segment, question.window) for question in questions]
    assert len(windows) == len(set(windows))


def test_a_game_of_before_is_asked_as_it_was(tmp_path):
    questions, _ = played(tmp_path, "africa1860", "each")
    segments = defaultdict(set)
    for question in questions:
        segments[question.segment].add(question.what)
    assert not any({"vanguard", "losses"} <= kinds for kinds in segments.values())
    assert any("losses" in kinds for kinds in segments.values())
