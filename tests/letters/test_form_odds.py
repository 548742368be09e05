"""The form at the end of a report says what its attacks win, reckoned when the letter is rendered."""

import pytest

from pbem.campaign.base.terms import Terms
from pbem.campaign.commands.questions import odds
from tests.letters.table import Table

LINE = "# ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco"


@pytest.fixture
def opened(tmp_path):
    made = []

    def table(**more):
        made.append(Table(tmp_path, **more))
        return made[-1]

    yield table
    for one in made:
        one.server.engine.dispose()


def form_of(table):
    """The order form of the report that Spain was sent last."""
    return table.last_to("spain").split("ORDENES T1 #")[1].split("\n")


def test_a_report_says_what_an_assault_of_its_form_wins_and_odds_and_verify_say_the_same(opened):
    table = opened()
    assert f"{LINE}  # 78 %" in form_of(table)
    assert "vence 78 %" in table.answer("spain", "PROBABILIDAD " + LINE.removeprefix("# ") + "\n")
    block = f"VERIFICAR T1\nACTIVAR Nudos\n{LINE.removeprefix('# ')}  # 78 %\nFIN\n"
    assert "vence 78 %" in table.answer("spain", block)


def test_where_odds_cannot_be_reckoned_the_form_comes_without(opened, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    table = opened()
    monkeypatch.setattr(odds, "in_force", broken)
    assert LINE in form_of(table)


def test_what_takes_too_long_is_left_out(opened, monkeypatch):
    monkeypatch.setattr(odds, "PER_FORM", 600)
    form = form_of(opened())
    assert LINE in form
    assert "# CARGAR Húsares1, Húsares4 A Cresta  # 24 %" in form


def test_the_first_form_at_the_pace_of_activations_has_them_too(opened):
    form = form_of(opened(terms=Terms(pace="activation")))
    assert f"{LINE}  # 78 %" in form
    assert form[form.index("FIN") - 1] == "# LISTO"
