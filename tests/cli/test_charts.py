"""Charts on the command line."""

import pytest

from pbem.cli.main import main
from pbem.cli.wiring import find_game


def test_a_chart_is_printed_as_it_is_shipped(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["chart", "C6"])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert said.out == str(find_game("africa1860").chart("C6")).rstrip("\n") + "\n"


def test_a_chart_that_is_not_there(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["chart", "C99"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("pbem: africa1860 has no chart 'C99'; there are: O3 moves, ")
