"""O2 With an ACTIVATE that is refused the orders below it come back as comments: they would act for another space."""

import pytest

from pbem.games.africa1860 import GAME
from tests.harness.battle import PlayedBattle

BLOCK = """\
ACTIVATE Nudos
MOVE Cuenca TO Playa
ACTIVATE Cresta
MOVE Luchana TO Nudos
RETIRE Vergara
IF SPACE Loma EMPTY
  MOVE Principe TO Playa
  ACTIVAR Tarajal
  MOVER Prim A Nudos
ELSE
  CHARGE Husares1 AT Loma
ENDIF
FUEGO Rodada5 A Loma
ACTIVATE Tarajal
MOVE Rodada5 TO Playa"""


@pytest.mark.parametrize(
    ("block", "index", "lines"),
    [
        (BLOCK, 2, (3, 6, 10, 12)),
        (BLOCK, 0, (1,)),
        (BLOCK, 1, ()),
        (BLOCK, 7, (8,)),
        (BLOCK, 13, (14,)),
    ],
)
def test_what_falls_with_a_refused_activation(block, index, lines):
    assert GAME.aids.fallen(block.split("\n"), index) == lines


def test_a_block_given_back_moves_nobody_for_another_space(tmp_path):
    table = PlayedBattle(tmp_path)
    letter = "ORDERS T1\nACTIVATE Nudos\nMOVE Cuenca TO Playa\nACTIVATE Cresta\nMOVE Luchana TO Nudos\nEND"
    answer = table.answer("spain", letter)
    table.server.engine.dispose()
    back = answer[answer.index("Sus órdenes, con lo que he podido corregir") :].splitlines()
    assert "# ACTIVAR Cresta" in back
    assert "# MOVER Luchana A Nudos" in back
    assert "MOVER Cuenca A Playa" in back
