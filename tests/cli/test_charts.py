"""Charts on the command line."""

import pytest

from pbem.cli.main import main
from pbem.cli.rulebooks import find_game


def test_a_chart_is_printed_as_it_is_shipped(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["chart", "C6"])
    output = capsys.readouterr()
    assert (ended.value.code, output.err) == (0, "")
    assert output.out == str(find_game("africa1860").rulebook.chart("C6")).rstrip("\n") + "\n"


def test_a_chart_that_is_not_there(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["chart", "C99"])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("pbem: no game has a chart 'C99'; there are: africa1860: O3 moves, ")
    assert "; peninsular: T1 terrain, " in err
    with pytest.raises(SystemExit):
        main(["chart", "C6", "--game", "peninsular"])
    assert capsys.readouterr().err.startswith("pbem: peninsular has no chart 'C6'; there are: T1 terrain, ")


def test_a_chart_is_found_in_the_game_that_has_it(capsys):
    with pytest.raises(SystemExit):
        main(["chart", "T6"])
    assert capsys.readouterr().out.startswith("T6  Shock")
