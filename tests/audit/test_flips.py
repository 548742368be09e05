"""Every byte of what travels with letters, flipped: a check says so. What carries no claim is listed."""

from functools import lru_cache

import pytest

from pbem.audit import leaves, note, rolls, sealing, vrf
from pbem.audit.bundle import Reveal
from pbem.audit.verifier import verify
from pbem.audit.verifier.record import Item
from tests.audit import standalone
from tests.audit.simulated import FIRST, GAME, ORDERS, PLAYED, Server, first_phase, judge, statuses

LETTERS = {"welcome": 0, "receipt": 2, "closed": 3, "report": 4, "disclosure": 5}
SERVER = Server()


def opened(server: Server) -> Item:
    """The letter that opens the phase when the game is over."""
    server.act("disclose", (("phase", FIRST),))
    blind = vrf.prove(server.vrf, sealing.blind(game=GAME, phase=FIRST))
    orders = tuple(server.opened(FIRST, 1, seat, *held) for seat, held in ORDERS.items())
    return server.send(
        "spain", "disclosure", orders=orders, reveals=(Reveal(FIRST, blind, "before", "after"),), played=PLAYED
    )


ITEMS = [*first_phase(SERVER), opened(SERVER)]
SYSTEM = ITEMS[5].data.index(b"system toy") + 7
# A claim that was made smaller is still true. By which rules a game was played is told by its edition, which is held
# against the log; the name only says where to look for them.
NO_CLAIM = {"report": {ITEMS[4].data.index(b"grade B") + 6}, "disclosure": set(range(SYSTEM, SYSTEM + 3))}


@pytest.fixture(scope="module", autouse=True)
def remembered():
    """What was read of a letter or leaf that is as it was is remembered: all but one are, each time."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((verify, "parse"), (leaves, "parse"), (note, "parse"), (rolls, "parse_slate")):
            patch.setattr(module, name, lru_cache(maxsize=256)(getattr(module, name)))
        yield


def flipped(letter: str, at: int) -> list[Item]:
    """The letters, one byte of one of them changed by its last bit."""
    index = LETTERS[letter]
    data = ITEMS[index].data
    changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    return [*ITEMS[:index], ITEMS[index]._replace(data=changed), *ITEMS[index + 1 :]]


def test_unflipped_all_is_true():
    assert judge(ITEMS).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("letter", LETTERS)
def test_every_flipped_byte_is_found(letter):
    size = len(ITEMS[LETTERS[letter]].data)
    passed = {at for at in range(size) if judge(flipped(letter, at)).code != 1}
    assert passed == NO_CLAIM.get(letter, set())


@pytest.mark.parametrize("letter", LETTERS)
def test_both_verifiers_say_the_same_of_flipped_bytes(letter):
    for at in range(0, len(ITEMS[LETTERS[letter]].data), 37):
        items = flipped(letter, at)
        ours = statuses(judge(items, check=lambda *_: None))
        assert standalone.statuses(items) == ours, at
