"""Every byte of what travels with letters, flipped: a check says so. What carries no claim is listed."""

import sys

import pytest

from pbem.verifier.verification import status_by_check
from tests.audit import standalone
from tests.audit.checked import judge as checked
from tests.audit.checked import quickly
from tests.audit.simulated import first_phase
from tests.audit.small_server import Item, Server

LETTERS = {"welcome": 0, "receipt": 2, "closed": 3, "report": 4, "disclosure": 5}
SERVER = Server()


def opened(server: Server) -> Item:
    """The letter that opens the phase when the game is over."""
    return server.send("spain", "disclosure", **server.disclose())


ITEMS = [*first_phase(SERVER), opened(SERVER)]
# A claim that was made smaller is still true.
NO_CLAIM = {"report": {ITEMS[4].data.index(b"grade B") + 6}}


@pytest.fixture(scope="module", autouse=True)
def remembered():
    with quickly():
        yield


def flipped(letter: str, offset: int) -> list[Item]:
    """The letters, one byte of one of them changed by its last bit."""
    index = LETTERS[letter]
    data = ITEMS[index].data
    changed = data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]
    return [*ITEMS[:index], ITEMS[index]._replace(data=changed), *ITEMS[index + 1 :]]


def test_unflipped_all_is_true():
    checks = status_by_check(checked(ITEMS))
    assert {check: status for check, status in checks.items() if status != "ok"} == {"labels": "NOT CHECKED"}


def passed(letter: str, step: int = 1) -> set[int]:
    """The bytes, of all or of each Nth, that can be flipped and no check says so."""
    size = len(ITEMS[LETTERS[letter]].data)
    return {number for number in range(0, size, step) if checked(flipped(letter, number)).code != 1}


@pytest.mark.parametrize(
    "step", [87, pytest.param(29, marks=pytest.mark.full), pytest.param(7, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("letter", LETTERS)
def test_flipped_bytes_are_found(letter, step):
    """Each 87th, then each 29th; at length each seventh, so that every line of every block has its turn; `make
    verify-corpus` flips them all."""
    assert passed(letter, step) == {index for index in NO_CLAIM.get(letter, ()) if index % step == 0}
    for index in NO_CLAIM.get(letter, ()):
        assert checked(flipped(letter, index)).code != 1


@pytest.mark.parametrize("step", [291, pytest.param(97, marks=pytest.mark.full)])
@pytest.mark.parametrize("letter", LETTERS)
def test_the_file_says_the_same_of_flipped_bytes(letter, step):
    for number in range(0, len(ITEMS[LETTERS[letter]].data), step):
        items = flipped(letter, number)
        assert standalone.statuses(items) == status_by_check(checked(items)), number


def main() -> int:
    """Flip every byte of every kind of letter, as `make verify-corpus` does: ``python -m tests.audit.test_flips``."""
    wrong = 0
    for letter in LETTERS:
        with quickly():
            unseen = passed(letter) ^ NO_CLAIM.get(letter, set())
        wrong += len(unseen)
        print(f"{letter}: {len(ITEMS[LETTERS[letter]].data)} bytes flipped, unlike what was said: {sorted(unseen)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
