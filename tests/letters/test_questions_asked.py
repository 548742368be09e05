"""Letters of questions: who stands where it happens, and of what happened only what was not told before."""

import random
import re
from itertools import groupby, pairwise

import pytest
from sqlmodel import col, select

from pbem.play import pauses, positions
from pbem.runtime.terms import INTERRUPT_REACTIONS, Terms
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable

PHASES = 7


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """All letters of questions of some phases in which bots are asked about everything, by seat and phase, in order."""
    table = PlayedBattle(tmp_path_factory.mktemp("asked"), undo=0, terms=Terms(reactions=INTERRUPT_REACTIONS))
    for phase in range(PHASES):
        seat, orders = ordered(table, phase)
        table.answer(seat, orders)
        for _ in range(10):
            table.wait(60 * 6)
    with table.server.session() as session:
        query = select(tables.Outbox).where(tables.Outbox.kind == "question")
        rows = sorted(session.exec(query), key=lambda row: (row.seat_id or 0, row.id or 0))
    pairs = [(row.seat_id, readable(outbox_sender.render(table.server, [row.message_id])[0])) for row in rows]
    table.server.engine.dispose()
    kept = {
        key: [text for _, text in some] for key, some in groupby(pairs, key=lambda pair: (pair[0], phase_of(pair[1])))
    }
    assert len(kept) > 3
    return kept


def ordered(table, phase):
    """Who is to order now, and what a bot would."""
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        (seat,) = position.active
        view = position.rules.view(position.state, seat)
        now = position.rules.phase(position.state)
        assert now is not None
        text = position.rules.bots["forward"](view, seat, random.Random(phase).randrange)
    return seat, f"ORDERS T{now[1]}\n{text}\nEND\n"


def phase_of(text):
    return text.splitlines()[3]


def left_out(text):
    """The numbers of the events that a letter names without telling them."""
    named = re.search(r"(?:Left out for|Omitidos por) brev\w+: ([^.]*)[.]", text)
    spans = re.findall(r"#(\d+)(?:-#(\d+))?", " ".join(named[1].split())) if named else ()
    return [number for first, last in spans for number in range(int(first), int(last or first) + 1)]


@pytest.mark.full
def test_what_one_letter_told_the_next_does_not_tell_again(letters):
    several = [some for some in letters.values() if len(some) > 1]
    assert several
    for some in several:
        numbers_by_letter = [[int(number) for number in re.findall(r"^#(\d+) ", text, re.MULTILINE)] for text in some]
        for before, after in pairwise(numbers_by_letter):
            # The last happening may have gone on since.
            assert not set(before[:-1]) & set(after)
        # A long letter leaves out events without result, and names them.
        numbers = {number for group in numbers_by_letter for number in group} | {
            number for text in some for number in left_out(text)
        }
        assert len(numbers) > max(numbers) / 2


@pytest.mark.full
def test_a_letter_of_questions_is_about_one_place_and_a_page_long(letters):
    for some in letters.values():
        for text in some:
            assert "Dónde ocurre\n" in text or "Where it happens\n" in text
            assert "Sus fuerzas\n" not in text
            assert "Your forces\n" not in text
            assert len(text.splitlines()) <= 95


@pytest.mark.parametrize("answer", ["1A", "RESPOND 1A", "Answer: 1A", "Respuesta: 1a", "My answer: 1 A"])
def test_an_answer_reads_as_people_write_it(tmp_path, answer):
    table = PlayedBattle(tmp_path, undo=0)
    # Nobody is asked, and that is what it says: the line was read as an answer.
    assert "You are not asked anything now." in table.answer("morocco", answer)
    table.server.engine.dispose()


def test_answers_that_do_not_go_together_are_refused_with_what_does(tmp_path):
    """Whoever is the vanguard screens nobody; no answer is changed behind its author's back."""
    table = PlayedBattle(tmp_path, "wadras", undo=30)
    table.answer("morocco", "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK\nENDSTANDING\n")
    table.answer("spain", "ORDERS T1\nACTIVATE Samsa\nASSAULT Aldea WITH Iberia, Tercios LED BY Rios\nEND\n")
    table.wait(60)
    with table.server.session() as session:
        rows = session.exec(select(tables.Question).order_by(col(tables.Question.number))).all()
        vanguard, screen, *_ = map(pauses._read, rows)
    assert [value for value, _ in vanguard.options] == [("BeniIder",), ("HausUno",)]
    assert [value for value, _ in screen.options] == [("HausUno",), ("NONE",), ("BeniIder",)]

    def given():
        with table.server.session() as session:
            return [row.answer for row in session.exec(select(tables.Question)) if row.answer is not None]

    for letter, reason, kept in (
        ("1A 2C", "2C does not go with 1A: then the answers are 2A, 2B.", 0),
        ("1A", "", 1),
        ("2C", "2C does not go with 1A: then the answers are 2A, 2B.", 1),
        ("2A", "", 2),
        ("1B", "2A does not go with 1B: then the answers are 2B, 2C.", 2),
        ("1B 2C", "", 2),
    ):
        answer = " ".join(table.answer("morocco", letter).split())
        assert (reason in answer) if reason else ("does not go with" not in answer)
        assert len(given()) == kept
    assert given() == ['["HausUno"]', '["BeniIder"]']
    table.server.engine.dispose()
