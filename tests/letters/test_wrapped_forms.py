"""Forms whose long orders take two lines: what comes of them if only the first # is taken away."""

import pytest

from tests.harness.battle import PlayedBattle


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path, "wadras", seats=("morocco", "spain"))
    yield made
    made.server.engine.dispose()


def form_of(table):
    """The form of the first letter to Spain."""
    lines = table.last_to("spain").splitlines()
    return lines[lines.index(next(line for line in lines if line.startswith("ORDERS T1"))) : lines.index("END") + 1]


def freed(form, *beginnings):
    """The form without the first # of the lines that begin so."""
    return "\n".join(line[2:] if line.startswith(beginnings) else line for line in form)


def test_the_rest_of_an_order_below_it_belongs_to_it(table):
    form = freed(form_of(table), "# ACTIVATE Puente", "# ASSAULT Lomas WITH Cataluna")
    assert "SUPPORT\n#     Caballo+Regimiento5, Montana" in form
    answer = table.answer("spain", form)
    assert "\nASSAULT Lomas WITH Cataluna, Granada LED BY Echague SUPPORT Caballo+Regimiento5, Montana\nEND\n" in answer


def test_it_belongs_to_it_even_if_the_order_could_be_read_without(table):
    order = "ASSAULT Lomas WITH Borbon, Madrid LED BY Lasaussaye\n#     SUPPORT Montana  # 93 %"
    answer = table.answer("spain", f"ORDERS T1\nACTIVATE Vado\n{order}\n# MOVE Lasaussaye TO Samsa\nEND")
    assert "\nASSAULT Lomas WITH Borbon, Madrid LED BY Lasaussaye SUPPORT Montana\nEND\n" in answer


def test_a_mail_program_that_joins_blanks_changes_nothing(table):
    form = freed(form_of(table), "# ACTIVATE Puente", "# ASSAULT Aldea WITH Cataluna").replace("#     ", "# ")
    answer = table.answer("spain", form)
    assert "\nASSAULT Aldea WITH Cataluna, Granada LED BY Echague SUPPORT Caballo+Regimiento5\nEND\n" in answer


def test_what_is_still_to_be_chosen_is_named_with_all_of_the_order(table):
    answer = table.answer("spain", freed(form_of(table), "# ACTIVATE Puente", "# MOVE Caballo, Cataluna"))
    assert "WITH Echague TO Camino | Ribera | Samsa | Vado\n" in answer
    assert "keep only one of the choices separated by | [O3]" in answer


def test_choices_left_as_they_are_below_a_chosen_one_do_not_count(table):
    order = "MOVE Coraceros, Husares1, Lanceros WITH Galiano TO Camino\n#     | Samsa | Vado"
    answer = table.answer("spain", f"ORDERS T1\nACTIVATE Ribera\n{order}\nEND")
    assert "\nMOVE Coraceros, Husares1, Lanceros WITH Galiano TO Camino\nEND\n" in answer


@pytest.mark.parametrize("left", ["     ", "    "])
def test_choices_left_in_a_line_without_its_mark_are_named_with_all_of_the_order(table, left):
    order = f"MOVE Caballo, Cataluna, Granada, Regimiento5 WITH Echague TO\n{left}Camino | Ribera"
    answer = table.answer("spain", f"ORDERS T1\nACTIVATE Puente\n{order}\nEND")
    assert "one line is wrong" in answer
    assert "WITH Echague TO Camino | Ribera\n" in answer
    assert "keep only one of the choices separated by | [O3]" in answer


@pytest.mark.parametrize("rest", ["     TO Camino", "    TO Camino", "     Camino", "    Camino | Ribera"])
def test_the_second_mark_deleted_alone_is_neither_an_order_nor_passed_over(table, rest):
    to = "" if "TO" in rest else " TO"
    order = f"# MOVE Caballo, Cataluna, Granada, Regimiento5 WITH Echague{to}\n{rest}"
    answer = table.answer("spain", f"ORDERS T1\nACTIVATE Puente\n{order}\nEND")
    word = rest.split()[0]
    assert f"{word} is not an order; if the line above begins it, take away its # too [O3]" in " ".join(answer.split())


@pytest.mark.parametrize("note", ["# a note of my own", "#      | and another one", "## 93 %", "# MOVE Rios TO Vado"])
def test_a_note_below_an_order_is_no_part_of_it(table, note):
    answer = table.answer("spain", f"ORDERS T1\nACTIVATE Samsa\nMOVE Iberia, Tercios WITH Rios TO Puente\n{note}\nEND")
    assert "\nMOVE Iberia, Tercios WITH Rios TO Puente\nEND\n" in answer
