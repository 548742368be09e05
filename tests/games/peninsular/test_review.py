"""What a receipt says besides: the ways that MOVE TO will take."""

from dataclasses import replace

from pbem.core.data.messages import plain
from pbem.games.peninsular import GAME
from pbem.games.peninsular.state import State
from pbem.reports.catalogue import load
from tests.games.peninsular.test_turns import start

UNITS = (
    "british inf A pf 5 will B facing S at 0505",
    "british art Horse pf 2 fire 4 size horse limbered facing S at 0505",
    "french inf F pf 6 will C facing S at 1201",
)
GROUND = ["0505-0506 bridge", "0606-0605 slope", "0607 light wood"]
TEXT = "MOVE A, Horse TO 0607\nMOVE Horse TO 0707\nMOVE A 0607"


def reviewed(state: State) -> list[tuple[int, str, str]]:
    """Line, sentence in Spanish and rule of what is said of the orders."""
    orders = GAME.parse(TEXT, state, "british").orders
    say = load("es", "peninsular").say
    return [(w.line, say(w.why), w.rule) for w in GAME.aids.review(state, "british", orders)]


def test_the_way_of_a_move_is_written_out_as_it_will_be_found():
    state = start(*UNITS, terrain=GROUND)
    assert reviewed(state) == [(1, "a 0607 por 0605, 0606, 0607", "S4a")]
    told = GAME.aids.review(state, "british", GAME.parse("MOVE A TO 0506", state, "british").orders)
    assert [plain(w.why) for w in told] == ["to 0506 by 0506"]


def test_by_the_rules_as_they_were_no_way_is_told():
    state = start(*UNITS, terrain=GROUND)
    assert reviewed(state.change(edition=replace(state.edition, errata=""))) == []
