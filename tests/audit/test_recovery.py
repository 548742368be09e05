"""Logs that were begun anew after a restore: never passed over in silence, and an act taken back is called so."""

import pytest

from pbem.audit import epoch_names
from pbem.verifier.log_checks import epoch_of
from pbem.verifier.verification import status_by_check
from tests.audit import standalone
from tests.audit.attacks_on_lots import PUT_BACK, put_back
from tests.audit.checked import judge
from tests.audit.once_more import ONCE_MORE
from tests.audit.recovered import RECOVERED

WHILE_IT_GOES_ON = {"others", "labels"}
"""What cannot be checked of a game of the toy before its end, begun anew or not."""


@pytest.mark.parametrize("name", [*RECOVERED, *ONCE_MORE])
def test_what_is_said_of_it(name):
    """The same of phases that were resolved once more."""
    make, wanted = (RECOVERED | ONCE_MORE)[name]
    items = make()
    by_check = status_by_check(judge(items))
    assert {
        check: by_check[check] for check in by_check if by_check[check] != "ok" and check not in WHILE_IT_GOES_ON
    } == wanted
    assert {by_check[check] for check in WHILE_IT_GOES_ON} <= {"ok", "NOT CHECKED"}
    assert standalone.statuses(items) == by_check


def test_it_is_said_plainly():
    items = RECOVERED["a closed list taken back for another"][0]()
    (line,) = [line for line in judge(items).lines if line.check == "recovery"]
    assert "wt-042 close T1.spain~1 1: the log said otherwise before the restore" in line.why
    assert any(reason.startswith("the log was begun anew: of 6 leaves it kept the first 4") for reason in line.why)


@pytest.mark.parametrize("name", PUT_BACK)
def test_what_of_a_tournament_is_otherwise_after_a_restore_is_named(name):
    items = put_back(*PUT_BACK[name]).items
    verdict = judge(items)
    (line,) = [line for line in verdict.lines if line.check == "recovery"]
    assert line.status == "NOT CHECKED"
    assert [why for why in line.why if why.endswith(": the log said otherwise before the restore")] != []
    assert standalone.statuses(items) == status_by_check(verdict)


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
    assert epoch_names.epoch_number(name, "example.com/pbem") == epoch_of(name, "example.com/pbem") == number
    assert number == 0 or epoch_names.epoch_name("example.com/pbem", number) == name
