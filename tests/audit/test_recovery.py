"""Logs that were begun anew after a restore: never passed over in silence, and an act taken back is called so."""

import pytest

from pbem.audit import epochs
from tests.audit import standalone
from tests.audit.once_more import ONCE_MORE
from tests.audit.recovered import RECOVERED
from tests.audit.simulated import judge, statuses


@pytest.mark.parametrize("name", [*RECOVERED, *ONCE_MORE])
def test_what_is_said_of_it(name):
    """The same of phases that were resolved once more."""
    make, wanted = (RECOVERED | ONCE_MORE)[name]
    items = make()
    found = statuses(judge(items))
    assert {check: status for check, status in found.items() if status != "ok"} == wanted
    assert standalone.statuses(items) == statuses(judge(items, check=lambda *_: None))


def test_it_is_said_plainly():
    items = RECOVERED["a closed list taken back for another"][0]()
    (line,) = [line for line in judge(items).lines if line.check == "recovery"]
    assert "close wt-042 T1.spain~1 1: the log said otherwise before the restore" in line.why
    assert any(
        why.startswith("the log was begun anew after a restore: of 5 leaves it kept the first 4") for why in line.why
    )


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("example.com/pbem", 1),
        ("example.com/pbem/2", 2),
        ("example.com/pbem/30", 30),
        ("example.com/pbem/1", 0),
        ("example.com/pbem/02", 0),
        ("example.com/pbem/two", 0),
        ("example.com/pbem2", 0),
        ("example.com/other", 0),
    ],
)
def test_which_epoch_has_a_name(name, number):
    assert epochs.number_of(name, "example.com/pbem") == number
    assert number == 0 or epochs.name_of("example.com/pbem", number) == name
