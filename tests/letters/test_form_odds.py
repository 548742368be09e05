"""The form at the end of a report says what its attacks win, reckoned when the letter is rendered."""

import re

import pytest
from sqlmodel import select

from pbem.mail.inbound import IncomingLetter
from pbem.play.commands.orders import order_block
from pbem.play.commands.questions import odds
from pbem.runtime.terms import Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable
from tests.letters.test_report_data import file_of, form_in

LINE = "# ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco APOYO Montaña1"


@pytest.fixture
def opened(tmp_path):
    made = []

    def table(**more):
        made.append(PlayedBattle(tmp_path, **more))
        return made[-1]

    yield table
    for game in made:
        game.server.engine.dispose()


def form_of(table, text=""):
    """The order form of a letter, or of the one that Spain was sent last without having asked for it."""
    form = (text or table.last_to("spain")).split("ORDENES T1 #")[1]
    return form.replace("\n#     ", " ").replace("\n##    ", "  # ").split("\n")


SHORT = "Los ataques sin cifras tardan demasiado"


def test_a_report_says_what_an_assault_of_its_form_wins_and_odds_and_verify_say_the_same(opened):
    table = opened()
    assert f"{LINE}  # 82 %; sin apoyo 78 %" in form_of(table)
    assert "ocupa Cresta 82 %" in table.answer("spain", "PROBABILIDAD " + LINE.removeprefix("# ") + "\n")
    block = f"VERIFICAR T1\nACTIVAR Nudos\n{LINE.removeprefix('# ')}  # 82 %; sin apoyo 78 %\nFIN\n"
    assert "ocupa Cresta 82 %" in table.answer("spain", block)


def test_where_odds_cannot_be_reckoned_the_form_comes_without(opened, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    table = opened()
    monkeypatch.setattr(odds, "parse_standing_orders", broken)
    assert LINE in form_of(table)


def test_what_takes_too_long_is_left_out(opened, monkeypatch):
    monkeypatch.setattr(odds, "PER_FORM", 1_500)
    table = opened()
    assert f"{LINE}  # 82 %" in form_of(table)
    assert LINE.replace("Cresta", "Loma") in form_of(table)


def test_a_letter_says_once_that_odds_were_left_out_of_its_form_and_no_other_does(opened, monkeypatch):
    monkeypatch.setattr(odds, "PER_FORM", 600)
    poor = opened()
    for text in (poor.last_to("spain"), poor.answer("spain", "AYUDA\n")):
        assert " ".join(text.split()).count(SHORT) == 1
    assert SHORT not in " ".join(poor.answer("spain", "ESTADO\n").split())


def test_a_form_whose_odds_are_all_there_says_nothing_of_that(opened):
    assert SHORT not in " ".join(opened().last_to("spain").split())


def test_the_sentence_about_odds_left_out_is_known_when_it_is_quoted_without_marks(opened, monkeypatch):
    monkeypatch.setattr(odds, "PER_FORM", 600)
    table = opened()
    table.last_to("spain")
    with table.server.work() as work:
        report = select(tables.Outbox).where(tables.Outbox.kind == "report", tables.Outbox.language == "es")
        (row,) = work.session.exec(report)
        (seat,) = work.session.exec(select(tables.Seat).where(tables.Seat.name == "spain"))
        letter = IncomingLetter(message_id="<a@players.example>", in_reply_to=row.message_id)
        text = " ".join(order_block.sentences_we_mailed(work, seat, letter))
        assert "los ataques sin cifras" in text.casefold()


def test_help_a_reminder_and_the_answer_to_cancel_have_the_odds_too(opened):
    table = opened(terms=Terms(reminder_hours=2))
    assert f"{LINE}  # 82 %; sin apoyo 78 %" in form_of(table, table.answer("spain", "AYUDA\n"))
    table.answer("spain", "ORDENES T1\nPASAR\nFIN\n")
    assert f"{LINE}  # 82 %; sin apoyo 78 %" in form_of(table, table.answer("spain", "CANCELAR\n"))
    report = table.last_to("spain")
    for _ in range(60):
        table.wait(60)
        if table.last_to("spain") != report:
            break
    assert "No tiene órdenes registradas para el turno" in table.last_to("spain")
    assert f"{LINE}  # 82 %; sin apoyo 78 %" in form_of(table)


def test_the_first_form_at_the_pace_of_activations_has_them_too(opened):
    form = form_of(opened(terms=Terms(pace="activation")))
    assert f"{LINE}  # 82 %; sin apoyo 78 %" in form
    assert form[form.index("FIN") - 1] == "# LISTO"


def test_after_a_letter_that_was_carried_out_the_form_has_them_by_the_position_then(opened):
    table = opened(terms=Terms(pace="activation"))
    table.answer("spain", "ORDENES T1\nACTIVAR Tarajal\nMOVER Luchana A Playa\nFIN\n")
    table.wait(0)
    asked = "PROBABILIDAD " + LINE.removeprefix("# ") + "\n"
    answer = table.answer("spain", asked)
    wins = " ".join(answer.split()).split("ocupa Cresta ")[1].split(" %")[0]
    for form in (form_of(table), form_of(table, table.answer("spain", "AYUDA\n"))):
        assert [line for line in form if line.startswith(f"{LINE}  # {wins} %; sin apoyo ")]


def test_a_report_as_data_has_the_odds_in_its_form(opened):
    table = opened(undo=0)
    table.answer("spain", "FORMATO JSON\n")
    for seat in ("spain", "morocco"):
        table.answer(seat, "ORDERS T1\nPASS\nEND\n")
        table.wait(1)
    raw = table.last_sent("spain")
    text = readable(raw)
    form = form_in(text)
    assert any(line.endswith(" %") for line in form)
    assert file_of(raw)["form"] == form
    wins = [offer["wins"] for offer in file_of(raw)["offers"] if offer["wins"] is not None]
    # What never wins has no line in the form.
    assert sorted(filter(None, wins)) == sorted(int(share) for share in re.findall(r"(\d+) %", "\n".join(form)))
