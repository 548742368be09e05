"""Every byte of what travels with letters, flipped: a check says so. What carries no claim is listed."""

from functools import lru_cache

import pytest

from pbem.verifier.bundles import Letter
from pbem.verifier.fields import Block
from tests.audit import standalone
from tests.audit.checked import judge as checked
from tests.audit.checked import statuses
from tests.audit.simulated import Item, Server, first_phase

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
    """What was read of a letter or block that is as it was is remembered: all but one are, each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbem.verifier.judge.Letter", lru_cache(maxsize=256)(Letter))
        patch.setattr("pbem.verifier.bundles.Block", lru_cache(maxsize=4096)(Block))
        yield


def flipped(letter: str, at: int) -> list[Item]:
    """The letters, one byte of one of them changed by its last bit."""
    index = LETTERS[letter]
    data = ITEMS[index].data
    changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    return [*ITEMS[:index], ITEMS[index]._replace(data=changed), *ITEMS[index + 1 :]]


def test_unflipped_all_is_true():
    found = statuses(checked(ITEMS))
    assert {check: status for check, status in found.items() if status != "ok"} == {"labels": "NOT CHECKED"}


@pytest.mark.slow
@pytest.mark.parametrize("letter", LETTERS)
def test_every_flipped_byte_is_found(letter):
    size = len(ITEMS[LETTERS[letter]].data)
    passed = {at for at in range(size) if checked(flipped(letter, at)).code != 1}
    assert passed == NO_CLAIM.get(letter, set())


@pytest.mark.parametrize("letter", LETTERS)
def test_the_file_says_the_same_of_flipped_bytes(letter):
    for at in range(0, len(ITEMS[LETTERS[letter]].data), 97):
        items = flipped(letter, at)
        assert standalone.statuses(items) == statuses(checked(items)), at
