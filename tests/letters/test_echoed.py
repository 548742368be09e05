"""Orders of hexes come back in the words of their guide: HEX, PF, PARA TODOS, as they were written."""

import pytest

from tests.harness.battle import PlayedBattle

SPANISH = """PARAR SI MIS PF MENOS DE 20
SI HEX 1514 MIO
  PASAR
FINSI
"""
ENGLISH = """STOP IF MY PF LESS THAN 20
IF HEX 1514 MINE
  PASS
ENDIF
"""
FOR_ALL = "DOCTRINA PARA TODOS\n1. FUEGO A DISCRECION\nFINDOCTRINA\n"


def table(folder, seats):
    return PlayedBattle(folder, scenario="barrosa", game="peninsular", seats=seats)


@pytest.mark.parametrize(
    ("seats", "lines", "frame"),
    [
        (("british", "french"), SPANISH, "ORDENES T1\n{}FIN\n"),
        (("french", "british"), ENGLISH, "ORDERS T1\n{}END\n"),
    ],
)
def test_what_is_written_by_the_guide_is_echoed_so(tmp_path, seats, lines, frame):
    game = table(tmp_path, seats)
    answer = game.answer("british", frame.format(lines))
    game.server.engine.dispose()
    assert frame.format(lines) in answer


def test_standing_orders_in_a_letter_that_verifies_are_said_to_be_looked_at_alone(tmp_path):
    game = table(tmp_path, ("british", "french"))
    answer = game.answer("british", f"VERIFICAR T1\nPASAR\nFIN\n{FOR_ALL}".replace("A DISCRECION", "DISCRECION"))
    assert "La doctrina solo se ha comprobado: sigue en vigor la de antes." in answer
    assert FOR_ALL in answer, "and DISCRECION alone says it"
    assert FOR_ALL not in game.answer("british", "ESTADO")
    game.server.engine.dispose()


def test_what_may_follow_fire_in_standing_orders_is_told_in_words_that_can_be_written(tmp_path):
    game = table(tmp_path, ("british", "french"))
    answer = " ".join(game.answer("british", "DOCTRINA PARA TODOS\nFUEGO NUNCA\nFINDOCTRINA\n").split())
    assert "se esperaba ASALTANTES, MASCERCANO o A DISCRECION, o en lugar de las dos palabras ALTO EL FUEGO" in answer
    answer = game.answer("british", "DOCTRINA PARA TODOS\nALTO EL FUEGO\nFINDOCTRINA\n")
    assert "ALTO EL FUEGO" in answer
    game.server.engine.dispose()


def test_a_square_against_whom_it_does_not_answer_is_warned_of(tmp_path):
    game = table(tmp_path, ("french", "british"))
    answer = game.answer("british", "STANDING FOR ALL\nWHEN ASSAULTED THEN SQUARE\nENDSTANDING\n")
    game.server.engine.dispose()
    assert "standing order 1: a square answers a charge alone, not those who come on foot [S6]" in " ".join(
        answer.split()
    )
